// SPDX-License-Identifier: Apache-2.0
// dot.packed: the right operand is packed into panels, block by block, and register tiles run over
// them. `block` is rows, columns and depth of a block; with `in_result`, partial sums wait where
// the result will be; with `prefetch`, the next block of the right operand is asked for meanwhile;
// with `prefetch_left`, the rows of the left operand that the next tile reads; with `pack_left`, a
// block of the left operand is packed as well; with `packed_right`, a kernel before this one has
// packed the right operand (OperandPanels.h).
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

namespace {

/// Columns and rows of a block, rows of one that would leave a small block over, and the least that
/// is worth one.
constexpr int64_t kBlockColumns = 256, kBlockRows = 192, kMaxBlockRows = 240, kMinBlockRows = 48,
                  kMinBlockColumns = 64;
/// Blocks for each core of a cache that all are to have work, and to end at about the same time.
constexpr int64_t kUnitsOfCore = 2;
/// Of a tile's rate, what is reached from panels.
constexpr double kPackedRate = 0.98;
/// Loads, addresses and stores that it takes to pack an element, as reloads of one.
constexpr double kPackReloads = 3;
/// Cycles that a tile's loop is held up by a look at what to prefetch.
constexpr double kPieceCycles = 6;
/// Lines of the first cache's ways that a tile's rows leave to the panel.
constexpr int64_t kPanelWays = 2;
/// Bytes of panels that a kernel of its own packs, which are memory that nothing else would need.
constexpr double kMaxPanelBytes = 64 << 20;
/// Rows of a dot for which panels are worth a look, and rows, of all dots and rounds of a loop that
/// read them, for each time that they are packed: below, packing where they are read takes little.
constexpr double kMinPanelRows = 16, kMinRowsOfPacking = 768;
/// Rows up to which the right operand is read too seldom for memory not to matter.
constexpr int64_t kMaxPrefetchedRows = 512;

/// Addresses that are this far apart share their place in the first cache.
int64_t getWayBytes(const KernelProblem &problem) {
  return problem.target.machine.l1.getWayBytes();
}

/// Whether partial sums can wait where the result will be: it is nothing else than they are, tiles
/// of `width` columns do not overlap, nothing is read from its memory, and its rows do not push
/// each other out of the first cache.
bool waitsInResult(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows,
                   int64_t width) {
  auto returned = cast<hlo::ReturnOp>(problem.body.getTerminator()).getOperands();
  return !isCompensatedSum(dot.element, dot.depth) && !dot.swapped &&
         !isa<ComplexType>(dot.element) && returned.size() == 1 && returned[0] == dot.result &&
         dot.resultType.getElementType() == dot.element &&
         dot.columns * dot.getElementBytes() % getWayBytes(problem) != 0 &&
         dot.element.getIntOrFloatBitWidth() >= 8 && dot.rows % tileRows == 0 &&
         dot.columns % width == 0 &&
         llvm::all_of(problem.reuse, [](int64_t input) { return input < 0; });
}

/// Whether the right operand comes from far away, as it lies in memory, and too few rows use it for
/// that not to matter.
bool canPrefetch(const KernelProblem &problem, const DotProblem &dot) {
  return canAskAhead(dot) && dot.rows <= kMaxPrefetchedRows &&
         dot.getRhsWholeBytes() > double(problem.target.machine.l2.bytes);
}

/// Whether the rows that the next tile reads of the left operand can be asked for: they lie in
/// memory one after the other.
bool canPrefetchLeft(const DotProblem &dot) {
  return findWhole(dot.lhs) && fuse::elementBytes(dot.lhsType) >= 1 && dot.lhsRows.size() == 1 &&
         dot.lhsDepth.size() == 1 && dot.lhsDepth[0] == dot.lhsType.getRank() - 1;
}

/// Whether that may pay: they come from far away, a piece of each at a time, which is too short for
/// the machine to see that there is more.
bool mayPrefetchLeft(const KernelProblem &problem, const DotProblem &dot) {
  return canPrefetchLeft(dot) && dot.batches == 1 &&
         fuse::bytesOf(findWhole(dot.lhs).getType()) >
             double(problem.target.machine.getLargestShare());
}

struct Blocks {
  int64_t rows, columns, depth;
};

/// As many blocks as `block` makes of `size`, but alike and of whole `unit`s.
int64_t makeEven(int64_t size, int64_t block, int64_t unit) {
  if (block >= size)
    return block;
  block = std::max(unit, block / unit * unit);
  return llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, block)), unit);
}

/// Blocks of whole tiles, alike, small enough for the second cache.
Blocks chooseBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                    int64_t lanes, int64_t group) {
  const int64_t l2 = problem.target.machine.l2.bytes, bytes = dot.getElementBytes(),
                width = tile.vectors * lanes;
  bool compensated = isCompensatedSum(dot.element, dot.depth);
  // Wide elements take no more memory than others.
  int64_t wide = kBlockColumns * 4 / std::max<int64_t>(4, bytes);
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
  // Rows of a product of batches that is much larger on one side are to stay near the core until
  // the next kernel of a group reads them (attention's weights), so there are few.
  int64_t rowBytes = std::max(dot.columns, dot.depth) * bytes, depthBytes = dot.depth * bytes;
  if (dot.batches > 1 && std::min(dot.columns, dot.depth) <= kBlockColumns &&
      dot.rows * rowBytes > l2)
    rows = shrink(rows, rowBytes);
  // The same of the right operand's rows, if that is the large side.
  if (dot.batches > 1 && dot.depthIsMinorOfRhs && dot.rows <= kBlockRows &&
      dot.columns > kBlockRows && dot.columns * depthBytes > l2) {
    rows = dot.rows;
    columns = shrink(std::min(columns, kBlockRows), depthBytes);
  }
  // Blocks of batches have borders in common with others of a group.
  auto cut = [&](int64_t size, int64_t block, int64_t unit) -> int64_t {
    if (block < size && dot.batches > 1)
      return std::max(unit, block / unit * unit);
    return makeEven(size, block, unit);
  };
  int64_t entries = llvm::alignTo(llvm::divideCeil(dot.depth, group), lanes);
  return {cut(dot.rows, rows, tile.rows), cut(dot.columns, columns, width),
          std::min(entries, kSumBlock)};
}

/// Whether a block of the left operand can be packed: its rows lie side by side.
bool canPackLeft(const DotProblem &dot, int64_t group) { return dot.lhsIsTransposed && group == 1; }

/// Whether the right operand can come in panels of `width` columns.
bool canComePacked(const KernelProblem &problem, const DotProblem &dot, int64_t width,
                   int64_t group) {
  return (problem.packings >= 0 || findPanels(dot)) && group == 1 && dot.columns >= width &&
         !dot.liveDepth && hlo::getStorageBits(dot.element) >= 8 &&
         fuse::bytesOf(getPanelType(dot, width)) <= kMaxPanelBytes;
}

/// Whether that may pay: enough rows read the panels, which are no small part of the work and are
/// not packed anew for each run: that takes memory, and no less time than packing them block by
/// block.
bool mayComePacked(const KernelProblem &problem, const DotProblem &dot, int64_t width,
                   int64_t group) {
  return canComePacked(problem, dot, width, group) && problem.packings < 1 &&
         double(dot.rows) >= kMinPanelRows &&
         double(dot.rows) >= kMinRowsOfPacking * problem.packings &&
         fuse::bytesOf(getPanelType(dot, width)) > double(problem.target.machine.l1.bytes);
}

/// Bytes of the stack: a block's panels, a tile's or a block's rows, sums that wait for the next
/// block.
int64_t getFrameBytes(const KernelProblem &problem, const DotProblem &dot,
                      hlo::ScheduleAttr schedule) {
  int64_t tileRows = schedule.getTile()[0], width = schedule.getTile()[1] * schedule.getLanes();
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t panels = llvm::divideCeil(block[1], width);
  int64_t elements = schedule.has(kPackedRight) ? 0 : panels * (block[2] + 1) * width;
  int64_t rowTiles = llvm::divideCeil(block[0], tileRows);
  if (schedule.has("pack_left"))
    elements += ShapedType::getNumElements(
        getPackedLeftSizes(dot, block[0], block[2], tileRows, problem.target.machine.l1.lineBytes));
  else if (!dot.lhsInPlace)
    elements += tileRows * block[2];
  if (dot.depth > kSumBlock && !schedule.has("in_result"))
    elements +=
        rowTiles * tileRows * panels * width * (isCompensatedSum(dot.element, dot.depth) ? 2 : 1);
  return elements * dot.getElementBytes();
}

/// Those blocks, and others of more rows: the right operand is packed for each block of rows.
SmallVector<Blocks> listBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                               int64_t lanes, int64_t group) {
  const Machine &machine = problem.target.machine;
  Blocks least = chooseBlocks(problem, dot, tile, lanes, group);
  SmallVector<Blocks> all{least};
  if (dot.batches > 1 || dot.isEmpty())
    return all;
  int64_t columnBlocks = llvm::divideCeil(dot.columns, least.columns);
  int64_t leastUnits = problem.target.singleThreaded ? 1 : kUnitsOfCore * machine.l3.sharedBy;
  // Rows of one block of columns stay near the core for the next kernel of a group.
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

double costPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Tiles worth a look: one whose rows divide the product's, and the best of the tall ones, which
/// take most from a panel. Rows that are left over cost no code: the last tile goes over others
/// again.
SmallVector<TileShape> listTiles(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                                 int64_t group) {
  int64_t wide = kBlockColumns * 4 / std::max<int64_t>(4, dot.getElementBytes());
  int64_t columns = std::min(dot.columns, wide);
  SmallVector<TileShape> tiles{chooseTile(problem.target, dot.element, lanes, dot.rows, columns)};
  TileShape best;
  double bestTime = -1;
  for (TileShape tile : listTallTiles(problem.target, dot.element, lanes, dot.rows, columns)) {
    if (tile.rows < 1)
      continue;
    Blocks block = chooseBlocks(problem, dot, tile, lanes, group);
    double time =
        costPacked(problem, makeSchedule(dot, "dot.packed", tile,
                                         {block.rows, block.columns, block.depth}, lanes, group));
    if (bestTime < 0 || time < bestTime) {
      bestTime = time;
      best = tile;
    }
  }
  if (bestTime >= 0)
    tiles.push_back(best);
  return tiles;
}

void proposePacked(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  int64_t group = chooseGroup(problem, dot, lanes, /*packs=*/true);
  auto propose = [&](TileShape tile, Blocks block, ArrayRef<StringRef> with) {
    hlo::ScheduleAttr schedule = makeSchedule(
        dot, "dot.packed", tile, {block.rows, block.columns, block.depth}, lanes, group, with);
    if (schedules.empty() ||
        getFrameBytes(problem, dot, schedule) <= problem.target.kernelStackBytes)
      schedules.push_back(schedule);
  };
  SmallVector<SmallVector<StringRef>> choices{{}};
  auto alsoWith = [&](StringRef name) {
    for (size_t i = 0, count = choices.size(); i < count; ++i) {
      choices.push_back(choices[i]);
      choices.back().push_back(name);
    }
  };
  if (mayPrefetchLeft(problem, dot))
    choices[0].push_back("prefetch_left");
  if (canPackLeft(dot, group))
    alsoWith("pack_left");
  if (canPrefetch(problem, dot))
    alsoWith("prefetch");
  for (TileShape tile : listTiles(problem, dot, lanes, group)) {
    int64_t width = tile.vectors * lanes;
    bool inResult = dot.depth > kSumBlock && waitsInResult(problem, dot, tile.rows, width);
    SmallVector<SmallVector<StringRef>> all = choices;
    for (ArrayRef<StringRef> with : choices)
      if (mayComePacked(problem, dot, width, group) && !llvm::is_contained(with, "prefetch"))
        all.emplace_back(with).push_back(kPackedRight);
    for (Blocks block : listBlocks(problem, dot, tile, lanes, group))
      for (ArrayRef<StringRef> with : all) {
        if (inResult)
          propose(tile, block,
                  llvm::to_vector(
                      llvm::concat<const StringRef>(ArrayRef<StringRef>("in_result"), with)));
        propose(tile, block, with);
      }
  }
}

/// Time to read the right operand and to pack it: a block of it for each block of rows, or all of
/// it as often as a kernel of its own does that.
double getRightTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule,
                    double rowBlocks, double read) {
  double element = problem.costs.getReloadTime() * kPackReloads + getPrologueTime(problem, dot) +
                   getBatchMinorTime(problem, dot),
         elements = dot.batches * dot.columns * dot.depth;
  if (!schedule.has(kPackedRight)) {
    double store = problem.costs.getStreamTime(double(problem.target.machine.l2.bytes));
    return read + rowBlocks * elements * (element + dot.getElementBytes() * store);
  }
  double bytes = fuse::bytesOf(getPanelType(dot, schedule.getTile()[1] * schedule.getLanes())),
         stream = bytes * problem.costs.getStreamTime(2 * bytes);
  double pack = getReadTime(problem, dot, 1) + 2 * stream + elements * element +
                problem.costs.getLaunchTime();
  return rowBlocks * stream + std::max(0.0, problem.packings) * pack;
}

/// Time to read the left operand for each block of columns, but once if it is near: that every
/// strategy does.
double getLeftReadTime(const KernelProblem &problem, const DotProblem &dot, double columnBlocks) {
  double bytes = fuse::bytesOf(dot.lhsType), held = bytes / dot.batches;
  double passes = columnBlocks - (held > double(problem.target.machine.getLargestShare()) ? 0 : 1);
  return passes * bytes * problem.costs.getStreamTime(held);
}

/// Time to pack the left operand. In place it is read for each panel again if a tile's part of it
/// does not stay in the first cache: if its rows push each other out, or lie side by side, so that
/// a line is read of each k.
double getLeftTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule,
                   double columnBlocks, double panels) {
  const Machine &machine = problem.target.machine;
  int64_t tileRows = schedule.getTile()[0];
  double bytes = fuse::bytesOf(dot.lhsType), elements = double(dot.batches) * dot.rows * dot.depth;
  if (schedule.has("pack_left") || !dot.lhsInPlace) {
    double reload = dot.lhsIsTransposed && !schedule.has("pack_left")
                        ? problem.costs.getStridedTime()
                        : problem.costs.getReloadTime() * kPackReloads;
    return columnBlocks * elements * reload;
  }
  if (dot.lhsIsTransposed)
    return getTransposedTime(problem, dot, tileRows, panels);
  if (rowsShareWays(problem, dot) && tileRows + kPanelWays > machine.l1.ways)
    return panels * bytes * problem.costs.getStreamTime(double(machine.l2.bytes));
  return 0;
}

/// Time that sums take to wait for the next block of the depth: where the result will be, or beside
/// a block's panels.
double getSumTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule) {
  int64_t depthBlocks = llvm::divideCeil(dot.depth, kSumBlock);
  double bytes = double(dot.rows) * dot.columns * dot.getElementBytes();
  double held = schedule.has("in_result") ? bytes : double(getFrameBytes(problem, dot, schedule));
  return 2.0 * (depthBlocks - 1) * dot.batches * bytes * problem.costs.getStreamTime(held);
}

/// Time for the lines of the result in which a panel ends and the next one begins: they are read
/// and written once more, as other rows are stored in between.
double getSharedLineTime(const KernelProblem &problem, const DotProblem &dot, int64_t width) {
  int64_t lineBytes = problem.target.machine.l1.lineBytes;
  int64_t line = std::max<int64_t>(1, lineBytes / dot.getElementBytes());
  double borders = llvm::divideCeil(dot.columns, width) - 1,
         shared = 1 - double(std::gcd(width, line)) / double(line);
  double rows = double(dot.batches) * dot.rows;
  return 2 * rows * borders * shared * double(lineBytes) *
         problem.costs.getStreamTime(rows * dot.columns * dot.getElementBytes());
}

double costPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (dot.isEmpty())
    return 0;
  TileShape tile{schedule.getTile()[0], schedule.getTile()[1]};
  int64_t lanes = schedule.getLanes(), group = schedule.getGroup(), width = tile.vectors * lanes;
  ArrayRef<int64_t> block = schedule.getBlock();
  double rowBlocks = llvm::divideCeil(dot.rows, block[0]),
         columnBlocks = llvm::divideCeil(dot.columns, block[1]);
  double rowTiles = llvm::divideCeil(dot.rows, tile.rows),
         panels = llvm::divideCeil(dot.columns, width);
  double useful = double(dot.rows) * dot.columns / (rowTiles * tile.rows * panels * width);
  double rate = kPackedRate * getTileRate(problem.target, dot.element, tile, dot.rows) *
                getLoadRate(problem, dot, tile);
  double compute = getProductTime(problem, dot, lanes, rate * useful) / group;
  double read = getReadTime(problem, dot, rowBlocks),
         readLeft = getLeftReadTime(problem, dot, columnBlocks);
  // Memory works while tiles compute, if it is asked in time.
  double asked = 0;
  for (auto [name, time] : {std::pair("prefetch", &read), std::pair("prefetch_left", &readLeft)})
    if (schedule.has(name))
      asked += std::exchange(*time, 0);
  if (asked > 0) {
    double pieces = dot.batches * rowTiles * panels * llvm::divideCeil(dot.depth, kPieceSteps);
    compute = std::max(compute + pieces * problem.costs.fromCycles(kPieceCycles), asked);
  }
  return compute + readLeft + getRightTime(problem, dot, schedule, rowBlocks, read) +
         getLeftTime(problem, dot, schedule, columnBlocks, panels) +
         getPanelWait(problem, dot, rowTiles, block[1] * std::min(dot.depth, kSumBlock)) +
         getSharedLineTime(problem, dot, width) + getSumTime(problem, dot, schedule);
}

std::string refusePacked(const KernelProblem &problem) {
  return getDot(problem).depth == 0 ? "there is nothing to pack" : "";
}

std::string checkPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong =
          checkTile(problem, dot, schedule,
                    {"in_result", "pack_left", "prefetch", "prefetch_left", kPackedRight});
      !wrong.empty())
    return wrong;
  ArrayRef<int64_t> tile = schedule.getTile(), block = schedule.getBlock();
  int64_t width = tile[1] * schedule.getLanes();
  if (block.size() != 3 || block[0] < 1 || block[1] < 1 || block[2] < 1)
    return "expected `block` to be rows, columns and depth, 1 or more";
  auto isWhole = [](int64_t part, int64_t unit, int64_t size) {
    return part % unit == 0 || part >= size;
  };
  if (!isWhole(block[0], tile[0], dot.rows) || !isWhole(block[1], width, dot.columns))
    return "expected blocks of whole tiles";
  if (block[0] > int64_t(llvm::alignTo(dot.rows, tile[0])) ||
      block[1] > int64_t(llvm::alignTo(dot.columns, width)))
    return "expected blocks no larger than the product";
  // Where sums are cut is a matter of accuracy.
  int64_t group = chooseGroup(problem, dot, schedule.getLanes(), /*packs=*/true);
  if (block[2] != chooseBlocks(problem, dot, {tile[0], tile[1]}, schedule.getLanes(), group).depth)
    return "expected a block's depth to be that of sums, which accuracy decides";
  if (schedule.getGroup() != group)
    return "expected `group` to be " + std::to_string(group) + " for these types";
  if (schedule.has("in_result") && !waitsInResult(problem, dot, tile[0], width))
    return "sums cannot wait in this kernel's result";
  if (schedule.has("pack_left") && !canPackLeft(dot, group))
    return "rows of the left operand do not lie side by side, or are multiplied in groups";
  if (schedule.has(kPackedRight) && !canComePacked(problem, dot, width, group))
    return "no kernel can pack the right operand beforehand";
  if (schedule.has("prefetch_left") && !canPrefetchLeft(dot))
    return "rows of the left operand do not lie in memory one after the other";
  if (schedule.has(kPackedRight) && schedule.has("prefetch"))
    return "expected panels that are packed beforehand, or a look ahead at what is to be packed";
  if (getFrameBytes(problem, dot, schedule) > problem.target.kernelStackBytes)
    return "expected blocks that fit into the stack";
  return "";
}

/// Each block of the depth in turn, and the sums of blocks likewise.
std::string sumPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (!isa<FloatType, ComplexType>(dot.element))
    return kExactSums.str();
  std::string terms = schedule.getGroup() == 1
                          ? kSumsInTurn.str()
                          : "groups of " + std::to_string(schedule.getGroup()) + " in turn";
  if (dot.depth <= kSumBlock)
    return terms;
  bool compensated = isCompensatedSum(dot.element, dot.depth);
  return terms + ", blocks of " + std::to_string(kSumBlock) + " added to the first" +
         (compensated ? " and compensated" : "");
}

} // namespace

const Strategy kPackedDot = {"dot.packed", hlo::KernelKind::Dot, refusePacked, proposePacked,
                             costPacked,   checkPacked,          sumPacked};

} // namespace hloc
