// SPDX-License-Identifier: Apache-2.0
// Strategies for updates (dynamic_update_slice in the operand's memory). The bits of results do not
// depend on the choice.
//
// - update.rows: `lanes` along the rows of the slice, where contiguous rows are joined; or along a
//   column, if that is all that the slice has.
// - update.few_minor: lanes along the dimension before the minor one, whose few elements are
//   unrolled, such as the next states of several games.
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/KernelWork.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The most lanes whose elements are stored one by one.
constexpr int64_t kMostScattered = 16;
/// The most elements of a short dimension that are unrolled, and the most operations that this may
/// give.
constexpr int64_t kMaxUnrolled = 8, kMostOperations = 1200;
/// Cycles to begin a row, and to interleave a vector with others for storing.
constexpr double kRowCycles = 4, kInterleaveCycles = 1;

UpdateProblem getUpdate(const KernelProblem &problem) {
  return UpdateProblem(findUpdate(problem.body), problem.body);
}

double countElements(const UpdateProblem &update) {
  double count = 1;
  for (int64_t size : update.shape)
    count *= double(size);
  return count;
}

double getBodyTime(const KernelProblem &problem) { return KernelWork(problem).getTime(); }

std::string refuseNothing(const KernelProblem &) { return {}; }

/// The most lanes that rows can use.
int64_t getMostLanes(const KernelProblem &problem, const UpdateProblem &update) {
  bool beginsWithinByte =
      update.packsResults && (!update.writesMinor() || update.whole.back() % 8 != 0);
  int64_t lanes =
      update.shape.empty() || beginsWithinByte ? 1 : problem.target.getLanes(update.bits);
  return update.step > 1 ? std::min(lanes, kMostScattered) : lanes;
}

/// As many lanes as fit the rows.
int64_t fitLanes(const KernelProblem &problem, const UpdateProblem &update) {
  int64_t lanes = getMostLanes(problem, update);
  while (lanes > 1 && lanes / 2 >= update.length)
    lanes /= 2;
  return lanes;
}

void proposeRows(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScheduleFields fields;
  fields.lanes = fitLanes(problem, getUpdate(problem));
  schedules.push_back(makeSchedule(problem, "update.rows", fields));
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  UpdateProblem update = getUpdate(problem);
  double length = double(std::max<int64_t>(1, update.length)),
         rows = countElements(update) / length,
         vectors = double(llvm::divideCeil(update.length, schedule.getLanes())),
         full = length / double(std::max<int64_t>(1, problem.target.getLanes(update.bits)));
  return getBodyTime(problem) * std::max(1.0, vectors / full) +
         rows * problem.costs.fromCycles(kRowCycles) +
         (update.step > 1 ? countElements(update) * problem.costs.getStridedTime() : 0);
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"lanes"}); !wrong.empty())
    return wrong;
  UpdateProblem update = getUpdate(problem);
  if (schedule.getLanes() > getMostLanes(problem, update))
    return "expected at most " + std::to_string(getMostLanes(problem, update)) +
           " lanes for rows of such elements";
  if (update.packsResults && schedule.getLanes() % 8 != 0 &&
      schedule.getLanes() != fitLanes(problem, update))
    return "expected 8 lanes or a multiple: elements share bytes";
  return checkLanes(problem, schedule, update.bits);
}

std::string refuseFewMinor(const KernelProblem &problem) {
  UpdateProblem update = getUpdate(problem);
  size_t rank = update.shape.size();
  if (rank < 2 || update.first + 1 != int64_t(rank) || !update.writesMinor())
    return "whole rows of the minor dimension are not written at different indices";
  if (update.packsResults || update.isComplex)
    return "elements are complex, or share bytes";
  int64_t few = update.shape.back();
  if (few < 2 || few > kMaxUnrolled || update.operations * few > kMostOperations)
    return "a row has too many elements to unroll";
  return update.shape[rank - 2] < problem.target.getLanes(update.bits)
             ? "the rows do not fill the lanes"
             : "";
}

void proposeFewMinor(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScheduleFields fields;
  fields.lanes = problem.target.getLanes(getUpdate(problem).bits);
  schedules.push_back(makeSchedule(problem, "update.few_minor", fields));
}

double costFewMinor(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  double vectors = countElements(getUpdate(problem)) / double(schedule.getLanes());
  return getBodyTime(problem) + vectors * problem.costs.fromCycles(kInterleaveCycles);
}

std::string checkFewMinor(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"lanes"}); !wrong.empty())
    return wrong;
  return checkLanes(problem, schedule, getUpdate(problem).bits);
}

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return "exact"; }

} // namespace

ArrayRef<Strategy> getUpdateStrategies() {
  constexpr auto kind = hlo::KernelKind::Update;
  static const Strategy strategies[] = {
      {"update.few_minor", kind, refuseFewMinor, proposeFewMinor, costFewMinor, checkFewMinor,
       describeSums},
      {"update.rows", kind, refuseNothing, proposeRows, costRows, checkRows, describeSums},
  };
  return strategies;
}

} // namespace hloc
