// SPDX-License-Identifier: Apache-2.0
// Strategies for loop kernels, which compute each element of their results independently. The bits
// of results do not depend on the choice.
//
// - loop.tiles, loop.staged: LoopTiles.cpp.
// - loop.pieces: a loop for each operand of a concatenation (Pieces.h), inside those for the
//   dimensions before the one that it is along. `block` is the indices along that dimension of a
//   unit; with fewer than it has, a unit is a part of one operand's loop.
// - loop.flat: all elements are one range.
// - loop.rows: lanes along the minor dimension, and a loop for each other one.
// - loop.few_minor: lanes along the dimension before the minor one, whose few elements (colours,
//   coordinates) are unrolled.
// - loop.few_major: lanes along the other dimensions; the few elements of the outermost one are
//   unrolled, so that they share loads.
//
// `tile` is [1, unroll factor: independent vectors in flight]; `block` is the elements of a unit,
// where there is one range. With `prefetch` or `prefetch_l2`, which all but those of tiles can
// have, loops prefetch what they read and write later (Streams.h). With `interior`, which loop.rows
// and loop.few_minor can have, as well as loop.flat of one dimension, vectors in the interior
// (Interior.h) have code of their own.
#include "passes/Build.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/InFlight.h"
#include "passes/schedule/Interior.h"
#include "passes/schedule/KernelWork.h"
#include "passes/schedule/LoopSchedule.h"
#include "passes/schedule/Pieces.h"
#include "passes/schedule/Streams.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Cycles per vector of the body below which a loop is always unrolled by two, and the largest
/// unroll factor that a written schedule may have.
constexpr double kCheapCycles = 12;
constexpr int64_t kMostVectors = 8;
/// The most positions of one unit of a flat range; what the number in smaller units is a multiple
/// of, so that they write no line of memory together; and how many units are enough for any
/// machine.
constexpr int64_t kFlatUnit = 4096, kLinePositions = 64, kEnoughUnits = 64;
/// The most elements of a short dimension that are unrolled, and the most operations that this may
/// give.
constexpr int64_t kMaxUnrolled = 8, kMostOperations = 1200;
/// The fewest elements of a row that are worth a vector of their own.
constexpr int64_t kShortestRow = 2;
/// Cycles to begin a row, and to compute the indices along one dimension of a vector of positions.
constexpr double kRowCycles = 2, kDivideCycles = 4;
/// The smallest fraction of vectors in the interior that is worth a loop of its own, the most
/// operations that this loop may have, and the cycles that it adds to each row.
constexpr double kLeastInterior = 0.25, kInteriorCycles = 20;
constexpr int64_t kMostInteriorOperations = 400;
/// The most operations times pieces of loops for pieces; the indices in the dimensions before the
/// divided one below which pieces are divided into units; and the most vectors of a row that
/// becomes code without a loop.
constexpr int64_t kMostPieceOperations = 20000, kLeastRounds = 64, kMostWholeVectors = 4;

int64_t getLanes(const KernelProblem &problem, const LoopProblem &loop) {
  return std::max<int64_t>(1, problem.target.getLanes(loop.bits));
}

/// The unroll factor that holds for any operations: two if they are few.
int64_t countCheapVectors(const KernelProblem &problem, const LoopProblem &loop) {
  int64_t lanes = getLanes(problem, loop);
  double cycles = problem.costs.toCycles(problem.costs.getElementTime(problem.body));
  return cycles * double(lanes) < kCheapCycles && loop.count >= 4 * lanes ? 2 : 1;
}

/// As many of these vectors and lanes as `along` elements fill.
ScheduleFields fitVectors(int64_t vectors, int64_t lanes, int64_t along) {
  while (vectors * lanes > 1 && vectors * lanes / 2 >= along)
    (vectors > 1 ? vectors : lanes) /= 2;
  ScheduleFields fields;
  fields.tile = {1, vectors};
  fields.lanes = lanes;
  return fields;
}

/// The fewest vectors and lanes of a loop over all elements.
ScheduleFields fitCheapVectors(const KernelProblem &problem, const LoopProblem &loop) {
  return fitVectors(countCheapVectors(problem, loop), getLanes(problem, loop), loop.count);
}

/// Vectors and lanes along `along` elements, if `unrolled` elements are computed at each of them.
ScheduleFields fitLanes(const KernelProblem &problem, const LoopProblem &loop, int64_t along,
                        int64_t unrolled = 1) {
  int64_t lanes = getLanes(problem, loop);
  int64_t vectors = countCheapVectors(problem, loop);
  if (vectors == 1)
    vectors = chooseVectorsInFlight(problem, lanes, double(loop.count), double(unrolled));
  return fitVectors(vectors, lanes, along);
}

/// The positions of a unit, at each of which `unrolled` elements are computed: not more
/// work than a task, as far as the number of units matters.
int64_t chooseUnit(const KernelProblem &problem, const LoopProblem &loop, int64_t unrolled) {
  int64_t positions = loop.count / unrolled;
  if (positions >= kEnoughUnits * kFlatUnit)
    return kFlatUnit;
  int64_t tasks = problem.costs.getTaskCount(KernelWork(problem).getTime());
  if (tasks == 1)
    return kFlatUnit;
  return std::clamp(int64_t(llvm::alignTo(llvm::divideCeil(positions, tasks), kLinePositions)),
                    kLinePositions, kFlatUnit);
}

/// Likewise along a range, of `along` elements, that is cut into units.
ScheduleFields fitRange(const KernelProblem &problem, const LoopProblem &loop, int64_t along,
                        int64_t unrolled = 1) {
  ScheduleFields fields = fitLanes(problem, loop, along, unrolled);
  fields.block = {chooseUnit(problem, loop, unrolled)};
  return fields;
}

int64_t getWidth(const ScheduleFields &fields) { return fields.tile[1] * fields.lanes; }
int64_t getWidth(hlo::ScheduleAttr schedule) {
  bool isTransposed = schedule.getTile().empty(); // `loop.tiles` has a vector of each row
  return (isTransposed ? 1 : schedule.getTile()[1]) * schedule.getLanes();
}

/// The dimension of the lanes, in loops of `strategy` that can have a loop of its own for the
/// interior; else -1.
int64_t findInteriorLanes(const LoopProblem &loop, StringRef strategy) {
  int64_t rank = int64_t(loop.shape.size());
  bool isOneRow = strategy == "loop.flat" && rank == 1;
  return !loop.isOneShape || loop.isBlind      ? -1
         : strategy == "loop.rows" || isOneRow ? rank - 1
         : strategy == "loop.few_minor"        ? rank - 2
                                               : -1;
}

/// The fraction of vectors of `width` elements in the interior, if they can have a loop of their
/// own; else zero.
double getInteriorShare(const LoopProblem &loop, const Interior &interior, StringRef strategy,
                        int64_t width) {
  int64_t lanesOn = findInteriorLanes(loop, strategy);
  for (int64_t d = lanesOn + 1; d < int64_t(loop.shape.size()); ++d)
    if (!interior.isWhole(d))
      return 0;
  return lanesOn < 0 || interior.sources.empty() ? 0 : interior.getShare(lanesOn, width);
}

/// The streams of a loop, whose iterations have vectors of `width` elements; one for each of the
/// few minor elements.
Streams getStreams(const KernelProblem &problem, StringRef strategy, int64_t width) {
  if (strategy == "loop.few_minor")
    width *= LoopProblem(problem.body).getMinor();
  return Streams(problem, /*writesInOrder=*/true, width);
}

/// Time of the operations, loads and stores, if all lanes are used.
double getBodyTime(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                   LaneOrder order = LaneOrder::BySize, double filled = 1) {
  Streams streams = getStreams(problem, schedule.getStrategy(), getWidth(schedule));
  KernelWork work(problem, order, filled);
  double time = work.getTime() + streams.getTime(prefetchesStreams(schedule));
  if (!schedule.has(kInterior))
    return time;
  LoopProblem loop(problem.body);
  Interior interior(problem.body);
  double share = getInteriorShare(loop, interior, schedule.getStrategy(), getWidth(schedule));
  for (auto &[op, source] : interior.sources)
    time -= share * work.getTime(*op);
  double rows = 1;
  for (int64_t size : loop.shape.take_front(findInteriorLanes(loop, schedule.getStrategy())))
    rows *= double(size);
  return time + rows * problem.costs.fromCycles(kInteriorCycles);
}

/// Proposes a schedule, and the same one with prefetches if that can be faster.
void proposeWithStreams(const KernelProblem &problem, StringRef strategy, ScheduleFields fields,
                        SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  schedules.push_back(makeSchedule(problem, strategy, fields));
  Streams streams = getStreams(problem, strategy, getWidth(fields));
  if (!streams.areWorthAsking())
    return;
  fields.with.push_back(streams.getChoice());
  schedules.push_back(makeSchedule(problem, strategy, fields));
}

/// Likewise, also with a loop of its own for the interior: of as many vectors at a time as leave
/// enough of them there.
void proposeWithChoices(const KernelProblem &problem, StringRef strategy, ScheduleFields fields,
                        SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  proposeWithStreams(problem, strategy, fields, schedules);
  LoopProblem loop(problem.body);
  if (findInteriorLanes(loop, strategy) < 0 || loop.operations > kMostInteriorOperations)
    return;
  Interior interior(problem.body);
  auto isEnough = [&] {
    return getInteriorShare(loop, interior, strategy, getWidth(fields)) >= kLeastInterior;
  };
  while (fields.tile[1] > 1 && !isEnough())
    fields.tile[1] /= 2;
  if (!isEnough())
    return;
  fields.with.push_back(kInterior);
  proposeWithStreams(problem, strategy, fields, schedules);
}

std::string checkLoop(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                      ArrayRef<StringRef> fields) {
  if (std::string wrong = checkFieldNames(schedule, fields, {kPrefetch, kPrefetchL2, kInterior});
      !wrong.empty())
    return wrong;
  if (std::string wrong = checkVectors(schedule, kMostVectors); !wrong.empty())
    return wrong;
  LoopProblem loop(problem.body);
  if (schedule.has(kInterior) &&
      (findInteriorLanes(loop, schedule.getStrategy()) < 0 ||
       getInteriorShare(loop, Interior(problem.body), schedule.getStrategy(), getWidth(schedule)) ==
           0))
    return "no vector is in the interior";
  return checkLanes(problem, schedule, loop.bits);
}

//===-- loop.flat ----------------------------------------------------------------------------===//

std::string refuseNothing(const KernelProblem &) { return {}; }

void proposeFlat(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  proposeWithChoices(problem, "loop.flat", fitRange(problem, loop, loop.count), schedules);
}

double costFlat(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  double body = getBodyTime(problem, schedule), count = double(loop.count);
  if (loop.isBlind || loop.shape.size() < 2)
    return body;
  // Positions are converted to indices, and operands with other positions are gathered.
  double divide = kDivideCycles * double(loop.shape.size() - 1) / double(getWidth(schedule));
  return body + count * (problem.costs.fromCycles(divide) +
                         double(loop.moved) * problem.costs.getGatherTime());
}

std::string checkRange(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkLoop(problem, schedule, {"tile", "block", "lanes"}); !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  // Units begin at a whole vector and a whole byte; so do vectors.
  int64_t width = getWidth(schedule);
  if (block.size() != 1 || block[0] < 1 || block[0] % std::max<int64_t>(8, width) != 0)
    return "expected `block` to be one number of whole vectors, and a multiple of 8";
  LoopProblem loop(problem.body);
  return loop.packsResults && width % 8 != 0 &&
                 width != getWidth(fitRange(problem, loop, loop.count))
             ? "expected vectors of 8 elements or a multiple: they share bytes"
             : "";
}

//===-- loop.rows ----------------------------------------------------------------------------===//

std::string refuseRows(const KernelProblem &problem) {
  LoopProblem loop(problem.body);
  if (loop.shape.size() < 2)
    return "there is one row";
  if (loop.isBlind)
    return "the loop does not benefit from rows";
  if (loop.packsResults)
    return "rows do not begin at whole bytes";
  return loop.getMinor() < std::min(kShortestRow, getLanes(problem, loop) / 2)
             ? "rows are too short for vectors"
             : "";
}

/// Proposes vectors that a row fills, the last of them in part, and, for rows of less than a
/// vector, also narrower ones that it fills completely but for a remainder.
void proposeRows(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  int64_t minor = std::min(loop.count, loop.getMinor());
  ScheduleFields fields = fitLanes(problem, loop, minor);
  proposeWithChoices(problem, "loop.rows", fields, schedules);
  if (int64_t filled = llvm::bit_floor(uint64_t(minor)); filled > 1 && filled < fields.lanes) {
    fields.lanes = filled;
    proposeWithChoices(problem, "loop.rows", fields, schedules);
  }
}

/// The vectors of a row of `length` elements. Without masks, the rest of a row is accessed in parts
/// whose lengths are powers of two.
double countVectors(const KernelProblem &problem, const LoopProblem &loop,
                    hlo::ScheduleAttr schedule, int64_t length) {
  int64_t width = getWidth(schedule), rest = length % width;
  int64_t parts = loop.bits >= problem.target.narrowestMaskedBits
                      ? int64_t(rest > 0)
                      : int64_t(llvm::popcount(uint64_t(rest)));
  return double((length / width + parts) * schedule.getTile()[1]);
}

/// Time to fetch lines again, if lanes are in different lines of a transposed operand: each row of
/// results reads one element of each, and by the next row nearer caches may have lost them.
double getRefetchTime(const KernelProblem &problem, const LoopProblem &loop) {
  const Machine &machine = problem.target.machine;
  double time = 0;
  for (hlo::TransposeOp op : loop.transposes) {
    RankedTensorType type = arrayType(op.getOperand());
    int64_t apart = ShapedType::getNumElements(
        type.getShape().drop_front(op.getDimensions()[loop.shape.size() - 1] + 1));
    int64_t stride = apart * int64_t(fuse::elementBytes(type));
    if (!machine.l1.areInConflict(loop.getMinor(), stride))
      continue;
    bool isInL2 = !machine.l2.areInConflict(loop.getMinor(), stride);
    double ofByte = isInL2 ? problem.costs.fromCycles(1 / machine.l2.bytesPerCycle)
                           : problem.costs.getStreamTime(fuse::bytesOf(type));
    time += double(loop.count) * double(std::min(stride, machine.l1.lineBytes)) * ofByte;
  }
  return time;
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  int64_t minor = std::max<int64_t>(1, loop.getMinor());
  double rows = double(loop.count) / double(minor),
         vectors = countVectors(problem, loop, schedule, minor),
         full = double(minor) / double(problem.target.getLanes(loop.bits));
  double time = getBodyTime(problem, schedule, LaneOrder::Rows, std::min(1.0, full / vectors)) +
                rows * problem.costs.fromCycles(kRowCycles);
  if (loop.joinsMajor) // each element first determines its operand
    time += double(loop.count * loop.shape[0]) * problem.costs.getReloadTime();
  return time + getRefetchTime(problem, loop);
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  return checkLoop(problem, schedule, {"tile", "lanes"});
}

//===-- loop.pieces --------------------------------------------------------------------------===//

std::string refusePieces(const KernelProblem &problem) {
  LoopProblem loop(problem.body);
  if (!loop.isOneShape || loop.count == 0)
    return "the results have several shapes, or no elements";
  if (loop.packsResults)
    return "pieces do not begin at whole bytes";
  Pieces pieces(problem.body);
  if (pieces.list.empty())
    return "no concatenation is computed in the order of the results, or there are too many pieces";
  // LLVM unrolls such a row, so that it knows the operand of each lane.
  int64_t lanes = getLanes(problem, loop), row = loop.getMinor();
  if (pieces.dimension + 1 == int64_t(loop.shape.size()) && row <= kMostWholeVectors * lanes &&
      2 * row < lanes * int64_t(pieces.list.size()))
    return "rows are short, and pieces too short for vectors";
  return loop.operations * int64_t(pieces.list.size()) > kMostPieceOperations
             ? "each piece would have much code"
             : "";
}

void proposePieces(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  Pieces pieces(problem.body);
  int64_t size = loop.shape[pieces.dimension], inner = 1, along = loop.getMinor();
  for (int64_t next : loop.shape.drop_front(pieces.dimension + 1))
    inner *= next;
  if (inner == 1) // so that most pieces fill their vectors
    along = std::max<int64_t>(1, size / int64_t(pieces.list.size()));
  ScheduleFields fields = fitLanes(problem, loop, along);
  bool isDivided = loop.count / (size * inner) < kLeastRounds && !problem.target.singleThreaded;
  fields.block = {isDivided ? std::min(size, std::max<int64_t>(1, kFlatUnit / inner)) : size};
  proposeWithStreams(problem, "loop.pieces", fields, schedules);
}

double costPieces(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  Pieces pieces(problem.body);
  double minor = double(loop.getMinor()), rows = double(loop.count) / minor,
         vectors = countVectors(problem, loop, schedule, loop.getMinor());
  if (pieces.dimension + 1 == int64_t(loop.shape.size())) {
    vectors = 0;
    for (const Piece &piece : pieces.list)
      vectors += countVectors(problem, loop, schedule, piece.range.getSize());
  }
  double full = minor / double(problem.target.getLanes(loop.bits)),
         filled = std::min(1.0, full / vectors),
         loops = std::max(rows, double(loop.count) / double(loop.shape[pieces.dimension]) *
                                    double(pieces.list.size()));
  KernelWork work(problem, LaneOrder::Pieces, filled);
  double choices = 0; // of the operands
  for (auto &[op, operand] : pieces.list[0].sources)
    choices += work.getTime(*op);
  return getBodyTime(problem, schedule, LaneOrder::Pieces, filled) - choices +
         loops * problem.costs.fromCycles(kRowCycles);
}

std::string checkPieces(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkLoop(problem, schedule, {"tile", "block", "lanes"}); !wrong.empty())
    return wrong;
  LoopProblem loop(problem.body);
  int64_t dimension = Pieces(problem.body).dimension, size = loop.shape[dimension];
  ArrayRef<int64_t> block = schedule.getBlock();
  if (block.size() != 1 || block[0] < 1)
    return "expected `block` to be one number";
  bool isAlongLanes = dimension + 1 == int64_t(loop.shape.size());
  return isAlongLanes && block[0] < size && block[0] % getWidth(schedule) != 0
             ? "expected `block` to be a number of whole vectors, or the whole dimension"
             : "";
}

//===-- loop.few_minor and loop.few_major ----------------------------------------------------===//

/// Why the `few` elements of one dimension cannot be unrolled with lanes along `along` others, of
/// which there are at least `least`; empty if they can.
std::string refuseFew(const LoopProblem &loop, int64_t few, int64_t along, int64_t least) {
  if (loop.isBlind || loop.packsResults)
    return "the loop does not benefit, or elements share bytes";
  if (few < 2 || few > kMaxUnrolled || loop.operations * few > kMostOperations)
    return "the dimension has too many elements to unroll";
  return along < least ? "the other dimension does not fill the lanes" : "";
}

/// The size of the dimension that lanes of loop.few_minor lie along.
int64_t getBeforeMinor(const LoopProblem &loop) { return loop.shape[loop.shape.size() - 2]; }

std::string refuseFewMinor(const KernelProblem &problem) {
  LoopProblem loop(problem.body);
  if (loop.shape.size() < 2 || !loop.isOneShape || loop.isComplex)
    return "the results are one-dimensional, of several shapes, or complex";
  return refuseFew(loop, loop.getMinor(), getBeforeMinor(loop), getLanes(problem, loop));
}

void proposeFewMinor(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  proposeWithChoices(problem, "loop.few_minor",
                     fitRange(problem, loop, getBeforeMinor(loop), loop.getMinor()), schedules);
}

double costFewMinor(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  LoopProblem loop(problem.body);
  int64_t along = getBeforeMinor(loop);
  double full = double(along) / double(getLanes(problem, loop)),
         vectors = countVectors(problem, loop, schedule, along);
  return getBodyTime(problem, schedule, LaneOrder::FewMinor, std::min(1.0, full / vectors));
}

std::string refuseFewMajor(const KernelProblem &problem) {
  LoopProblem loop(problem.body);
  bool turnsFew = loop.transposes.size() == 1 && loop.across == 0 && loop.shape.size() == 2;
  if (!loop.joinsMajor && !turnsFew)
    return "the results are not concatenated along the major dimension, nor short rows transposed";
  return refuseFew(loop, loop.shape[0], loop.getMinor(), getWidth(fitCheapVectors(problem, loop)));
}

void proposeFewMajor(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  LoopProblem loop(problem.body);
  proposeWithChoices(problem, "loop.few_major", fitRange(problem, loop, loop.count, loop.shape[0]),
                     schedules);
}

double costFewMajor(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  return getBodyTime(problem, schedule);
}

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return "exact"; }

} // namespace

ArrayRef<Strategy> getLoopStrategies() {
  constexpr auto kind = hlo::KernelKind::Loop;
  static const Strategy strategies[] = {
      kTiledLoop,
      kStagedLoop,
      {"loop.few_minor", kind, refuseFewMinor, proposeFewMinor, costFewMinor, checkRange,
       describeSums},
      {"loop.few_major", kind, refuseFewMajor, proposeFewMajor, costFewMajor, checkRange,
       describeSums},
      {"loop.pieces", kind, refusePieces, proposePieces, costPieces, checkPieces, describeSums},
      {"loop.flat", kind, refuseNothing, proposeFlat, costFlat, checkRange, describeSums},
      {"loop.rows", kind, refuseRows, proposeRows, costRows, checkRows, describeSums},
  };
  return strategies;
}

} // namespace hloc
