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
/// The fewest bytes of a row that a panel has where rows are divided for the sake of more cores.
static constexpr int64_t kShareBytes = 256;
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

/// The columns of a panel on one core: of as long a row as the caches allow.
static int64_t getWidestPanel(const KernelProblem &problem, const ReduceProblem &reduce,
                              int64_t width) {
  int64_t panel = width, columns = reduce.getColumns(width).count,
          rowsOfPanels = reduce.outerCount / columns;
  auto isLarge = [&](int64_t columns) {
    return getPanelBytes(reduce, columns) > problem.target.machine.l1.bytes / 2;
  };
  while (panel < columns && !isLarge(2 * panel) &&
         (2 * panel * reduce.widest / 8 <= kStreamBytes ||
          rowsOfPanels * llvm::divideCeil(columns, 2 * panel) >= kPanels))
    panel *= 2;
  return panel;
}

/// True if a result has an element for each of the operands': such a kernel is not divided into
/// parts of the reduced rows (DivideReductions.cpp), so that only its columns can be shared among
/// cores.
static bool hasWideResult(const KernelProblem &problem, const ReduceProblem &reduce) {
  return llvm::any_of(problem.body.getTerminator()->getOperands(), [&](Value result) {
    return cast<RankedTensorType>(result.getType()).getNumElements() > reduce.outerCount;
  });
}

/// Divides the columns of a panel until all cores have work that is worth a task.
static int64_t dividePanel(const KernelProblem &problem, const ReduceProblem &reduce, int64_t width,
                           int64_t panel, double time) {
  int64_t columns = reduce.getColumns(width).count, rowsOfPanels = reduce.outerCount / columns,
          wanted = std::min(problem.costs.getTaskCount(time), getLeastUnits(problem.target));
  while (rowsOfPanels * int64_t(llvm::divideCeil(columns, panel)) < wanted &&
         panel % (2 * width) == 0 && panel / 2 * reduce.widest / 8 >= kShareBytes)
    panel /= 2;
  return panel;
}

void proposeReducePanels(const KernelProblem &problem,
                         SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ReduceProblem reduce(problem.body);
  int64_t lanes = problem.target.getLanes(reduce.widest);
  bool isCostly = problem.costs.toCycles(getPositionTime(problem, reduce)) >= kCostlyCycles;
  for (int64_t vectors : {1, 2, 4}) {
    int64_t width = vectors * lanes;
    if (!fitsRows(problem, reduce, width))
      continue;
    auto makePanels = [&](int64_t panel) {
      return makeReduceSchedule(problem, "reduce.panels", {isCostly ? 1 : kRunRows, vectors}, lanes,
                                {kBlockRows, panel});
    };
    int64_t panel = getWidestPanel(problem, reduce, width);
    if (hasWideResult(problem, reduce))
      panel =
          dividePanel(problem, reduce, width, panel, costReducePanels(problem, makePanels(panel)));
    schedules.push_back(makePanels(panel));
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
  // The first line of each row of a panel is a miss. Cores that share columns wait at the same
  // time.
  int64_t apart = std::max(panel, getWidestPanel(problem, reduce, width));
  double wait = getWait(problem, reduce, 1) * double(llvm::divideCeil(columns, apart));
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
