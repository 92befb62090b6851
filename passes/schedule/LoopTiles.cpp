// SPDX-License-Identifier: Apache-2.0
// loop.tiles: square tiles of the minor dimension and of the one along which a transposed operand
// is contiguous. A tile is computed with lanes along the latter and transposed in registers.
// `lanes` is a tile's side. `block`, if there is one, is the rows, which follow each other in the
// results, that tiles go through before they move on across them.
#include "passes/schedule/KernelWork.h"
#include "passes/schedule/LoopSchedule.h"
#include "passes/schedule/Streams.h"
#include "passes/schedule/Summation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The side of the largest tile, which takes that many registers, and of the smallest one.
/// `kUsefulTile` is the smallest side that is proposed where vectors are long enough, and a loop
/// over few minor or few major elements loads contiguous vectors, too.
constexpr int64_t kLargestTile = 16, kSmallestTile = 4, kUsefulTile = 8;
/// The lines of memory that tiles of short rows fill before they move on across them.
constexpr int64_t kLinesOfRows = 4;
/// Cycles to transpose a vector, for each doubling of the tile.
constexpr double kTransposeCycles = 1;

/// The side of the tiles that fit; zero if none do.
int64_t chooseTile(const KernelProblem &problem, const LoopProblem &loop) {
  bool isOfFew = loop.across + 2 == int64_t(loop.shape.size());
  int64_t lanes = problem.target.getLanes(loop.bits), tile = std::min(kLargestTile, lanes),
          least = std::min(lanes, isOfFew ? kUsefulTile : kSmallestTile),
          side = std::min(loop.shape[loop.across], loop.getMinor());
  while (tile > least && tile > side)
    tile /= 2;
  bool endsInByte = loop.packsResults && tile % 8 != 0;
  return tile <= side && !endsInByte ? tile : 0;
}

std::string refuseTiles(const KernelProblem &problem) {
  LoopProblem loop(problem.body);
  if (loop.transposes.empty())
    return "no operand is transposed";
  if (loop.packsResults && loop.getMinor() % 8 != 0)
    return "rows of the results do not begin at whole bytes";
  return chooseTile(problem, loop) < kSmallestTile ? "the results are smaller than a tile" : "";
}

void proposeTiles(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  ScheduleFields fields;
  fields.lanes = chooseTile(problem, loop);
  // Short rows of the results that follow each other in memory fill lines together.
  int64_t lineBits = problem.target.machine.l1.lineBytes * 8,
          rows = llvm::divideCeil(kLinesOfRows * lineBits, loop.getMinor() * loop.bits);
  if (loop.countRowsOfTiles() > 1 && 2 * loop.getMinor() * loop.bits <= lineBits)
    fields.block = {std::min(rows, loop.countRowsOfTiles())};
  schedules.push_back(makeSchedule(problem, "loop.tiles", fields));
}

double costTiles(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  double lanes = double(schedule.getLanes()), count = double(loop.count),
         body = KernelWork(problem, LaneOrder::BySize).getTime() +
                Streams(problem, /*writesInOrder=*/true, schedule.getLanes())
                    .getTime(/*prefetches=*/false);
  // Rows of the operand are loaded as vectors and transposed, so there are no strided loads.
  double strided = count * double(loop.transposes.size()) * problem.costs.getStridedTime();
  double transposition =
      count / lanes * double(loop.transposes.size()) *
      problem.costs.fromCycles(kTransposeCycles * llvm::Log2_64(schedule.getLanes()));
  return std::max(body - strided, body / 2) + std::min(transposition, strided / 2);
}

std::string checkTiles(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  if (std::string wrong = checkFieldNames(schedule, {"lanes", "block"}); !wrong.empty())
    return wrong;
  if (std::string wrong = checkLanes(problem, schedule, loop.bits); !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  if (!block.empty() && (block.size() != 1 || block[0] < 1 || block[0] > loop.countRowsOfTiles()))
    return "expected `block` to be the rows that tiles go through, no more than there are";
  if (loop.packsResults && schedule.getLanes() % 8 != 0)
    return "expected tiles of 8 lanes or a multiple: elements share bytes";
  int64_t side = std::min(loop.shape[loop.across], loop.getMinor());
  return schedule.getLanes() < 2 || schedule.getLanes() > std::min(side, kLargestTile)
             ? "expected a tile of 2 to " + std::to_string(kLargestTile) +
                   " lanes that is no larger than the results"
             : "";
}

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return kExactSums.str(); }

} // namespace

const Strategy kTiledLoop = {
    "loop.tiles", hlo::KernelKind::Loop, refuseTiles, proposeTiles, costTiles,
    checkTiles,   describeSums};

} // namespace hloc
