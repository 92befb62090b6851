// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ReduceSchedule.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/Streams.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Rows that memory and the TLB can keep open at once without stalls.
static constexpr int64_t kOpenRows = 32;
/// By what factor a lone miss of a distant row is slower than one of many that are in flight
/// together.
static constexpr double kLoneMisses = 4;

double getFoldLanesTime(const KernelProblem &problem, hlo::ReduceOp reduce,
                        hlo::ScheduleAttr schedule) {
  // The number of results is halved by a shuffle for each operand, and the operations. The
  // processor goes on with the next rows meanwhile.
  double lanes = double(problem.target.getLanes(getWidestElement(problem.body))),
         halvings = double(schedule.getTile()[1] - 1 + llvm::Log2_64(schedule.getLanes()));
  return halvings * (double(reduce.getCount()) * problem.costs.getShuffleTime() +
                     lanes * getComputationTime(problem, reduce));
}

double getPositionTime(const KernelProblem &problem, const ReduceProblem &reduce) {
  return problem.costs.getReloadTime() + getFoldTime(problem, reduce);
}

double getComputationTime(const KernelProblem &problem, hlo::ReduceOp reduce) {
  hlo::ComputationOp computation = lookupComputation(reduce, reduce.getToApplyAttr());
  if (!computation)
    return problem.costs.getElementTime(reduce);
  double time = 0;
  for (Operation &op : computation.getBody().front().without_terminator())
    time += problem.costs.getElementTime(&op);
  return time;
}

double getFoldTime(const KernelProblem &problem, const ReduceProblem &reduce) {
  double time = 0, positions = double(reduce.innerCount) * double(reduce.outerCount);
  for (Operation &op : problem.body.without_terminator()) {
    if (auto fold = dyn_cast<hlo::ReduceOp>(op)) {
      time += getComputationTime(problem, fold);
      continue;
    }
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    double share = positions == 0 ? 1 : double(type.getNumElements()) / positions;
    time += problem.costs.getElementTime(&op) * share;
  }
  return time;
}

hlo::ScheduleAttr makeReduceSchedule(const KernelProblem &problem, StringRef strategy,
                                     ArrayRef<int64_t> tile, int64_t lanes, ArrayRef<int64_t> block,
                                     ArrayRef<StringRef> with) {
  ScheduleFields fields;
  fields.tile.assign(tile.begin(), tile.end());
  fields.block.assign(block.begin(), block.end());
  fields.lanes = lanes;
  fields.with.assign(with.begin(), with.end());
  return makeSchedule(problem, strategy, fields);
}

hlo::ScheduleAttr fitLanes(const KernelProblem &problem, const ReduceProblem &reduce,
                           StringRef strategy, int64_t vectors, int64_t along, int64_t steps,
                           ArrayRef<StringRef> with) {
  int64_t lanes = problem.target.getLanes(reduce.widest);
  while (vectors > 1 && along < steps * vectors * lanes)
    vectors /= 2;
  if (vectors == 1)
    while (lanes > 1 && lanes / 2 >= along)
      lanes /= 2;
  return makeReduceSchedule(problem, strategy, {1, vectors}, std::max<int64_t>(lanes, 1), {}, with);
}

double getWait(const KernelProblem &problem, const ReduceProblem &reduce, int64_t columns) {
  const Machine &machine = problem.target.machine;
  bool isStream = reduce.minorIsReduced || reduce.keptSizes.empty() ||
                  2 * columns >= reduce.getColumns(columns).count;
  if (isStream || reduce.innerCount <= kOpenRows || reduce.largestBytes <= machine.l2.bytes)
    return 0;
  int64_t lines = llvm::divideCeil(columns * reduce.widest / 8, machine.l2.lineBytes);
  return kLoneMisses * double(lines) * problem.costs.getMissTime(double(reduce.largestBytes));
}

int64_t countUnits(const ReduceProblem &reduce, hlo::ScheduleAttr schedule) {
  if (schedule.getStrategy() == "reduce.rows")
    return reduce.outerCount / std::max<int64_t>(1, reduce.fewColumns);
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (schedule.getStrategy() != "reduce.panels")
    return llvm::divideCeil(reduce.outerCount, width);
  int64_t columns = reduce.getColumns(width).count;
  return reduce.outerCount / columns * int64_t(llvm::divideCeil(columns, schedule.getBlock()[1]));
}

std::string checkReduce(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  bool isRows = schedule.getStrategy() == "reduce.rows";
  SmallVector<StringRef, 2> with;
  if (isRows)
    with = {kPrefetch, kPrefetchL2};
  if (std::string wrong = checkScheduleFields(problem, schedule, with); !wrong.empty())
    return wrong;
  if (std::string wrong = checkLanes(problem, schedule, reduce.widest); !wrong.empty())
    return wrong;
  if (schedule.getGroup() != 1)
    return "expected no `group`";
  if (!llvm::isPowerOf2_64(schedule.getTile()[1]))
    return "expected `tile` to have a power of two of vectors";
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (width > 1 && (isRows ? reduce.packsRows : reduce.packsResults))
    return "expected one lane: rows and columns of such elements do not begin at whole bytes";
  return "";
}

} // namespace hloc
