// SPDX-License-Identifier: Apache-2.0
// Strategies for scatters. Windows are applied in order, so the bits of results do not depend on
// the choice.
//
// - scatter.windows: window by window, with lanes along a window's minor dimension if that is also
//   the operand's. `units` are parts of a window dimension that no index moves or, with `ranges`,
//   of a dimension of the operand, of which each unit finds its own among `block` windows at a
//   time.
// - scatter.staged: for windows of a single element. The indices and updates of `block` windows are
//   computed `lanes` at a time into a buffer, then applied one by one; with `copies` (of a small
//   operand of integers), to several tables in turn. Then there may be several `units`, each with
//   its share of the windows and its own tables, one of them in `scratch`.
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Access.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/ScatterProblem.h"
#include "passes/schedule/Strategies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The most units of a scatter, which are few because each goes through all indices; and the fewest
/// vectors of the minor dimension per unit.
constexpr int64_t kUnits = 8, kVectorsOfUnit = 4;
/// A scatter is divided into units if each then has the work of this many tasks; into ranges, if
/// units together look for windows for at most this part of the time, so that fewer threads lose
/// little.
constexpr int64_t kTasksOfRange = 4;
constexpr double kMostLooking = 0.4;
/// Cycles of a window that is looked at, with an instruction to compress vectors, with permutations
/// from a table, and one by one.
constexpr double kCompressCycles = 1, kPermuteCycles = 2, kLookCycles = 5;
/// Windows that are staged at a time; the fewest contiguous windows for which that is proposed; and
/// the most windows and units that a written schedule may have.
constexpr int64_t kStagedWindows = 512, kLeastStaged = 16, kMostStaged = 8192,
                  kMostStagedUnits = 64;
/// Cycles of a window in addition to its elements, and of a vector of elements (load, combine,
/// store).
constexpr double kWindowCycles = 1, kVectorCycles = 1;
/// Cycles for which an addition to one of a few places waits for the one before, on average; and
/// how many windows there are at least for each place, so that copies pay.
constexpr double kWaitCycles = 1, kWindowsOfPlace = 32;
/// Cycles to store a staged element and load it again.
constexpr double kStageCycles = 1.5;
/// By what factor the code for a single element is slower than that for a vector, per operation:
/// bounds and addresses are computed for each.
constexpr double kSingleFactor = 2;

hlo::ScatterOp findScatter(const KernelProblem &problem) {
  return *problem.body.getOps<hlo::ScatterOp>().begin();
}

ScatterProblem getScatter(const KernelProblem &problem) {
  return ScatterProblem(findScatter(problem));
}

int64_t chooseLanes(const KernelProblem &problem, int64_t along) {
  int64_t lanes = problem.target.getLanes(getWidestElement(problem.body));
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  return lanes;
}

/// Time to apply all windows, given their indices and updates.
double getApplyTime(const KernelProblem &problem, const ScatterProblem &scatter, int64_t lanes) {
  double windows = scatter.countWindows(), elements = 1;
  int64_t minor = scatter.windowSizes.empty() ? 1 : scatter.windowSizes.back();
  for (int64_t size : scatter.windowSizes)
    elements *= double(size);
  double vectors =
      elements / double(std::max<int64_t>(1, minor)) * double(llvm::divideCeil(minor, lanes));
  return windows * (problem.costs.fromCycles(kWindowCycles + kVectorCycles * vectors) +
                    getApartTime(problem.target.machine, fuse::bytesOf(scatter.operandType)));
}

/// Why windows cannot be added to copies of the operand; empty if they can.
std::string refuseCopies(const KernelProblem &problem, const ScatterProblem &scatter) {
  hlo::ScatterOp op = findScatter(problem);
  hlo::ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
  Type element = scatter.operandType.getElementType();
  if (op.getCount() != 1 || !isa<IntegerType>(element) || hlo::isPred(element) ||
      scatter.sharesBytes || !computation ||
      !isa_and_nonnull<hlo::AddOp>(getSingleBinaryOp(computation)))
    return "copies are only added up of one operand of integers, to which updates are added";
  return scatter.getCopiedBytes() > problem.target.machine.l1.bytes / 2 ||
                 scatter.getCopiedBytes() > problem.target.kernelStackBytes / 4
             ? "the copies do not fit into L1"
             : "";
}

/// True if windows are many for each of few places.
bool repeatsPlaces(const KernelProblem &problem, const ScatterProblem &scatter) {
  return scatter.countWindows() >= kWindowsOfPlace * fuse::elementsOf(scatter.operandType) &&
         refuseCopies(problem, scatter).empty();
}

//===-- scatter.windows ----------------------------------------------------------------------===//

std::string refuseNothing(const KernelProblem &) { return {}; }

double costWindows(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Bytes of the arrays that are read window by window. Each unit has all of them fetched, even if
/// it reads the windows in its range only.
double getStreamedBytes(const KernelProblem &problem, const ScatterProblem &scatter) {
  double bytes = 0;
  for (BlockArgument input : problem.body.getArguments())
    if (fuse::elementsOf(input.getType()) >= fuse::elementsOf(scatter.updateType))
      bytes += fuse::bytesOf(input.getType());
  return bytes;
}

/// The number of ranges that should be applied by units of their own; 1 if the other `fields` of
/// scatter.windows have enough units, or there is too little work.
int64_t chooseRanges(const KernelProblem &problem, const ScatterProblem &scatter,
                     const ScheduleFields &fields) {
  const Target &target = problem.target;
  if (target.singleThreaded || fields.units > 1 || scatter.rangeComponent < 0 ||
      scatter.countWindows() == 0)
    return 1;
  double time = costWindows(problem, makeSchedule(problem, "scatter.windows", fields));
  double cycles = target.hasMaskRegisters ? kCompressCycles
                  : target.hasWordPermute ? kPermuteCycles
                                          : kLookCycles,
         bytes = getStreamedBytes(problem, scatter),
         look = std::max(scatter.countWindows() * problem.costs.fromCycles(cycles),
                         bytes * problem.costs.getStreamTime(bytes));
  int64_t most = std::min({kUnits, int64_t(target.machine.l3.sharedBy), scatter.rangeSize,
                           problem.costs.getTaskCount(time) / kTasksOfRange,
                           int64_t(kMostLooking * time / look)});
  return most < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(most)));
}

void proposeWindows(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScatterProblem scatter = getScatter(problem);
  ScheduleFields fields;
  fields.lanes = scatter.isAlongMinor && !scatter.sharesBytes
                     ? chooseLanes(problem, scatter.windowSizes.back())
                     : 1;
  int64_t size = std::max<int64_t>(1, scatter.getSplitSize()),
          step = scatter.splitsMinor() ? kVectorsOfUnit * fields.lanes : 1;
  fields.units = llvm::divideCeil(size, llvm::alignTo(llvm::divideCeil(size, kUnits), step));
  if (int64_t ranges = chooseRanges(problem, scatter, fields); ranges > 1) {
    fields.units = ranges;
    fields.block = {std::min(scatter.scatterSizes.back(), kStagedWindows)};
    fields.with = {kRanges};
  }
  schedules.push_back(makeSchedule(problem, "scatter.windows", fields));
}

/// Units that look for their windows do so at the same time, so this does not count; otherwise the
/// number of threads might decide between strategies that round differently.
double costWindows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ScatterProblem scatter = getScatter(problem);
  double single = 0;
  if (!scatter.computed.empty())
    for (Operation &op : problem.body.without_terminator())
      if (!isa<hlo::ScatterOp, hlo::ConstantOp>(op))
        single +=
            kSingleFactor * problem.costs.getScalarTime(&op) - problem.costs.getElementTime(&op);
  double wait = repeatsPlaces(problem, scatter) ? problem.costs.fromCycles(kWaitCycles) : 0;
  return getApplyTime(problem, scatter, schedule.getLanes()) +
         scatter.countWindows() * (std::max(0.0, single) + wait);
}

std::string checkWindows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ScatterProblem scatter = getScatter(problem);
  if (std::string wrong = checkFieldNames(schedule, {"block", "lanes", "units"}, {kRanges});
      !wrong.empty())
    return wrong;
  bool hasRanges = schedule.has(kRanges);
  if (hasRanges != !schedule.getBlock().empty())
    return "expected a `block` of windows with ranges, and only with these";
  if ((!scatter.isAlongMinor || scatter.sharesBytes) && schedule.getLanes() != 1)
    return "expected one lane: elements of a window are not contiguous";
  if (hasRanges && scatter.rangeComponent < 0)
    return "expected no ranges: windows are longer than one place wherever an index moves them";
  if (hasRanges && (schedule.getUnits() < 1 || schedule.getUnits() > scatter.rangeSize))
    return "expected at most as many `units` as places in which windows of one element begin";
  if (hasRanges && (schedule.getBlock().size() != 1 || schedule.getBlock()[0] < 1 ||
                    schedule.getBlock()[0] > kMostStaged))
    return "expected `block` to be one number, at most " + std::to_string(kMostStaged);
  if (!hasRanges && (schedule.getUnits() < 1 ||
                     schedule.getUnits() > std::max<int64_t>(1, scatter.getSplitSize())))
    return "expected at most as many `units` as positions of a window dimension that no index "
           "offsets";
  return checkLanes(problem, schedule, getWidestElement(problem.body));
}

//===-- scatter.staged -----------------------------------------------------------------------===//

std::string refuseStaged(const KernelProblem &problem) {
  ScatterProblem scatter = getScatter(problem);
  if (!scatter.windowSizes.empty() || scatter.scatterSizes.empty())
    return "windows have several elements";
  if (scatter.computed.empty() && !repeatsPlaces(problem, scatter))
    return "neither indices nor updates are computed in the kernel";
  return scatter.scatterSizes.back() < kLeastStaged ? "there are too few windows in a row" : "";
}

double costStaged(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ScatterProblem scatter = getScatter(problem);
  double cycles = kStageCycles * double(scatter.computed.size()), copies = 0;
  if (schedule.has(kCopies)) // cleared, and read again
    copies = 2 * double(scatter.getCopiedBytes()) * problem.costs.getReloadTime();
  else if (repeatsPlaces(problem, scatter))
    cycles += kWaitCycles;
  return getApplyTime(problem, scatter, /*lanes=*/1) + copies +
         scatter.countWindows() * problem.costs.fromCycles(cycles);
}

void proposeStaged(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScatterProblem scatter = getScatter(problem);
  ScheduleFields fields;
  fields.lanes = chooseLanes(problem, scatter.scatterSizes.back());
  fields.block = {std::min(scatter.scatterSizes.back(), kStagedWindows)};
  if (!scatter.computed.empty())
    schedules.push_back(makeSchedule(problem, "scatter.staged", fields));
  if (!repeatsPlaces(problem, scatter))
    return;
  fields.with = {kCopies};
  hlo::ScheduleAttr alone = makeSchedule(problem, "scatter.staged", fields);
  int64_t units =
      problem.target.singleThreaded
          ? 1
          : std::min({kUnits, int64_t(problem.target.machine.l3.sharedBy),
                      problem.costs.getTaskCount(costStaged(problem, alone)) / kTasksOfRange});
  if (units > 1) {
    fields.units = units;
    fields.scratch = units * scatter.getTableBytes();
  }
  schedules.push_back(units > 1 ? makeSchedule(problem, "scatter.staged", fields) : alone);
}

std::string checkStaged(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SmallVector<StringRef> fields{"block", "lanes"};
  if (schedule.has(kCopies))
    fields.append({"units", "scratch"});
  if (std::string wrong = checkFieldNames(schedule, fields, {kCopies}); !wrong.empty())
    return wrong;
  if (std::string wrong = checkLanes(problem, schedule, getWidestElement(problem.body));
      !wrong.empty())
    return wrong;
  ScatterProblem scatter = getScatter(problem);
  if (schedule.has(kCopies))
    if (std::string why = refuseCopies(problem, scatter); !why.empty())
      return why;
  int64_t units = schedule.getUnits(), scratch = units > 1 ? units * scatter.getTableBytes() : 0;
  if (units > kMostStagedUnits || schedule.getScratch() != scratch)
    return "expected at most " + std::to_string(kMostStagedUnits) + " `units`, and `scratch` of " +
           std::to_string(scratch) + " bytes for these";
  int64_t most = std::min(scatter.scatterSizes.back(), kMostStaged);
  ArrayRef<int64_t> block = schedule.getBlock();
  if (block.size() != 1 || block[0] < 1 || block[0] > most)
    return "expected `block` to be one number, at most " + std::to_string(most);
  if (double(block[0]) * scatter.getComputedBytes(findScatter(problem)) >
      double(problem.target.kernelStackBytes) / 2)
    return "expected a `block` that fits into the stack";
  return block[0] == most || block[0] % schedule.getLanes() == 0
             ? ""
             : "expected `block` to be whole vectors";
}

/// A product that is staged is rounded before it is added.
std::string describeSums(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  bool addsComputed = llvm::any_of(findScatter(problem).getUpdates(), [](Value update) {
    return update.getDefiningOp() && !isa<IntegerType>(getElementTypeOrSelf(update.getType()));
  });
  return addsComputed ? schedule.getStrategy().str() : "in turn";
}

} // namespace

ArrayRef<Strategy> getScatterStrategies() {
  constexpr auto kind = hlo::KernelKind::Scatter;
  static const Strategy strategies[] = {
      {"scatter.windows", kind, refuseNothing, proposeWindows, costWindows, checkWindows,
       describeSums},
      {"scatter.staged", kind, refuseStaged, proposeStaged, costStaged, checkStaged, describeSums},
  };
  return strategies;
}

} // namespace hloc
