// SPDX-License-Identifier: Apache-2.0
// convolution.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/linalg/Columns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
/// One spatial dimension of a convolution.
struct Spatial {
  int64_t inputSize, inputStride, kernelSize, kernelStride, outputSize, outputStride;
  int64_t stride = 1, low = 0, baseDilation = 1, windowDilation = 1;
  bool reversed = false;

  static constexpr int64_t kPadding = -1, kHole = -2;

  /// Offset in the input of the element that the kernel's element `k` is multiplied with at output
  /// position `o`; kPadding or kHole if there is no such element.
  int64_t inputOffset(int64_t o, int64_t k) const {
    int64_t place = o * stride + k * windowDilation - low;
    if (place % baseDilation != 0)
      return kHole;
    if (place < 0 || place / baseDilation >= inputSize)
      return kPadding;
    return place / baseDilation * inputStride;
  }
  int64_t kernelOffset(int64_t k) const {
    return (reversed ? kernelSize - 1 - k : k) * kernelStride;
  }
};
} // namespace

/// The dense array that a sparse one represents: zeros except at its indices. Element e along the
/// sparse dimension belongs to block e / (stride kept) and to row e % stride in it.
static FailureOr<Array> makeDense(Call &call, SparsityAttr sparsity) {
  if (sparsity.getIndices() < 0)
    return call.fail("the text does not say where the elements of the sparse operand belong");
  const Array &values = call.array(sparsity.getNumber()),
              &indices = call.array(sparsity.getIndices());
  int64_t d = sparsity.getDimension(), kept = sparsity.getNonZeros(),
          block = sparsity.getBlockSize(), stride = std::max<int64_t>(sparsity.getStride(), 1);
  // If the size is known only at run time, the blocks that are complete.
  Shape shape = values.shape;
  int64_t whole = shape[d] / (kept * stride);
  shape[d] = whole * block * stride;
  int64_t count, limit = call.interpreter.evaluation.options.maxBytes / getBytes(values.type);
  if (llvm::MulOverflow(values.getCount() / kept, block, count) || count > limit)
    return call.fail("the dense operand does not fit in memory");
  Array dense(values.type, shape);
  Shape strides = rowMajorStrides(shape), place(shape.size(), 0);
  for (int64_t i = 0; i < values.getCount(); ++i) {
    int64_t offset = 0, index = indices.getIndex(i);
    bool isWhole = place[d] < whole * kept * stride;
    if (isWhole && (index < 0 || index >= block))
      return call.fail("an index of the sparse operand is " + Twine(index) +
                       ", but its blocks have " + Twine(block) + " elements");
    for (int64_t dimension = 0; dimension < int64_t(place.size()); ++dimension) {
      int64_t at = place[dimension];
      if (dimension == d)
        at = (at / (stride * kept) * block + index) * stride + at % stride;
      offset += at * strides[dimension];
    }
    if (isWhole)
      dense.set(offset, values.get(i));
    nextIndex(place, values.shape);
  }
  return dense;
}

/// Sizes of the result that are known only at run time, from those of the operands.
static void setDynamicSizes(ConvolutionOp op, const Array &input, const Array &kernel,
                            Shape &shape) {
  auto type = cast<RankedTensorType>(op.getType());
  ConvDimensionsAttr dims = op.getDimLabels();
  auto set = [&](int64_t d, int64_t size) {
    if (type.isDynamicDim(d)) // a shorter kernel has more windows than the bound's
      shape[d] = std::min(size, shape[d]);
  };
  set(dims.getOutputBatch(), input.shape[dims.getInputBatch()] / op.getBatchGroupCount());
  WindowAttr window = op.getWindow();
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i) {
    auto get = [i](ArrayRef<int64_t> list, int64_t value) {
      return i < list.size() ? list[i] : value;
    };
    int64_t size = input.shape[dims.getInputSpatial()[i]];
    int64_t dilated = size ? (size - 1) * get(window.getBaseDilations(), 1) + 1 : 0;
    int64_t length = kernel.shape[dims.getKernelSpatial()[i]];
    int64_t extent = length ? (length - 1) * get(window.getWindowDilations(), 1) + 1 : 0;
    int64_t room =
        dilated + get(window.getPaddingLow(), 0) + get(window.getPaddingHigh(), 0) - extent;
    set(dims.getOutputSpatial()[i], room < 0 ? 0 : room / get(window.getStrides(), 1) + 1);
  }
}

static FailureOr<Values> convolution(Call &call) {
  auto op = cast<ConvolutionOp>(call.op);
  if (ArrayAttr config = op.getSparsityConfigAttr())
    for (auto sparsity : config.getAsRange<SparsityAttr>()) {
      FailureOr<Array> dense = makeDense(call, sparsity);
      if (failed(dense))
        return failure();
      call.operands[sparsity.getNumber()] = *dense;
    }
  auto type = getArrayType(op.getType());
  if (!type)
    return call.fail("the result has no size");
  const Array &input = call.array(0), &kernel = call.array(1);
  ConvDimensionsAttr dims = op.getDimLabels();
  WindowAttr window = op.getWindow();
  int64_t batchGroups = op.getBatchGroupCount();
  setDynamicSizes(op, input, kernel, type->second);
  Shape inStrides = rowMajorStrides(input.shape), kernelStrides = rowMajorStrides(kernel.shape),
        outStrides = rowMajorStrides(type->second);

  SmallVector<Spatial, 3> spatial;
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i) {
    int64_t in = dims.getInputSpatial()[i], k = dims.getKernelSpatial()[i],
            out = dims.getOutputSpatial()[i];
    Spatial s{input.shape[in],  inStrides[in],     kernel.shape[k],
              kernelStrides[k], type->second[out], outStrides[out]};
    auto set = [i](auto list, auto &value) {
      if (i < list.size())
        value = list[i];
    };
    set(window.getStrides(), s.stride);
    set(window.getPaddingLow(), s.low);
    set(window.getBaseDilations(), s.baseDilation);
    set(window.getWindowDilations(), s.windowDilation);
    set(window.getReversals(), s.reversed);
    spatial.push_back(s);
  }
  int64_t outBatches = type->second[dims.getOutputBatch()],
          outFeatures = type->second[dims.getOutputFeature()];
  int64_t groupFeatures = input.shape[dims.getInputFeature()] / op.getFeatureGroupCount();
  int64_t inFeatures = std::min(kernel.shape[dims.getKernelInputFeature()], groupFeatures);
  int64_t inBatchStride = inStrides[dims.getInputBatch()],
          inFeatureStride = inStrides[dims.getInputFeature()];
  int64_t kernelInStride = kernelStrides[dims.getKernelInputFeature()];
  int64_t kernelOutStride = kernelStrides[dims.getKernelOutputFeature()];
  int64_t perFeatureGroup = std::max<int64_t>(outFeatures / op.getFeatureGroupCount(), 1);
  int64_t perBatchGroup = std::max<int64_t>(outFeatures / batchGroups, 1);
  Shape outShape, kernelShape;
  for (const Spatial &s : spatial) {
    outShape.push_back(s.outputSize);
    kernelShape.push_back(s.kernelSize);
  }

  ElementType sum = getSumType(input.type, kernel.type, type->first);
  return withNumber(sum, [&](auto sample) -> FailureOr<Values> {
    using T = decltype(sample);
    std::vector<T> x = toNumbers<T>(input, sum), w = toNumbers<T>(kernel, sum);
    std::vector<T> out(countElements(type->second));
    if (out.empty() || x.empty() || w.empty())
      return Values{fromNumbers(out, type->first, type->second)};
    // Padding is zero, which becomes NaN with weights that are not finite; holes contribute
    // nothing.
    const T zero{};
    bool isPaddingSeen = llvm::any_of(w, [&](const T &weight) {
      T product{};
      multiplyAdd(product, zero, weight);
      return product != zero;
    });
    Shape place(outShape.size(), 0);
    do {
      Shape inWindow(kernelShape.size(), 0);
      int64_t outOffset = 0;
      for (auto [s, o] : llvm::zip(spatial, place))
        outOffset += o * s.outputStride;
      do {
        int64_t inOffset = 0, kernelOffset = 0;
        bool inside = true, isHole = false;
        for (auto [i, s] : llvm::enumerate(spatial)) {
          int64_t offset = s.inputOffset(place[i], inWindow[i]);
          inside &= offset >= 0;
          isHole |= offset == Spatial::kHole;
          inOffset += offset;
          kernelOffset += s.kernelOffset(inWindow[i]);
        }
        if (isHole || (!inside && !isPaddingSeen))
          continue;
        if (failed(call.interpreter.work(op, outBatches * outFeatures * inFeatures)))
          return failure();
        for (int64_t b = 0; b < outBatches; ++b)
          for (int64_t f = 0; f < outFeatures; ++f) {
            int64_t batch = f / perBatchGroup * outBatches + b, group = f / perFeatureGroup;
            const T *from =
                inside
                    ? &x[inOffset + batch * inBatchStride + group * groupFeatures * inFeatureStride]
                    : &zero;
            int64_t step = inside ? inFeatureStride : 0;
            const T *weights = &w[kernelOffset + f * kernelOutStride];
            T &at = out[outOffset + b * outStrides[dims.getOutputBatch()] +
                        f * outStrides[dims.getOutputFeature()]];
            T total = at;
            for (int64_t i = 0; i < inFeatures; ++i)
              multiplyAdd(total, from[i * step], weights[i * kernelInStride]);
            at = total;
          }
      } while (nextIndex(inWindow, kernelShape));
    } while (nextIndex(place, outShape));
    Array sums = fromNumbers(out, sum, type->second);
    return Values{sum == type->first ? sums : convertArray(sums, type->first)};
  });
}

void addConvolutionOps(HandlerTable &table) { table["hlo.convolution"] = convolution; }

} // namespace hloc::evaluator
