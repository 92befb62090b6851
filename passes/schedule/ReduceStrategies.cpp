// SPDX-License-Identifier: Apache-2.0
// Strategies for reductions. `tile` is [1, vectors of partial results that are in flight]; stages
// with expensive code may use fewer.
//
// - reduce.rows: lanes lie along the reduced minor dimension and are folded at the end of a row. If
//   the minor dimension is kept but has few elements, those are folded side by side along the one
//   before it.
//   With `prefetch` or `prefetch_l2`, loops prefetch what they read and write later (Streams.h).
// - reduce.columns: lanes lie along kept positions, each of which is folded on its own.
// - reduce.panels: like reduce.columns, block by block of the reduced rows (ReducePanels.cpp).
#include "compiler/target/VectorAccess.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/InFlight.h"
#include "passes/schedule/ReduceSchedule.h"
#include "passes/schedule/Streams.h"
#include "passes/schedule/SumBlocks.h"
#include "passes/schedule/Summation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Elements of an array that does not stay in the caches.
constexpr int64_t kFarElements = 1 << 20;
/// Vectors of a strip of such an array's rows: segments that long are read at full bandwidth.
constexpr int64_t kStripVectors = 16;
/// Cycles per vector of the kernel's elementwise code: below the first, four vectors of partial
/// results are in flight; from the second on, one is enough.
constexpr double kCheapCycles = 8, kCostlyCycles = 40;

/// Vectors of the rows that may be folded in narrower vectors, and the fewest lanes of these.
constexpr int64_t kShortRowVectors = 2, kFewestLanes = 4;

std::string checkUnblocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkReduce(problem, schedule); !wrong.empty())
    return wrong;
  return schedule.getTile()[0] == 1 && schedule.getBlock().empty()
             ? ""
             : "expected `tile` to be one row, and no `block`";
}

//===-- reduce.rows --------------------------------------------------------------------------===//

/// How often a kernel goes over its rows, and the most reductions that it makes in one pass.
struct Passes {
  int64_t count = 0, together = 0;
};

/// Reductions run in one pass if none of them needs the results of another. Results that have all
/// positions and need those of the last reduction take a pass of their own.
Passes countPasses(Block &body) {
  // How many reductions each operation waits for, one after the other.
  llvm::DenseMap<Value, int64_t> waits;
  llvm::DenseMap<int64_t, int64_t> counts;
  Passes passes;
  for (Operation &op : body.without_terminator()) {
    int64_t wait = 0;
    for (Value operand : op.getOperands())
      wait = std::max(wait, waits.lookup(operand));
    bool isReduction = isa<hlo::ReduceOp>(op);
    if (isReduction) {
      passes.together = std::max(passes.together, ++counts[wait]);
      passes.count = std::max(passes.count, wait + 1);
    }
    for (Value result : op.getResults())
      waits[result] = wait + isReduction;
  }
  ReduceProblem reduce(body);
  for (Value result : body.getTerminator()->getOperands())
    if (fuse::elementsOf(result) >= double(reduce.innerCount) * double(reduce.outerCount))
      passes.count = std::max(passes.count, waits.lookup(result) + 1);
  return passes;
}

std::string refuseRows(const KernelProblem &problem) {
  ReduceProblem reduce(problem.body);
  bool isFoldedSideBySide = reduce.fewColumns != 0 && !reduce.packsOperands && !reduce.packsResults;
  return reduce.minorIsReduced || isFoldedSideBySide ? "" : "the minor dimension is kept";
}

void proposeRows(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  // Rows may begin within a byte.
  if (reduce.packsRows)
    return schedules.push_back(makeReduceSchedule(problem, "reduce.rows", {1, 1}, 1));
  // Several vectors of partial results hide the latency of folding. Each stage may choose fewer.
  double cycles = problem.costs.toCycles(problem.costs.getElementTime(problem.body)) *
                  double(problem.target.getLanes(reduce.widest));
  int64_t lanes = problem.target.getLanes(reduce.widest),
          inFlight =
              chooseVectorsInFlight(problem, lanes, double(reduce.innerCount * reduce.outerCount)),
          vectors = cycles < kCheapCycles    ? 4
                    : cycles < kCostlyCycles ? std::max<int64_t>(2, inFlight)
                                             : inFlight;
  vectors = std::max<int64_t>(1, vectors / std::max<int64_t>(1, reduce.fewColumns));
  // Half of the registers hold the partial results of reductions that run together.
  int64_t together = countPasses(problem.body).together;
  while (vectors > 1 && 2 * together * vectors > problem.target.vectorRegisters)
    vectors /= 2;
  // A loop of a single step is not emitted as a loop unless it is nested in another.
  int64_t along = reduce.reducedSizes.back(), steps = reduce.innerCount > along ? 1 : 2;
  SmallVector<SmallVector<StringRef>> choices{{}};
  Streams streams(problem, /*writesInOrder=*/true, vectors * lanes);
  if (streams.areWorthAsking())
    choices.push_back({streams.getChoice()});
  for (ArrayRef<StringRef> with : choices) {
    hlo::ScheduleAttr fit = fitLanes(problem, reduce, "reduce.rows", vectors, along, steps, with);
    schedules.push_back(fit);
    // Fewer lanes are folded sooner at the end of a short row.
    if (along < kShortRowVectors * lanes)
      for (int64_t fewer = fit.getLanes() / 2; fewer >= kFewestLanes; fewer /= 2)
        schedules.push_back(makeReduceSchedule(problem, "reduce.rows", {1, 1}, fewer, {}, with));
  }
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  int64_t along = std::max<int64_t>(1, reduce.reducedSizes.back()),
          width = schedule.getTile()[1] * schedule.getLanes();
  double whole = double(problem.target.getLanes(reduce.widest));
  double steps = double(reduce.innerCount) / double(along) * double(llvm::divideCeil(along, width)),
         vectorTime = double(schedule.getTile()[1]) *
                      (double(std::max<int64_t>(1, reduce.wholeInputs + reduce.wholeResults)) *
                           problem.costs.getLoadTime() +
                       getFoldTime(problem, reduce) * whole);
  double fold = 0;
  for (auto op : problem.body.getOps<hlo::ReduceOp>())
    fold += getFoldLanesTime(problem, op, schedule);
  if (reduce.fewColumns > 1)
    vectorTime += double((reduce.wholeInputs + reduce.wholeResults) * schedule.getTile()[1]) *
                  problem.costs.getInterleaveTime(reduce.fewColumns);
  Streams streams(problem, /*writesInOrder=*/true, width);
  return double(reduce.outerCount) * (steps * vectorTime + fold) +
         streams.getTime(prefetchesStreams(schedule));
}

//===-- reduce.columns -----------------------------------------------------------------------===//

std::string refuseNothing(const KernelProblem &) { return {}; }

void proposeColumns(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  if (reduce.packsResults)
    return schedules.push_back(makeReduceSchedule(problem, "reduce.columns", {1, 1}, 1));
  int64_t lanes = problem.target.getLanes(reduce.widest);
  double cycles = problem.costs.toCycles(getPositionTime(problem, reduce)) * double(lanes);
  // Vectors that are gathered keep the core busy enough, as do those of the next columns if few
  // elements are folded, of arrays that stay in the caches.
  bool isShort = reduce.wholeInputs == 0 && CostModel::isWorthTurning(reduce.innerCount, lanes);
  int64_t vectors = cycles < kCheapCycles && !reduce.minorIsReduced && !isShort ? 4
                    : cycles < kCostlyCycles                                    ? 2
                                                                                : 1;
  // The columns of an array that exceeds the caches are read in strips that memory serves at full
  // bandwidth, or by whole rows.
  int64_t strip = kStripVectors * lanes;
  if (vectors == 4 && reduce.reductions == 1 && reduce.wholeInputs > 0 &&
      reduce.innerCount * reduce.outerCount >= kFarElements && !reduce.keptSizes.empty() &&
      (reduce.keptSizes.back() >= 2 * strip || reduce.keptSizes.back() == strip))
    vectors = kStripVectors;
  schedules.push_back(
      fitLanes(problem, reduce, "reduce.columns", vectors, reduce.outerCount, /*steps=*/2));
  // Vectors that would span several rows that are not contiguous may be narrowed to one row.
  if (reduce.minorIsReduced || !reduce.isGathered(vectors * lanes))
    return;
  int64_t row = llvm::bit_floor(uint64_t(reduce.keptSizes.back()));
  schedules.push_back(makeReduceSchedule(
      problem, "reduce.columns", {1, std::max<int64_t>(1, row / lanes)}, std::min(row, lanes)));
}

/// Time to load a vector of `lanes` elements that are apart in memory, or to store it.
double getColumnTime(const KernelProblem &problem, const ReduceProblem &reduce, int64_t lanes) {
  const CostModel &costs = problem.costs;
  if (reduce.minorIsReduced && reduce.innerCount <= kMostInterleaved)
    return costs.getInterleaveTime(reduce.innerCount);
  bool rowsAreWhole = reduce.minorIsReduced &&
                      reduce.reduced.front() + reduce.reduced.size() == reduce.shape.size();
  int64_t columns = getTileColumns(reduce.narrowest, lanes);
  if (rowsAreWhole && columns > 1 && columns <= reduce.shape.back())
    return costs.getRowTileTime(lanes, columns);
  return costs.getGatherTime(reduce.narrowest) * double(lanes);
}

double costColumns(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  double whole = double(problem.target.getLanes(reduce.widest));
  double time = getPositionTime(problem, reduce);
  if (reduce.isGathered(width))
    time += getColumnTime(problem, reduce, schedule.getLanes()) / whole *
            double(std::max<int64_t>(1, reduce.wholeInputs * countPasses(problem.body).count +
                                            reduce.wholeResults));
  // In rows that are not a multiple of the width, each row begins with a new vector.
  int64_t row = reduce.keptSizes.empty() ? 1 : reduce.keptSizes.back();
  int64_t vectors = row > width && row % width != 0
                        ? reduce.outerCount / row * llvm::divideCeil(row, width)
                        : llvm::divideCeil(reduce.outerCount, width);
  double steps = double(reduce.innerCount) * double(vectors);
  return steps * (double(schedule.getTile()[1]) * whole * time + getWait(problem, reduce, width));
}

//===-- the order of sums --------------------------------------------------------------------===//

/// True if every order of folding gives the same bits: for integers, minimum and maximum.
bool isExact(hlo::ReduceOp reduce) {
  hlo::ComputationOp computation = lookupComputation(reduce, reduce.getToApplyAttr());
  Operation *op = computation && reduce.getCount() == 1 ? getSingleBinaryOp(computation) : nullptr;
  if (!op)
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<IntegerType>(element))
    return isa<hlo::AddOp, hlo::MultiplyOp, hlo::AndOp, hlo::OrOp, hlo::XorOp, hlo::MinimumOp,
               hlo::MaximumOp>(op);
  return isa<FloatType>(element) && isa<hlo::MinimumOp, hlo::MaximumOp>(op);
}

std::string sumReduced(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (llvm::all_of(problem.body.getOps<hlo::ReduceOp>(), isExact))
    return kExactSums.str();
  ReduceProblem reduce(problem.body);
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (schedule.getStrategy() == "reduce.rows")
    return "in each of " + std::to_string(width) + " lanes";
  if (schedule.getStrategy() == "reduce.panels")
    return "blocks of " + std::to_string(schedule.getBlock()[0]) + " rows, in runs of " +
           std::to_string(schedule.getTile()[0]);
  // How many reductions of one stage may sum in long runs.
  int64_t registers = std::max<int64_t>(1, width / problem.target.getLanes(reduce.widest));
  return "runs of columns, long ones of up to " +
         std::to_string(std::min(reduce.reductions, kLongRunRegisters / registers)) + " sums";
}

} // namespace

ArrayRef<Strategy> getReduceStrategies() {
  constexpr auto kind = hlo::KernelKind::Reduce;
  static const Strategy strategies[] = {
      {"reduce.rows", kind, refuseRows, proposeRows, costRows, checkUnblocked, sumReduced},
      {"reduce.columns", kind, refuseNothing, proposeColumns, costColumns, checkUnblocked,
       sumReduced},
      {"reduce.panels", kind, refuseReducePanels, proposeReducePanels, costReducePanels,
       checkReducePanels, sumReduced},
  };
  return strategies;
}

} // namespace hloc
