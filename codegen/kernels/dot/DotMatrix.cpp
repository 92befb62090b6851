// SPDX-License-Identifier: Apache-2.0
// Register tiles of matrix registers. Their products are stored in a buffer, from which rows are
// taken one at a time.
#include "codegen/emit/MatrixTile.h"
#include "codegen/kernels/dot/DotKernel.h"

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

/// Stores the products of a tile's packed rows and one of the panels, for the k of `range`, in
/// `sums`.
void DotKernel::multiplyMatrices(MemoryArray panels, Value panel, MemoryArray packedRows,
                                 Range range, MemoryArray sums) {
  MatrixProduct product = isa<FloatType>(element) ? MatrixProduct::Bf16
                          : lhsType.getElementType().isUnsignedInteger(8)
                              ? MatrixProduct::UnsignedBySignedBytes
                              : MatrixProduct::SignedBytes;
  int64_t width = panels.type.getDimSize(2), panelBytes = 4 * panels.type.getDimSize(1) * width;
  Value start = b.createOrFold<arith::MulIOp>(panel, index.constant(panelBytes));
  emitMatrixTile(context, product, tile.rows, width, countSteps(index, countEntries(range)),
                 {packedRows.pointer, 4 * packedRows.type.getDimSize(1)},
                 {movePointer(index, panels.pointer, start), 4 * width}, {sums.pointer, 4 * width});
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
