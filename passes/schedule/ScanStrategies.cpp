// SPDX-License-Identifier: Apache-2.0
// Strategies for scans. They add in different orders, so rounded floats depend on the strategy and,
// for scan.prefixes, on the number of lanes.
//
// - scan.prefixes: lanes lie along the scanned dimension. The prefixes within a vector take
//   log2(lanes) steps, then the carry is folded in from the left.
// - scan.steps: lanes lie along the minor one of the other dimensions and step through the scanned
//   dimension together. `tile` is [1, independent vectors that take a step together].
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/ScanProblem.h"
#include "passes/schedule/Strategies.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

/// By what factor a chain of dependent operations is slower than the throughput that the costs
/// assume: a latency of four cycles where two operations start per cycle.
constexpr double kLatencyOfRate = 4;
/// Cycles to move lanes for one step of the prefixes within a vector.
constexpr double kMoveLanesCycles = 3;
/// Cycles to insert an element into a lane and extract it again, where adjacent lanes are different
/// rows.
constexpr double kLaneCycles = 3;
/// Independent vectors per step, so that whole cache lines are read; and the most that a written
/// schedule may have.
constexpr int64_t kVectorsOfStep = 2, kMostVectors = 16;

hlo::ScanOp findScan(const KernelProblem &problem) {
  auto scans = problem.body.getOps<hlo::ScanOp>();
  return scans.empty() ? hlo::ScanOp() : *scans.begin();
}

ScanProblem getScan(const KernelProblem &problem) {
  hlo::ScanOp op = findScan(problem);
  return ScanProblem(op, lookupComputation(op, op.getToApplyAttr()));
}

/// Bits of the widest element.
int64_t getBits(const KernelProblem &problem) { return getWidestElement(problem.body); }

/// Latency from one carry to the next.
double getChainTime(const KernelProblem &problem) {
  hlo::ScanOp op = findScan(problem);
  double time = 0;
  if (hlo::ComputationOp body = lookupComputation(op, op.getToApplyAttr()))
    for (Operation &inner : body.getBody().front().without_terminator())
      time += problem.costs.getScalarTime(&inner);
  return kLatencyOfRate * time;
}

//===-- scan.prefixes ------------------------------------------------------------------------===//

std::string refusePrefixes(const KernelProblem &problem) {
  ScanProblem scan = getScan(problem);
  if (!scan.isAlongRows())
    return "the scanned dimension is not the minor one";
  return scan.isFold ? "" : "the body is not an associative fold";
}

void proposePrefixes(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScanProblem scan = getScan(problem);
  ScheduleFields fields;
  fields.lanes = scan.sharesBytes ? 1 : problem.target.getLanes(getBits(problem));
  while (fields.lanes > 1 && fields.lanes / 2 >= scan.steps)
    fields.lanes /= 2;
  schedules.push_back(makeSchedule(problem, "scan.prefixes", fields));
}

double costPrefixes(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ScanProblem scan = getScan(problem);
  double chain = getChainTime(problem), lanes = double(schedule.getLanes());
  double vector = std::log2(lanes) * (chain + problem.costs.fromCycles(kMoveLanesCycles)) + chain;
  return double(scan.slices) * double(llvm::divideCeil(scan.steps, schedule.getLanes())) * vector;
}

std::string getPrefixOrder(const KernelProblem &, hlo::ScheduleAttr schedule) {
  return "prefixes of " + std::to_string(schedule.getLanes()) + " lanes";
}

std::string checkPrefixes(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"lanes"}); !wrong.empty())
    return wrong;
  if (getScan(problem).sharesBytes && schedule.getLanes() != 1)
    return "expected one lane: rows of such elements do not begin at whole bytes";
  return checkLanes(problem, schedule, getBits(problem));
}

//===-- scan.steps ---------------------------------------------------------------------------===//

std::string refuseSteps(const KernelProblem &) { return {}; }

void proposeSteps(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScanProblem scan = getScan(problem);
  ScheduleFields fields;
  fields.lanes = scan.sharesBytes ? 1 : problem.target.getLanes(getBits(problem));
  while (fields.lanes > 1 && fields.lanes / 2 >= scan.getMinor())
    fields.lanes /= 2;
  bool isAcross = scan.dimension + 1 < int64_t(scan.shape.size());
  bool isWide =
      !scan.sharesBytes && isAcross && scan.getMinor() >= 4 * kVectorsOfStep * fields.lanes;
  fields.tile = {1, isWide ? kVectorsOfStep : 1};
  schedules.push_back(makeSchedule(problem, "scan.steps", fields));
}

double costSteps(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ScanProblem scan = getScan(problem);
  int64_t width = schedule.getLanes() * schedule.getTile()[1];
  double columns = double(scan.slices) / double(std::max<int64_t>(1, scan.getMinor())) *
                   double(llvm::divideCeil(scan.getMinor(), width));
  double time = columns * double(scan.steps) * getChainTime(problem);
  if (scan.isAlongRows() && scan.slices > 1)
    time += double(scan.slices) * double(scan.steps) * problem.costs.fromCycles(kLaneCycles);
  return time;
}

/// The order of summation does not depend on the schedule: each column is summed on its own, and
/// where it is cut into blocks is decided by accuracy.
std::string getStepOrder(const KernelProblem &, hlo::ScheduleAttr) { return "in turn"; }

std::string checkSteps(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"tile", "lanes"}); !wrong.empty())
    return wrong;
  if (std::string wrong = checkVectors(schedule, kMostVectors); !wrong.empty())
    return wrong;
  if (getScan(problem).sharesBytes && schedule.getLanes() * schedule.getTile()[1] != 1)
    return "expected one lane: rows of such elements do not begin at whole bytes";
  return checkLanes(problem, schedule, getBits(problem));
}

} // namespace

ArrayRef<Strategy> getScanStrategies() {
  constexpr auto kind = hlo::KernelKind::Scan;
  static const Strategy strategies[] = {
      {"scan.prefixes", kind, refusePrefixes, proposePrefixes, costPrefixes, checkPrefixes,
       getPrefixOrder},
      {"scan.steps", kind, refuseSteps, proposeSteps, costSteps, checkSteps, getStepOrder},
  };
  return strategies;
}

} // namespace hloc
