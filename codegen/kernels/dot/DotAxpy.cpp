// SPDX-License-Identifier: Apache-2.0
// Dots with very few rows and a large right operand whose rows are contiguous: each row of the
// result is a sum of scaled rows of the right operand (BLAS's axpy).
//
// The limit is memory, which is fastest when long segments of a few rows are read at a time. So the
// sums of a strip of columns are kept in L1, and each pass over them adds several rows.
#include "codegen/emit/BlockedSum.h"
#include "codegen/kernels/dot/DotKernel.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Adds `count` rows of the right operand from `k` on, scaled by the left operand, to the sums of
/// `strip` columns from `start` on.
void DotKernel::addRows(MemoryArray sums, TileSpan strip, int64_t width, Value k, int64_t count) {
  SmallVector<VectorValue> factors;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < count; ++i)
      factors.push_back(
          broadcastLanes(index, loadLhs(index.uniform(r), index.add(index.uniform(k), i))));
  if (context.emitter.hasFailed())
    return;
  buildFor(
      context, index.constant(0), index.constant(width), lanes,
      [&](Value within) {
        Value column = b.createOrFold<arith::AddIOp>(strip.start, within);
        VectorIndex n = index.consecutive(column, std::gcd(strip.multiple, lanes)),
                    at = index.consecutive(within, lanes);
        SmallVector<VectorValue> totals;
        for (int64_t r = 0; r < rows; ++r)
          totals.push_back(loadElements(index, sums, {index.uniform(r), at}, {}));
        if (context.chosen.has("prefetch") && count > 1)
          prefetchRows(k, count, column, within);
        for (int64_t i = 0; i < count; ++i) {
          VectorValue value = loadRhs(index.add(index.uniform(k), i), n);
          if (!value.re)
            return;
          for (int64_t r = 0; r < rows; ++r)
            totals[r] = emitMultiplyAdd(index, element, factors[r * count + i], value, totals[r]);
        }
        for (int64_t r = 0; r < rows; ++r)
          storeElements(index, sums, {index.uniform(r), at}, totals[r], {});
      },
      Rounds::Some);
}

void DotKernel::emitAxpy() {
  int64_t width = context.chosen.getBlock()[1], together = context.chosen.getBlock()[2];
  bool inBlocks = isBlockedSum(element, depth);
  TileStore store = makeStore(tile);
  tile.vectors = width / lanes; // which describes a unit
  auto type = RankedTensorType::get({rows, width}, element);
  auto allocate = [&] { return MemoryArray{context.allocateOnStack(getByteSize(type)), type}; };
  SmallVector<MemoryArray> totals; // of blocks, and their error terms
  MemoryArray sums = allocate();
  if (inBlocks)
    totals = {allocate(), allocate()};
  auto forEachVector = [&](function_ref<void(Value within, ElementIndex at)> body) {
    for (int64_t r = 0; r < rows; ++r)
      buildFor(
          context, index.constant(0), index.constant(width), lanes,
          [&](Value within) { body(within, {index.uniform(r), index.consecutive(within, lanes)}); },
          Rounds::Some);
  };
  auto clear = [&](MemoryArray memory) {
    forEachVector([&](Value, ElementIndex at) {
      storeElements(index, memory, at, emitZero(index, element), {});
    });
  };
  auto addAll = [&](TileSpan strip, Value start, Value end) {
    clear(sums);
    Value count = b.createOrFold<arith::SubIOp>(end, start);
    Value rest = b.createOrFold<arith::RemUIOp>(count, index.constant(together));
    Value whole = b.createOrFold<arith::SubIOp>(end, rest);
    buildFor(context, start, whole, together,
             [&](Value k) { addRows(sums, strip, width, k, together); });
    if (getConstant(rest) != 0)
      buildFor(context, whole, end, 1, [&](Value k) { addRows(sums, strip, width, k, 1); });
  };
  emitUnits(
      [&](Range, Range columnRange) {
        TileSpan strip = makeTileSpan(index, columnRange.start, columns, width);
        llvm::for_each(totals, clear);
        if (inBlocks) {
          int64_t block = chooseSumBlock(depth, kSumBlock);
          buildFor(context, beginOfBlock(block), multipliedDepth.end, block, [&](Value start) {
            Value end = b.createOrFold<arith::AddIOp>(start, index.constant(block));
            if (!hasWholeGroups(block))
              end = b.createOrFold<arith::MinSIOp>(end, index.constant(depth));
            Range depthRange = clipDepth(start, end);
            addAll(strip, depthRange.start, depthRange.end);
            forEachVector([&](Value, ElementIndex at) {
              SmallVector<Value> before;
              for (MemoryArray memory : totals)
                before.push_back(loadElements(index, memory, at, {}).re);
              Value sum = loadElements(index, sums, at, {}).re;
              for (auto [memory, total] : llvm::zip(totals, addToTotals(b, before, sum)))
                storeElements(index, memory, at, {total, {}}, {});
            });
          });
        } else {
          addAll(strip, multipliedDepth.start, multipliedDepth.end);
        }
        if (!context.emitter.hasFailed())
          finishStrip(store, strip, width, inBlocks ? ArrayRef(totals) : ArrayRef(sums));
      },
      rows, width);
}

/// Stores the results of a strip, whose sums (and error terms) are in `sums`.
void DotKernel::finishStrip(TileStore &store, const TileSpan &strip, int64_t width,
                            ArrayRef<MemoryArray> sums) {
  buildFor(
      context, index.constant(0), index.constant(width), lanes,
      [&](Value within) {
        SmallVector<VectorValue> results;
        for (int64_t r = 0; r < rows; ++r) {
          ElementIndex at{index.uniform(r), index.consecutive(within, lanes)};
          SmallVector<Value> parts;
          for (MemoryArray memory : sums)
            parts.push_back(loadElements(index, memory, at, {}).re);
          results.push_back({parts.size() > 1 ? settleTotals(b, parts)[0] : parts[0], {}});
        }
        TileSpan columnSpan{b.createOrFold<arith::AddIOp>(strip.start, within),
                            std::gcd(strip.multiple, lanes),
                            {},
                            lanes};
        if (strip.skip) {
          Value left = b.createOrFold<arith::SubIOp>(strip.skip, within);
          left = b.createOrFold<arith::MaxSIOp>(left, index.constant(0));
          columnSpan.skip = b.createOrFold<arith::MinSIOp>(left, index.constant(lanes));
        }
        store.finish(results, makeTileSpan(index, index.constant(0), rows, rows), columnSpan);
      },
      Rounds::Some);
}

} // namespace hloc
