// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/SortSchedule.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Buffers up to this size are on the stack. Larger ones are in scratch memory of bounded size, for
/// a bounded number of units.
static constexpr int64_t kStackBytes = 64 << 10, kScratchBytes = 16 << 20, kMaxUnits = 64;
/// A row is divided into parts if each of them takes as long as this many tasks.
static constexpr int64_t kTasksOfPart = 16;
/// The most parts that a written schedule may have.
static constexpr int64_t kMostParts = 64;

hlo::SortOp findSort(const KernelProblem &problem) {
  auto sorts = problem.body.getOps<hlo::SortOp>();
  return sorts.empty() ? hlo::SortOp() : *sorts.begin();
}

SortProblem getSort(const KernelProblem &problem) {
  hlo::SortOp op = findSort(problem);
  return SortProblem(op, lookupComputation(op, op.getToApplyAttr()));
}

double countGathers(const SortProblem &sort) {
  bool holdsElements =
      sort.keys.size() == 1 && (sort.elements.size() == 1 || sort.keys[0].isFaithful());
  return double(sort.elements.size()) - double(holdsElements);
}

double getEntryTime(const KernelProblem &problem, const SortProblem &sort, int64_t lanes) {
  double elements = double(sort.rows) * double(sort.size);
  return elements * (problem.costs.fromCycles(kEntryCycles / double(lanes)) *
                         std::max<double>(1, sort.keys.size()) +
                     countGathers(sort) * problem.costs.getGatherTime());
}

ScheduleFields planRows(const KernelProblem &problem, const SortProblem &sort, int64_t bytes) {
  ScheduleFields fields;
  int64_t rows = std::max<int64_t>(1, sort.rows);
  bool onStack = bytes <= kStackBytes;
  int64_t most = std::min(kMaxUnits, getLeastUnits(problem.target));
  fields.units = sort.sharesBytes ? 1
                 : onStack ? rows
                           : std::min({rows, most, std::max<int64_t>(kScratchBytes / bytes, 1)});
  // All units but the last have equally many rows.
  fields.units = llvm::divideCeil(rows, llvm::divideCeil(rows, fields.units));
  fields.scratch = onStack ? 0 : fields.units * bytes;
  fields.lanes =
      sort.sharesBytes
          ? 1
          : problem.target.getLanes(std::max<int64_t>(getWidestElement(problem.body), 32));
  while (fields.lanes > 1 && fields.lanes / 2 >= sort.size)
    fields.lanes /= 2;
  return fields;
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                      const SortProblem &sort, int64_t bytes) {
  if (std::string wrong = checkFieldNames(schedule, {"block", "lanes", "units", "scratch"});
      !wrong.empty())
    return wrong;
  if (schedule.getBlock().size() != 1)
    return "expected `block` to be one number";
  int64_t widest = std::max<int64_t>(getWidestElement(problem.body), 32);
  if (std::string wrong = checkLanes(problem, schedule, widest); !wrong.empty())
    return wrong;
  if (sort.sharesBytes && (schedule.getLanes() != 1 || schedule.getUnits() != 1))
    return "expected one lane and one unit: rows of such elements do not begin at whole bytes";
  int64_t units = schedule.getUnits();
  if (units < 1 || units > std::max<int64_t>(1, sort.rows))
    return "expected no more `units` than there are rows";
  if (schedule.getScratch() == 0 ? bytes > problem.target.kernelStackBytes / 2
                                 : schedule.getScratch() != units * bytes)
    return "expected `scratch` to be " + std::to_string(units * bytes) +
           " bytes for the buffers of these units" +
           (bytes > problem.target.kernelStackBytes / 2 ? "" : ", or none");
  return "";
}

int64_t chooseParts(const KernelProblem &problem, const SortProblem &sort, double time) {
  const Target &target = problem.target;
  if (target.singleThreaded || sort.rows != 1 || sort.sharesBytes || sort.size < kPartSamples)
    return 1;
  int64_t tasks = problem.costs.getTaskCount(time), parts = 1;
  while (parts < std::min(target.machine.l3.sharedBy, kMostParts) && kTasksOfPart * parts < tasks)
    parts *= 2;
  return parts;
}

void planParts(ScheduleFields &fields, int64_t parts, int64_t bytes) {
  fields.block.push_back(parts);
  fields.units = parts;
  fields.scratch = bytes;
}

std::string checkParts(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                       const SortProblem &sort, int64_t bytes) {
  if (std::string wrong = checkFieldNames(schedule, {"block", "lanes", "units", "scratch"});
      !wrong.empty())
    return wrong;
  int64_t parts = schedule.getBlock()[1];
  if (sort.rows != 1 || sort.sharesBytes || sort.size < kPartSamples)
    return "expected parts only of a single row of at least " + std::to_string(kPartSamples) +
           " elements of whole bytes";
  if (parts < 2 || parts > kMostParts || !llvm::isPowerOf2_64(uint64_t(parts)))
    return "expected the number of parts to be a power of two from 2 to " +
           std::to_string(kMostParts);
  if (schedule.getUnits() != parts || schedule.getScratch() != bytes)
    return "expected as many `units` as parts, and `scratch` of " + std::to_string(bytes) +
           " bytes";
  return checkLanes(problem, schedule, std::max<int64_t>(getWidestElement(problem.body), 32));
}

} // namespace hloc
