// SPDX-License-Identifier: Apache-2.0
// dot.axpy: for few rows. Each row of the result is a sum of rows of the right operand times
// scalars, whose partial sums stay in L1 for a strip of columns. `block` is [rows, columns of a
// strip, rows of the right operand that are added per pass over the sums]. With `prefetch`, each
// pass prefetches the rows of the next one.
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/Streams.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Scalars that are held in registers during a pass; the least depth that is worth it; the most and
/// the fewest columns of a strip; and the fewest strips for several threads.
constexpr int64_t kFactors = 8, kMinDepth = 64, kMaxStrip = 2048, kMinStrip = 256, kMinStrips = 2;

/// True if rows of the right operand can be prefetched: they are read from an array with whole
/// bytes.
bool canAskInRows(const DotProblem &dot) {
  BlockArgument origin = findOrigin(dot.rhs);
  return origin && fuse::elementBytes(origin.getType()) >= 1 && dot.rhsDepth.size() == 1;
}

/// True if the rows come from memory, and the machine's hardware prefetchers do not keep up with
/// several of them, in strips of `width` columns: some do if these are pages.
bool needsPrefetch(const KernelProblem &problem, const DotProblem &dot, int64_t width) {
  const Machine &machine = problem.target.machine;
  if (!machine.memory.prefetchIntoL2 || !canAskInRows(dot))
    return false;
  BlockArgument origin = findOrigin(dot.rhs);
  double piece = double(width) * fuse::elementBytes(origin.getType());
  if (machine.memory.prefetchersSuffice && piece >= kPageBytes)
    return false;
  double footprint = std::max(fuse::bytesOf(origin.getType()), problem.getBytesAround(origin));
  return footprint > double(machine.getLargestShare());
}

std::string refuseAxpy(const KernelProblem &problem) {
  DotProblem dot = getDot(problem);
  if (dot.rows > kMostAxpyRows)
    return "too many rows for their sums to stay in L1";
  if (isa<ComplexType>(dot.element))
    return "the elements are complex numbers";
  if (!llvm::is_contained(dot.rhsColumns, dot.rhsType.getRank() - 1))
    return "columns are not the minor dimension of the right operand";
  return dot.columns < kMinStrip || dot.depth < kMinDepth ? "the right operand is small" : "";
}

void proposeAxpy(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  DotProblem dot = getDot(problem);
  int64_t lanes = chooseLanes(problem, dot, dot.columns);
  // Strips are units of work, so one thread needs only one. If the columns are no whole vectors, a
  // second one keeps the vectors' rest from being a narrow strip of its own.
  bool oneSuffices = problem.target.singleThreaded && dot.columns % lanes == 0;
  int64_t strips = std::max<int64_t>(oneSuffices ? 1 : kMinStrips,
                                     llvm::divideCeil(dot.columns, kMaxStrip / dot.rows));
  int64_t width = std::max<int64_t>(kMinStrip, llvm::divideCeil(dot.columns, strips));
  width = std::min<int64_t>(llvm::alignTo(width, lanes), dot.columns / lanes * lanes);
  schedules.push_back(
      makeSchedule(dot, "dot.axpy", {dot.rows, 1}, {dot.rows, width, kFactors / dot.rows}, lanes, 1,
                   needsPrefetch(problem, dot, width) ? ArrayRef<StringRef>("prefetch")
                                                      : ArrayRef<StringRef>()));
}

double costAxpy(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  int64_t lanes = schedule.getLanes(), width = schedule.getBlock()[1];
  double elements = double(dot.batches) * dot.columns * dot.depth;
  // Each pass loads and stores the sums.
  double sums = 2.0 * dot.rows / schedule.getBlock()[2] * problem.costs.getReloadTime();
  double compute = getProductTime(problem, dot, lanes, kStreamRate) +
                   elements * (problem.costs.getReloadTime() + sums);
  double read = getReadTime(problem, dot, 1);
  if (!schedule.has("prefetch"))
    read *= getStripFactor(problem, dot, width);
  return std::max(compute, read) + elements * getPrologueTime(problem, dot);
}

std::string checkAxpy(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  DotProblem dot = getDot(problem);
  if (std::string wrong = checkTile(problem, dot, schedule, {"prefetch"}); !wrong.empty())
    return wrong;
  if (schedule.has("prefetch") && !canAskInRows(dot))
    return "rows of the right operand are not those of an array in memory";
  ArrayRef<int64_t> tile = schedule.getTile(), block = schedule.getBlock();
  int64_t lanes = schedule.getLanes();
  if (tile[0] != dot.rows || tile[1] != 1 || schedule.getGroup() != 1 || lanes < 2)
    return "expected a tile of all rows and one vector, and no `group`";
  if (block.size() != 3 || block[0] != dot.rows || block[1] < lanes || block[1] % lanes != 0 ||
      block[1] > dot.columns || block[2] < 1 || block[2] > kFactors)
    return "expected `block` to be all rows, whole vectors of columns, and the rows of a pass";
  return 3 * dot.rows * block[1] * dot.getElementBytes() > problem.target.kernelStackBytes
             ? "expected sums that fit into the stack"
             : "";
}

} // namespace

const Strategy kAxpyDot = {
    "dot.axpy", hlo::KernelKind::Dot, refuseAxpy, proposeAxpy, costAxpy, checkAxpy, sumInPlace};

} // namespace hloc
