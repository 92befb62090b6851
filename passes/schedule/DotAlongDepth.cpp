// SPDX-License-Identifier: Apache-2.0
// dot.along_depth: lanes lie along the contracted dimension, and are added up at the end.
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Rows below which lanes along the depth have few enough sums to hold.
constexpr int64_t kFewRows = 9;
/// Of a tile's rate, what is reached along the depth.
constexpr double kAlongRate = 0.6;

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
