// SPDX-License-Identifier: Apache-2.0
// sort and topk: elements past the sizes come last.
#include "passes/bounded/BoundedSorts.h"
#include "passes/Computations.h"
#include "passes/expand/ApplyToElements.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// `comparator` with an additional pair of marks, by which valid elements come before others.
static ComputationOp withMarkedPairs(ComputationOp comparator, Location loc) {
  SmallVector<Type> types(comparator.getArgumentTypes());
  Type mark = RankedTensorType::get({}, IntegerType::get(comparator.getContext(), 1));
  types.append(2, mark);
  return createComputation(
      comparator->getParentOfType<ModuleOp>(), (comparator.getSymName() + ".marked").str(), types,
      [&](OpBuilder &builder, ValueRange values) {
        Build build(builder, loc);
        Value left = values[values.size() - 2], right = values.back();
        if (!mayAlwaysRun(comparator))
          return inlineWhere(build, build.bitAnd(left, right), comparator, values.drop_back(2),
                             build.bitAnd(left, build.unary<NotOp>(right)));
        Value isLess = inlineComputation(builder, comparator, values.drop_back(2)).front();
        return SmallVector<Value>{
            build.bitAnd(left, build.bitOr(isLess, build.unary<NotOp>(right)))};
      });
}

static Expanded expandSort(SortOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  SmallVector<Value> sizes = mergeSizes(operands), arrays = getArrays(operands);
  SmallVector<Type> types(ValueRange(arrays).getTypes());
  BoundedArray first(arrays[0], sizes);
  SmallVector<Value> sorted;
  ComputationOp comparator = lookupComputation(op, op.getToApplyAttr());
  // Loops in the comparator must not run on invalid elements, in other rows either.
  SmallVector<int64_t> hidden{int64_t(op.getDimension())};
  if (!mayAlwaysRun(comparator))
    hidden = iotaVector(first.getRank());
  if (Value inside = first.getRank() ? build.isInside(first, hidden) : Value()) {
    arrays.push_back(inside);
    types.push_back(inside.getType());
    auto marked =
        SortOp::create(build.builder, build.loc, types, arrays, op.getDimension(), op.getIsStable(),
                       withMarkedPairs(comparator, op.getLoc()).getSymName());
    sorted.assign(marked.result_begin(), std::prev(marked.result_end()));
  } else {
    sorted = build.cloneOn(op, arrays, types);
  }
  BoundedArrays results;
  for (Value array : sorted)
    results.emplace_back(array, sizes);
  return results;
}

/// The value that comes last in the total order of topk.
static Value makeLast(BoundedBuild &build, Type element, bool largest) {
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return largest ? build.lowest(element) : build.highest(element);
  // The NaN with the most negative or most positive bits.
  unsigned width = type.getWidth();
  APInt bits = largest ? APInt::getAllOnes(width) : APInt::getSignedMaxValue(width);
  Type integer = IntegerType::get(element.getContext(), width, IntegerType::Unsigned);
  return build.bitcastConvert(build.scalar(integer, bits), element);
}

Expanded hloc::expandTopkOf(Operation *op, BoundedArray operand, int64_t k, bool largest,
                            BoundedBuild &build) {
  int64_t last = operand.getRank() - 1;
  Type element = operand.getElement();
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() < 16)
    operand.array =
        build.convert(operand.array, build.builder.getF32Type()); // has NaNs of both signs
  Value fill = makeLast(build, operand.getElement(), largest);
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  types[0] = cast<RankedTensorType>(types[0]).clone(operand.getElement());
  SmallVector<Value> sizes = operand.sizes;
  if (sizes[last])
    sizes[last] = build.minimum(sizes[last], build.index(k));
  SmallVector<Value> found = build.cloneOn(op, build.fillPast(operand, {last}, fill), types);
  return BoundedArrays{BoundedArray(build.convert(found[0], element), sizes),
                       BoundedArray(found[1], sizes)};
}

static Expanded expandTopk(TopkOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  return expandTopkOf(op, operands[0], op.getK(), op.getLargest(), build);
}

void hloc::populateSorts(BoundedPatterns &patterns) {
  patterns.add<SortOp>(expandSort);
  patterns.add<TopkOp>(expandTopk);
}
