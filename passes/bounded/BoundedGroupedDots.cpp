// SPDX-License-Identifier: Apache-2.0
// Ragged and scaled dots.
#include "passes/bounded/BoundedDots.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Groups past the size of `group_sizes` have no rows.
static Expanded expandRaggedDot(RaggedDotOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  const BoundedArray &lhs = operands[0], &rhs = operands[1], &groups = operands[2];
  auto [left, right] =
      zeroContracted(build, lhs, rhs, op.getLhsContractingDims(), op.getRhsContractingDims());
  Value counts = build.fillPast(groups, build.scalar(groups.getElement(), 0.0));
  SmallVector<Value> sizes = getProductSizes(op, lhs, rhs, op.getRhsGroupDims());
  RankedTensorType type = getFullType(op.getType());
  if (int64_t(sizes.size()) < type.getRank()) // contracting rows: a product for each group
    sizes.insert(sizes.begin(), nullptr);
  Value array = build.cloneOn(op, {left, right, counts}, type).front();
  return BoundedArrays{BoundedArray(array, sizes)};
}

/// The scales of one operand, with 1 for blocks past the size of `contracted`.
static Value fillScales(BoundedBuild &build, BoundedArray scales, const BoundedArray &side,
                        ArrayRef<int64_t> contracted) {
  if (scales.getRank() == 0)
    return scales.array;
  for (int64_t d : contracted) {
    int64_t blocks = scales.getBound(d);
    if (!side.sizes[d] || blocks <= 1)
      continue;
    int64_t length = side.getBound(d) / blocks;
    Value used = build.div(build.add(side.sizes[d], double(length - 1)), double(length));
    scales.sizes[d] = scales.sizes[d] ? build.minimum(scales.sizes[d], used) : used;
  }
  return build.fillPast(scales, contracted, build.scalar(scales.getElement(), 1.0));
}

static Expanded expandScaledDot(ScaledDotOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  const BoundedArray &lhs = operands[0], &rhs = operands[1];
  ArrayRef<int64_t> left = op.getLhsContractingDims(), right = op.getRhsContractingDims();
  auto [first, second] = zeroContracted(build, lhs, rhs, left, right);
  SmallVector<Value> inputs{first, second, fillScales(build, operands[2], lhs, left),
                            fillScales(build, operands[3], rhs, right)};
  Value array = build.cloneOn(op, inputs, getFullType(op.getType())).front();
  return BoundedArrays{BoundedArray(array, getProductSizes(op, lhs, rhs))};
}

void hloc::populateGroupedDots(BoundedPatterns &patterns) {
  patterns.add<RaggedDotOp>(expandRaggedDot);
  patterns.add<ScaledDotOp>(expandScaledDot);
}
