// SPDX-License-Identifier: Apache-2.0
// dot.row_blocks: the right operand is read in place, a block of its rows at a time: of each block
// all columns of the unit, strip by strip, and each strip for all tiles of rows. So few pages are
// read at a time, and nothing is packed. `block` is [rows and columns of a unit, rows of the right
// operand in a block]. With `prefetch`, each strip prefetches the next one.
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotBlocks.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/Streams.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

/// Rows of a block: no more than there are pages whose addresses a core translates at once, as each
/// row of a large operand is in a page of its own.
constexpr int64_t kBlockDepth = 64;
/// Rows of the result below which adding whole rows (dot.axpy) is as fast; and tiles of rows above
/// which packing is faster, as each of them reads a strip again.
constexpr int64_t kLeastRows = 3, kMostRowTiles = 8;
/// Fraction of a tile's peak rate that is reached.
constexpr double kRowBlockRate = 0.9;
/// Segments of rows of fewer cache lines than this are slow to read, since hardware reads lines in
/// pairs: up to 1 + kWastedReads times, the shorter the slower.
constexpr double kLinesAtOnce = 1.5, kWastedReads = 1.5;
/// Fraction of the shorter of computation and reading that the longer one does not hide.
constexpr double kExposed = 0.1;
/// Cycles to find out where a page lies, as far as they are not hidden.
constexpr double kPageCycles = 40;

/// Bytes on the stack: sums, totals of blocks of the sum, and the packed left operand.
int64_t getFrameBytes(const DotProblem &dot, TileShape tile, int64_t lanes, Blocks block) {
  int64_t rows = llvm::alignTo(block.rows, tile.rows),
          columns = llvm::alignTo(block.columns, tile.vectors * lanes),
          arrays = dot.depth > block.depth ? 1 : 0;
  if (dot.depth > kSumBlock)
    arrays += isCompensatedSum(dot.element, dot.depth) ? 2 : 1;
  int64_t packed = dot.lhsInPlace ? 0 : rows * int64_t(llvm::alignTo(block.depth, lanes));
  return (arrays * rows * columns + packed) * dot.getElementBytes();
}

/// By what factor cores that run `units` of equal size take longer than if all had as many.
double getUnevenness(const Target &target, double units) {
  double cores = target.singleThreaded ? 1 : double(target.machine.l3.sharedBy);
  cores = std::min(cores, units);
  return std::ceil(units / cores) * cores / units;
}

std::string refuseRowBlocks(const KernelProblem &problem) {
  DotProblem dot = getDot(problem);
  if (dot.isEmpty())
    return "the product is empty";
  if (dot.liveRows || dot.liveDepth)
    return "masks say which rows and terms matter";
  if (isa<ComplexType>(dot.element))
    return "the elements are complex numbers";
  if (hlo::getStorageBits(dot.element) < 8)
    return "sums have less than a byte";
  return !llvm::is_contained(dot.rhsColumns, dot.rhsType.getRank() - 1)
             ? "columns are not the minor dimension of the right operand"
             : "";
}

void proposeRowBlocks(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  if (dot.rows < kLeastRows || !canAskAhead(dot) ||
      dot.getRhsWholeBytes() <= double(problem.target.machine.l2.bytes) ||
      chooseGroup(problem, dot, lanes, /*packs=*/true) > 1)
    return;
  SmallVector<TileShape> tiles =
      listTallTiles(problem.target, dot.element, lanes, dot.rows, dot.columns);
  for (TileShape tile : tiles) {
    int64_t rowTiles = llvm::divideCeil(dot.rows, std::max<int64_t>(1, tile.rows));
    if (rowTiles > kMostRowTiles)
      continue;
    tile.rows = llvm::divideCeil(dot.rows, rowTiles);
    int64_t width = tile.vectors * lanes;
    Blocks block{dot.rows, dot.columns, kBlockDepth};
    while (block.columns > width &&
           getFrameBytes(dot, tile, lanes, block) > problem.target.kernelStackBytes)
      block.columns = llvm::alignTo(block.columns / 2, width);
    block = divideBlocks(problem, dot, tile, lanes, block);
    if (getFrameBytes(dot, tile, lanes, block) <= problem.target.kernelStackBytes)
      schedules.push_back(makeSchedule(dot, "dot.row_blocks", tile,
                                       {block.rows, block.columns, block.depth}, lanes, 1,
                                       {"prefetch"}));
  }
}

double costRowBlocks(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  TileShape tile{schedule.getTile()[0], schedule.getTile()[1]};
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t lanes = schedule.getLanes(), width = tile.vectors * lanes;
  double rowBlocks = llvm::divideCeil(dot.rows, block[0]),
         columnBlocks = llvm::divideCeil(dot.columns, block[1]);
  double rowTiles = llvm::divideCeil(dot.rows, tile.rows),
         panels = llvm::divideCeil(dot.columns, width);
  double useful = double(dot.rows) * dot.columns / (rowTiles * tile.rows * panels * width);
  // Loads and prefetches of a step compete for issue slots.
  const Machine &machine = problem.target.machine;
  double lineBytes = double(machine.l1.lineBytes),
         pieceBytes = double(width) * fuse::elementBytes(dot.rhsType);
  double lines = schedule.has("prefetch") ? std::max(1.0, pieceBytes / lineBytes) : 0;
  double loads = (double(tile.rows + tile.vectors) + lines) / double(tile.rows * tile.vectors) *
                 machine.rates.multiplyAdd / machine.rates.load;
  double rate = kRowBlockRate * getTileRate(problem.target, dot.element, tile, dot.rows) /
                std::max(1.0, loads);
  double compute = getProductTime(problem, dot, lanes, rate * useful);
  // Each block of rows loads and stores the sums.
  double sums = 2.0 * double(dot.batches) * dot.rows * dot.columns * dot.getElementBytes() *
                llvm::divideCeil(dot.depth, block[2]) *
                problem.costs.getStreamTime(
                    double(getFrameBytes(dot, tile, lanes, {block[0], block[1], block[2]})));
  // Each row of a unit is in pages of its own, unless rows are short.
  double unitRows = double(dot.batches) * dot.depth * rowBlocks * columnBlocks,
         elementBytes = fuse::elementBytes(dot.rhsType),
         pages = std::max(std::min(double(dot.columns) * elementBytes / kPageBytes, 1.0),
                          double(block[1]) * elementBytes / kPageBytes);
  double wait = unitRows * pages * problem.costs.fromCycles(kPageCycles);
  // Rows that are a multiple of a page apart evict each other from L1 before the next tile.
  wait += getPanelWait(problem, dot, rowTiles - 1, machine.l1.bytes);
  double wasted = kWastedReads * std::max(0.0, 1 - pieceBytes / (kLinesAtOnce * lineBytes));
  double read = getReadTime(problem, dot, rowBlocks) * (1 + wasted);
  double elements = double(dot.batches) * dot.columns * dot.depth;
  // The left operand is read for each block of columns; all strategies read it once.
  double leftBytes = fuse::bytesOf(dot.lhsType);
  double left =
      (columnBlocks - 1) * leftBytes * problem.costs.getStreamTime(leftBytes / dot.batches);
  if (!dot.lhsInPlace)
    left += columnBlocks * double(dot.batches) * dot.rows * dot.depth *
            problem.costs.getReloadTime() * kPackReloads;
  compute += sums;
  double both = std::max(compute, read) + kExposed * std::min(compute, read);
  if (!schedule.has("prefetch"))
    both = compute + read;
  return getUnevenness(problem.target, dot.batches * rowBlocks * columnBlocks) *
         (both + wait + left + rowTiles * elements * getPrologueTime(problem, dot));
}

std::string checkRowBlocks(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkTile(problem, dot, schedule, {"prefetch"}); !wrong.empty())
    return wrong;
  if (schedule.has("prefetch") && !canAskAhead(dot))
    return "rows of the right operand are not contiguous in memory";
  ArrayRef<int64_t> tile = schedule.getTile(), block = schedule.getBlock();
  int64_t lanes = schedule.getLanes(), width = tile[1] * lanes;
  if (schedule.getGroup() != 1)
    return "expected no `group`";
  if (block.size() != 3 || block[0] < 1 || block[1] < 1 || block[2] < 1 ||
      kSumBlock % block[2] != 0)
    return "expected `block` to be rows, columns, and rows of the right operand that divide " +
           std::to_string(kSumBlock);
  if ((block[0] % tile[0] != 0 && block[0] < dot.rows) ||
      (block[1] % width != 0 && block[1] < dot.columns))
    return "expected blocks of whole tiles";
  if (block[0] > int64_t(llvm::alignTo(dot.rows, tile[0])) ||
      block[1] > int64_t(llvm::alignTo(dot.columns, width)))
    return "expected blocks no larger than the product";
  return getFrameBytes(dot, {tile[0], tile[1]}, lanes, {block[0], block[1], block[2]}) >
                 problem.target.kernelStackBytes
             ? "expected blocks whose sums fit into the stack"
             : "";
}

} // namespace

const Strategy kRowBlocksDot = {"dot.row_blocks", hlo::KernelKind::Dot, refuseRowBlocks,
                                proposeRowBlocks, costRowBlocks,        checkRowBlocks,
                                sumInBlocks};

} // namespace hloc
