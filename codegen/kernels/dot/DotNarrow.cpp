// SPDX-License-Identifier: Apache-2.0
// Dots with few rows, which would not read a packed panel more than once.
#include "codegen/emit/BlockedSum.h"
#include "codegen/emit/Fold.h"
#include "codegen/emit/ReducedWalk.h"
#include "codegen/kernels/dot/DotKernel.h"
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/schedule/DotSchedule.h"

using namespace mlir;

namespace hloc {

/// Reads the right operand in place, with lanes along columns.
void DotKernel::emitStreaming() {
  int64_t width = tile.vectors * lanes;
  // A prologue needs registers of its own.
  if (rhsIsPlain)
    widenTile();
  TileStore store = makeStore(tile);
  emitUnits(
      [&](Range rowRange, Range columnRange) {
        TileSpan rowSpan = spanRows(rowRange.start);
        TileSpan columnSpan = makeTileSpan(index, columnRange.start, columns, width);
        ScopedLanes wide(index, tileLanes);
        SmallVector<VectorValue> zeros(tile.rows * tile.vectors, emitZero(index, element));
        auto sumOf = [&](Value blockStart, Value blockEnd) {
          auto [start, end] = clipDepth(blockStart, blockEnd);
          return packLanes(buildTile(
              context, tile, element, /*group=*/1, start, end, zeros,
              [&](int64_t r, Value k) {
                return loadLhs(index.add(index.uniform(rowSpan.start, rowSpan.multiple), r),
                               index.uniform(k));
              },
              [&](int64_t v, Value k) {
                VectorIndex n = index.add(index.consecutive(columnSpan.start, columnSpan.multiple),
                                          v * tileLanes);
                VectorValue value = loadRhs(index.uniform(k), n,
                                            firstLanes(index, columnSpan.live - v * tileLanes));
                return value.re ? broadcastLanes(index, value) : value;
              }));
        };
        SmallVector<Value> sums;
        if (isBlockedSum(element, depth)) {
          int64_t block = chooseSumBlock(depth, kSumBlock);
          sums =
              settleTotals(b, addBlocks(context, multipliedDepth.end, block,
                                        beginTotals(packLanes(zeros)), sumOf, beginOfBlock(block)));
        } else {
          sums = sumOf(multipliedDepth.start, multipliedDepth.end);
        }
        if (!context.emitter.hasFailed())
          store.finish(unpackLanes(element, sums), rowSpan, columnSpan);
      },
      tile.rows, width);
}

/// How many steps of `step` k are unrolled, because blocks of the depth share a computed value such
/// as a scale.
int64_t DotKernel::countStepsOfRun(int64_t step) const {
  int64_t run = getRun(rhs);
  if (run == fuse::kView || run % step != 0 || depth % run != 0)
    return 1;
  int64_t steps = std::min(run / step, kMostStepsOfRun);
  return run / step % steps == 0 ? steps : 1;
}

/// The sum of a power of two of lanes, in an order that does not depend on the target: halves are
/// added until one lane is left.
static Value addLanes(ImplicitLocOpBuilder &b, Value vector) {
  while (true) {
    int64_t half = cast<VectorType>(vector.getType()).getNumElements() / 2;
    if (half == 0)
      return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{0});
    auto take = [&](int64_t first) {
      return vector::ShuffleOp::create(b, vector, vector,
                                       llvm::to_vector(llvm::seq<int64_t>(first, first + half)));
    };
    Value low = take(0), high = take(half);
    vector = arith::AddFOp::create(b, low, high);
  }
}

/// Lanes lie along k; each result is a sum over lanes.
void DotKernel::emitAlongDepth() {
  int64_t count = tile.rows * tile.vectors;
  TileStore store = makeStore(tile);
  emitUnits(
      [&](Range rowRange, Range columnRange) {
        TileSpan rowSpan = spanRows(rowRange.start);
        TileSpan columnSpan = makeTileSpan(index, columnRange.start, columns, tile.vectors);
        SmallVector<Value> zeros =
            packLanes(SmallVector<VectorValue>(count, emitZero(index, element)));
        if (group > 1)
          index.setLanes(group * lanes);
        auto addProducts = [&](VectorIndex k, Mask mask, ValueRange now) {
          if (k.base && context.chosen.has("prefetch"))
            prefetchColumns(columnSpan, k.base);
          SmallVector<VectorValue> next = unpackLanes(element, now), left, right;
          VectorValue zero = emitZero(index, factor);
          auto masked = [&](VectorValue value) {
            if (!value.re)
              return value;
            value = broadcastLanes(index, value);
            return mask ? emitSelect(index, mask.lanes, value, zero) : value;
          };
          for (int64_t r = 0; r < tile.rows; ++r)
            left.push_back(masked(loadLhs(index.add(index.uniform(rowSpan.start), r), k, mask)));
          for (int64_t c = 0; c < tile.vectors; ++c)
            right.push_back(
                masked(loadRhs(k, index.add(index.uniform(columnSpan.start), c), mask)));
          for (int64_t i = 0; i < count; ++i) {
            if (context.emitter.hasFailed())
              return SmallVector<Value>(now);
            VectorValue x = left[i / tile.vectors], y = right[i % tile.vectors];
            next[i] = group == 2
                          ? VectorValue{emitPairMultiplyAdd(index, x.re, y.re, next[i].re), {}}
                          : emitMultiplyAdd(index, element, x, y, next[i]);
          }
          return packLanes(next);
        };
        auto join = [&](ValueRange sums, ValueRange parts) {
          SmallVector<Value> joined;
          for (auto [sum, part] : llvm::zip(sums, parts))
            joined.push_back(arith::AddFOp::create(b, sum, part));
          return joined;
        };
        int64_t step = index.getLanes(), steps = countStepsOfRun(step);
        auto addSteps = [&](ArrayRef<VectorIndex> at, Mask mask, ValueRange now) {
          if (steps == 1)
            return addProducts(at[0], mask, now);
          VectorIndex first = index.multiply(at[0], steps * step);
          first = index.consecutive(first.base, first.multiple);
          SmallVector<Value> sums(now);
          for (int64_t s = 0; s < steps; ++s)
            sums = addProducts(index.add(first, s * step), {}, sums);
          return sums;
        };
        bool alongLanes = steps == 1;
        ReducedWalk walk(context, alongLanes ? depth : depth / (steps * step), alongLanes);
        bool inBlocks = isBlockedSum(element, depth / step);
        SmallVector<Value> sums =
            inBlocks
                ? walk.foldInBlocks(zeros, {kSumBlock / steps, /*addsUp=*/true}, addSteps, join)
                : walk.fold(zeros, addSteps);
        index.setLanes(lanes);
        if (context.emitter.hasFailed())
          return;
        SmallVector<VectorValue> totals;
        auto total = [&](Value vector) -> Value {
          if (!vector || !isa<VectorType>(vector.getType()))
            return vector;
          if (isa<FloatType>(getElementTypeOrSelf(vector)))
            return addLanes(b, vector);
          auto kind = hlo::isPred(element) ? vector::CombiningKind::OR : vector::CombiningKind::ADD;
          return vector::ReductionOp::create(b, kind, vector);
        };
        for (VectorValue sum : unpackLanes(element, sums))
          totals.push_back({total(sum.re), total(sum.im)});
        ScopedLanes scalar(index, 1);
        store.finish(totals, rowSpan, columnSpan);
      },
      tile.rows, tile.vectors);
}

} // namespace hloc
