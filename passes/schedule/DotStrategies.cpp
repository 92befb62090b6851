// SPDX-License-Identifier: Apache-2.0
// Strategies for dots:
//
// - dot.packed: the right operand is packed into panels, block by block, and register tiles run
//   over them. `block` is rows, columns and depth of a block; with `in_result`, partial sums wait
//   where the result will be; with `prefetch`, the next block of the right operand is asked for
//   meanwhile.
// - dot.stream: the right operand is read in place, once for each tile of rows.
// - dot.along_depth: lanes lie along the contracted dimension, and are added up at the end.
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Access.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotProblem.h"
#include "passes/schedule/RegisterTiles.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Rows below which lanes along the depth have few enough sums to hold.
constexpr int64_t kFewRows = 9;
/// Columns and rows of a block, rows of one that would leave a small block over, and the least that
/// is worth one.
constexpr int64_t kBlockColumns = 256, kBlockRows = 192, kMaxBlockRows = 240, kMinBlockRows = 48,
                  kMinBlockColumns = 64;
/// Vectors of one row of the right operand that are read one after the other, since memory is slow
/// at more rows of less; and how many such strips there are to be, for the threads.
constexpr int64_t kStripVectors = 16, kMinStrips = 4;
/// Rows up to which the right operand is read too seldom for memory not to matter.
constexpr int64_t kMaxPrefetchedRows = 512;
/// Of a tile's rate, what is reached from panels, from rows in place, and along the depth.
constexpr double kPackedRate = 0.92, kStreamRate = 0.75, kAlongRate = 0.6;

DotProblem getDot(const KernelProblem &problem) {
  return DotProblem(*problem.body.getOps<hlo::DotOp>().begin());
}

/// Elements of a vector, which has no more than there are `along` it.
int64_t chooseLanes(const KernelProblem &problem, const DotProblem &dot, int64_t along) {
  int64_t lanes = problem.target.getLanes(dot.getPartBits());
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  return lanes;
}

/// How many k the target multiplies and adds at once; `packs` says that both operands are packed.
int64_t chooseGroup(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                    bool packs) {
  const Target &target = problem.target;
  Type left = dot.lhsType.getElementType(), right = dot.rhsType.getElementType();
  auto fits = [](Type type, unsigned bits) {
    return isa<IntegerType>(type) && !hlo::isPred(type) &&
           (type.getIntOrFloatBitWidth() < bits || type.isSignlessInteger(bits));
  };
  if (lanes < 4 || dot.depth < 2)
    return 1;
  if (dot.factorIsBf16())
    return target.usesBf16Dot && dot.element.isF32() ? 2 : 1;
  if (!dot.element.isInteger(32))
    return 1;
  bool lhsIsBytes = fits(left, 8) || left.isUnsignedInteger(8);
  if (packs && target.hasQuadMultiplyAdd && lhsIsBytes && fits(right, 8))
    return 4;
  return target.hasPairMultiplyAdd && fits(left, 16) && fits(right, 16) ? 2 : 1;
}

double getProducts(const DotProblem &dot) {
  return double(dot.batches) * dot.rows * dot.columns * dot.depth;
}

/// Time of the products, each of which a tile does at `rate` of the machine's.
double getProductTime(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                      double rate) {
  double whole = problem.target.getLanes(dot.getPartBits());
  return getProducts(dot) * problem.costs.getMultiplyAddTime(dot.element) * whole / lanes / rate;
}

/// Time to read the right operand of every batch `passes` times.
double getReadTime(const KernelProblem &problem, const DotProblem &dot, double passes) {
  // What is read again is not alone in its cache.
  double held = dot.getRhsWholeBytes() * (passes > 1 ? 2 : 1);
  return passes * dot.batches * dot.getRhsBytes() * problem.costs.getStreamTime(held);
}

/// What computing the right operand's elements takes, if they do not lie in memory as they are.
double getPrologueTime(const KernelProblem &problem, const DotProblem &dot) {
  if (dot.rhsIsPlain)
    return 0;
  double time = dot.rhsWhole ? 2 * problem.costs.getReloadTime() : 0;
  for (Operation *op = dot.rhs.getDefiningOp(); op;
       op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
    time += problem.costs.getElementTime(op);
  return time;
}

/// What reading an element of the right operand takes more where a batch is its minor dimension:
/// the neighbours of a column are lines apart, and each line is read again for the next batch.
double getBatchMinorTime(const KernelProblem &problem, const DotProblem &dot) {
  bool isMinor = !dot.rhsBatch.empty() && dot.rhsBatch.back() == dot.rhsType.getRank() - 1 &&
                 dot.rhsType.getShape().back() > 1;
  return isMinor ? problem.costs.getStridedTime() +
                       getApartTime(problem.target.machine, double(dot.batches) * dot.getRhsBytes())
                 : 0;
}

hlo::ScheduleAttr makeSchedule(const DotProblem &dot, StringRef strategy, TileShape tile,
                               ArrayRef<int64_t> block, int64_t lanes, int64_t group,
                               ArrayRef<StringRef> with = {}) {
  MLIRContext *context = dot.resultType.getContext();
  SmallVector<StringAttr> names =
      llvm::map_to_vector(with, [&](StringRef name) { return StringAttr::get(context, name); });
  return hlo::ScheduleAttr::get(context, strategy, {tile.rows, tile.vectors}, block, lanes, group,
                                /*units=*/0, /*grain=*/0, /*scratch=*/0, names);
}

std::string refuseNothing(const KernelProblem &) { return {}; }

//===-- dot.packed ---------------------------------------------------------------------------===//

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
bool prefetches(const KernelProblem &problem, const DotProblem &dot) {
  return dot.rhsWhole && dot.rows <= kMaxPrefetchedRows && fuse::elementBytes(dot.rhsType) >= 1 &&
         dot.rhsColumns.size() == 1 && dot.rhsDepth.size() == 1 &&
         dot.rhsColumns[0] == dot.rhsType.getRank() - 1 &&
         dot.getRhsWholeBytes() > double(problem.target.machine.l2.bytes);
}

struct Blocks {
  int64_t rows, columns, depth;
};

/// Blocks for tiles of `tileRows` x `width`: of whole tiles, alike, and such that a panel stays in
/// the second cache.
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
  // As many blocks as whole tiles make, but alike. Those of batches have borders in common with
  // others of a group.
  auto makeEven = [&](int64_t size, int64_t block, int64_t unit) -> int64_t {
    if (block >= size)
      return block;
    block = std::max(unit, block / unit * unit);
    return dot.batches > 1
               ? block
               : llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, block)), unit);
  };
  int64_t entries = llvm::alignTo(llvm::divideCeil(dot.depth, group), lanes);
  return {makeEven(dot.rows, rows, tile.rows), makeEven(dot.columns, columns, width),
          std::min(entries, kSumBlock)};
}

/// Bytes of the stack: a block's panels, a tile's rows, sums that wait for the next block.
int64_t getFrameBytes(const DotProblem &dot, hlo::ScheduleAttr schedule) {
  int64_t tileRows = schedule.getTile()[0], width = schedule.getTile()[1] * schedule.getLanes();
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t panels = llvm::divideCeil(block[1], width);
  int64_t elements = panels * (block[2] + 1) * width + (dot.lhsInPlace ? 0 : tileRows * block[2]);
  if (dot.depth > kSumBlock && !schedule.has("in_result"))
    elements += llvm::alignTo(block[0], tileRows) * panels * width *
                (isCompensatedSum(dot.element, dot.depth) ? 2 : 1);
  return elements * dot.getElementBytes();
}

void proposePacked(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  int64_t group = chooseGroup(problem, dot, lanes, /*packs=*/true);
  int64_t wide = kBlockColumns * 4 / std::max<int64_t>(4, dot.getElementBytes());
  TileShape tile =
      chooseTile(problem.target, dot.element, lanes, dot.rows, std::min(dot.columns, wide));
  Blocks block = chooseBlocks(problem, dot, tile, lanes, group);
  SmallVector<StringRef> with;
  if (dot.depth > kSumBlock && waitsInResult(problem, dot, tile.rows, tile.vectors * lanes))
    with.push_back("in_result");
  if (prefetches(problem, dot))
    with.push_back("prefetch");
  schedules.push_back(makeSchedule(dot, "dot.packed", tile,
                                   {block.rows, block.columns, block.depth}, lanes, group, with));
}

double costPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  TileShape tile{schedule.getTile()[0], schedule.getTile()[1]};
  int64_t lanes = schedule.getLanes(), group = schedule.getGroup();
  double rowBlocks = llvm::divideCeil(dot.rows, schedule.getBlock()[0]);
  double useful = double(dot.columns) / llvm::alignTo(dot.columns, tile.vectors * lanes);
  double rate = kPackedRate * getTileRate(problem.target, dot.element, tile, dot.rows);
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double pack =
      problem.costs.getReloadTime() * 3 + getPrologueTime(problem, dot) +
      getBatchMinorTime(problem, dot) +
      dot.getElementBytes() * problem.costs.getStreamTime(double(problem.target.machine.l2.bytes));
  double compute = getProductTime(problem, dot, lanes, rate * useful) / group;
  double read = getReadTime(problem, dot, rowBlocks);
  // Memory works while tiles compute, if it is asked in time.
  double together = schedule.has("prefetch") ? std::max(compute, read) : compute + read;
  return together + rowBlocks * elements * pack;
}

std::string refusePacked(const KernelProblem &problem) {
  return getDot(problem).depth == 0 ? "there is nothing to pack" : "";
}

std::string checkTile(const KernelProblem &problem, const DotProblem &dot,
                      hlo::ScheduleAttr schedule, ArrayRef<StringRef> with = {}) {
  if (std::string wrong = checkScheduleFields(problem, schedule, with); !wrong.empty())
    return wrong;
  if (schedule.getTile()[0] > dot.rows)
    return "expected no more rows of a tile than the product has";
  return checkLanes(problem, schedule, dot.getPartBits());
}

std::string checkPacked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkTile(problem, dot, schedule, {"in_result", "prefetch"});
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
  if (getFrameBytes(dot, schedule) > problem.target.kernelStackBytes)
    return "expected blocks that fit into the stack";
  return "";
}

//===-- dot.stream ---------------------------------------------------------------------------===//

void proposeStream(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  TileShape tile = chooseTile(problem.target, dot.element, lanes, dot.rows, dot.columns);
  // A row needs no registers but its sums.
  if (dot.rhsIsPlain && !isa<ComplexType>(dot.element) && dot.rows == 1 &&
      dot.columns >= kMinStrips * kStripVectors * lanes)
    tile = {1, kStripVectors};
  schedules.push_back(makeSchedule(dot, "dot.stream", tile, {}, lanes, 1));
}

double costStream(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  TileShape tile{schedule.getTile()[0], schedule.getTile()[1]};
  int64_t lanes = schedule.getLanes();
  double passes = llvm::divideCeil(dot.rows, tile.rows);
  double useful = double(dot.columns) / llvm::alignTo(dot.columns, tile.vectors * lanes);
  double rate = kStreamRate * getTileRate(problem.target, dot.element, tile, dot.rows);
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double load = getPrologueTime(problem, dot) + getBatchMinorTime(problem, dot);
  // Neighbouring columns do not lie side by side.
  if (dot.depthIsMinorOfRhs && dot.columns > 1 && dot.depth > 1)
    load += problem.costs.getStridedTime();
  // A row of a left operand that is computed, or converted, is computed for each tile of columns.
  double left = dot.lhsInPlace ? 0 : problem.costs.getReloadTime() * problem.target.vectorBytes / 4;
  double rowElements = double(dot.batches) * dot.rows * dot.depth *
                       llvm::divideCeil(dot.columns, tile.vectors * lanes);
  double compute = getProductTime(problem, dot, lanes, rate * useful);
  return std::max(compute, getReadTime(problem, dot, passes)) + passes * elements * load +
         rowElements * left;
}

std::string checkStream(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (!schedule.getBlock().empty() || schedule.getGroup() != 1)
    return "expected neither `block` nor `group`";
  return checkTile(problem, getDot(problem), schedule);
}

//===-- dot.along_depth ----------------------------------------------------------------------===//

std::string refuseAlongDepth(const KernelProblem &problem) {
  DotProblem dot = getDot(problem);
  if (dot.depth == 0)
    return "there is no depth";
  if (!dot.depthIsMinorOfRhs)
    return "the contracted dimension is not the right operand's minor one";
  return dot.columns == 1 || dot.rows < kFewRows ? "" : "too many sums for the registers";
}

void proposeAlongDepth(const KernelProblem &problem,
                       SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.depth);
  int64_t group = chooseGroup(problem, dot, lanes, /*packs=*/false);
  int64_t mostRows =
      dot.columns == 1 || (dot.rows <= 4 && problem.target.vectorRegisters >= 32) ? 4 : 2;
  TileShape tile{std::min(dot.rows, mostRows), std::min<int64_t>(dot.columns, 4)};
  schedules.push_back(makeSchedule(dot, "dot.along_depth", tile, {}, lanes, group));
}

double costAlongDepth(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  int64_t lanes = schedule.getLanes(), group = schedule.getGroup();
  double passes = llvm::divideCeil(dot.rows, schedule.getTile()[0]);
  double compute = getProductTime(problem, dot, lanes, kAlongRate) / group;
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double sums = double(dot.batches) * dot.rows * dot.columns *
                problem.costs.fromCycles(llvm::Log2_64(lanes) + 1);
  return std::max(compute, getReadTime(problem, dot, passes)) + sums +
         passes * elements * getPrologueTime(problem, dot);
}

std::string checkAlongDepth(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkScheduleFields(problem, schedule); !wrong.empty())
    return wrong;
  if (schedule.getTile()[0] > dot.rows || schedule.getTile()[1] > dot.columns)
    return "expected no larger tile than the product is";
  // The order of sums is that of lanes.
  if (schedule.getLanes() != chooseLanes(problem, dot, dot.depth) ||
      schedule.getGroup() != chooseGroup(problem, dot, schedule.getLanes(), /*packs=*/false))
    return "expected the target's own lanes and group: the order of sums depends on them";
  return "";
}

} // namespace

double countOperandReads(hlo::DotOp op, unsigned operand) {
  DotProblem dot(op);
  // Once for each block of the other side, of which there is one if that is small.
  bool isLeft = (operand == 0) != dot.swapped;
  int64_t blocks = isLeft ? llvm::divideCeil(dot.columns, kBlockColumns)
                          : llvm::divideCeil(dot.rows, kBlockRows);
  return double(std::max<int64_t>(1, blocks));
}

ArrayRef<Strategy> getDotStrategies() {
  static const Strategy strategies[] = {
      {"dot.stream", hlo::KernelKind::Dot, refuseNothing, proposeStream, costStream, checkStream},
      {"dot.along_depth", hlo::KernelKind::Dot, refuseAlongDepth, proposeAlongDepth, costAlongDepth,
       checkAlongDepth},
      {"dot.packed", hlo::KernelKind::Dot, refusePacked, proposePacked, costPacked, checkPacked},
  };
  return strategies;
}

} // namespace hloc
