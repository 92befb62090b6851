// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/DotBlocks.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Rows of a block; the most rows of a block that leaves no small remainder; the fewest rows and
/// columns that are worth a block; and the fewest rows that are worth to pack the right operand
/// once more for another thread.
static constexpr int64_t kBlockRows = 192, kMaxBlockRows = 240, kMinBlockRows = 48,
                         kMinBlockColumns = 64, kLeastDividedRows = 96;

/// Makes the blocks of `size` nearly equal and multiples of `unit`, without changing their number.
static int64_t makeEven(int64_t size, int64_t block, int64_t unit) {
  if (block >= size)
    return block;
  block = std::max(unit, block / unit * unit);
  return llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, block)), unit);
}

Blocks chooseBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                    int64_t lanes, int64_t group, int64_t mostColumns) {
  const int64_t l2 = problem.target.machine.l2.bytes, bytes = dot.getElementBytes(),
                width = tile.vectors * lanes;
  bool compensated = isCompensatedSum(dot.element, dot.depth);
  // Blocks of wide elements have fewer columns, so that they take no more bytes.
  int64_t wide = mostColumns * 4 / std::max<int64_t>(4, bytes);
  int64_t near = std::max(kMinBlockColumns, l2 / 2 / (kSumBlock * bytes));
  int64_t columns = std::min({dot.columns, wide, near});
  int64_t rows = std::min(dot.rows, compensated ? kBlockRows / 2 : kBlockRows);
  if (dot.batches == 1 && dot.rows <= kMaxBlockRows && !compensated && bytes <= 4)
    rows = dot.rows;
  auto shrink = [&](int64_t block, int64_t rowBytes) {
    while (block > kMinBlockRows && block * rowBytes > l2 / 2)
      block /= 2;
    return block;
  };
  // In a batched product with one large side, the rows of a block are to stay in L2 until the next
  // kernel of the group reads them (as with the weights of attention), so a block has few rows.
  int64_t rowBytes = std::max(dot.columns, dot.depth) * bytes, depthBytes = dot.depth * bytes;
  if (dot.batches > 1 && std::min(dot.columns, dot.depth) <= kBlockColumns &&
      dot.rows * rowBytes > l2)
    rows = shrink(rows, rowBytes);
  // Likewise for the columns of the result, if those are the large side.
  if (dot.batches > 1 && dot.depthIsMinorOfRhs && dot.rows <= kBlockRows &&
      dot.columns > kBlockRows && dot.columns * depthBytes > l2) {
    rows = dot.rows;
    columns = shrink(std::min(columns, kBlockRows), depthBytes);
  }
  // Blocks of a batched product must begin where those of other kernels in their group begin.
  auto cut = [&](int64_t size, int64_t block, int64_t unit) -> int64_t {
    if (block < size && dot.batches > 1)
      return std::max(unit, block / unit * unit);
    return makeEven(size, block, unit);
  };
  int64_t entries = llvm::alignTo(llvm::divideCeil(dot.depth, group), lanes);
  return {cut(dot.rows, rows, tile.rows), cut(dot.columns, columns, width),
          std::min(entries, kSumBlock)};
}

Blocks divideBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                    int64_t lanes, Blocks blocks) {
  double time = double(dot.rows) * double(dot.columns) * double(dot.depth) *
                problem.costs.getMultiplyAddTime(dot.element);
  int64_t shares = std::min(getLeastUnits(problem.target), problem.costs.getTaskCount(time)),
          rowBlocks = llvm::divideCeil(dot.rows, blocks.rows),
          columnBlocks = llvm::divideCeil(dot.columns, blocks.columns);
  if (rowBlocks * columnBlocks >= shares)
    return blocks;
  columnBlocks = llvm::divideCeil(shares, rowBlocks);
  blocks.columns =
      std::min<int64_t>(blocks.columns, llvm::alignTo(llvm::divideCeil(dot.columns, columnBlocks),
                                                      tile.vectors * lanes));
  columnBlocks = llvm::divideCeil(dot.columns, blocks.columns);
  rowBlocks = std::max<int64_t>(
      1, std::min<int64_t>(llvm::divideCeil(shares, columnBlocks), dot.rows / kLeastDividedRows));
  blocks.rows = std::min<int64_t>(blocks.rows,
                                  llvm::alignTo(llvm::divideCeil(dot.rows, rowBlocks), tile.rows));
  return blocks;
}

SmallVector<Blocks> listBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                               int64_t lanes, int64_t group, int64_t mostColumns) {
  const Machine &machine = problem.target.machine;
  Blocks least = chooseBlocks(problem, dot, tile, lanes, group, mostColumns);
  if (dot.batches > 1 || dot.isEmpty())
    return {least};
  least = divideBlocks(problem, dot, tile, lanes, least);
  SmallVector<Blocks> all{least};
  int64_t columnBlocks = llvm::divideCeil(dot.columns, least.columns);
  int64_t leastUnits = getLeastUnits(problem.target);
  // The rows of a block that has all columns stay in L2 for the next kernel of the group.
  int64_t rowBytes = std::max(dot.columns, dot.depth) * dot.getElementBytes();
  int64_t mostRows = columnBlocks == 1 ? machine.l2.bytes / 2 / rowBytes : dot.rows;
  for (int64_t count = llvm::divideCeil(dot.rows, least.rows) * 3 / 4;
       count >= 1 && count * columnBlocks >= leastUnits; count = count * 3 / 4) {
    int64_t rows = llvm::divideCeil(dot.rows, count);
    if (rows <= mostRows)
      all.push_back({int64_t(llvm::alignTo(rows, tile.rows)), least.columns, least.depth});
  }
  return all;
}

} // namespace hloc
