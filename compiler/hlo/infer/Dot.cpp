// SPDX-License-Identifier: Apache-2.0
// Contractions.
#include "compiler/hlo/infer/Rules.h"

using namespace mlir;

namespace hloc::hlo {

Type inferProduct(const Rule &rule, RankedTensorType lhs, RankedTensorType rhs) {
  auto declared = dyn_cast_or_null<RankedTensorType>(rule.getDeclared());
  return declared ? declared.getElementType()
                  : getHigherPrecision(lhs.getElementType(), rhs.getElementType());
}

/// C1: dimension numbers in range and distinct, batch and contracting together.
static LogicalResult expectDotNumbers(const Rule &rule, Sizes batch, Sizes contracting,
                                      int64_t rank, StringRef side) {
  SmallVector<int64_t> all(batch);
  all.append(contracting.begin(), contracting.end());
  return expectDimensions(rule, all, rank, side + " batch and contracting dimensions");
}

/// C2, C3: the same number of dimensions on both sides, of the same sizes.
static LogicalResult expectPaired(const Rule &rule, RankedTensorType lhs, RankedTensorType rhs,
                                  Sizes left, Sizes right, StringRef what) {
  if (left.size() != right.size())
    return rule.fail(Error::ListLength)
           << "expected as many " << what << " dimensions of lhs as of rhs but got " << toText(left)
           << " and " << toText(right);
  SmallVector<int64_t, 6> leftSizes = getBounds(lhs), rightSizes = getBounds(rhs);
  for (auto [l, r] : llvm::zip(left, right))
    if (!sizesAgree(leftSizes[l], rightSizes[r]))
      return rule.fail(Error::SizesDiffer)
             << "expected " << what << " dimensions of the same size but dimension " << l << " of "
             << toText(Type(lhs)) << " meets dimension " << r << " of " << toText(Type(rhs));
  return success();
}

namespace {
struct DotNumbers {
  Sizes lhsBatch, rhsBatch, lhsContracting, rhsContracting;
};
} // namespace

/// The result's dimensions: batch, the rest of lhs, the rest of rhs without `rhsSkipped`.
static FailureOr<Shape> inferDot(const Rule &rule, RankedTensorType lhs, RankedTensorType rhs,
                                 const DotNumbers &numbers, Sizes rhsSkipped = {}) {
  if (failed(
          expectDotNumbers(rule, numbers.lhsBatch, numbers.lhsContracting, lhs.getRank(), "lhs")) ||
      failed(
          expectDotNumbers(rule, numbers.rhsBatch, numbers.rhsContracting, rhs.getRank(), "rhs")) ||
      failed(expectPaired(rule, lhs, rhs, numbers.lhsContracting, numbers.rhsContracting,
                          "contracting")) ||
      failed(expectPaired(rule, lhs, rhs, numbers.lhsBatch, numbers.rhsBatch, "batch")))
    return failure();
  Shape left(lhs), right(rhs), result(inferProduct(rule, lhs, rhs));
  for (int64_t d : numbers.lhsBatch)
    result.append(left.sizes[d], left.dynamic[d]);
  auto appendRest = [&](const Shape &side, std::initializer_list<Sizes> used) {
    for (int64_t d = 0; d < side.getRank(); ++d)
      if (llvm::none_of(used, [d](Sizes list) { return llvm::is_contained(list, d); }))
        result.append(side.sizes[d], side.dynamic[d]);
  };
  appendRest(left, {numbers.lhsBatch, numbers.lhsContracting});
  appendRest(right, {numbers.rhsBatch, numbers.rhsContracting, rhsSkipped});
  return result;
}

template <typename Adaptor> static DotNumbers getNumbers(Adaptor op) {
  return {op.getLhsBatchDims(), op.getRhsBatchDims(), op.getLhsContractingDims(),
          op.getRhsContractingDims()};
}

FailureOr<Type> infer(DotOp::Adaptor op, const Rule &rule) {
  auto lhs = expectArray(rule, op.getLhs().getType(), "lhs");
  auto rhs = expectArray(rule, op.getRhs().getType(), "rhs");
  if (failed(lhs) || failed(rhs))
    return failure();
  auto shape = inferDot(rule, *lhs, *rhs, getNumbers(op));
  if (failed(shape))
    return failure();
  return Type(shape->getType());
}

FailureOr<Type> infer(RaggedDotOp::Adaptor op, const Rule &rule) {
  auto lhs = expectArray(rule, op.getLhs().getType(), "lhs");
  auto rhs = expectArray(rule, op.getRhs().getType(), "rhs");
  auto sizes = expectArray(rule, op.getGroupSizes().getType(), "group_sizes");
  if (failed(lhs) || failed(rhs) || failed(sizes))
    return failure();
  if (!isInteger(sizes->getElementType())) // C4
    return rule.fail(Error::ElementType)
           << "expected group_sizes to be integers but got " << toText(Type(*sizes));
  if (failed(expectCount(rule, op.getLhsRaggedDims().size(), 1, "lhs_ragged_dims"))) // C5
    return failure();
  int64_t ragged = op.getLhsRaggedDims()[0];
  DotNumbers numbers = getNumbers(op);
  if (failed(expectDimension(rule, ragged, lhs->getRank(), "lhs_ragged_dims")) ||
      failed(expectDimensions(rule, op.getRhsGroupDims(), rhs->getRank(), "rhs_group_dims")))
    return failure();
  bool inBatch = llvm::is_contained(numbers.lhsBatch, ragged);
  bool contracted = llvm::is_contained(numbers.lhsContracting, ragged);
  if (failed(expectCount(rule, op.getRhsGroupDims().size(), inBatch || contracted ? 0 : 1, // C6
                         "rhs_group_dims")))
    return failure();
  for (int64_t d : op.getRhsGroupDims())
    if (llvm::is_contained(numbers.rhsBatch, d) || llvm::is_contained(numbers.rhsContracting, d))
      return rule.fail(Error::DimensionOrder)
             << "expected rhs_group_dims to be neither batch nor contracting but got " << d;
  auto shape = inferDot(rule, *lhs, *rhs, numbers, op.getRhsGroupDims());
  if (failed(shape))
    return failure();
  SmallVector<int64_t, 6> groups = getBounds(*sizes);
  if (groups.empty()) // C7
    return rule.fail(Error::Rank) << "expected group_sizes to have at least one dimension";
  for (int64_t d : op.getRhsGroupDims())
    if (!sizesAgree(groups.back(), getBounds(*rhs)[d])) // C8
      return rule.fail(Error::SizesDiffer)
             << "expected as many groups as rhs has, " << toText(Type(*rhs)) << ", but got "
             << toText(Type(*sizes));
  if (contracted) { // one product per group: groups are the first dimension of the result
    shape->sizes.insert(shape->sizes.begin(), groups.back());
    shape->dynamic.insert(shape->dynamic.begin(), groups.back() == kUnbounded);
  }
  return Type(shape->getType());
}

/// C5: an operand's scale has its dimensions, or 1, or a divisor of its contracting sizes.
static LogicalResult expectScale(const Rule &rule, RankedTensorType operand, RankedTensorType scale,
                                 StringRef what) {
  if (scale.getRank() == 0)
    return success();
  if (failed(expectRank(rule, scale, operand.getRank(), what)))
    return failure();
  for (auto [size, part] : llvm::zip(getBounds(operand), getBounds(scale)))
    if (size != kUnbounded && part != kUnbounded && (part == 0 ? size != 0 : size % part != 0))
      return rule.fail(Error::SizesDiffer)
             << "expected the dimensions of " << what << " to divide those of "
             << toText(Type(operand)) << " but got " << toText(Type(scale));
  return success();
}

FailureOr<Type> infer(ScaledDotOp::Adaptor op, const Rule &rule) {
  auto lhs = expectArray(rule, op.getLhs().getType(), "lhs");
  auto rhs = expectArray(rule, op.getRhs().getType(), "rhs");
  auto lhsScale = expectArray(rule, op.getLhsScale().getType(), "lhs_scale");
  auto rhsScale = expectArray(rule, op.getRhsScale().getType(), "rhs_scale");
  if (failed(lhs) || failed(rhs) || failed(lhsScale) || failed(rhsScale) ||
      failed(expectScale(rule, *lhs, *lhsScale, "lhs_scale")) ||
      failed(expectScale(rule, *rhs, *rhsScale, "rhs_scale")))
    return failure();
  auto shape = inferDot(rule, *lhs, *rhs, getNumbers(op));
  if (failed(shape))
    return failure();
  Type operands = getHigherPrecision(lhs->getElementType(), rhs->getElementType());
  if (!isFloat(operands) && getBits(shape->element) < getBits(operands)) // C4
    return rule.fail(Error::ElementType)
           << "expected a result element type no narrower than " << elementToText(operands)
           << " but got " << elementToText(shape->element);
  return Type(shape->getType());
}

} // namespace hloc::hlo
