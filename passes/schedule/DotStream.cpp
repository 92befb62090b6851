// SPDX-License-Identifier: Apache-2.0
// dot.stream: the right operand is read in place, all rows of a strip of columns for each tile.
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Vectors of a strip of a single row, since reading short segments of many rows from memory is
/// slow; and the fewest such strips, for parallelism.
constexpr int64_t kStripVectors = 16, kMinStrips = 4;

/// True if the strip's segments of the right operand miss L2 and the hardware prefetcher cannot
/// predict them, since successive segments are a whole row apart.
bool waitsForRows(const KernelProblem &problem, const DotProblem &dot) {
  double bytes =
      dot.getRhsWholeBytes() + fuse::bytesOf(dot.lhsType) + fuse::bytesOf(dot.resultType);
  return !dot.depthIsMinorOfRhs && bytes > double(problem.target.machine.l2.bytes);
}

std::string refuseStream(const KernelProblem &) { return {}; }

void proposeStream(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  TileShape tile = chooseTile(problem.target, dot.element, lanes, dot.rows, dot.columns);
  // A single row needs registers for its accumulators only.
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
  double rate = kStreamRate * getTileRate(problem.target, dot.element, tile, dot.rows, dot.depth) *
                getLoadRate(problem, dot, tile);
  double elements = double(dot.batches) * dot.columns * dot.depth;
  double load = getPrologueTime(problem, dot) + getBatchMinorTime(problem, dot);
  // Adjacent columns are not contiguous in memory.
  if (dot.depthIsMinorOfRhs && dot.columns > 1 && dot.depth > 1)
    load += problem.costs.getStridedTime();
  // A row of the left operand that is computed or converted is computed again for each tile of
  // columns.
  double left = dot.lhsInPlace ? 0 : problem.costs.getReloadTime() * problem.target.vectorBytes / 4;
  double rowElements = double(dot.batches) * dot.rows * dot.depth *
                       llvm::divideCeil(dot.columns, tile.vectors * lanes);
  double compute = getProductTime(problem, dot, lanes, rate * useful);
  double read = getReadTime(problem, dot, passes);
  double wait = getPanelWait(problem, dot, passes, tile.vectors * lanes * dot.depth);
  double pieces = passes * elements / double(tile.vectors * lanes);
  if (dot.rows <= kMostAxpyRows)
    read *= getStripFactor(problem, dot, tile.vectors * lanes);
  else if (waitsForRows(problem, dot))
    wait += pieces * problem.costs.getMissTime(dot.getRhsWholeBytes());
  if (dot.lhsInPlace)
    wait += getTransposedTime(problem, dot, tile.rows,
                              llvm::divideCeil(dot.columns, tile.vectors * lanes));
  return std::max(compute + wait, read) + passes * elements * load + rowElements * left;
}

std::string checkStream(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (!schedule.getBlock().empty() || schedule.getGroup() != 1)
    return "expected neither `block` nor `group`";
  return checkTile(problem, dot, schedule);
}

} // namespace

const Strategy kStreamedDot = {"dot.stream", hlo::KernelKind::Dot, refuseStream, proposeStream,
                               costStream,   checkStream,          sumInPlace};

} // namespace hloc
