// SPDX-License-Identifier: Apache-2.0
// reshape and dynamic_reshape: the elements within the sizes keep their row-major order.
//
// Dimensions of operand and result are divided, from the major ones on, into groups with equally
// many elements: [6,<=8] and [2,3,<=8] into 6 = 2*3 and <=8 = <=8. If at most the first dimension
// of each group (not counting those of size one) has a run-time size, on either side, then the
// valid elements are a prefix of the group before and after, and the arrays of the bounds can be
// reshaped. In all other cases elements move closer together: each element of the result is
// gathered from its place in the operand.
#include "passes/bounded/BoundedReshapes.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// Dimensions [begin, end) of the operand and of the result that contain the same elements.
struct Group {
  int64_t fromBegin, fromEnd, toBegin, toEnd;
};

/// The groups; empty if there are no elements.
SmallVector<Group> findGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<Group> groups;
  if (llvm::is_contained(from, 0))
    return groups;
  int64_t f = 0, t = 0, fromRank = from.size(), toRank = to.size();
  while (f < fromRank || t < toRank) {
    Group group{f, f, t, t};
    int64_t fromCount = 1, toCount = 1;
    auto takeFrom = [&] { fromCount *= from[f++]; };
    auto takeTo = [&] { toCount *= to[t++]; };
    f < fromRank ? takeFrom() : takeTo();
    while (fromCount != toCount)
      fromCount < toCount ? takeFrom() : takeTo();
    // Ones at the end belong to the group before.
    while (f < fromRank && from[f] == 1)
      ++f;
    while (t < toRank && to[t] == 1)
      ++t;
    group.fromEnd = f;
    group.toEnd = t;
    groups.push_back(group);
  }
  return groups;
}

/// The dimension in [begin, end) with a run-time size, if the valid elements are a prefix of these
/// dimensions' elements; -1 if all are static, none if they are not a prefix.
std::optional<int64_t> findPrefix(ArrayRef<int64_t> bounds,
                                  llvm::function_ref<bool(int64_t)> isSized, int64_t begin,
                                  int64_t end) {
  bool isFirst = true;
  int64_t sized = -1;
  for (int64_t d = begin; d < end; ++d) {
    if (isSized(d)) {
      if (!isFirst)
        return std::nullopt;
      sized = d;
    }
    isFirst &= bounds[d] == 1 && sized < 0;
  }
  return sized;
}

/// The product of the sizes of [begin, end) except `without`.
Value countElements(BoundedBuild &build, const BoundedArray &array, int64_t begin, int64_t end,
                    int64_t without = -1) {
  int64_t known = 1;
  Value count;
  for (int64_t d = begin; d < end; ++d) {
    if (d == without)
      continue;
    if (Value size = array.sizes[d])
      count = count ? build.mul(count, size) : size;
    else
      known *= array.getBound(d);
  }
  if (!count)
    return build.index(known);
  return known == 1 ? count : build.mul(count, build.index(known));
}

/// lhs / rhs, and 0 for a divisor of 0.
Value divide(BoundedBuild &build, Value lhs, Value rhs) {
  Value isNone = build.compare(rhs, 0.0, Direction::EQ);
  Value quotient = build.div(lhs, build.maximum(rhs, build.index(1)));
  return build.select(isNone, build.index(0), quotient);
}

/// Returns true if the groups can be reshaped one by one, and then sets the sizes of `result`.
bool reshapeByGroups(BoundedBuild &build, const BoundedArray &operand, RankedTensorType declared,
                     BoundedArray &result) {
  SmallVector<Group> groups = findGroups(operand.getBounds(), result.getBounds());
  if (groups.empty())
    return false;
  SmallVector<Value> sizes(result.getRank());
  for (const Group &group : groups) {
    auto from = findPrefix(
        operand.getBounds(), [&](int64_t d) { return bool(operand.sizes[d]); }, group.fromBegin,
        group.fromEnd);
    auto to = findPrefix(
        result.getBounds(), [&](int64_t d) { return declared.isDynamicDim(d); }, group.toBegin,
        group.toEnd);
    if (!from || !to || (*from >= 0 && *to < 0))
      return false;
    if (*from < 0)
      continue;
    Value count = countElements(build, operand, group.fromBegin, group.fromEnd);
    Value others = countElements(build, result, group.toBegin, group.toEnd, *to);
    sizes[*to] = divide(build, count, others);
  }
  result.sizes = sizes;
  return true;
}

/// Sizes of a reshape's result: those of the operand, in order, if there are equally many, except
/// that one of them (`inferred`, or else the first) is computed from the others.
void inferSizes(BoundedBuild &build, const BoundedArray &operand, RankedTensorType from,
                RankedTensorType to, std::optional<int64_t> inferred, BoundedArray &result) {
  SmallVector<int64_t> dynamic, sources;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.isDynamicDim(d))
      dynamic.push_back(d);
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (from.isDynamicDim(d))
      sources.push_back(d);
  if (dynamic.empty())
    return;
  if (dynamic.size() > 1 && dynamic.size() == sources.size())
    for (auto [d, source] : llvm::zip(dynamic, sources))
      result.sizes[d] = build.getSize(operand, source);
  int64_t rest = inferred.value_or(-1) >= 0 ? *inferred : dynamic.front();
  Value count = countElements(build, operand, 0, operand.getRank());
  Value all = countElements(build, result, 0, result.getRank());
  Value others = countElements(build, result, 0, result.getRank(), rest);
  Value fits = build.compare(count, all, Direction::EQ);
  result.sizes[rest] =
      build.select(fits, build.getSize(result, rest), divide(build, count, others));
}

/// The elements of `operand` at the positions that the sizes of `result` give them. Positions
/// without an element are zero.
Value moveElements(BoundedBuild &build, const BoundedArray &operand, const BoundedArray &result) {
  ArrayRef<int64_t> shape = result.getBounds();
  Type i32 = build.builder.getI32Type();
  auto everywhere = [&](Value scalar) { return build.broadcast(scalar, shape, {}); };
  // The number of each position in the order of the elements.
  Value number = everywhere(build.index(0));
  for (int64_t d = 0; d < result.getRank(); ++d)
    number = build.add(build.mul(number, everywhere(build.getSize(result, d))),
                       build.iota(shape, i32, d));
  Value exists = build.compare(
      number, everywhere(countElements(build, operand, 0, operand.getRank())), Direction::LT);
  // The position of that number in the operand, whose dimensions have their bounds.
  Value rest = number, place = everywhere(build.index(0));
  int64_t step = 1;
  for (int64_t d = operand.getRank() - 1; d >= 0; --d) {
    Value size = everywhere(build.maximum(build.getSize(operand, d), build.index(1)));
    Value index = build.binary<RemainderOp>(rest, size);
    rest = build.div(rest, size);
    place = build.add(place, build.mul(index, double(step)));
    step *= operand.getBound(d);
  }
  RankedTensorType type = arrayType(result.array);
  Value row = build.reshape(operand.array, {type.getNumElements()});
  Value moved = build.elementsAt(row, place);
  return build.select(exists, moved, everywhere(build.scalar(type.getElementType(), 0.0)));
}

/// True if the valid elements are at the beginning: sizes only cut off an end of the first
/// dimensions.
bool isPrefix(const BoundedArray &array) {
  return findPrefix(
             array.getBounds(), [&](int64_t d) { return bool(array.sizes[d]); }, 0, array.getRank())
      .has_value();
}

/// All elements in a row, with the number of valid ones as its size.
BoundedArray makeRow(BoundedBuild &build, const BoundedArray &array) {
  return BoundedArray(build.flatten(array.array),
                      {countElements(build, array, 0, array.getRank())});
}

/// Element numbers are s32.
LogicalResult expectCountable(Operation *op, RankedTensorType type) {
  if (type.getNumElements() <= std::numeric_limits<int32_t>::max())
    return success();
  return emitNotSupported(op->getLoc(), "a reshape of 2^31 and more elements that moves them");
}

} // namespace

FailureOr<Value> hloc::moveTogether(Operation *op, BoundedBuild &build, const BoundedArray &array) {
  RankedTensorType type = arrayType(array.array);
  if (isPrefix(array) || type.getNumElements() == 0)
    return array.array;
  if (failed(expectCountable(op, type)))
    return failure();
  return build.reshape(moveElements(build, array, makeRow(build, array)), type.getShape());
}

FailureOr<Value> hloc::moveApart(Operation *op, BoundedBuild &build, const BoundedArray &array) {
  RankedTensorType type = arrayType(array.array);
  if (isPrefix(array) || type.getNumElements() == 0)
    return array.array;
  if (failed(expectCountable(op, type)))
    return failure();
  return moveElements(build, makeRow(build, array), array);
}

static Expanded expandReshape(ReshapeOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  RankedTensorType type = getFullType(op.getType());
  BoundedArray result(build.reshape(operand.array, type.getShape()));
  if (type.getNumElements() == 0 || reshapeByGroups(build, operand, op.getType(), result))
    return BoundedArrays{result};
  if (failed(expectCountable(op, type)))
    return failure();
  inferSizes(build, operand, op.getOperand().getType(), op.getType(), op.getInferredDimension(),
             result);
  if (operand.isBounded() || result.isBounded())
    result.array = moveElements(build, operand, result);
  return BoundedArrays{result};
}

static Expanded expandDynamicReshape(DynamicReshapeOp op, ArrayRef<BoundedArray> operands,
                                     BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  RankedTensorType type = getFullType(op.getType());
  BoundedArray result(build.reshape(operand.array, type.getShape()));
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (cast<RankedTensorType>(op.getType()).isDynamicDim(d))
      result.sizes[d] = build.clampSize(operands[1 + d].array, result.getBound(d));
  if (type.getNumElements() == 0)
    return BoundedArrays{result};
  if (isPrefix(operand) && isPrefix(result)) {
    Value zero = build.scalar(operand.getElement(), 0.0);
    result.array = build.reshape(build.fillPast(operand, zero), type.getShape());
    return BoundedArrays{result};
  }
  if (failed(expectCountable(op, type)))
    return failure();
  result.array = moveElements(build, operand, result);
  return BoundedArrays{result};
}

void hloc::populateReshapes(BoundedPatterns &patterns) {
  patterns.add<ReshapeOp>(expandReshape);
  patterns.add<DynamicReshapeOp>(expandDynamicReshape);
}
