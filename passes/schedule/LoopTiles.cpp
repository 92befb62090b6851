// SPDX-License-Identifier: Apache-2.0
// Strategies for loops with a transposed operand, by square tiles of the minor dimension and of the
// one along which the operand is contiguous. A tile is computed with lanes along the latter and
// transposed in registers.
//
// - loop.tiles: tiles are stored from registers. `lanes` is a tile's side, `tile` [1, tiles next to
//   each other: so many that they read whole lines]. `block`, if there is one, is the rows, which
//   follow each other in the results, that tiles go through before they move on across them.
// - loop.staged: tiles are stored into memory that stays in L1, and the results computed from there
//   row by row, so that the lines of a row are written one after the other. `tile` is [a tile's
//   side, 1], `block` the rows and columns of the results that are staged, and `lanes` those of the
//   results.
#include "passes/kernels/ArraySizes.h"
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
/// The most tiles next to each other that a written schedule may have.
constexpr int64_t kMostNext = 16;
/// The lines of a row of results that are staged, unless all rows take more than that part of L1.
constexpr int64_t kStagedLines = 4, kPartOfL1 = 4;
/// Cycles to transpose a vector, for each doubling of the tile.
constexpr double kTransposeCycles = 1;
/// By how much of the time in memory staging takes longer than that: it reads and writes in turns.
constexpr double kTurns = 0.3;

int64_t getElementBytes(const LoopProblem &loop) {
  hlo::TransposeOp transpose = loop.transposes[0];
  return int64_t(fuse::elementBytes(transpose.getType()));
}

/// The elements that fill a line.
int64_t getLineLength(const KernelProblem &problem, const LoopProblem &loop) {
  return std::max<int64_t>(1, problem.target.machine.l1.lineBytes / getElementBytes(loop));
}

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
  return chooseTile(problem, loop) < 2 ? "the results are smaller than a tile" : "";
}

void proposeTiles(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  ScheduleFields fields;
  fields.lanes = chooseTile(problem, loop);
  int64_t next = getLineLength(problem, loop) / fields.lanes;
  if (next > 1 && next * fields.lanes <= loop.shape[loop.across])
    fields.tile = {1, next};
  // Short rows of the results that follow each other in memory fill lines together.
  int64_t lineBits = problem.target.machine.l1.lineBytes * 8,
          rows = llvm::divideCeil(kLinesOfRows * lineBits, loop.getMinor() * loop.bits);
  if (loop.countRowsOfTiles() > 1 && 2 * loop.getMinor() * loop.bits <= lineBits)
    fields.block = {std::min(rows, loop.countRowsOfTiles())};
  schedules.push_back(makeSchedule(problem, "loop.tiles", fields));
}

/// The time of the operations, with transpositions in registers.
double getTileTime(const KernelProblem &problem, const LoopProblem &loop, int64_t side) {
  double count = double(loop.count), transposes = double(loop.transposes.size()),
         body = KernelWork(problem, LaneOrder::BySize).getTime() +
                Streams(problem, /*writesInOrder=*/true, side).getTime(/*prefetches=*/false);
  // Rows of the operand are loaded as vectors and transposed, so there are no strided loads.
  double strided = count * transposes * problem.costs.getStridedTime();
  double transposition = count / double(side) * transposes *
                         problem.costs.fromCycles(kTransposeCycles * llvm::Log2_64(side));
  return std::max(body - strided, body / 2) + std::min(transposition, strided / 2);
}

double costTiles(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  const Machine &machine = problem.target.machine;
  int64_t side = schedule.getLanes(), bytes = getElementBytes(loop),
          rows = side * (schedule.getTile().empty() ? 1 : schedule.getTile()[1]);
  double time = getTileTime(problem, loop, side);
  if (!machine.l1.areInConflict(rows, loop.getStrideAcross() * bytes))
    return time;
  // Each vector is stored into a line that L1 has lost to L2.
  return time + double(loop.count) / double(side) * 2 * double(machine.l1.lineBytes) *
                    problem.costs.fromCycles(1 / machine.l2.bytesPerCycle);
}

std::string checkTiles(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  if (std::string wrong = checkFieldNames(schedule, {"tile", "lanes", "block"}); !wrong.empty())
    return wrong;
  if (std::string wrong = checkLanes(problem, schedule, loop.bits); !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  if (!block.empty() && (block.size() != 1 || block[0] < 1 || block[0] > loop.countRowsOfTiles()))
    return "expected `block` to be the rows that tiles go through, no more than there are";
  if (loop.packsResults && schedule.getLanes() % 8 != 0)
    return "expected tiles of 8 lanes or a multiple: elements share bytes";
  int64_t side = std::min(loop.shape[loop.across], loop.getMinor());
  if (!schedule.getTile().empty())
    if (std::string wrong = checkVectors(schedule, kMostNext); !wrong.empty())
      return wrong;
  return schedule.getLanes() < 2 || schedule.getLanes() > std::min(side, kLargestTile)
             ? "expected a tile of 2 to " + std::to_string(kLargestTile) +
                   " lanes that is no larger than the results"
             : "";
}

std::string refuseStaged(const KernelProblem &problem) {
  if (std::string reason = refuseTiles(problem); !reason.empty())
    return reason;
  return LoopProblem(problem.body).packsResults ? "elements of the results share bytes" : "";
}

void proposeStaged(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  int64_t side = chooseTile(problem, loop), line = std::max(side, getLineLength(problem, loop)),
          most = problem.target.machine.l1.bytes / kPartOfL1 / getElementBytes(loop);
  auto fit = [&](int64_t length, int64_t limit) {
    return int64_t(llvm::alignDown(std::min(length, limit), side));
  };
  ScheduleFields fields;
  fields.tile = {side, 1};
  fields.lanes = problem.target.getLanes(loop.bits);
  int64_t height = fit(line, loop.shape[loop.across]), width = kStagedLines * line;
  while (width > line && height * width > most)
    width /= 2;
  fields.block = {height, fit(width, loop.getMinor())};
  schedules.push_back(makeSchedule(problem, "loop.staged", fields));
}

double costStaged(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  double count = double(loop.count), lanes = double(schedule.getLanes()),
         transposes = double(loop.transposes.size()), bytes = 0;
  for (BlockArgument argument : problem.body.getArguments())
    bytes += fuse::bytesOf(argument.getType());
  for (Value result : problem.body.getTerminator()->getOperands())
    bytes += fuse::bytesOf(result.getType());
  double inMemory = bytes > double(problem.target.machine.l3.bytes)
                        ? bytes * problem.costs.getStreamTime(bytes)
                        : 0;
  return getTileTime(problem, loop, schedule.getTile()[0]) +
         2 * count / lanes * transposes * problem.costs.getLoadTime() + kTurns * inMemory;
}

std::string checkStaged(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"tile", "block", "lanes"}); !wrong.empty())
    return wrong;
  LoopProblem loop(problem.body);
  if (std::string wrong = checkLanes(problem, schedule, loop.bits); !wrong.empty())
    return wrong;
  ArrayRef<int64_t> tile = schedule.getTile(), block = schedule.getBlock();
  int64_t most = std::min(kLargestTile, problem.target.getLanes(loop.bits));
  if (tile.size() != 2 || tile[1] != 1 || tile[0] < 2 || tile[0] > most ||
      !llvm::isPowerOf2_64(uint64_t(tile[0])))
    return "expected `tile` to be a power of two of rows, 2 to " + std::to_string(most) +
           ", and one vector";
  int64_t limit = problem.target.machine.l1.bytes / getElementBytes(loop);
  bool isBlock = block.size() == 2 && block[0] >= tile[0] && block[0] <= loop.shape[loop.across] &&
                 block[1] >= tile[0] && block[1] <= loop.getMinor() && block[0] % tile[0] == 0 &&
                 block[1] % tile[0] == 0 && block[0] <= limit / block[1];
  return isBlock ? ""
                 : "expected `block` to be rows and columns of the results, in whole tiles, that "
                   "stay in L1";
}

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return kExactSums.str(); }

} // namespace

const Strategy kTiledLoop = {
    "loop.tiles", hlo::KernelKind::Loop, refuseTiles, proposeTiles, costTiles,
    checkTiles,   describeSums};

const Strategy kStagedLoop = {"loop.staged", hlo::KernelKind::Loop, refuseStaged, proposeStaged,
                              costStaged,    checkStaged,           describeSums};

} // namespace hloc
