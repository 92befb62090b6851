// SPDX-License-Identifier: Apache-2.0
// Convolutions. Test: test/passes/bounded/convolutions.hlo.
#include "passes/bounded/BoundedDots.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedWindows.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Groups of features lie one after the other, of the size that counts: moved to where groups of
/// the bound begin, with zeros between. Both sides.
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

/// A reversed window begins with the last element that counts: the kernel moved to the end of its
/// bound.
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

/// Zeros past spatial sizes are what padding is; past those of the kernel they add nothing.
static Expanded expandConvolution(ConvolutionOp op, ArrayRef<BoundedArray> operands,
                                  BoundedBuild &build) {
  BoundedArray lhs = operands[0], rhs = operands[1];
  ConvDimensionsAttr labels = op.getDimLabels();
  WindowAttr window = op.getWindow();
  if (operands.size() > 2) {
    emitNotSupported(op.getLoc(), "a convolution of sparse operands of bounded dynamic size");
    return failure();
  }
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
  rhs.array = build.zeroPast(rhs, labels.getKernelSpatial());
  for (auto [i, kernel] : llvm::enumerate(labels.getKernelSpatial()))
    if (rhs.sizes[kernel] && i < window.getReversals().size() && window.getReversals()[i])
      rhs.array = moveToEnd(build, rhs.array, kernel, rhs.sizes[kernel]);
  BoundedArray result(build.cloneOn(op, {lhs.array, rhs.array}, getFullType(op.getType())).front());
  result.sizes[labels.getOutputBatch()] = batchSize;
  result.sizes[labels.getOutputFeature()] = rhs.sizes[labels.getKernelOutputFeature()];
  for (auto [i, input, kernel, output] : llvm::enumerate(
           labels.getInputSpatial(), labels.getKernelSpatial(), labels.getOutputSpatial())) {
    if (!lhs.sizes[input] && !rhs.sizes[kernel])
      continue;
    Value count =
        countWindows(build, window, i, build.getSize(lhs, input), build.getSize(rhs, kernel));
    // A shorter kernel has more windows than the bound's.
    result.sizes[output] =
        rhs.sizes[kernel] ? build.clampSize(count, result.getBound(output)) : count;
  }
  return BoundedArrays{result};
}

void hloc::populateConvolutions(BoundedPatterns &patterns) {
  patterns.add<ConvolutionOp>(expandConvolution);
}
