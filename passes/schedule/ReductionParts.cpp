// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ReductionParts.h"
#include "compiler/target/Access.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/Prediction.h"
#include "passes/schedule/ReduceSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// How many times more tasks than wanted a number of parts may give that divides the dimension.
static constexpr int64_t kSurplus = 4;
/// By what factor there have to be more tasks with parts than without.
static constexpr int64_t kLeastGain = 4;
/// Tiles of a block of dot.packed that are enough to make up for packing.
static constexpr int64_t kTilesOfBlock = 2;
/// Elements of a part per partial result, and the most time, as a share of that of the kernel, to
/// write and read the partial results.
static constexpr int64_t kLeastOfPart = 128;
static constexpr double kMostTraffic = 0.05;
/// Elements that a part should be a multiple of, best first: then its rows begin where vectors of
/// memory do, and blocks of rows have no rest.
static constexpr int64_t kEvenParts[] = {64, 16, 1};

/// A divisor of `size`: preferably one that divides `depth` into even parts, and then the least
/// from `wanted` to `most`, or else the largest that is at least half of `wanted`; the largest
/// below `wanted` if there is none.
static int64_t findDivisor(int64_t size, int64_t wanted, int64_t most, int64_t depth) {
  for (int64_t even : kEvenParts) {
    auto isFit = [&](int64_t parts) { return size % parts == 0 && depth / parts % even == 0; };
    for (int64_t parts = wanted; parts <= most; ++parts)
      if (isFit(parts))
        return parts;
    for (int64_t parts = wanted - 1; parts > wanted / 2; --parts)
      if (isFit(parts))
        return parts;
  }
  int64_t parts = wanted;
  while (size % parts != 0)
    --parts;
  return parts;
}

/// The results of a reduction or dot: how many there are and in how many units they are computed,
/// and for each of them the elements that are reduced.
struct Results {
  int64_t count, units, depth;
};

static Results getResults(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (problem.kind == hlo::KernelKind::Reduce) {
    ReduceProblem reduce(problem.body);
    // Vectors of columns would span several parts.
    if (schedule.getStrategy() == "reduce.columns" &&
        reduce.outerCount < problem.target.getLanes(reduce.widest))
      return {};
    return {reduce.outerCount, countUnits(reduce, schedule), reduce.innerCount};
  }
  DotProblem dot = getDot(problem);
  // Parts of what masks leave out would be computed in vain.
  if (dot.liveRows || dot.liveDepth)
    return {};
  int64_t units = countUnits(dot, schedule);
  if (schedule.getStrategy() == "dot.packed") { // blocks may have fewer tiles
    int64_t tiles =
        int64_t(llvm::divideCeil(dot.rows, schedule.getTile()[0])) *
        int64_t(llvm::divideCeil(dot.columns, schedule.getTile()[1] * schedule.getLanes()));
    units = std::max(units, dot.batches * int64_t(llvm::divideCeil(tiles, kTilesOfBlock)));
  }
  return {dot.batches * dot.rows * dot.columns, units, dot.depth};
}

int64_t chooseReductionParts(const KernelProblem &asked, int64_t size) {
  Target target = asked.target;
  target.singleThreaded = false; // whose code has other schedules, but must have the same parts
  KernelProblem problem{asked.kind,        asked.body,     asked.reuse,       target,
                        CostModel(target), asked.packings, asked.bytesAround, asked.isFromAround};
  hlo::ScheduleAttr schedule = chooseSchedule(problem).best.schedule;
  Results results = schedule ? getResults(problem, schedule) : Results{};
  if (results.count == 0 || results.depth == 0)
    return 1;
  double time = predictTime(problem, schedule);
  int64_t tasks = std::min(problem.costs.getTaskCount(time), getLeastUnits(target)),
          wanted = llvm::divideCeil(tasks, results.units);
  const Machine &machine = problem.target.machine;
  double bytes = double(results.count) * double(getWidestElement(problem.body)) / 8,
         traffic = bytes * (getReadTime(machine, bytes) + getWriteTime(machine, bytes));
  int64_t most =
      std::min({size, results.depth / kLeastOfPart, int64_t(kMostTraffic * time / traffic)});
  if (wanted < kLeastGain || most < 2)
    return 1;
  wanted = std::min(wanted, most);
  return findDivisor(size, wanted, std::min(most, kSurplus * wanted), results.depth);
}

} // namespace hloc
