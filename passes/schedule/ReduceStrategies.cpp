// SPDX-License-Identifier: Apache-2.0
// Strategies for reductions. `tile` is one row and the vectors of partial results that are in
// flight; stages of costly code may take fewer.
//
// - reduce.rows: lanes lie along the reduced minor dimension, and are folded at the end of a row.
// - reduce.columns: lanes lie along kept positions, and each folds by itself.
#include "passes/schedule/ReduceProblem.h"
#include "passes/schedule/Strategies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Elements of an array that does not stay near the core.
constexpr int64_t kFarElements = 1 << 20;
/// Vectors of a strip of such an array's row: what memory is quick at.
constexpr int64_t kStripVectors = 16;
/// Cycles of the whole kernel's vectors below which four vectors of partial results are in flight,
/// and from which one is enough.
constexpr double kCheapCycles = 8, kCostlyCycles = 40;

/// Time that a position takes, roughly. What is computed once for a row or column counts for its
/// share.
double getPositionTime(const KernelProblem &problem, const ReduceProblem &reduce) {
  double time = problem.costs.getReloadTime(),
         positions = double(reduce.innerCount) * double(reduce.outerCount);
  for (Operation &op : problem.body.without_terminator()) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    double share =
        isa<hlo::ReduceOp>(op) || positions == 0 ? 1 : double(type.getNumElements()) / positions;
    time += problem.costs.getElementTime(&op) * share;
  }
  return time;
}

hlo::ScheduleAttr makeSchedule(const KernelProblem &problem, StringRef strategy, int64_t vectors,
                               int64_t lanes) {
  return hlo::ScheduleAttr::get(problem.body.getParentOp()->getContext(), strategy, {1, vectors},
                                /*block=*/{}, lanes, /*group=*/1, /*units=*/0, /*grain=*/0,
                                /*scratch=*/0, /*with=*/{});
}

/// A schedule with `vectors` vectors along so many elements, or what fits of them: a loop has
/// `steps` steps at least.
hlo::ScheduleAttr fitLanes(const KernelProblem &problem, const ReduceProblem &reduce,
                           StringRef strategy, int64_t vectors, int64_t along, int64_t steps) {
  int64_t lanes = problem.target.getLanes(reduce.widest);
  while (vectors > 1 && along < steps * vectors * lanes)
    vectors /= 2;
  if (vectors == 1)
    while (lanes > 1 && lanes / 2 >= along)
      lanes /= 2;
  return makeSchedule(problem, strategy, vectors, std::max<int64_t>(lanes, 1));
}

//===-- reduce.rows --------------------------------------------------------------------------===//

std::string refuseRows(const KernelProblem &problem) {
  return ReduceProblem(problem.body).minorIsReduced ? "" : "the minor dimension is kept";
}

void proposeRows(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  // Rows may begin within a byte.
  if (reduce.packsRows)
    return schedules.push_back(makeSchedule(problem, "reduce.rows", 1, 1));
  // Several vectors of partial results hide the latency of folding; each stage chooses again.
  double cycles = problem.costs.toCycles(problem.costs.getElementTime(problem.body)) *
                  double(problem.target.getLanes(reduce.widest));
  int64_t vectors = cycles < kCheapCycles ? 4 : cycles < kCostlyCycles ? 2 : 1;
  // A loop of one step is none, but where it is within another.
  int64_t along = reduce.reducedSizes.back(), steps = reduce.innerCount > along ? 1 : 2;
  schedules.push_back(fitLanes(problem, reduce, "reduce.rows", vectors, along, steps));
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  int64_t along = std::max<int64_t>(1, reduce.reducedSizes.back()),
          width = schedule.getTile()[1] * schedule.getLanes();
  double whole = double(problem.target.getLanes(reduce.widest));
  double steps = double(reduce.innerCount) / double(along) * double(llvm::divideCeil(along, width)),
         vectorTime = getPositionTime(problem, reduce) * whole * double(schedule.getTile()[1]);
  // At the end of a row partial results become one, step by step.
  double fold =
      problem.costs.fromCycles(2.0 * double(reduce.reductions) *
                               (schedule.getTile()[1] + llvm::Log2_64(schedule.getLanes())));
  return double(reduce.outerCount) * (steps * vectorTime + fold);
}

std::string checkLanesAndVectors(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  if (std::string wrong = checkScheduleFields(problem, schedule); !wrong.empty())
    return wrong;
  if (std::string wrong = checkLanes(problem, schedule, reduce.widest); !wrong.empty())
    return wrong;
  if (!schedule.getBlock().empty() || schedule.getGroup() != 1)
    return "expected neither `block` nor `group`";
  if (schedule.getTile()[0] != 1 || !llvm::isPowerOf2_64(schedule.getTile()[1]))
    return "expected `tile` to be one row and a power of two of vectors";
  bool isRows = schedule.getStrategy() == "reduce.rows";
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (width > 1 && (isRows ? reduce.packsRows : reduce.packsResults))
    return "expected one lane: rows and columns of such elements begin within bytes";
  return "";
}

//===-- reduce.columns -----------------------------------------------------------------------===//

std::string refuseNothing(const KernelProblem &) { return {}; }

void proposeColumns(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  if (reduce.packsResults)
    return schedules.push_back(makeSchedule(problem, "reduce.columns", 1, 1));
  int64_t lanes = problem.target.getLanes(reduce.widest);
  double cycles = problem.costs.toCycles(getPositionTime(problem, reduce)) * double(lanes);
  // Rows that are gathered have enough in flight.
  int64_t vectors = cycles < kCheapCycles && !reduce.minorIsReduced ? 4
                    : cycles < kCostlyCycles                        ? 2
                                                                    : 1;
  // Columns of an array that is no longer near the core are read in strips that memory is quick at,
  // or by whole rows.
  int64_t strip = kStripVectors * lanes;
  if (vectors == 4 && reduce.reductions == 1 &&
      reduce.innerCount * reduce.outerCount >= kFarElements && !reduce.keptSizes.empty() &&
      (reduce.keptSizes.back() >= 2 * strip || reduce.keptSizes.back() == strip))
    vectors = kStripVectors;
  schedules.push_back(
      fitLanes(problem, reduce, "reduce.columns", vectors, reduce.outerCount, /*steps=*/2));
}

double costColumns(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  double whole = double(problem.target.getLanes(reduce.widest));
  double time = getPositionTime(problem, reduce);
  // Neighbouring columns do not lie side by side.
  if (reduce.minorIsReduced)
    time += problem.costs.getStridedTime() * schedule.getLanes() / whole;
  return double(reduce.innerCount) * double(llvm::divideCeil(reduce.outerCount, width)) *
         double(schedule.getTile()[1]) * whole * time;
}

} // namespace

ArrayRef<Strategy> getReduceStrategies() {
  constexpr auto kind = hlo::KernelKind::Reduce;
  static const Strategy strategies[] = {
      {"reduce.rows", kind, refuseRows, proposeRows, costRows, checkLanesAndVectors},
      {"reduce.columns", kind, refuseNothing, proposeColumns, costColumns, checkLanesAndVectors},
  };
  return strategies;
}

} // namespace hloc
