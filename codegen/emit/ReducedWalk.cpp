// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/ReducedWalk.h"
#include "codegen/emit/CompensatedSum.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Steps that are made without a loop.
static constexpr int64_t kUnrolledSteps = 4;

ReducedWalk::ReducedWalk(KernelContext &context, ArrayRef<int64_t> sizes, bool alongLanes)
    : context(context), b(context.b), index(context.index), sizes(sizes), count(ShapedType::getNumElements(sizes)),
      alongLanes(alongLanes) {}

bool ReducedWalk::isUnrolled() const { return !alongLanes && count <= kUnrolledSteps; }

ElementIndex ReducedWalk::getPosition(int64_t step) {
  ElementIndex at;
  for (int64_t stride : getRowMajorStrides(sizes)) {
    at.push_back(index.uniform(step / stride));
    step %= stride;
  }
  return at;
}

SmallVector<Value> ReducedWalk::fold(ValueRange values, Step body) {
  if (isUnrolled()) {
    SmallVector<Value> now(values);
    for (int64_t step = 0; step < count; ++step)
      now = body(getPosition(step), {}, now);
    return now;
  }
  return foldBelow({}, values, body);
}

/// Walks the positions that begin with `prefix`.
SmallVector<Value> ReducedWalk::foldBelow(ArrayRef<LaneIndex> prefix, ValueRange values, Step body) {
  ArrayRef<int64_t> below = ArrayRef(sizes).drop_front(prefix.size());
  if (below.empty())
    return body(prefix, {}, values);
  auto extend = [&](ArrayRef<LaneIndex> middle) {
    ElementIndex at(prefix);
    at.append(middle.begin(), middle.end());
    return at;
  };
  if (!alongLanes)
    return buildNest(context, below, values, [&](ArrayRef<LaneIndex> rest, ValueRange now) { return body(extend(rest), {}, now); });
  return buildNest(context, below.drop_back(), values, [&](ArrayRef<LaneIndex> middle, ValueRange now) {
    return buildLanes(context, below.back(), now, [&](LaneIndex minor, Mask mask, ValueRange carried) {
      ElementIndex at = extend(middle);
      at.push_back(minor);
      return body(at, mask, carried);
    });
  });
}

SmallVector<Value> ReducedWalk::foldInBlocks(ValueRange values, bool addsUp, Step body, Join join, int64_t blockSteps) {
  // Blocks are runs along dimension `along` and all of what is below it, `below` steps each.
  int64_t along = int64_t(sizes.size()) - 1, below = 1;
  auto stepsAlong = [&]() -> int64_t {
    bool inLanes = alongLanes && along + 1 == int64_t(sizes.size());
    return inLanes ? llvm::divideCeil(sizes[along], index.getLanes()) : sizes[along];
  };
  while (along > 0 && below * stepsAlong() < blockSteps) {
    below *= stepsAlong();
    --along;
  }
  bool isMinor = along + 1 == int64_t(sizes.size());
  int64_t advance = alongLanes && isMinor ? index.getLanes() : 1;
  int64_t size = along < 0 ? 1 : sizes[along], block = std::max<int64_t>(1, blockSteps / below) * advance;
  if (along < 0 || (along == 0 && size <= block))
    return fold(values, body);

  auto isCompensated = [&](Value value) { return addsUp && isa<FloatType>(getElementTypeOrSelf(value.getType())); };
  // Sums are followed by their errors.
  auto add = [&](ValueRange carried, ValueRange part) {
    ValueRange sums = carried.take_front(values.size()), errors = carried.drop_front(values.size());
    SmallVector<Value> joined = join(sums, part), next;
    for (auto [i, sum] : llvm::enumerate(sums))
      if (isCompensated(sum)) {
        CompensatedSum exact = addCompensated(b, {sum, errors[next.size()]}, part[i]);
        joined[i] = exact.sum;
        next.push_back(exact.error);
      }
    joined.append(next);
    return joined;
  };
  SmallVector<Value> initial(values);
  for (Value value : values)
    if (isCompensated(value))
      initial.push_back(arith::ConstantOp::create(b, b.getZeroAttr(value.getType())));
  SmallVector<Value> totals = buildNest(context, ArrayRef(sizes).take_front(along), initial, [&](ArrayRef<LaneIndex> outerOnes, ValueRange sofar) {
    auto at = [&](Value position) {
      ElementIndex prefix(outerOnes);
      prefix.push_back(advance > 1 ? index.consecutive(position, advance) : index.uniform(position));
      return prefix;
    };
    auto sumOf = [&](Value start, Value end) {
      return buildFor(context, start, end, advance, values, [&](Value i, ValueRange now) { return foldBelow(at(i), now, body); });
    };
    int64_t whole = size / block * block, steps = (size - whole) / advance * advance;
    SmallVector<Value> carried = buildFor(context, index.constant(0), index.constant(whole), block, sofar, [&](Value start, ValueRange now) {
      return add(now, sumOf(start, b.createOrFold<arith::AddIOp>(start, index.constant(block))));
    });
    if (whole == size)
      return carried;
    // What is left over is less than a block.
    SmallVector<Value> tail = sumOf(index.constant(whole), index.constant(whole + steps));
    if (whole + steps < size)
      tail = body(at(index.constant(whole + steps)), firstLanes(index, size - whole - steps), tail);
    return add(carried, tail);
  });
  SmallVector<Value> settled;
  size_t error = values.size();
  for (Value sum : ArrayRef(totals).take_front(values.size()))
    settled.push_back(isCompensated(sum) ? settle(b, {sum, totals[error++]}) : sum);
  return settled;
}

} // namespace hloc
