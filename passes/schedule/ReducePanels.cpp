// SPDX-License-Identifier: Apache-2.0
// reduce.panels: lanes lie along kept columns. `tile` is the rows that follow each other without a
// loop, summed apart from others, and the vectors of a strip of them; `block` the rows that are
// folded at a time and the columns of a panel: a unit folds block after block of rows into the
// totals of its columns, which lie in memory near the core. For arrays of many rows that do not:
// each row is read nearly as it lies, instead of one strip of all rows after the other.
#include "passes/schedule/ReduceSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Rows of a block: few enough for each to be a stream of its own.
static constexpr int64_t kBlockRows = 16;
/// Rows that follow each other without a loop, and the cycles of an element from which that would
/// only make code large.
static constexpr int64_t kRunRows = 8;
static constexpr double kCostlyCycles = 2;
/// Bytes of a row that are worth a stream: a page.
static constexpr int64_t kStreamBytes = 4096;
/// Panels that there are to be for several cores.
static constexpr int64_t kPanels = 8;
/// Cycles for a vector of totals with their errors to be loaded, added to, and stored.
static constexpr double kTotalCycles = 8;
/// Cycles for the loops over a block's rows to begin and end.
static constexpr double kStripCycles = 12;

/// Bytes of the totals of a panel.
static int64_t getPanelBytes(const ReduceProblem &reduce, int64_t columns) {
  return reduce.totalBytes * columns;
}

std::string refuseReducePanels(const KernelProblem &problem) {
  ReduceProblem reduce(problem.body);
  if (reduce.minorIsReduced || reduce.reduced.empty() || reduce.keptSizes.empty() ||
      reduce.outerCount == 0)
    return "no columns are kept";
  if (reduce.packsResults || reduce.packsOperands)
    return "columns of such elements begin within bytes";
  if (reduce.innerCount < 2 * kBlockRows)
    return "few rows are reduced";
  return "";
}

/// Whether a row is at least one strip of so many columns. The last strip of a row begins early
/// enough to be whole and does some columns again, so these must not lie over an operand.
static bool fitsRows(const KernelProblem &problem, const ReduceProblem &reduce, int64_t width) {
  bool isInPlace = llvm::any_of(problem.reuse, [](int64_t input) { return input >= 0; });
  int64_t columns = reduce.getColumns(width).count;
  return columns >= width && (!isInPlace || columns % width == 0);
}

void proposeReducePanels(const KernelProblem &problem,
                         SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  int64_t lanes = problem.target.getLanes(reduce.widest);
  bool isCostly = problem.costs.toCycles(getPositionTime(problem, reduce)) >= kCostlyCycles;
  for (int64_t vectors : {1, 2, 4}) {
    int64_t width = vectors * lanes, panel = width, columns = reduce.getColumns(width).count,
            rowsOfPanels = reduce.outerCount / columns;
    if (!fitsRows(problem, reduce, width))
      continue;
    auto isLarge = [&](int64_t columns) {
      return getPanelBytes(reduce, columns) > problem.target.machine.l1.bytes / 2;
    };
    while (panel < columns && !isLarge(2 * panel) &&
           (2 * panel * reduce.widest / 8 <= kStreamBytes ||
            rowsOfPanels * llvm::divideCeil(columns, 2 * panel) >= kPanels))
      panel *= 2;
    schedules.push_back(makeReduceSchedule(
        problem, "reduce.panels", {isCostly ? 1 : kRunRows, vectors}, lanes, {kBlockRows, panel}));
  }
}

double costReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ReduceProblem reduce(problem.body);
  int64_t vectors = schedule.getTile()[1], width = vectors * schedule.getLanes(),
          columns = reduce.getColumns(width).count, rows = schedule.getBlock()[0],
          panel = schedule.getBlock()[1];
  double whole = double(problem.target.getLanes(reduce.widest)),
         rowsOfPanels = double(reduce.outerCount) / double(columns),
         strips = double(llvm::divideCeil(columns, width)),
         blocks = double(llvm::divideCeil(reduce.innerCount, rows));
  double stripTime = double(vectors) * whole * getPositionTime(problem, reduce),
         totalTime = problem.costs.fromCycles(kStripCycles +
                                              kTotalCycles * double(vectors * reduce.reductions));
  // A row of a panel begins with a wait.
  double wait = getWait(problem, reduce, 1) * double(llvm::divideCeil(columns, panel));
  return rowsOfPanels *
         (double(reduce.innerCount) * (strips * stripTime + wait) + blocks * strips * totalTime);
}

std::string checkReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkReduce(problem, schedule); !wrong.empty())
    return wrong;
  ReduceProblem reduce(problem.body);
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (block.size() != 2 || block[0] < 1 || block[0] % schedule.getTile()[0] != 0 || block[1] < 1 ||
      block[1] % width != 0)
    return "expected `block` to be rows and columns, multiples of the tile's";
  if (!fitsRows(problem, reduce, width))
    return "expected a tile that is no longer than a row, and divides one in place";
  if (block[1] > problem.target.kernelStackBytes ||
      getPanelBytes(reduce, block[1]) > problem.target.kernelStackBytes)
    return "totals of a panel do not fit a kernel's stack";
  return "";
}

} // namespace hloc
