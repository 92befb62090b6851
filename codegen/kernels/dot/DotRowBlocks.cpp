// SPDX-License-Identifier: Apache-2.0
// Dots that read a large right operand in place, a block of its rows at a time. The sums of a unit
// wait in a buffer while the strips of one block after the other are multiplied.
#include "codegen/emit/Fold.h"
#include "codegen/kernels/dot/DotKernel.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Matrix number `number` of `memory`, an array of such.
static MemoryArray locateMatrix(IndexBuilder &index, MemoryArray memory, Value number) {
  auto type =
      RankedTensorType::get(memory.type.getShape().drop_front(), memory.type.getElementType());
  Value offset = index.b.createOrFold<arith::MulIOp>(number, index.constant(getByteSize(type)));
  return {movePointer(index, memory.pointer, offset), type};
}

/// Prefetches what the strip after `span` reads of row `k` of the right operand; after the last
/// strip of `columnRange`, what the first one reads of the next block of `blockDepth` rows.
void DotKernel::prefetchNextStrip(const TileSpan &span, Range columnRange, Value k,
                                  int64_t blockDepth) {
  int64_t width = tile.vectors * tileLanes;
  Value next = b.createOrFold<arith::AddIOp>(span.start, index.constant(width));
  Value isLast = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, next, columnRange.end);
  Value ahead =
      b.createOrFold<arith::SelectOp>(isLast, index.constant(blockDepth), index.constant(0));
  next = b.createOrFold<arith::SelectOp>(isLast, columnRange.start, next);
  prefetchColumnsOfRow(index.uniform(b.createOrFold<arith::AddIOp>(k, ahead)), index.uniform(next));
}

/// The sums of a tile before a block of k: what the block before stored in `sums`, or zero if the
/// block `isFirst` of those that are added one after the other.
SmallVector<VectorValue>
DotKernel::loadSums(MemoryArray sums, Value isFirst,
                    function_ref<ElementIndex(int64_t row, int64_t vector)> sumAt) {
  SmallVector<VectorValue> zeros(tile.rows * tile.vectors, emitZero(index, element));
  if (!sums.pointer)
    return zeros;
  SmallVector<Value> first = packLanes(zeros);
  auto branch = scf::IfOp::create(b, ValueRange(first).getTypes(), isFirst, true, true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, first);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, packLanes(loadTile(sums, tile, sumAt)));
  return unpackLanes(element, branch.getResults());
}

/// Adds the products of a tile for the k of `depthRange` to the sums `before`.
SmallVector<VectorValue> DotKernel::addToTile(ArrayRef<VectorValue> before, MemoryArray packedRows,
                                              const TileSpan &rowSpan, const TileSpan &columnSpan,
                                              Range columnRange, Range depthRange) {
  int64_t blockDepth = context.chosen.getBlock()[2];
  return buildTile(
      context, tile, element, /*group=*/1, depthRange.start, depthRange.end, before,
      [&](int64_t r, Value k) {
        if (lhsInPlace)
          return loadLhs(index.add(index.uniform(rowSpan.start, rowSpan.multiple), r),
                         index.uniform(k));
        Value entry = b.createOrFold<arith::SubIOp>(k, depthRange.start);
        return loadElements(index, packedRows, {index.uniform(r), index.uniform(entry)}, {});
      },
      [&](int64_t v, Value k) {
        if (v == 0 && context.chosen.has("prefetch"))
          prefetchNextStrip(columnSpan, columnRange, k, blockDepth);
        VectorIndex n =
            index.add(index.consecutive(columnSpan.start, columnSpan.multiple), v * tileLanes);
        VectorValue value =
            loadRhs(index.uniform(k), n, firstLanes(index, columnSpan.live - v * tileLanes));
        return value.re ? broadcastLanes(index, value) : value;
      });
}

void DotKernel::emitRowBlocks() {
  ArrayRef<int64_t> block = context.chosen.getBlock();
  int64_t blockDepth = block[2], width = tile.vectors * lanes;
  // A prologue needs registers of its own.
  if (rhsIsPlain)
    widenTile();
  int64_t rowTiles = llvm::divideCeil(block[0], tile.rows),
          panels = llvm::divideCeil(block[1], width), bytes = getStorageBits(element) / 8;
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    Value memory = context.allocateOnStack(ShapedType::getNumElements(sizes) * bytes);
    return MemoryArray{memory, RankedTensorType::get(sizes, element)};
  };
  // The sums of a block of `sumDepth` k, after which they are added to the totals of the blocks
  // before.
  MemoryArray sums, packedRows;
  if (depth > blockDepth)
    sums = allocate({rowTiles, panels, tile.rows, width});
  SmallVector<MemoryArray> totals;
  for (int64_t i = 0, count = isCompensatedSum(element, depth) ? 2 : 1;
       depth > sumDepth && i < count; ++i)
    totals.push_back(allocate({rowTiles, panels, tile.rows, width}));
  if (!lhsInPlace)
    packedRows = allocate({rowTiles, tile.rows, int64_t(llvm::alignTo(blockDepth, lanes))});
  TileStore store = makeStore(tile);

  auto endOf = [&](Value start, int64_t size) {
    Value end = b.createOrFold<arith::AddIOp>(start, index.constant(size));
    return depth % size == 0 ? end : b.createOrFold<arith::MinSIOp>(end, index.constant(depth));
  };
  auto isSame = [&](Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  };
  auto emitBlock = [&](Range rowRange, Range columnRange, Range sumRange, Range depthRange) {
    if (!lhsInPlace)
      forEachRowTile(rowRange, [&](const TileSpan &rowSpan, Value rowTile) {
        packLhs(locateMatrix(index, packedRows, rowTile), rowSpan, depthRange);
      });
    forEachTile(columnRange, columns, width, [&](const TileSpan &columnSpan, Value panel) {
      forEachRowTile(rowRange, [&](const TileSpan &rowSpan, Value rowTile) {
        ScopedLanes wide(index, tileLanes);
        auto sumAt = [&](int64_t r, int64_t v) {
          VectorIndex n = index.consecutive(index.constant(0), tileLanes);
          return ElementIndex{index.uniform(rowTile), index.uniform(panel),
                              index.uniform(index.constant(r)), index.add(n, v * tileLanes)};
        };
        SmallVector<VectorValue> values =
            addToTile(loadSums(sums, isSame(depthRange.start, sumRange.start), sumAt),
                      lhsInPlace ? MemoryArray() : locateMatrix(index, packedRows, rowTile),
                      rowSpan, columnSpan, columnRange, depthRange);
        if (context.emitter.hasFailed())
          return;
        BlockEnd end{totals, sumRange.start, index.constant(0), sumRange.end, /*inResult=*/false};
        if (!sums.pointer)
          return finishBlock(store, tile, values, rowSpan, columnSpan, end, sumAt);
        auto branch = scf::IfOp::create(b, isSame(depthRange.end, sumRange.end),
                                        /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        ElementEmitter::Scope scope(context.emitter);
        b.setInsertionPointToStart(branch.thenBlock());
        finishBlock(store, tile, values, rowSpan, columnSpan, end, sumAt);
        b.setInsertionPointToStart(branch.elseBlock());
        storeTile(sums, tile, values, sumAt);
      });
    });
  };
  auto emitUnit = [&](Range rowRange, Range columnRange) {
    buildFor(context, index.constant(0), index.constant(depth), sumDepth, [&](Value sumStart) {
      Range sumRange{sumStart, endOf(sumStart, sumDepth)};
      buildFor(context, sumStart, sumRange.end, blockDepth, [&](Value start) {
        emitBlock(rowRange, columnRange, sumRange, {start, endOf(start, blockDepth)});
      });
    });
  };
  emitUnits(emitUnit, block[0], block[1]);
}

} // namespace hloc
