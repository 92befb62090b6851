// SPDX-License-Identifier: Apache-2.0
// fft: discrete Fourier transforms of any length by splitting off prime factors. Those of c64 are
// computed in double, those of c128 in long double, and rounded once.
#include "compiler/evaluator/core/Interpreter.h"
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
/// The transform of one length and direction.
template <class T> class Transform {
public:
  using Number = std::complex<T>;

  Transform(int64_t length, bool inverse) : roots(length) {
    for (int64_t i = 0; i < length; ++i) {
      Number root = makeRoot(i, length);
      roots[i] = inverse ? root : std::conj(root);
    }
  }

  void operator()(std::vector<Number> &row) const {
    std::vector<Number> out(row.size());
    run(row.data(), 1, out.data(), row.size());
    row = std::move(out);
  }

private:
  /// The root of unity at the angle of `part` / `whole` turns. Only angles up to an eighth of a
  /// turn are computed and others mirrored, so that parts that should be 0 are exactly 0: the
  /// transform of real numbers has no imaginary part in the middle.
  static Number makeRoot(int64_t part, int64_t whole) {
    if (2 * part > whole)
      return std::conj(makeRoot(whole - part, whole));
    if (4 * part > whole) { // half a turn minus the angle
      Number other = makeRoot(whole - 2 * part, 2 * whole);
      return {-other.real(), other.imag()};
    }
    if (8 * part > whole) { // a quarter turn minus the angle
      Number other = makeRoot(whole - 4 * part, 4 * whole);
      return {other.imag(), other.real()};
    }
    T angle = 2 * std::acos(T(-1)) * T(part) / T(whole);
    return {std::cos(angle), std::sin(angle)};
  }

  static Number multiply(Number a, Number b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  /// out[j] = sum of in[i * step] root^(i j). By the smallest factor p: p transforms of every p-th
  /// element, then p by p combinations.
  void run(const Number *in, int64_t step, Number *out, int64_t length) const {
    if (length == 1) {
      out[0] = in[0];
      return;
    }
    int64_t p = 2;
    while (p * p <= length && length % p)
      ++p;
    if (length % p)
      p = length;
    int64_t rest = length / p, scale = int64_t(roots.size()) / length;
    std::vector<Number> parts(length);
    for (int64_t i = 0; i < p; ++i)
      run(in + i * step, step * p, parts.data() + i * rest, rest);
    for (int64_t j = 0; j < length; ++j) {
      Number sum = 0;
      for (int64_t i = 0; i < p; ++i)
        sum += multiply(parts[i * rest + j % rest], roots[(i * j) % length * scale]);
      out[j] = sum;
    }
  }

  std::vector<Number> roots;
};
} // namespace

/// Transforms every row along dimension `d` of a row-major array.
template <class T>
static void transformAlong(std::vector<std::complex<T>> &data, ArrayRef<int64_t> shape, int64_t d,
                           bool inverse) {
  int64_t length = shape[d], inner = countElements(shape.drop_front(d + 1));
  Transform<T> transform(length, inverse);
  std::vector<std::complex<T>> row(length);
  for (int64_t outer = 0; outer < int64_t(data.size()) / (length * inner); ++outer)
    for (int64_t i = 0; i < inner; ++i) {
      auto *first = data.data() + outer * length * inner + i;
      for (int64_t k = 0; k < length; ++k)
        row[k] = first[k * inner];
      transform(row);
      for (int64_t k = 0; k < length; ++k)
        first[k * inner] = row[k];
    }
}

/// The rows with their last dimension truncated or extended to `length` by `element(row, k)`.
template <class T, class Element>
static std::vector<std::complex<T>> resizeRows(int64_t rows, int64_t length, Element element) {
  std::vector<std::complex<T>> result(rows * length);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < length; ++k)
      result[r * length + k] = element(r, k);
  return result;
}

template <class T>
static Array transformArray(const Array &operand, FftType kind, ArrayRef<int64_t> lengths) {
  using Number = std::complex<T>;
  Shape shape = operand.shape;
  int64_t rank = shape.size(), rows = countElements(ArrayRef<int64_t>(shape).drop_back());
  bool inverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  std::vector<Number> data(operand.getCount());
  for (int64_t i = 0; i < int64_t(data.size()); ++i) {
    Scalar s = operand.get(i);
    data[i] = isComplex(operand.type) ? Number(T(s.c.re), T(s.c.im)) : Number(T(s.f), 0);
  }
  auto along = [&](int64_t i) {
    transformAlong(data, shape, rank - int64_t(lengths.size()) + i, inverse);
  };
  int64_t last = int64_t(lengths.size()) - 1, width = shape.back();
  ElementType type = operand.type;
  bool wide = type == ElementType::C128 || type == ElementType::F64;
  if (kind == FftType::IRFFT) { // the last dimension is last, extended by symmetry
    for (int64_t i = 0; i < last; ++i)
      along(i);
    int64_t n = lengths.back();
    data = resizeRows<T>(rows, n, [&](int64_t r, int64_t k) {
      bool mirrored = k > n / 2;
      int64_t from = mirrored ? n - k : k;
      Number value = from < width ? data[r * width + from] : Number(0);
      if (k == 0 || 2 * k == n)
        value = value.real(); // the imaginary parts of these are ignored
      return mirrored ? std::conj(value) : value;
    });
    shape.back() = n;
    along(last);
    type = wide ? ElementType::F64 : ElementType::F32;
  } else {
    for (int64_t i = last; i >= 0; --i)
      along(i);
    if (kind == FftType::RFFT) {
      int64_t half = lengths.back() / 2 + 1;
      data = resizeRows<T>(rows, half, [&](int64_t r, int64_t k) { return data[r * width + k]; });
      shape.back() = half;
      type = wide ? ElementType::C128 : ElementType::C64;
    }
  }
  T scale = inverse ? T(1) / T(countElements(lengths)) : T(1);
  Array result(type, shape);
  for (int64_t i = 0; i < int64_t(data.size()); ++i) {
    Number value = data[i] * scale;
    Scalar s = isComplex(type) ? Scalar::ofComplex(double(value.real()), double(value.imag()))
                               : Scalar::ofFloat(double(value.real()));
    result.set(i, s);
  }
  return result;
}

/// fft_length, with the size instead of the bound for dimensions of bounded dynamic size. IRFFT's
/// last length is unchanged: missing coefficients are 0.
static SmallVector<int64_t> getLengths(FftOp op, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> lengths(op.getFftLength());
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  int64_t first = sizes.size() - lengths.size();
  for (int64_t i = 0, last = lengths.size() - 1; i <= last; ++i)
    if (type.isDynamicDim(first + i) && (i < last || op.getFftType() != FftType::IRFFT))
      lengths[i] = sizes[first + i];
  return lengths;
}

static FailureOr<Values> fft(Call &call) {
  auto op = cast<FftOp>(call.op);
  const Array &operand = call.array(0);
  if (operand.shape.size() < op.getFftLength().size())
    return call.fail("the operand has fewer dimensions than fft_length");
  SmallVector<int64_t> lengths = getLengths(op, operand.shape);
  if (operand.getCount() == 0 || countElements(lengths) == 0) {
    Shape shape = operand.shape; // it may be empty only at run time
    if (op.getFftType() == FftType::RFFT)
      shape.back() = shape.back() ? shape.back() / 2 + 1 : 0;
    else if (op.getFftType() == FftType::IRFFT)
      shape.back() = lengths.back();
    Value zero = makeZero(
        RankedTensorType::get(shape, cast<RankedTensorType>(op.getType()).getElementType()));
    return Values{zero};
  }
  int64_t factors = 0; // the number of sums of products that each element is part of
  for (int64_t length : lengths)
    for (int64_t rest = length, p = 2; rest > 1;) {
      if (p * p > rest)
        p = rest;
      for (; rest % p == 0; rest /= p)
        factors += p;
      ++p;
    }
  if (failed(call.interpreter.work(op, operand.getCount() * factors)))
    return failure();
  bool wide = operand.type == ElementType::C128 || operand.type == ElementType::F64;
  return Values{wide ? transformArray<long double>(operand, op.getFftType(), lengths)
                     : transformArray<double>(operand, op.getFftType(), lengths)};
}

void addFftOps(HandlerTable &table) { table["hlo.fft"] = fft; }

} // namespace hloc::evaluator
