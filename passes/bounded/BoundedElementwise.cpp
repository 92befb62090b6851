// SPDX-License-Identifier: Apache-2.0
// Elementwise operations. Operands of equal sizes need nothing; a run-time size of 1 is broadcast.
#include "passes/Computations.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/expand/ApplyToElements.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The operand with its first element along `dimension` broadcast if `repeats` is true.
Value repeat(BoundedBuild &build, Value operand, int64_t dimension, Value repeats) {
  ArrayRef<int64_t> shape = arrayType(operand).getShape();
  Value first = build.sliceOf(operand, dimension, 0, 1);
  SmallVector<int64_t> kept, others;
  for (int64_t d = 0, rank = shape.size(); d < rank; ++d)
    if (d != dimension) {
      kept.push_back(d);
      others.push_back(shape[d]);
    }
  Value everywhere = build.broadcast(build.reshape(first, others), shape, kept);
  return build.select(build.broadcast(repeats, shape, {}), everywhere, operand);
}

/// The common size of two in one dimension: the second, unless that is 1.
Value unifySizes(BoundedBuild &build, Value first, Value second) {
  return build.select(build.compare(second, 1, Direction::EQ), first, second);
}

/// True if `size` was made by unifySizes from `other` and possibly more: combining the two gives
/// `size` again, because if it is 1, so is `other`.
bool contains(Value size, Value other) {
  if (size == other)
    return true;
  auto select = size.getDefiningOp<SelectOp>();
  auto compare = select ? select.getPred().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getDirection() != Direction::EQ ||
      compare.getLhs() != select.getOnFalse() || getConstantIndex(compare.getRhs()) != 1)
    return false;
  return contains(select.getOnTrue(), other) || contains(select.getOnFalse(), other);
}

/// Broadcasts the operands to a common size in `dimension`, and returns it: one that is not 1, if
/// there is one. Static operands have that size already.
Value unify(BoundedBuild &build, BoundedArrays &operands, int64_t dimension) {
  auto getSize = [&](const BoundedArray &operand) {
    return operand.getRank() ? operand.sizes[dimension] : Value();
  };
  Value result;
  for (const BoundedArray &operand : operands) {
    Value size = getSize(operand);
    if (!size || (result && contains(result, size)))
      continue;
    result = !result || contains(size, result) ? size : unifySizes(build, result, size);
  }
  for (BoundedArray &operand : operands) {
    Value size = getSize(operand);
    if (!size || size == result)
      continue;
    Value isMany = build.compare(result, 1, Direction::NE);
    Value repeats = build.bitAnd(isMany, build.compare(size, 1, Direction::EQ));
    operand.array = repeat(build, operand.array, dimension, repeats);
  }
  return result;
}

/// Likewise for all dimensions of a shape.
SmallVector<Value> unify(BoundedBuild &build, BoundedArrays &operands, RankedTensorType type) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(type.getDimSize(d) > 0 ? unify(build, operands, d) : Value());
  return sizes;
}

class ExpandElementwise : public ConversionPattern {
public:
  ExpandElementwise(const TypeConverter &converter, MLIRContext *context, bool &isRefused)
      : ConversionPattern(converter, MatchTraitOpTypeTag(), TypeID::get<Elementwise>(),
                          /*benefit=*/1, context),
        isRefused(isRefused) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> values,
                                ConversionPatternRewriter &rewriter) const override {
    BoundedBuild build(rewriter, op->getLoc());
    BoundedArrays operands = getBoundedOperands(op, values);
    RankedTensorType type = getFullType(op->getResult(0).getType());
    SmallVector<Value> sizes = unify(build, operands, type);
    Value result = build.cloneOn(op, getArrays(operands), type).front();
    replaceByBounded(op, BoundedArrays{BoundedArray(result, sizes)}, build, rewriter, isRefused);
    return success();
  }

private:
  bool &isRefused;
};

/// `computation` with an additional parameter, a mark that says whether the element is valid: loops
/// must not run on elements past the sizes.
ComputationOp withMark(ComputationOp computation, Location loc) {
  SmallVector<Type> types(computation.getArgumentTypes());
  types.push_back(RankedTensorType::get({}, IntegerType::get(computation.getContext(), 1)));
  return createComputation(
      computation->getParentOfType<ModuleOp>(), (computation.getSymName() + ".marked").str(), types,
      [&](OpBuilder &builder, ValueRange values) {
        Build build(builder, loc);
        Value zero = build.zero(cast<RankedTensorType>(computation.getResultTypes()[0]));
        return inlineWhere(build, values.back(), computation, values.drop_back(), zero);
      });
}

Expanded expandMap(MapOp op, ArrayRef<BoundedArray> given, BoundedBuild &build) {
  BoundedArrays operands(given);
  RankedTensorType type = getFullType(op.getType());
  BoundedArray first(operands[0].array, unify(build, operands, type));
  ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
  SmallVector<Value> arrays = getArrays(operands);
  if (Value inside = mayAlwaysRun(computation) ? Value() : build.isInside(first)) {
    arrays.push_back(inside);
    computation = withMark(computation, op.getLoc());
  }
  Value result = MapOp::create(build.builder, build.loc, type, arrays, op.getDimensionsAttr(),
                               FlatSymbolRefAttr::get(computation.getSymNameAttr()));
  return BoundedArrays{BoundedArray(result, first.sizes)};
}

} // namespace

void hloc::populateElementwise(BoundedPatterns &patterns) {
  patterns.add<MapOp>(expandMap);
  patterns.patterns.add<ExpandElementwise>(patterns.converter, patterns.patterns.getContext(),
                                           patterns.isRefused);
}
