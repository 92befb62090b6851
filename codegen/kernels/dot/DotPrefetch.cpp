// SPDX-License-Identifier: Apache-2.0
// What dots prefetch while their tiles compute. Packed dots: the block of the right operand that is
// packed next, and the rows of the left operand that the next tile reads. Dots that read the right
// operand in place: its next rows, its next columns, or the next strip of a block of its rows.
#include "codegen/kernels/dot/DotKernel.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Elements of `type` in a cache line of L1.
static int64_t countLineElements(KernelContext &context, RankedTensorType type) {
  return context.target.machine.l1.lineBytes * 8 / getStorageBits(type.getElementType());
}

/// How many rows of the next block of the right operand are prefetched at a time, if that is done
/// `turns` times for each tile of rows of `rowRange`.
Value DotKernel::countPrefetched(Range rowRange, int64_t blockRows, int64_t turns) {
  int64_t size = std::min(depth, kSumBlock);
  if (!liveRows)
    return index.constant(llvm::divideCeil(size, llvm::divideCeil(blockRows, tile.rows) * turns));
  auto divide = [&](Value x, Value y) {
    Value more = b.createOrFold<arith::SubIOp>(y, index.constant(1));
    return b.createOrFold<arith::DivUIOp>(b.createOrFold<arith::AddIOp>(x, more), y);
  };
  Value tiles = divide(b.createOrFold<arith::SubIOp>(rowRange.end, rowRange.start),
                       index.constant(tile.rows));
  return divide(index.constant(size), b.createOrFold<arith::MulIOp>(tiles, index.constant(turns)));
}

/// Prefetches `share` rows of the block that is packed after this one, part number `turn`.
void DotKernel::prefetchRhs(Range columnRange, Range depthRange, int64_t blockColumns, Value turn,
                            Value share) {
  int64_t line = countLineElements(context, rhsType);
  Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, depthRange.end,
                                               index.constant(depth));
  Value nextColumns =
      b.createOrFold<arith::AddIOp>(columnRange.start, index.constant(blockColumns));
  Value first = b.createOrFold<arith::SelectOp>(isLast, index.constant(0), depthRange.end);
  Value column = b.createOrFold<arith::SelectOp>(isLast, nextColumns, columnRange.start);
  Value ahead = b.createOrFold<arith::MulIOp>(turn, share);
  first = b.createOrFold<arith::AddIOp>(first, ahead);
  MemoryArray memory = context.getInput(findWhole(rhs).getArgNumber());
  // Whole rows are prefetched, so some of the parts are empty.
  Value isWanted = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, ahead,
                                                 index.constant(std::min(depth, kSumBlock)));
  scf::IfOp branch = scf::IfOp::create(b, isWanted, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  buildFor(context, index.constant(0), share, 1, [&](Value k) {
    buildFor(context, index.constant(0), index.constant(blockColumns), line, [&](Value n) {
      auto sum = [&](Value x, Value y) {
        return index.uniform(b.createOrFold<arith::AddIOp>(x, y));
      };
      prefetchElement(index, memory,
                      context.emitter.locate(rhs, rhsIndex(sum(first, k), sum(column, n))));
    });
  });
}

/// Prefetches a part of the rows of the tile after that of `span`, for the same block of the depth:
/// the rows that fall to `panel` of `panels`, and of these the k that are multiplied in `piece`.
void DotKernel::prefetchLhs(const TileSpan &span, Range depthRange, Value panel, int64_t panels,
                            Value piece) {
  int64_t share = llvm::divideCeil(tile.rows, panels), steps = kPieceSteps * group,
          line = countLineElements(context, lhsType);
  auto plus = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); };
  auto times = [&](Value x, int64_t y) {
    return b.createOrFold<arith::MulIOp>(x, index.constant(y));
  };
  Value row = plus(plus(span.start, index.constant(tile.rows)), times(panel, share)),
        k = plus(depthRange.start, times(piece, steps));
  MemoryArray memory = context.getInput(findWhole(lhs).getArgNumber());
  for (int64_t r = 0; r < share; ++r)
    for (int64_t step = 0; step < steps; step += line)
      prefetchElement(index, memory,
                      context.emitter.locate(lhs, lhsIndex(index.add(index.uniform(row), r),
                                                           index.add(index.uniform(k), step))));
}

/// Prefetches what a strip of columns that begins at `column` reads of row `k` of the right
/// operand.
void DotKernel::prefetchColumnsOfRow(VectorIndex k, VectorIndex column) {
  int64_t width = tile.vectors * tileLanes, line = countLineElements(context, rhsType);
  MemoryArray memory = context.getInput(findWhole(rhs).getArgNumber());
  for (int64_t n = 0; n < width; n += line)
    prefetchElement(index, memory, context.emitter.locate(rhs, rhsIndex(k, index.add(column, n))));
}

/// Prefetches the `count` rows of the right operand after those from `k` on, where a pass over a
/// strip is at `column`, `within` columns from the strip's start. The vectors of a line share its
/// rows.
void DotKernel::prefetchRows(Value k, int64_t count, Value column, Value within) {
  MemoryArray memory = context.getInput(findOrigin(rhs).getArgNumber());
  int64_t turns = std::max<int64_t>(1, countLineElements(context, memory.type) / lanes);
  if (count % turns != 0)
    turns = 1;
  int64_t share = count / turns;
  VectorIndex number = index.divideWithRemainder(index.uniform(within), lanes).second;
  VectorIndex turn = index.divideWithRemainder(number, turns).first;
  VectorIndex first = index.add(index.add(index.uniform(k), count), index.multiply(turn, share));
  for (int64_t i = 0; i < share; ++i)
    prefetchElement(
        index, memory,
        context.emitter.locate(rhs, rhsIndex(index.add(first, i), index.uniform(column))));
}

/// With lanes along k: prefetches the columns after those of `span` at `k`, a line of each in the
/// steps that multiply a line, since hardware prefetchers do not continue at the end of a column.
void DotKernel::prefetchColumns(const TileSpan &span, Value k) {
  MemoryArray memory = context.getInput(findOrigin(rhs).getArgNumber());
  int64_t line = countLineElements(context, memory.type), step = index.getLanes();
  int64_t turns = std::max<int64_t>(1, line / step);
  VectorIndex number = index.divideWithRemainder(index.uniform(k), step).second;
  VectorIndex turn = index.divideWithRemainder(number, turns).first;
  Value first = b.createOrFold<arith::DivUIOp>(index.multiply(turn, tile.vectors).base,
                                               index.constant(turns));
  VectorIndex column =
      index.add(index.uniform(b.createOrFold<arith::AddIOp>(span.start, first)), tile.vectors);
  for (int64_t place = 0; place < step; place += line)
    for (int64_t c = 0, share = llvm::divideCeil(tile.vectors, turns); c < share; ++c)
      prefetchElement(index, memory,
                      context.emitter.locate(
                          rhs, rhsIndex(index.add(index.uniform(k), place), index.add(column, c))));
}

} // namespace hloc
