// SPDX-License-Identifier: Apache-2.0
// Batch normalizations: statistics over the elements within the sizes, and their number.
#include "passes/bounded/BoundedPatterns.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// A normalization's operand with the sizes of all operands merged.
BoundedArray mergeOperands(ArrayRef<BoundedArray> operands, int64_t feature) {
  BoundedArray operand = operands[0];
  for (const BoundedArray &other : operands.drop_front())
    for (int64_t d = 0; d < operand.getRank(); ++d) {
      Value size = other.getRank() == operand.getRank() ? other.sizes[d]
                   : d == feature                       ? other.sizes[0]
                                                        : Value();
      if (!operand.sizes[d])
        operand.sizes[d] = size;
    }
  return operand;
}

BatchNormElements countElements(BoundedBuild &build, const BoundedArray &operand, int64_t feature) {
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (d != feature)
      others.push_back(d);
  if (!operand.isBoundedIn(others))
    return {};
  Value count = build.index(1);
  for (int64_t d : others)
    count = build.mul(count, build.getSize(operand, d));
  return {build.isInside(operand, others), count};
}

/// The results: the first has the operand's shape, the others are per feature.
BoundedArrays withSizes(ArrayRef<Value> arrays, const BoundedArray &operand, int64_t feature) {
  BoundedArrays results;
  for (Value array : arrays)
    if (results.empty())
      results.emplace_back(array, operand.sizes);
    else
      results.emplace_back(array, SmallVector<Value>{operand.sizes[feature]});
  return results;
}

Expanded expandTraining(BatchNormTrainingOp op, ArrayRef<BoundedArray> operands,
                        BoundedBuild &build) {
  int64_t feature = op.getFeatureIndex();
  BoundedArray operand = mergeOperands(operands, feature);
  SmallVector<Value> arrays = batchNormTraining(build.builder, op, getArrays(operands),
                                                countElements(build, operand, feature));
  return withSizes(arrays, operand, feature);
}

Expanded expandInference(BatchNormInferenceOp op, ArrayRef<BoundedArray> operands,
                         BoundedBuild &build) {
  int64_t feature = op.getFeatureIndex();
  BoundedArray operand = mergeOperands(operands, feature);
  SmallVector<Value> arrays = build.cloneOn(op, getArrays(operands), operand.array.getType());
  return withSizes(arrays, operand, feature);
}

Expanded expandGrad(BatchNormGradOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  int64_t feature = op.getFeatureIndex();
  BoundedArray operand = mergeOperands(operands, feature);
  SmallVector<Value> arrays =
      batchNormGrad(build.builder, op, getArrays(operands), countElements(build, operand, feature));
  return withSizes(arrays, operand, feature);
}

} // namespace

void hloc::populateNormalizations(BoundedPatterns &patterns) {
  patterns.add<BatchNormTrainingOp>(expandTraining);
  patterns.add<BatchNormInferenceOp>(expandInference);
  patterns.add<BatchNormGradOp>(expandGrad);
}
