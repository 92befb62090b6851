// SPDX-License-Identifier: Apache-2.0
// dot.packed: the right operand is packed into panels block by block, and register tiles run over
// the panels. `block` is [rows, columns, depth] of a block. The choices are:
// - `in_result`: partial sums are kept in the memory of the result;
// - `prefetch`: the next block of the right operand is prefetched during the computation;
// - `prefetch_left`: so are the rows of the left operand that the next tile reads;
// - `pack_left`: a block of the left operand is packed as well;
// - `packed_right`: a kernel before this one has packed the right operand (OperandPanels.h);
// - `matrix_registers`: tiles are made of matrix registers.
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/schedule/DotBlocks.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

namespace {

/// Fraction of a tile's peak rate that is reached when it reads panels.
constexpr double kPackedRate = 0.98;
/// Cost of packing an element that is joined with others to a group, as a multiple of reloading
/// one.
constexpr double kGroupReloads = 1.2;
/// Cycles that a tile's loop loses each time it computes what to prefetch.
constexpr double kPieceCycles = 6;
/// The most bytes of panels that a separate kernel packs: they are memory that would not be needed
/// otherwise.
constexpr double kMaxPanelBytes = 64 << 20;
/// The fewest rows of a dot that is to read prepacked panels, and the fewest rows, over all dots
/// and loop iterations that read them, per time they are packed. With fewer, packing them where
/// they are read costs little.
constexpr double kMinPanelRows = 16, kMinRowsOfPacking = 768;
/// Rows above which the right operand is reused so often that reading it from memory does not
/// matter.
constexpr int64_t kMaxPrefetchedRows = 512;

/// The stride at which addresses map to the same set of L1.
int64_t getWayBytes(const KernelProblem &problem) {
  return problem.target.machine.l1.getWayBytes();
}

/// True if partial sums can be kept in the memory of the result. Rows that map to the same sets of
/// L1 would be slow, except in matrix registers, which load and store them once.
bool waitsInResult(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows,
                   int64_t width, bool inMatrices) {
  return !isCompensatedSum(dot.element, dot.depth) &&
         isResultOfTiles(problem.body, problem.reuse, dot, tileRows, width) &&
         (inMatrices || dot.columns * dot.getElementBytes() % getWayBytes(problem) != 0);
}

/// True if prefetching the right operand may help: it is stored in reading order, is larger than
/// L2, and too few rows use it to hide its latency.
bool canPrefetch(const KernelProblem &problem, const DotProblem &dot) {
  return canAskAhead(dot) && dot.rows <= kMaxPrefetchedRows &&
         dot.getRhsWholeBytes() > double(problem.target.machine.l2.bytes);
}

/// True if the rows of the left operand that the next tile reads can be prefetched: they are
/// contiguous in memory.
bool canPrefetchLeft(const DotProblem &dot) {
  return findWhole(dot.lhs) && fuse::elementBytes(dot.lhsType) >= 1 && dot.lhsRows.size() == 1 &&
         dot.lhsDepth.size() == 1 && dot.lhsDepth[0] == dot.lhsType.getRank() - 1;
}

/// True if that may help: the rows come from beyond the caches, in segments that are too short for
/// the hardware prefetcher.
bool mayPrefetchLeft(const KernelProblem &problem, const DotProblem &dot) {
  return canPrefetchLeft(dot) && dot.batches == 1 &&
         fuse::bytesOf(findWhole(dot.lhs).getType()) >
             double(problem.target.machine.getLargestShare());
}

/// True if a block of the left operand can be packed: its row dimension is minor.
bool canPackLeft(const DotProblem &dot, int64_t group) { return dot.lhsIsTransposed && group == 1; }

/// True if the right operand can be read from prepacked panels of `width` columns.
bool canComePacked(const KernelProblem &problem, const DotProblem &dot, int64_t width,
                   int64_t group) {
  return (problem.packings >= 0 || findPanels(dot)) && group == 1 && dot.columns >= width &&
         !dot.liveDepth && hlo::getStorageBits(dot.element) >= 8 &&
         fuse::bytesOf(getPanelType(dot, width)) <= kMaxPanelBytes;
}

/// True if prepacked panels may be faster: enough rows read them, they are larger than L1, and they
/// are not packed anew for each run, which would take memory and no less time than packing block by
/// block.
bool mayComePacked(const KernelProblem &problem, const DotProblem &dot, int64_t width,
                   int64_t group) {
  return canComePacked(problem, dot, width, group) && problem.packings < 1 &&
         double(dot.rows) >= kMinPanelRows &&
         double(dot.rows) >= kMinRowsOfPacking * problem.packings &&
         fuse::bytesOf(getPanelType(dot, width)) > double(problem.target.machine.l1.bytes);
}

/// Bytes on the stack: the panels of a block, the packed left operand of a tile or a block, and the
/// sums that are kept for the next block of the depth.
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
  else if (!dot.lhsInPlace && !leftIsInMatrices(problem.target, dot, schedule))
    elements += tileRows * block[2];
  bool severalBlocks = dot.depth > getSumDepth(schedule.getGroup());
  if (schedule.has(kMatrixRegisters) &&
      (severalBlocks ? !addsUpInMatrices(dot, schedule.getGroup())
                     : !isResultOfTiles(problem.body, problem.reuse, dot, tileRows, width)))
    elements += tileRows * width;
  if (severalBlocks && !schedule.has("in_result"))
    elements +=
        rowTiles * tileRows * panels * width * (isCompensatedSum(dot.element, dot.depth) ? 2 : 1);
  return elements * dot.getElementBytes();
}

double costPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Candidate tiles: the one whose height divides the rows best, and the fastest of the tall ones,
/// which reuse a panel most. Leftover rows need no code of their own: the last tile overlaps the
/// one before.
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
  auto proposeTile = [&](TileShape tile, ArrayRef<SmallVector<StringRef>> all,
                         int64_t mostColumns = kBlockColumns) {
    int64_t width = tile.vectors * lanes;
    bool inMatrices = llvm::is_contained(all[0], kMatrixRegisters);
    bool inResult =
        dot.depth > getSumDepth(group) && waitsInResult(problem, dot, tile.rows, width, inMatrices);
    for (Blocks block : listBlocks(problem, dot, tile, lanes, group, mostColumns))
      for (ArrayRef<StringRef> with : all) {
        if (inResult)
          propose(tile, block,
                  llvm::to_vector(
                      llvm::concat<const StringRef>(ArrayRef<StringRef>("in_result"), with)));
        propose(tile, block, with);
      }
  };
  for (TileShape tile : listTiles(problem, dot, lanes, group)) {
    SmallVector<SmallVector<StringRef>> all = choices;
    for (ArrayRef<StringRef> with : choices)
      if (mayComePacked(problem, dot, tile.vectors * lanes, group) &&
          !llvm::is_contained(with, "prefetch"))
        all.emplace_back(with).push_back(kPackedRight);
    proposeTile(tile, all);
  }
  if (refuseMatrices(problem, dot, lanes, group).empty())
    for (TileShape tile : listMatrixTiles(dot, lanes))
      for (int64_t mostColumns : {kBlockColumns, kWideBlockColumns})
        proposeTile(tile, {{kMatrixRegisters}}, mostColumns);
}

/// Time to read and pack the right operand: block by block for each block of rows, or all of it as
/// often as the kernel that packs it runs.
double getRightTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule,
                    double rowBlocks, double read) {
  double reloads = schedule.getGroup() == 1 ? kPackReloads : kGroupReloads;
  double element = problem.costs.getReloadTime() * reloads + getPrologueTime(problem, dot) +
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

/// Time to read the left operand for each block of columns. If it fits in the caches, its first
/// reading is not counted, because every strategy has it. Products of vectors hide that the result
/// replaces it in L2; matrix registers do not.
double getLeftReadTime(const KernelProblem &problem, const DotProblem &dot,
                       hlo::ScheduleAttr schedule, double columnBlocks) {
  double bytes = fuse::bytesOf(dot.lhsType), held = bytes / dot.batches;
  if (schedule.has(kMatrixRegisters) && columnBlocks > 1)
    held += double(dot.rows) * schedule.getBlock()[1] * dot.getElementBytes();
  double passes = columnBlocks - (held > double(problem.target.machine.getLargestShare()) ? 0 : 1);
  return passes * bytes * problem.costs.getStreamTime(held);
}

/// True if a vector of rows that is packed can lie in two runs of contiguous rows: several
/// dimensions make up the rows, and the ends of the minor one need not be those of a vector.
bool packsAcrossRuns(const DotProblem &dot, int64_t tileRows) {
  int64_t width = llvm::PowerOf2Ceil(tileRows), run = getRun(dot.lhs);
  if (dot.rowSizes.size() > 1)
    run = std::min(run, dot.rowSizes.back());
  return run != fuse::kView && (tileRows != width || run % width != 0);
}

/// Time to pack the left operand, or to read it in place. In place it is read again for each panel
/// if a tile's part of it does not stay in L1: because its rows map to the same sets, or because
/// its row dimension is minor, so that each k reads another cache line.
double getLeftTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule,
                   double columnBlocks, double panels) {
  const Machine &machine = problem.target.machine;
  int64_t tileRows = schedule.getTile()[0];
  double bytes = fuse::bytesOf(dot.lhsType), elements = double(dot.batches) * dot.rows * dot.depth;
  if (leftIsInMatrices(problem.target, dot, schedule))
    return 0;
  if (schedule.has("pack_left") || !dot.lhsInPlace) {
    double reload = problem.costs.getReloadTime() * kPackReloads / schedule.getGroup();
    if (dot.lhsIsTransposed && !schedule.has("pack_left"))
      return columnBlocks * elements * problem.costs.getStridedTime() +
             getTransposedTime(problem, dot, tileRows, columnBlocks);
    if (dot.lhsIsTransposed && packsAcrossRuns(dot, tileRows))
      reload = problem.costs.getGatherTime(int64_t(dot.getPartBits()));
    return columnBlocks * elements * reload;
  }
  if (dot.lhsIsTransposed)
    return getTransposedTime(problem, dot, tileRows, panels);
  if (rowsShareWays(problem, dot) && tileRows + kPanelWays > machine.l1.ways)
    return panels * bytes * problem.costs.getStreamTime(double(machine.l2.bytes));
  return schedule.has("prefetch_left") ? 0 : columnBlocks * getColdRowsTime(problem, dot, tileRows);
}

/// Time to store and reload the partial sums between blocks of the depth, in the memory of the
/// result or on the stack.
double getSumTime(const KernelProblem &problem, const DotProblem &dot, hlo::ScheduleAttr schedule) {
  int64_t depthBlocks = llvm::divideCeil(dot.depth, getSumDepth(schedule.getGroup()));
  double bytes = double(dot.rows) * dot.columns * dot.getElementBytes();
  double held = schedule.has("in_result") ? bytes : double(getFrameBytes(problem, dot, schedule));
  return 2.0 * (depthBlocks - 1) * dot.batches * bytes * problem.costs.getStreamTime(held);
}

/// Time for the cache lines of the result that two panels share: they are evicted in between and so
/// are read and written twice.
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
  double compute =
      schedule.has(kMatrixRegisters)
          ? getMatrixTime(problem, dot, schedule)
          : getProductTime(problem, dot, lanes,
                           rate * useful * problem.costs.getGroupSpeed(group, dot.factorIsBf16()));
  double read = getReadTime(problem, dot, rowBlocks),
         readLeft = getLeftReadTime(problem, dot, schedule, columnBlocks);
  // Prefetched memory arrives while tiles compute.
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
  return getDot(problem).depth == 0 ? "the contracting dimension is empty" : "";
}

std::string checkPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkTile(
          problem, dot, schedule,
          {"in_result", "pack_left", "prefetch", "prefetch_left", kPackedRight, kMatrixRegisters});
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
  // Where sums are cut is decided by accuracy, not by speed.
  int64_t group = chooseGroup(problem, dot, schedule.getLanes(), /*packs=*/true);
  if (block[2] != chooseBlocks(problem, dot, {tile[0], tile[1]}, schedule.getLanes(), group).depth)
    return "expected the depth of `block` to be that of a block of the sum, which accuracy "
           "determines";
  if (schedule.getGroup() != group)
    return "expected `group` to be " + std::to_string(group) + " for these types";
  if (schedule.has(kMatrixRegisters)) {
    if (std::string why = refuseMatrices(problem, dot, schedule.getLanes(), group); !why.empty())
      return why;
    if (!fitsMatrices({tile[0], tile[1]}, schedule.getLanes()))
      return "expected a tile of at most two by two matrix registers";
    if (schedule.has("prefetch") || schedule.has("prefetch_left"))
      return "nothing is prefetched between products of matrix registers";
  }
  if (schedule.has("in_result") &&
      !waitsInResult(problem, dot, tile[0], width, schedule.has(kMatrixRegisters)))
    return "partial sums cannot be kept in this kernel's result";
  if (schedule.has("pack_left") && !canPackLeft(dot, group))
    return "rows are not the minor dimension of the left operand, or its elements are multiplied "
           "in groups";
  if (schedule.has(kPackedRight) && !canComePacked(problem, dot, width, group))
    return "the right operand cannot be packed by a separate kernel";
  if (schedule.has("prefetch_left") && !canPrefetchLeft(dot))
    return "rows of the left operand are not contiguous in memory";
  if (schedule.has(kPackedRight) && schedule.has("prefetch"))
    return "expected either panels packed by a separate kernel, or a prefetch of what is to be "
           "packed, not both";
  if (getFrameBytes(problem, dot, schedule) > problem.target.kernelStackBytes)
    return "expected blocks that fit into the stack";
  return "";
}

/// The terms of each block of the depth one after the other, then the sums of the blocks likewise.
std::string sumPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (!isa<FloatType, ComplexType>(dot.element))
    return kExactSums.str();
  if (schedule.getGroup() == 1)
    return sumInBlocks(problem, schedule);
  std::string terms = "groups of " + std::to_string(schedule.getGroup()) + " in turn";
  bool inMatrices = schedule.has(kMatrixRegisters);
  if (inMatrices) // each adds the terms of its products on its own
    terms += ", in matrix registers";
  if (inMatrices && addsUpInMatrices(dot, schedule.getGroup()))
    return terms;
  return terms + describeSumBlocks(dot, schedule.getGroup());
}

} // namespace

const Strategy kPackedDot = {"dot.packed", hlo::KernelKind::Dot, refusePacked, proposePacked,
                             costPacked,   checkPacked,          sumPacked};

} // namespace hloc
