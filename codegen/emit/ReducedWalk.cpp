// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/ReducedWalk.h"
#include "codegen/emit/CompensatedSum.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The most steps that are unrolled.
static constexpr int64_t kUnrolledSteps = 8;
/// About how many runs a block has.
static constexpr int64_t kRunsOfBlock = 8;

ReducedWalk::ReducedWalk(KernelContext &context, ArrayRef<int64_t> sizes, bool alongLanes,
                         int64_t loadedTogether)
    : context(context), b(context.b), index(context.index), sizes(sizes),
      count(ShapedType::getNumElements(sizes)), alongLanes(alongLanes),
      loadedTogether(alongLanes ? 1 : loadedTogether) {}

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
  return foldBelow({}, values, {body, nullptr, {}, 1});
}

/// Iterates over the positions that begin with `prefix`.
SmallVector<Value> ReducedWalk::foldBelow(ArrayRef<VectorIndex> prefix, ValueRange values,
                                          const Folding &folding) {
  ArrayRef<int64_t> below = ArrayRef(sizes).drop_front(prefix.size());
  if (below.empty())
    return folding.body(prefix, {}, values);
  return buildNest(context, below.drop_back(), values,
                   [&](ArrayRef<VectorIndex> middle, ValueRange now) {
                     ElementIndex at(prefix);
                     at.append(middle.begin(), middle.end());
                     return foldMinor(at, index.constant(0), below.back(), now, folding);
                   });
}

static Value advanced(IndexBuilder &index, Value position, int64_t by) {
  return by == 0 ? position : index.add(index.uniform(position), by).base;
}

/// Iterates over `size` positions from `start` on along the minor dimension.
SmallVector<Value> ReducedWalk::foldMinor(ArrayRef<VectorIndex> prefix, Value start, int64_t size,
                                          ValueRange values, const Folding &folding) {
  int64_t advance = getAdvance(), steps = size / advance,
          unrolled = folding.runSteps > 1 ? folding.runSteps : loadedTogether,
          run = std::max<int64_t>(1, std::min(unrolled, steps));
  int64_t whole = steps / run * run;
  auto foldRun = [&](Value position, ValueRange now, int64_t steps) {
    SmallVector<Value> folded(folding.runSteps > 1 ? folding.seeds : now);
    for (int64_t step = 0; step < steps; ++step) {
      ElementIndex full = at(prefix, advanced(index, position, step * advance));
      // Steps that are left over follow a run, whose last elements may be loaded with theirs.
      if (loadedTogether > 1 && sizes.back() <= INT32_MAX) {
        full.back().which = int16_t(run - steps + step);
        full.back().among = int16_t(run);
        full.back().size = int32_t(sizes.back());
      }
      folded = folding.body(full, {}, folded);
    }
    return folding.runSteps > 1 ? folding.join(now, folded) : folded;
  };
  SmallVector<Value> carried =
      buildFor(context, start, advanced(index, start, whole * advance), run * advance, values,
               [&](Value position, ValueRange now) { return foldRun(position, now, run); });
  if (whole < steps)
    carried = foldRun(advanced(index, start, whole * advance), carried, steps - whole);
  if (steps * advance < size)
    carried = folding.body(at(prefix, advanced(index, start, steps * advance)),
                           firstLanes(index, size - steps * advance), carried);
  return carried;
}

/// The index `prefix` followed by a position along the minor dimension.
ElementIndex ReducedWalk::at(ArrayRef<VectorIndex> prefix, Value position) {
  ElementIndex full(prefix);
  int64_t multiple = getConstant(position) == 0 ? int64_t(1) << 30 : index.getLanes();
  full.push_back(alongLanes ? index.consecutive(position, multiple) : index.uniform(position));
  return full;
}

ReducedWalk::Cut ReducedWalk::cutIntoBlocks(Blocks blocks) {
  // Blocks are runs along dimension `along` together with everything inside it, `below` steps per
  // position.
  int64_t along = int64_t(sizes.size()) - 1, below = 1;
  auto stepsAlong = [&]() -> int64_t {
    bool isMinor = along + 1 == int64_t(sizes.size());
    return isMinor ? llvm::divideCeil(sizes[along], getAdvance()) : sizes[along];
  };
  // Short runs are chains of additions of their own.
  int64_t steps = blocks.steps;
  if (blocks.runSteps > 1 && !sizes.empty())
    steps = std::clamp(kRunsOfBlock * stepsAlong(), std::min<int64_t>(16, steps), steps);
  while (along > 0 && below * stepsAlong() < steps) {
    below *= stepsAlong();
    --along;
  }
  bool isMinor = along + 1 == int64_t(sizes.size());
  int64_t advance = isMinor ? getAdvance() : 1;
  int64_t size = along < 0 ? 1 : sizes[along], grain = advance * (isMinor ? blocks.runSteps : 1);
  int64_t block = std::max(grain, steps / below * advance);
  // A slightly smaller block that divides the size needs less code.
  for (int64_t candidate = block; 2 * candidate > block && size > block; candidate -= grain)
    if (size % candidate == 0) {
      block = candidate;
      break;
    }
  return {along, block};
}

bool ReducedWalk::isOneBlock(Cut cut) const {
  return cut.along < 0 || (cut.along == 0 && sizes[0] <= cut.size);
}

SmallVector<Value>
ReducedWalk::overBlocks(ValueRange values, Blocks blocks,
                        function_ref<SmallVector<Value>(ValueRange, FoldBlock)> body) {
  Cut cut = cutIntoBlocks(blocks);
  if (isOneBlock(cut))
    return body(values, [&](ValueRange now, const Folding &folding) {
      return foldBelow({}, now, folding);
    });
  int64_t size = sizes[cut.along], whole = size / cut.size * cut.size;
  bool isMinor = cut.along + 1 == int64_t(sizes.size());
  return buildNest(
      context, ArrayRef(sizes).take_front(cut.along), values,
      [&](ArrayRef<VectorIndex> outerOnes, ValueRange sofar) {
        auto atBlock = [&](Value start, int64_t size, ValueRange now) {
          return body(now, [&](ValueRange values, const Folding &folding) {
            if (isMinor)
              return foldMinor(outerOnes, start, size, values, folding);
            return buildFor(context, start, advanced(index, start, size), 1, values,
                            [&](Value i, ValueRange now) {
                              ElementIndex prefix(outerOnes);
                              prefix.push_back(index.uniform(i));
                              return foldBelow(prefix, now, folding);
                            });
          });
        };
        SmallVector<Value> carried =
            buildFor(context, index.constant(0), index.constant(whole), cut.size, sofar,
                     [&](Value start, ValueRange now) { return atBlock(start, cut.size, now); });
        // The remainder is less than a block.
        return whole == size ? carried : atBlock(index.constant(whole), size - whole, carried);
      });
}

SmallVector<Value> ReducedWalk::foldInBlocks(ValueRange values, Blocks blocks, Step body,
                                             Join join) {
  if (isUnrolled())
    return fold(values, body);
  Folding folding{body, join, values, blocks.addsUp ? blocks.runSteps : 1};
  if (isOneBlock(cutIntoBlocks(blocks)))
    return foldBelow({}, values, folding);
  BlockTotals totals(b, blocks.addsUp);
  SmallVector<Value> sums =
      overBlocks(totals.begin(values), blocks, [&](ValueRange now, FoldBlock foldBlock) {
        return totals.add(now, foldBlock(values, folding), join);
      });
  return totals.end(sums, values.size());
}

bool BlockTotals::isCompensated(Value value) const {
  return addsUp && isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

SmallVector<Value> BlockTotals::begin(ValueRange values) {
  SmallVector<Value> totals(values);
  for (Value value : values)
    if (isCompensated(value))
      totals.push_back(arith::ConstantOp::create(b, b.getZeroAttr(value.getType())));
  return totals;
}

SmallVector<Value> BlockTotals::add(ValueRange totals, ValueRange part, Join join) {
  ValueRange sums = totals.take_front(part.size()), errors = totals.drop_front(part.size());
  SmallVector<Value> joined = join(sums, part), next;
  for (auto [i, sum] : llvm::enumerate(sums))
    if (isCompensated(sum)) {
      CompensatedSum exact = addCompensated(b, {sum, errors[next.size()]}, part[i]);
      joined[i] = exact.sum;
      next.push_back(exact.error);
    }
  joined.append(next);
  return joined;
}

SmallVector<Value> BlockTotals::end(ValueRange totals, size_t count) {
  SmallVector<Value> settled;
  size_t error = count;
  for (Value sum : totals.take_front(count))
    settled.push_back(isCompensated(sum) ? settle(b, {sum, totals[error++]}) : sum);
  return settled;
}

} // namespace hloc
