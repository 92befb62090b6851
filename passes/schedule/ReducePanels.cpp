// SPDX-License-Identifier: Apache-2.0
// reduce.panels: lanes lie along kept columns. `tile` is [rows that are unrolled and summed apart
// from others, vectors of a strip of columns]; `block` is [rows that are folded at a time, columns
// of a panel]. A unit folds one block of rows after the other into the totals of its columns, which
// stay in L1 or L2. This is for arrays of many rows that exceed L2: each row is read almost
// sequentially, instead of one narrow strip of all rows after the other.
#include "passes/schedule/ReduceSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Rows of a block: few enough for the hardware prefetcher to follow each as a stream.
static constexpr int64_t kBlockRows = 16;
/// Rows that are unrolled, and the cycles per element from which unrolling would only make code
/// large.
static constexpr int64_t kRunRows = 8;
static constexpr double kCostlyCycles = 2;
/// Bytes of a row that are worth a stream: a page.
static constexpr int64_t kStreamBytes = 4096;
/// The fewest panels, so that several cores have work.
static constexpr int64_t kPanels = 8;
/// Cycles to load a vector of totals with their error terms, add to it, and store it.
static constexpr double kTotalCycles = 8;
/// Cycles to begin and end the loops over a block's rows.
static constexpr double kStripCycles = 12;

/// Bytes of the totals of a panel.
static int64_t getPanelBytes(const ReduceProblem &reduce, int64_t columns) {
  return reduce.totalBytes * columns;
}

std::string refuseReducePanels(const KernelProblem &problem) {
  ReduceProblem reduce(problem.body);
  if (reduce.minorIsReduced || reduce.reduced.empty() || reduce.keptSizes.empty() ||
      reduce.outerCount == 0)
    return "the minor dimension is reduced, or the reduction is empty";
  if (reduce.packsResults || reduce.packsOperands)
    return "columns of such elements do not begin at whole bytes";
  if (reduce.innerCount < 2 * kBlockRows)
    return "too few rows are reduced";
  return "";
}

bool hasMaskedStrips(const ReduceProblem &reduce, const Target &target) {
  return reduce.narrowest >= target.narrowestMaskedBits;
}

/// True if a row has at least one strip of `width` columns. If the last strip of a row is not
/// whole, it overlaps the one before; where results overwrite an operand, it is masked instead.
static bool fitsRows(const KernelProblem &problem, const ReduceProblem &reduce, int64_t width) {
  bool isInPlace = llvm::any_of(problem.reuse, [](int64_t input) { return input >= 0; });
  int64_t columns = reduce.getColumns(width).count;
  return columns >= width &&
         (!isInPlace || columns % width == 0 || hasMaskedStrips(reduce, problem.target));
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
  // The first line of each row of a panel is a miss.
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
    return "expected a tile that is no wider than a row, and divides a row that is reduced in "
           "place if elements have no masked loads";
  if (block[1] > problem.target.kernelStackBytes ||
      getPanelBytes(reduce, block[1]) > problem.target.kernelStackBytes)
    return "the totals of a panel do not fit into the kernel's stack";
  return "";
}

} // namespace hloc
