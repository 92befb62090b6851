// SPDX-License-Identifier: Apache-2.0
// dot.stream: the right operand is read in place, once for each tile of rows.
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Vectors of one row of the right operand that are read one after the other, since memory is slow
/// at more rows of less; and how many such strips there are to be, for the threads.
constexpr int64_t kStripVectors = 16, kMinStrips = 4;

std::string refuseStream(const KernelProblem &) { return {}; }

void proposeStream(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  TileShape tile = chooseTile(problem.target, dot.element, lanes, dot.rows, dot.columns);
  // A row needs no registers but its sums.
  if (dot.rhsIsPlain && !isa<ComplexType>(dot.element) && dot.rows == 1 &&
      dot.columns >= kMinStrips * kStripVectors * lanes)
    tile = {1, kStripVectors};
  schedules.push_back(makeSchedule(dot, "dot.stream", tile, {}, lanes, 1));
}

double costStream(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  TileShape tile{schedule.getTile()[0], schedule.getTile()[1]};
  int64_t lanes = schedule.getLanes();
  double passes = llvm::divideCeil(dot.rows, tile.rows);
  double useful = double(dot.columns) / llvm::alignTo(dot.columns, tile.vectors * lanes) *
                  double(dot.rows) / (passes * tile.rows);
  double rate = kStreamRate * getTileRate(problem.target, dot.element, tile, dot.rows) *
                getLoadRate(problem, dot, tile);
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double load = getPrologueTime(problem, dot) + getBatchMinorTime(problem, dot);
  // Neighbouring columns do not lie side by side.
  if (dot.depthIsMinorOfRhs && dot.columns > 1 && dot.depth > 1)
    load += problem.costs.getStridedTime();
  // A row of a left operand that is computed, or converted, is computed for each tile of columns.
  double left = dot.lhsInPlace ? 0 : problem.costs.getReloadTime() * problem.target.vectorBytes / 4;
  double rowElements = double(dot.batches) * dot.rows * dot.depth *
                       llvm::divideCeil(dot.columns, tile.vectors * lanes);
  double compute = getProductTime(problem, dot, lanes, rate * useful);
  double read =
      getReadTime(problem, dot, passes) * getStripFactor(problem, dot, tile.vectors * lanes);
  double wait = getPanelWait(problem, dot, passes, tile.vectors * lanes * dot.depth);
  // Beyond the second cache a tile's piece of each row is waited for, again and again.
  if (passes > 1 && dot.getRhsWholeBytes() > double(problem.target.machine.l2.bytes))
    wait += passes * elements / double(tile.vectors * lanes) *
            problem.costs.getMissTime(dot.getRhsWholeBytes());
  if (dot.lhsInPlace)
    wait += getTransposedTime(problem, dot, tile.rows,
                              llvm::divideCeil(dot.columns, tile.vectors * lanes));
  return std::max(compute + wait, read) + passes * elements * load + rowElements * left;
}

std::string checkStream(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (!schedule.getBlock().empty() || schedule.getGroup() != 1)
    return "expected neither `block` nor `group`";
  return checkTile(problem, getDot(problem), schedule);
}

} // namespace

const Strategy kStreamedDot = {"dot.stream", hlo::KernelKind::Dot, refuseStream, proposeStream,
                               costStream,   checkStream,          sumInPlace};

} // namespace hloc
