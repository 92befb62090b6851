// SPDX-License-Identifier: Apache-2.0
// Fourier transforms. A dimension of n elements, known at run time, is transformed by Bluestein's
// algorithm: with the chirp w[k] = exp(-pi i k^2 / n), and since 2jk = j^2 + k^2 - (k - j)^2,
//
//     X[k] = w[k] sum over j < n of (x[j] w[j]) conj(w[k - j])
//
// which is a convolution, computed by transforms of one static length that suffices for any n up to
// the bound. Test: test/passes/bounded/fourier.hlo.
#include "passes/bounded/BoundedPatterns.h"
#include "llvm/Support/MathExtras.h"
#include <numbers>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// Transforms of single dimensions.
class FourierBuild {
public:
  FourierBuild(BoundedBuild &build) : build(build) {}

  /// A transform of complex numbers along `dimension`, over its run-time size if it has one. An
  /// inverse transform is divided by that size, or else by `length`.
  BoundedArray transform(BoundedArray operand, int64_t dimension, int64_t length, bool inverse) {
    return alongLast(operand, dimension, [&](const BoundedArray &rows) {
      if (rows.sizes.back())
        return convolve(rows, inverse);
      return transformRows(rows.array, inverse ? FftType::IFFT : FftType::FFT, length);
    });
  }

  /// The first half of the transform of real numbers: n / 2 + 1 of n coefficients, and none if n is
  /// 0.
  BoundedArray transformReal(const BoundedArray &operand) {
    int64_t last = operand.getRank() - 1, bound = operand.getBound(last);
    Value size = operand.sizes[last];
    if (!size)
      return {transformRows(operand.array, FftType::RFFT, bound), operand.sizes};
    auto type = ComplexType::get(operand.getElement());
    BoundedArray numbers(build.convert(operand.array, type), operand.sizes);
    Value half = build.add(build.div(size, 2), 1);
    BoundedArray result = transform(numbers, last, bound, /*inverse=*/false);
    result.array = build.sliceOf(result.array, last, 0, bound / 2 + 1);
    result.sizes[last] = build.select(build.compare(size, 0.0, Direction::EQ), size, half);
    return result;
  }

  /// The inverse, of static length: coefficients past the size are zero.
  BoundedArray transformToReal(const BoundedArray &operand, int64_t length) {
    int64_t last = operand.getRank() - 1;
    Value all = build.fillPast(operand, {last}, build.scalar(operand.getElement(), 0.0));
    BoundedArray result(transformRows(all, FftType::IRFFT, length), operand.sizes);
    result.sizes[last] = nullptr;
    return result;
  }

private:
  /// Applies `change` to the array with `dimension` moved to the end.
  BoundedArray alongLast(const BoundedArray &operand, int64_t dimension,
                         function_ref<Value(const BoundedArray &)> change) {
    SmallVector<int64_t> order = iotaVector(operand.getRank());
    std::swap(order[dimension], order.back());
    BoundedArray rows(build.transpose(operand.array, order), operand.sizes);
    std::swap(rows.sizes[dimension], rows.sizes.back());
    return {build.transpose(change(rows), order), operand.sizes};
  }

  Value transformRows(Value rows, FftType kind, int64_t length) {
    RankedTensorType type = arrayType(rows);
    SmallVector<int64_t> shape(type.getShape());
    Type element = type.getElementType();
    if (kind == FftType::RFFT) {
      shape.back() = length / 2 + 1;
      element = ComplexType::get(element);
    } else if (kind == FftType::IRFFT) {
      shape.back() = length;
      element = cast<ComplexType>(element).getElementType();
    }
    return FftOp::create(build.builder, build.loc, RankedTensorType::get(shape, element), rows,
                         kind, length);
  }

  /// exp(pi i k^2 / n) for k below n, where index k counts up from 0 and, from the end of `length`,
  /// down from 0; zero in between. Phases are computed as integer multiples of a half turn divided
  /// by n, so that those of large k are exact; f64.
  std::pair<Value, Value> makeChirp(Value size, int64_t length) {
    Type i64 = build.builder.getI64Type(), f64 = build.builder.getF64Type();
    Value place = build.iota(length, i64, 0);
    Value index = build.minimum(place, build.sub(build.splatLike(place, length), place));
    Value count = build.convert(build.maximum(size, build.index(1)), i64);
    count = build.broadcast(count, length, {});
    Value part = build.binary<RemainderOp>(build.mul(index, index), build.mul(count, 2));
    Value angle =
        build.mul(build.div(build.convert(part, f64), build.convert(count, f64)), std::numbers::pi);
    Value isInside = build.compare(index, count, Direction::LT), zero = build.splatLike(angle, 0);
    return {build.select(isInside, build.unary<CosineOp>(angle), zero),
            build.select(isInside, build.unary<SineOp>(angle), zero)};
  }

  Value makeComplex(Value real, Value imaginary, ComplexType type) {
    Type part = type.getElementType();
    return ComplexOp::create(build.builder, build.loc, arrayType(real).clone(type),
                             build.convert(real, part), build.convert(imaginary, part));
  }

  Value convolve(const BoundedArray &rows, bool inverse) {
    auto type = cast<ComplexType>(rows.getElement());
    ArrayRef<int64_t> bounds = rows.getBounds();
    int64_t last = rows.getRank() - 1, bound = bounds.back();
    int64_t length = llvm::PowerOf2Ceil(2 * bound - 1);
    auto [cosine, sine] = makeChirp(rows.sizes.back(), length);
    Value opposite = build.unary<NegateOp>(sine);
    if (inverse)
      std::swap(sine, opposite);
    Value filter = transformRows(makeComplex(cosine, sine, type), FftType::FFT, length);
    auto firstOf = [&](Value values) { return build.sliceOf(values, 0, 0, bound); };
    Value real = firstOf(cosine), imaginary = firstOf(opposite);
    Value chirp = makeComplex(real, imaginary, type), scaled = chirp;
    if (inverse) {
      Value count = build.maximum(rows.sizes.back(), build.index(1));
      Value divisor = build.broadcast(build.convert(count, build.builder.getF64Type()), bound, {});
      scaled = makeComplex(build.div(real, divisor), build.div(imaginary, divisor), type);
    }
    Value zero = build.scalar(type, 0.0);
    Value turned =
        build.mul(build.fillPast(rows, {last}, zero), build.broadcast(chirp, bounds, {last}));
    SmallVector<int64_t> none(rows.getRank(), 0), high(none);
    high[last] = length - bound;
    Value spectrum = transformRows(build.pad(turned, zero, none, high, none), FftType::FFT, length);
    spectrum = build.mul(spectrum, build.broadcastLike(filter, spectrum, {last}));
    Value sums = transformRows(spectrum, FftType::IFFT, length);
    return build.mul(build.sliceOf(sums, last, 0, bound), build.broadcast(scaled, bounds, {last}));
  }

  BoundedBuild &build;
};

} // namespace

static Expanded expandFft(FftOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  BoundedArray result = operands[0];
  FftType kind = op.getFftType();
  SmallVector<int64_t> lengths(op.getFftLength());
  int64_t last = result.getRank() - 1, first = result.getRank() - lengths.size();
  RankedTensorType type = getFullType(op.getType());
  // In complex transforms, dimensions may have another size than the length, which only matters if
  // they are static.
  for (auto [i, length] : llvm::enumerate(lengths))
    if (int64_t d = first + i; op.getOperand().getType().isDynamicDim(d))
      if (kind != FftType::IRFFT || d < last)
        length = result.getBound(d);
  SmallVector<int64_t> transformed = llvm::to_vector(llvm::seq<int64_t>(first, last + 1));
  if (!result.isBoundedIn(transformed) || type.getNumElements() == 0) {
    result.array = FftOp::create(build.builder, build.loc, type, result.array, kind, lengths);
    if (kind == FftType::IRFFT)
      result.sizes[last] = nullptr;
    return BoundedArrays{result};
  }
  FourierBuild fourier(build);
  bool inverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  if (kind == FftType::RFFT)
    result = fourier.transformReal(result);
  if (kind == FftType::RFFT || kind == FftType::IRFFT)
    transformed.pop_back();
  for (int64_t d : llvm::reverse(transformed))
    result = fourier.transform(result, d, lengths[d - first], inverse);
  if (kind == FftType::IRFFT)
    result = fourier.transformToReal(result, lengths.back());
  return BoundedArrays{result};
}

void hloc::populateFourier(BoundedPatterns &patterns) { patterns.add<FftOp>(expandFft); }
