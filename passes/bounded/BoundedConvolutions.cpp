// SPDX-License-Identifier: Apache-2.0
// Convolutions. Test: test/passes/bounded/convolutions.hlo.
#include "passes/bounded/BoundedDots.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedWindows.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Groups of features are adjacent and of the run-time size: moves them to where groups of the
/// bound begin, with zeros in between. Returns both operands.
static std::pair<Value, Value> spreadFeatures(BoundedBuild &build, ConvolutionOp op,
                                              BoundedArray lhs, BoundedArray rhs) {
  for (BoundedArray *side : {&lhs, &rhs})
    side->array = withZero(build, side->array);
  ConvDimensionsAttr labels = op.getDimLabels();
  int64_t groups = op.getFeatureGroupCount(), input = labels.getInputFeature();
  int64_t kernel = labels.getKernelInputFeature(), bound = rhs.getBound(kernel);
  Value size = lhs.sizes[input] ? build.div(lhs.sizes[input], groups) : build.index(bound);
  if (!rhs.sizes[kernel])
    rhs.sizes[kernel] = size;
  BoundedArrays parts = build.splitParts(lhs, input, groups, size);
  SmallVector<Value> values;
  for (BoundedArray &part : parts) {
    part.sizes[input] = rhs.sizes[kernel];
    values.push_back(build.zeroPast(part, {input}));
  }
  return {build.concatenate(values, input), build.zeroPast(rhs, {kernel})};
}

/// A reversed window begins with the last valid element: moves the kernel to the end of its bound.
static Value moveToEnd(BoundedBuild &build, Value kernel, int64_t dimension, Value size) {
  int64_t rank = arrayType(kernel).getRank(), bound = arrayType(kernel).getDimSize(dimension);
  SmallVector<int64_t> low(rank, 0), none(rank, 0);
  low[dimension] = bound;
  Value padded =
      build.pad(kernel, build.scalar(arrayType(kernel).getElementType(), 0.0), low, none, none);
  SmallVector<Value> starts(rank, build.index(0));
  starts[dimension] = size;
  return build.dynamicSlice(padded, starts, arrayType(kernel).getShape());
}

/// Converts sparse operands to the dense ones that they represent, with as many whole blocks as are
/// stored.
static void makeDenseSides(BoundedBuild &build, ArrayAttr config, ArrayRef<BoundedArray> operands,
                           BoundedArray &lhs, BoundedArray &rhs) {
  for (auto sparsity : config.getAsRange<SparsityAttr>()) {
    BoundedArray &side = sparsity.getNumber() ? rhs : lhs;
    int64_t d = sparsity.getDimension(), rows = std::max<int64_t>(sparsity.getStride(), 1);
    side.array = withZero(build, side.array);
    side.array = makeDense(build, build.zeroPast(side, {d}), operands[sparsity.getIndices()].array,
                           sparsity);
    if (side.sizes[d])
      side.sizes[d] = build.mul(build.div(side.sizes[d], sparsity.getNonZeros() * rows),
                                sparsity.getBlockSize() * rows);
  }
}

/// The convolution `op` applied to dense operands.
static Value convolve(BoundedBuild &build, ConvolutionOp op, Value lhs, Value rhs,
                      WindowAttr window, RankedTensorType type) {
  auto convolution = cast<ConvolutionOp>(build.clone(op, {lhs, rhs}, type));
  convolution.setWindowAttr(window);
  convolution.removeSparsityConfigAttr();
  return convolution;
}

/// The convolution as a sum over the kernel's elements along spatial dimensions in which it has a
/// run-time size. Elements past the size are then not multiplied at all, even by infinities. `type`
/// is the result's type.
static Value convolveElements(BoundedBuild &build, ConvolutionOp op, Value image,
                              const BoundedArray &kernel, RankedTensorType type) {
  ConvDimensionsAttr labels = op.getDimLabels();
  WindowAttr window = op.getWindow();
  int64_t rank = kernel.getRank(), count = labels.getInputSpatial().size();
  auto get = [&](ArrayRef<int64_t> list, int64_t missing) {
    return list.empty() ? SmallVector<int64_t>(count, missing) : SmallVector<int64_t>(list);
  };
  SmallVector<int64_t> sizes(window.getSizes()),
      strides = get(window.getStrides(), 1), low = get(window.getPaddingLow(), 0),
      high = get(window.getPaddingHigh(), 0), base = get(window.getBaseDilations(), 1),
      steps = get(window.getWindowDilations(), 1);
  SmallVector<bool> reversals(window.getReversals());
  reversals.resize(count, false);
  // The convolutions keep the window in static dimensions; in the others the window is applied
  // here.
  SmallVector<int64_t> before(rank, 0), behind(rank, 0), between(rank, 0), sized;
  SmallVector<bool> isReversed = reversals;
  for (auto [i, input, k] : llvm::enumerate(labels.getInputSpatial(), labels.getKernelSpatial())) {
    if (!kernel.sizes[k])
      continue;
    sized.push_back(i);
    before[input] = std::exchange(low[i], 0);
    behind[input] = std::exchange(high[i], 0);
    between[input] = std::exchange(base[i], 1) - 1;
    sizes[i] = 1;
    reversals[i] = false;
  }
  Value padded = build.pad(image, build.scalar(arrayType(image).getElementType(), 0.0), before,
                           behind, between);
  SmallVector<int64_t> part(arrayType(padded).getShape()), element(kernel.getBounds());
  Value all = build.index(1);
  for (int64_t i : sized) {
    part[labels.getInputSpatial()[i]] =
        (type.getDimSize(labels.getOutputSpatial()[i]) - 1) * strides[i] + 1;
    element[labels.getKernelSpatial()[i]] = 1;
    all = build.mul(all, kernel.sizes[labels.getKernelSpatial()[i]]);
  }
  SmallVector<int64_t> once = steps;
  for (int64_t i : sized)
    once[i] = 1;
  auto single = WindowAttr::get(op.getContext(), sizes, strides, low, high, base, once, reversals);
  Type sum = widenSum(getProductSumType(arrayType(image).getElementType(), kernel.getElement(),
                                        type.getElementType()));
  auto step = [&](BoundedBuild inner, Value counter, ValueRange state) {
    SmallVector<Value> from(rank, inner.index(0)), at(from);
    for (int64_t i : llvm::reverse(sized)) {
      int64_t k = labels.getKernelSpatial()[i];
      Value size = kernel.sizes[k], place = inner.binary<RemainderOp>(counter, size);
      counter = inner.div(counter, size);
      from[labels.getInputSpatial()[i]] = inner.mul(place, double(steps[i]));
      at[k] = isReversed[i] ? inner.sub(inner.sub(size, 1), place) : place;
    }
    Value products =
        convolve(inner, op, inner.dynamicSlice(padded, from, part),
                 inner.dynamicSlice(kernel.array, at, element), single, type.clone(sum));
    return SmallVector<Value>{inner.add(state[0], products)};
  };
  Value sums = build.sizedLoop(all, build.zero(type.clone(sum)), step).front();
  return build.convert(sums, type.getElementType());
}

/// Zeros past spatial sizes act as padding; past those of a kernel of integers they add nothing.
static Expanded expandConvolution(ConvolutionOp op, ArrayRef<BoundedArray> operands,
                                  BoundedBuild &build) {
  BoundedArray lhs = operands[0], rhs = operands[1];
  ConvDimensionsAttr labels = op.getDimLabels();
  WindowAttr window = op.getWindow();
  RankedTensorType type = getFullType(op.getType());
  if (ArrayAttr config = op.getSparsityConfigAttr(); config && type.getNumElements() > 0)
    makeDenseSides(build, config, operands, lhs, rhs);
  int64_t batch = labels.getInputBatch(), batchGroups = op.getBatchGroupCount();
  Value batchSize = lhs.sizes[batch];
  if (batchSize && batchGroups > 1) {
    batchSize = build.div(batchSize, batchGroups);
    lhs.array =
        build.concatenate(getArrays(build.splitParts(lhs, batch, batchGroups, batchSize)), batch);
  }
  if (op.getFeatureGroupCount() > 1 &&
      (lhs.sizes[labels.getInputFeature()] || rhs.sizes[labels.getKernelInputFeature()]))
    std::tie(lhs.array, rhs.array) = spreadFeatures(build, op, lhs, rhs);
  else
    std::tie(lhs.array, rhs.array) =
        zeroContracted(build, lhs, rhs, labels.getInputFeature(), labels.getKernelInputFeature());
  lhs.array = build.zeroPast(lhs, labels.getInputSpatial());
  BoundedArray result(lhs.array);
  bool isExact = isa<IntegerType>(lhs.getElement()) && isa<IntegerType>(rhs.getElement());
  if (type.getNumElements() == 0) {
    result = BoundedArray(build.zero(type));
  } else if (!isExact && rhs.isBoundedIn(labels.getKernelSpatial())) {
    result = BoundedArray(convolveElements(build, op, lhs.array, rhs, type));
  } else {
    rhs.array = build.zeroPast(rhs, labels.getKernelSpatial());
    for (auto [i, kernel] : llvm::enumerate(labels.getKernelSpatial()))
      if (rhs.sizes[kernel] && i < window.getReversals().size() && window.getReversals()[i])
        rhs.array = moveToEnd(build, rhs.array, kernel, rhs.sizes[kernel]);
    result = BoundedArray(convolve(build, op, lhs.array, rhs.array, window, type));
  }
  result.sizes[labels.getOutputBatch()] = batchSize;
  result.sizes[labels.getOutputFeature()] = rhs.sizes[labels.getKernelOutputFeature()];
  for (auto [i, input, kernel, output] : llvm::enumerate(
           labels.getInputSpatial(), labels.getKernelSpatial(), labels.getOutputSpatial())) {
    if (!lhs.sizes[input] && !rhs.sizes[kernel])
      continue;
    Value count =
        countWindows(build, window, i, build.getSize(lhs, input), build.getSize(rhs, kernel));
    // A shorter kernel has more windows than the bound.
    result.sizes[output] =
        rhs.sizes[kernel] ? build.clampSize(count, result.getBound(output)) : count;
  }
  return BoundedArrays{result};
}

void hloc::populateConvolutions(BoundedPatterns &patterns) {
  patterns.add<ConvolutionOp>(expandConvolution);
}
