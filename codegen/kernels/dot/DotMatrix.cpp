// SPDX-License-Identifier: Apache-2.0
// Register tiles of matrix registers. Their products are stored in the result if they are that,
// else in a buffer, from which rows are taken one at a time.
#include "codegen/kernels/dot/DotKernel.h"
#include "passes/schedule/DotSchedule.h"

using namespace mlir;

namespace hloc {

/// Entries of a panel, and words of a row of the left operand, that fill a matrix register.
static constexpr int64_t kEntries = Target::kMatrixColumns;
static_assert(kEntries == Target::kMatrixRows);

/// `entries` in whole registers.
static Value countSteps(IndexBuilder &index, Value entries) {
  auto &b = index.b;
  Value rounded = b.createOrFold<arith::AddIOp>(entries, index.constant(kEntries - 1));
  return b.createOrFold<arith::DivUIOp>(rounded, index.constant(kEntries));
}

/// Fills a panel with zeros from the last entry of `range` to the end of a register.
void DotKernel::padPanel(const Panel &panel, Range range) {
  Value count = countEntries(range);
  Value end = b.createOrFold<arith::MulIOp>(countSteps(index, count), index.constant(kEntries));
  if (std::optional<int64_t> known = getConstant(count); known && known == getConstant(end))
    return;
  buildFor(context, count, end, 1, [&](Value entry) {
    for (int64_t v = 0; v < tile.vectors; ++v)
      storeElements(index, panel.memory,
                    {index.uniform(panel.number), index.uniform(entry),
                     index.add(index.consecutive(index.constant(0), lanes), v * lanes)},
                    emitZero(index, element), {});
  });
}

/// Where the rows of a tile begin in the left operand.
MatrixMemory DotKernel::locateRows(const TileSpan &span, Range depthRange) {
  MemoryArray array = context.getInput(cast<BlockArgument>(lhs).getArgNumber());
  ArrayRef<int64_t> sizes = lhsType.getShape();
  int64_t bytes = getStorageBits(lhsType.getElementType()) / 8, row = lhsRows[0];
  Value first =
      linearize(index, sizes, lhsIndex(index.uniform(span.start), index.uniform(depthRange.start)))
          .base;
  return {movePointer(index, array.pointer,
                      b.createOrFold<arith::MulIOp>(first, index.constant(bytes))),
          bytes * ShapedType::getNumElements(sizes.drop_front(row + 1))};
}

/// Where a tile is in the result.
MatrixMemory DotKernel::locateResult(const Tile &at) {
  Value first =
      linearize(index, resultType.getShape(),
                resultIndex(index.uniform(at.rows.start), index.uniform(at.columns.start)))
          .base;
  return {movePointer(index, context.getOutput(0).pointer,
                      b.createOrFold<arith::MulIOp>(first, index.constant(4))),
          4 * columns};
}

/// Where the sums of a tile are kept from one block of the depth to the next.
MemoryArray DotKernel::locateSums(MemoryArray partial, const Tile &at) {
  ArrayRef<int64_t> sizes = partial.type.getShape(); // row tiles, panels, rows, width
  Value first = linearize(index, sizes,
                          {index.uniform(at.rowTile), index.uniform(at.panel), index.uniform(0),
                           index.uniform(0)})
                    .base;
  return {
      movePointer(index, partial.pointer, b.createOrFold<arith::MulIOp>(first, index.constant(4))),
      RankedTensorType::get(sizes.drop_front(2), element)};
}

/// Stores the products of a tile for the k of `depthRange` in `sums`; adds them to what is there
/// unless `isFirst`, which is null if they are always the first.
void DotKernel::multiplyMatrices(const Matrices &memory, const Tile &at, Range depthRange,
                                 MatrixMemory sums, Value isFirst) {
  MatrixProduct product = isa<FloatType>(element) ? MatrixProduct::Bf16
                          : lhsType.getElementType().isUnsignedInteger(8)
                              ? MatrixProduct::UnsignedBySignedBytes
                              : MatrixProduct::SignedBytes;
  RankedTensorType panels = memory.panels.type;
  int64_t width = panels.getDimSize(2), panelBytes = 4 * panels.getDimSize(1) * width;
  Value start = b.createOrFold<arith::MulIOp>(at.panel, index.constant(panelBytes));
  MatrixMemory right{movePointer(index, memory.panels.pointer, start), 4 * width};
  MatrixMemory left = leftIsMatrix ? locateRows(at.rows, depthRange)
                                   : MatrixMemory{memory.packedRows.pointer,
                                                  4 * memory.packedRows.type.getDimSize(1)};
  Value steps = countSteps(index, countEntries(depthRange));
  auto emit = [&](bool adds) {
    emitMatrixTile(context, product, tile.rows, width, steps, left, right, sums, adds);
  };
  if (!isFirst)
    return emit(/*adds=*/false);
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  emit(/*adds=*/false);
  b.setInsertionPointToStart(branch.elseBlock());
  emit(/*adds=*/true);
}

/// Multiplies the tile `at` for a block of k, and stores it if that is the last one. The sums of
/// blocks are added up in matrix registers, or on their own if accuracy demands that.
void DotKernel::emitMatrices(const Matrices &memory, const Tile &at, Range depthRange,
                             TileStore &store, const BlockEnd &end,
                             function_ref<ElementIndex(VectorIndex, int64_t)> partialAt) {
  bool hasPartial = !end.partial.empty(), adds = hasPartial && addsUpInMatrices(*this, group);
  auto compare = [&](Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  };
  Value isFirst = adds ? compare(end.depthStart, end.firstStart) : Value();
  if (resultIsMatrix && (!hasPartial || (adds && end.inResult)))
    return multiplyMatrices(memory, at, depthRange, locateResult(at), isFirst);
  MemoryArray sums = adds ? locateSums(end.partial[0], at) : memory.sums;
  multiplyMatrices(memory, at, depthRange, {sums.pointer, 4 * sums.type.getDimSize(1)}, isFirst);
  if (!adds)
    return forEachRowOf(at.rows, [&](const TileSpan &row, Value r) {
      finishBlock(store, {1, tile.vectors}, loadRow(sums, r), row, at.columns, end,
                  [&](int64_t, int64_t v) { return partialAt(index.uniform(r), v); });
    });
  auto branch = scf::IfOp::create(b, compare(end.depthEnd, multipliedDepth.end),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  forEachRowOf(at.rows, [&](const TileSpan &row, Value r) {
    store.finish(loadRow(sums, r), row, at.columns);
  });
}

/// Loops over the rows of a tile that the tile before has not stored.
void DotKernel::forEachRowOf(const TileSpan &span,
                             function_ref<void(const TileSpan &row, Value number)> body) {
  Value first = span.skip ? span.skip : index.constant(0);
  buildFor(context, first, index.constant(std::min(tile.rows, span.live)), 1, [&](Value row) {
    body({b.createOrFold<arith::AddIOp>(span.start, row), 1, {}, 1}, row);
  });
}

SmallVector<VectorValue> DotKernel::loadRow(MemoryArray sums, Value row) {
  SmallVector<VectorValue> vectors;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    VectorIndex column = index.add(index.consecutive(index.constant(0), lanes), v * lanes);
    vectors.push_back(loadElements(index, sums, {index.uniform(row), column}, {}));
  }
  return vectors;
}

} // namespace hloc
