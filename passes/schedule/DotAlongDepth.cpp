// SPDX-License-Identifier: Apache-2.0
// dot.along_depth: lanes lie along the contracting dimension and are added at the end. With
// `prefetch`, the columns of the right operand that come next are prefetched.
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/Streams.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Rows from which lanes along the depth need too many accumulators.
constexpr int64_t kFewRows = 9;
/// The most accumulators if all columns share a tile.
constexpr int64_t kMostSums = 8;
/// Cycles to take a vector of one column out of those of all columns.
constexpr double kTakeCycles = 2;
/// Fraction of the peak multiply-add rate that is reached along the depth.
constexpr double kAlongRate = 0.6;

bool canAskInColumns(const DotProblem &dot) {
  return dot.depthIsMinorOfRhs && findOrigin(dot.rhs) && !dot.liveDepth;
}

/// Bytes of the array that contains the right operand's columns, of one column, and of all of them.
struct ColumnBytes {
  double array, column, all;
};

ColumnBytes getColumnBytes(const DotProblem &dot) {
  Type type = findOrigin(dot.rhs).getType();
  double column = fuse::elementBytes(type) * double(dot.depth);
  return {fuse::bytesOf(type), column, column * double(dot.batches) * dot.columns};
}

/// An array stays in L2 until the program reads it again if it takes at most this fraction of it.
constexpr double kKeptPart = 0.25;

/// Time to wait for columns that come from beyond L2, at the start of each column and each page, if
/// they are not prefetched; zero if the array is kept in L2.
double getColumnWait(const KernelProblem &problem, const DotProblem &dot) {
  if (!canAskInColumns(dot))
    return 0;
  ColumnBytes bytes = getColumnBytes(dot);
  if (bytes.array <= kKeptPart * double(problem.target.machine.l2.bytes))
    return 0;
  return bytes.all / std::min(bytes.column, kPageBytes) * problem.costs.getMissTime(bytes.array);
}

std::string refuseAlongDepth(const KernelProblem &problem) {
  DotProblem dot = getDot(problem);
  if (dot.depth == 0)
    return "the contracting dimension is empty";
  if (!dot.depthIsMinorOfRhs && !dot.columnsInterleaveDepth)
    return "the contracting dimension is not the minor dimension of the right operand";
  return dot.columns == 1 || dot.rows < kFewRows
             ? ""
             : "there are too many accumulators for the registers";
}

void proposeAlongDepth(const KernelProblem &problem,
                       SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.depth);
  int64_t group = chooseGroup(problem, dot, lanes, /*packs=*/false);
  int64_t mostRows =
      dot.columns == 1 || (dot.rows <= 4 && problem.target.vectorRegisters >= 32) ? 4 : 2;
  TileShape tile{std::min(dot.rows, mostRows), std::min<int64_t>(dot.columns, 4)};
  if (dot.columnsInterleaveDepth)
    tile = {std::min(dot.rows, std::max<int64_t>(kMostSums / dot.columns, 1)), dot.columns};
  schedules.push_back(makeSchedule(dot, "dot.along_depth", tile, {}, lanes, group));
  if (getColumnWait(problem, dot) > 0)
    schedules.push_back(makeSchedule(dot, "dot.along_depth", tile, {}, lanes, group, {"prefetch"}));
}

double costAlongDepth(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  int64_t lanes = schedule.getLanes(), group = schedule.getGroup();
  double passes = llvm::divideCeil(dot.rows, schedule.getTile()[0]);
  double compute = getProductTime(
      problem, dot, lanes, kAlongRate * problem.costs.getGroupSpeed(group, dot.factorIsBf16()));
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double sums = double(dot.batches) * dot.rows * dot.columns *
                problem.costs.fromCycles(llvm::Log2_64(lanes) + 1);
  double ask = schedule.has("prefetch")
                   ? getColumnBytes(dot).all / double(problem.target.machine.l1.lineBytes) *
                         problem.costs.fromCycles(kAskCycles)
                   : getColumnWait(problem, dot);
  double take = dot.columnsInterleaveDepth
                    ? elements / double(lanes) * problem.costs.fromCycles(kTakeCycles)
                    : 0;
  return std::max(compute, getReadTime(problem, dot, passes)) + sums +
         passes * (elements * getPrologueTime(problem, dot) + take + ask);
}

std::string checkAlongDepth(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkScheduleFields(problem, schedule, {"prefetch"}); !wrong.empty())
    return wrong;
  if (schedule.getTile()[0] > dot.rows || schedule.getTile()[1] > dot.columns)
    return "expected a tile no larger than the product";
  if (dot.columnsInterleaveDepth && schedule.getTile()[1] != dot.columns)
    return "expected a tile of all columns, which are loaded together";
  if (schedule.has("prefetch") && !canAskInColumns(dot))
    return "columns of the right operand are not contiguous in memory";
  // The order of summation follows from the number of lanes.
  if (schedule.getLanes() != chooseLanes(problem, dot, dot.depth) ||
      schedule.getGroup() != chooseGroup(problem, dot, schedule.getLanes(), /*packs=*/false))
    return "expected the target's own lanes and group: the order of sums depends on them";
  return "";
}

std::string sumAlongDepth(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (!isa<FloatType, ComplexType>(getDot(problem).element))
    return kExactSums.str();
  return "groups of " + std::to_string(schedule.getGroup()) + " in each of " +
         std::to_string(schedule.getLanes()) + " lanes";
}

} // namespace

const Strategy kAlongDepthDot = {"dot.along_depth", hlo::KernelKind::Dot, refuseAlongDepth,
                                 proposeAlongDepth, costAlongDepth,       checkAlongDepth,
                                 sumAlongDepth};

} // namespace hloc
