// SPDX-License-Identifier: Apache-2.0
// Strategies for sorts, all of which are stable, and for topk. The bits of results do not depend on
// the choice.
//
// - sort.network: a sorting network over `lanes` rows at a time, one in each lane.
// - sort.vectors: a quicksort of each row, whose segments of up to `block` vectors are sorted in
//   registers. It sorts the elements' own keys, or a key above each position.
// - sort.digits: a radix sort of each row. `block` is the number of values of a digit.
// - sort.merge: a merge sort of each row. `block` is the number of elements of the first runs,
//   which are sorted by insertion.
// - topk.select: `lanes` elements at a time are compared with the last one that is among the first
//   k so far. `block` is [candidates that are collected before the surplus is dropped, parameter of
//   the sort that does so: a merge sort or, with `digits`, a radix sort]; with `registers`, all
//   candidates are sorted in vector registers, and there is no parameter.
//
// Rows that are sorted one at a time are divided into `units`, each of which has two buffers for a
// row, on the stack or in `scratch`; sort.vectors needs only one, or none if it sorts in the memory
// of the result. `lanes` elements at a time are converted to entries.
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Access.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/SortProblem.h"
#include "passes/schedule/Strategies.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

/// Buffers up to this size are on the stack. Larger ones are in scratch memory of bounded size, for
/// a bounded number of units.
constexpr int64_t kStackBytes = 64 << 10, kScratchBytes = 16 << 20, kMaxUnits = 64;
/// Elements of the runs that are sorted by insertion, and the most that a written schedule may
/// have.
constexpr int64_t kRun = 8, kLongestRun = 64;
/// Values of a digit: 8 bits; or 11 bits, with which 32-bit keys take three passes, but whose
/// counters and write pointers fill L1. A written schedule may have up to 12 bits.
constexpr int64_t kDigitValues[] = {256, 2048}, kMostDigitValues = 4096;

/// Cycles per element: of a step of a merge, whose branches are unpredictable; of insertion into a
/// run; of a pass over one digit, and what is added if the ends of the lists do not stay in L1.
constexpr double kMergeCycles = 15, kInsertCycles = 20, kDigitCycles = 3, kFarDigitCycles = 2;
/// The fraction of elements that miss when they are stored at the end of their list.
constexpr double kMissedEnds = 0.5;
/// Cycles to count a digit's values, and to turn a count into the start of a list.
constexpr double kCountCycles = 1.5, kListCycles = 1.5;
/// Bytes of an entry: a key above an element or its position.
constexpr double kEntryBytes = 8;
/// Cycles to convert a vector of elements to entries and back.
constexpr double kEntryCycles = 32;
/// Instructions of one comparison of a network: two loads, two stores, and minimum and maximum of
/// unsigned 64-bit integers, which are one instruction each with AVX-512 and otherwise a comparison
/// with inverted signs and two blends; and cycles to find the next pair.
constexpr double kAccesses = 2, kWideMinMax = 2, kNarrowMinMax = 7, kPairCycles = 1.5;
/// The most vectors that are sorted in registers, limited by their number; and the vectors of a
/// segment of a longer row. Longer rows need code for two lengths, and more of it would take longer
/// to compile than it saves.
constexpr int64_t kMostVectors = 16, kSegmentVectors = 8;
/// Cycles to partition one vector by a pivot and write back one side, with a compress instruction
/// or with permutations from a table; the factor by which levels exceed those of perfect pivots;
/// and the factor by which segments are padded.
constexpr double kCompressCycles = 8, kPermuteCycles = 10, kUneven = 1.2, kFilledSegments = 1.4;
/// Cycles to choose a pivot and to begin and end a segment, to load and store one of its vectors,
/// and to fill the table of permutations.
constexpr double kSegmentCycles = 120, kSegmentAccesses = 4, kTableCycles = 1500;
/// Memory streams of a level whose segments exceed L2; cycles to convert a vector of elements to
/// whole keys and back.
constexpr double kSegmentStreams = 4, kWholeKeyCycles = 8;
/// Cycles of a vector of elements that contains no new candidate, and how often the candidates of a
/// row are sorted.
constexpr double kLookCycles = 4, kSelections = 3;

/// The sort of a kernel; null if it has none, which the strategies refuse.
hlo::SortOp findSort(const KernelProblem &problem) {
  auto sorts = problem.body.getOps<hlo::SortOp>();
  return sorts.empty() ? hlo::SortOp() : *sorts.begin();
}

SortProblem getSort(const KernelProblem &problem) {
  hlo::SortOp op = findSort(problem);
  return SortProblem(op, lookupComputation(op, op.getToApplyAttr()));
}

/// The number of operands whose results are gathered from the positions in entries.
double countGathers(const SortProblem &sort) {
  bool holdsElements =
      sort.keys.size() == 1 && (sort.elements.size() == 1 || sort.keys[0].isFaithful());
  return double(sort.elements.size()) - double(holdsElements);
}

/// Time to convert all elements to entries and back.
double getEntryTime(const KernelProblem &problem, const SortProblem &sort, int64_t lanes) {
  double elements = double(sort.rows) * double(sort.size);
  return elements * (problem.costs.fromCycles(kEntryCycles / double(lanes)) *
                         std::max<double>(1, sort.keys.size()) +
                     countGathers(sort) * problem.costs.getGatherTime());
}

/// Time of a radix sort of `size` entries by `bits` bits, with digits of `values` values.
double getDigitsTime(const KernelProblem &problem, int64_t size, int64_t bits, int64_t values) {
  const Machine &machine = problem.target.machine;
  double bytes = 2.0 * kEntryBytes * double(size);
  // The end of each list is in another cache line.
  bool isFar = double(values * machine.l1.lineBytes) > double(machine.l1.bytes) &&
               bytes > double(machine.l1.bytes);
  double passes = double(llvm::divideCeil(bits, llvm::Log2_64(values)));
  double element =
      problem.costs.fromCycles(kCountCycles + kDigitCycles + (isFar ? kFarDigitCycles : 0)) +
      kMissedEnds * getApartTime(machine, bytes);
  double pass = problem.costs.fromCycles(double(values) * kListCycles) + double(size) * element;
  return passes * std::max(pass, 2 * bytes * problem.costs.getStreamTime(bytes));
}

/// Time to merge `size` elements, beginning with runs of `run`; a comparison takes `compare`
/// cycles.
double getMergeTime(const KernelProblem &problem, int64_t size, int64_t run, double compare) {
  double steps = std::ceil(std::log2(std::max(1.0, double(size) / double(run))));
  double insert = kInsertCycles * double(std::min(run, size)) / double(kRun);
  return double(size) * problem.costs.fromCycles(steps * (kMergeCycles + compare) + insert);
}

std::string checkDigitValues(int64_t values) {
  return llvm::isPowerOf2_64(values) && values > 1 && values <= kMostDigitValues
             ? ""
             : "expected the number of values of a digit to be a power of two from 2 to " +
                   std::to_string(kMostDigitValues);
}

std::string checkRun(int64_t run) {
  return run > 0 && run <= kLongestRun
             ? ""
             : "expected runs of 1 to " + std::to_string(kLongestRun) + " elements";
}

//===-- Row by row ---------------------------------------------------------------------------===//

/// The units, their buffers (`bytes` bytes per unit), and the lanes.
ScheduleFields planRows(const KernelProblem &problem, const SortProblem &sort, int64_t bytes) {
  ScheduleFields fields;
  int64_t rows = std::max<int64_t>(1, sort.rows);
  bool onStack = bytes <= kStackBytes;
  int64_t most = std::min(kMaxUnits, getLeastUnits(problem.target));
  fields.units = sort.sharesBytes ? 1
                 : onStack ? rows
                           : std::min({rows, most, std::max<int64_t>(kScratchBytes / bytes, 1)});
  // All units but the last have equally many rows.
  fields.units = llvm::divideCeil(rows, llvm::divideCeil(rows, fields.units));
  fields.scratch = onStack ? 0 : fields.units * bytes;
  fields.lanes =
      sort.sharesBytes
          ? 1
          : problem.target.getLanes(std::max<int64_t>(getWidestElement(problem.body), 32));
  while (fields.lanes > 1 && fields.lanes / 2 >= sort.size)
    fields.lanes /= 2;
  return fields;
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                      const SortProblem &sort, int64_t bytes) {
  if (std::string wrong = checkFieldNames(schedule, {"block", "lanes", "units", "scratch"});
      !wrong.empty())
    return wrong;
  if (schedule.getBlock().size() != 1)
    return "expected `block` to be one number";
  int64_t widest = std::max<int64_t>(getWidestElement(problem.body), 32);
  if (std::string wrong = checkLanes(problem, schedule, widest); !wrong.empty())
    return wrong;
  if (sort.sharesBytes && (schedule.getLanes() != 1 || schedule.getUnits() != 1))
    return "expected one lane and one unit: rows of such elements do not begin at whole bytes";
  int64_t units = schedule.getUnits();
  if (units < 1 || units > std::max<int64_t>(1, sort.rows))
    return "expected no more `units` than there are rows";
  if (schedule.getScratch() == 0 ? bytes > problem.target.kernelStackBytes / 2
                                 : schedule.getScratch() != units * bytes)
    return "expected `scratch` to be " + std::to_string(units * bytes) +
           " bytes for the buffers of these units" +
           (bytes > problem.target.kernelStackBytes / 2 ? "" : ", or none");
  return "";
}

//===-- sort.digits --------------------------------------------------------------------------===//

std::string refuseDigits(const KernelProblem &problem) {
  if (!findSort(problem))
    return "the kernel contains no sort";
  return getSort(problem).keys.empty() ? "the comparator does not compare keys in a known order"
                                       : "";
}

void proposeDigits(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  SortProblem sort = getSort(problem);
  ScheduleFields fields = planRows(problem, sort, 2 * sort.getBufferBytes());
  for (int64_t values : kDigitValues) {
    fields.block = {values};
    schedules.push_back(makeSchedule(problem, "sort.digits", fields));
  }
}

double costDigits(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  double row = 0;
  for (const SortKey &key : sort.keys)
    row += getDigitsTime(problem, sort.size, key.getBits(), schedule.getBlock()[0]);
  return double(sort.rows) * row + getEntryTime(problem, sort, schedule.getLanes());
}

std::string checkDigits(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  std::string wrong = checkRows(problem, schedule, sort, 2 * sort.getBufferBytes());
  return wrong.empty() ? checkDigitValues(schedule.getBlock()[0]) : wrong;
}

//===-- sort.merge ---------------------------------------------------------------------------===//

std::string refuseMerge(const KernelProblem &problem) {
  return findSort(problem) ? "" : "the kernel contains no sort";
}

void proposeMerge(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  SortProblem sort = getSort(problem);
  ScheduleFields fields = planRows(problem, sort, 2 * sort.getBufferBytes());
  fields.block = {kRun};
  schedules.push_back(makeSchedule(problem, "sort.merge", fields));
}

double costMerge(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  int64_t run = schedule.getBlock()[0];
  if (!sort.keys.empty())
    return double(sort.rows * sort.keys.size()) * getMergeTime(problem, sort.size, run, 0) +
           getEntryTime(problem, sort, schedule.getLanes());
  // Elements of all operands are moved, and the comparator is called.
  hlo::SortOp op = findSort(problem);
  double compare = kMergeCycles * double(sort.elements.size() - 1);
  if (hlo::ComputationOp comparator = lookupComputation(op, op.getToApplyAttr()))
    for (Operation &inner : comparator.getBody().front().without_terminator())
      compare += problem.costs.toCycles(problem.costs.getScalarTime(&inner));
  return double(sort.rows) * getMergeTime(problem, sort.size, run, compare);
}

std::string checkMerge(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  std::string wrong = checkRows(problem, schedule, sort, 2 * sort.getBufferBytes());
  return wrong.empty() ? checkRun(schedule.getBlock()[0]) : wrong;
}

//===-- sort.vectors -------------------------------------------------------------------------===//

std::string refuseVectors(const KernelProblem &problem) {
  if (!findSort(problem))
    return "the kernel contains no sort";
  SortProblem sort = getSort(problem);
  if (!canCompress(problem.target))
    return "the processor has no instruction to compress the lanes of a vector";
  if (sort.sharesBytes)
    return "elements share bytes";
  return sort.getVectorBits() == 0
             ? "the comparator's order is not that of a single integer per element"
             : "";
}

/// Vectors that hold a row, up to the most that are sorted in registers.
int64_t getMostVectors(const KernelProblem &problem, const SortProblem &sort) {
  int64_t lanes = problem.target.getLanes(sort.getVectorBits()),
          whole = int64_t(llvm::divideCeil(std::max<int64_t>(1, sort.size), lanes));
  return std::min(kMostVectors, int64_t(llvm::PowerOf2Ceil(uint64_t(whole))));
}

void proposeVectors(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  SortProblem sort = getSort(problem);
  int64_t vectors = getMostVectors(problem, sort);
  if (vectors * problem.target.getLanes(sort.getVectorBits()) < sort.size)
    vectors = std::min(vectors, kSegmentVectors);
  ScheduleFields fields =
      planRows(problem, sort, sort.getVectorBufferBytes(vectors, problem.target));
  fields.block = {vectors};
  schedules.push_back(makeSchedule(problem, "sort.vectors", fields));
}

/// Cycles per vector to sort `vectors` registers of `bits`-bit integers.
double getRegisterSortCycles(const Target &target, int64_t bits, int64_t vectors) {
  double columns = llvm::Log2_64(uint64_t(vectors)),
         across = llvm::Log2_64(uint64_t(target.getLanes(bits)));
  double order = bits == 32 || target.hasMaskRegisters ? 1 : kNarrowMinMax / 2;
  double orders = columns * (columns + 1) / 2 + across * (columns + 1) + across * (across - 1);
  double shuffles = across * 1.5 + across * (across - 1) + std::min(columns, across) + 1;
  return orders * order / target.machine.rates.simple + shuffles / target.machine.rates.shuffle +
         kSegmentAccesses;
}

double costVectors(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  const Target &target = problem.target;
  int64_t bits = sort.getVectorBits(), lanes = target.getLanes(bits),
          vectors = schedule.getBlock()[0];
  double size = double(sort.size), whole = std::ceil(size / double(lanes)), cycles = 0,
         bytes = size * double(bits) / 8;
  double few = double(vectors * lanes);
  if (size <= few) {
    cycles = double(vectors) * getRegisterSortCycles(target, bits, vectors);
  } else {
    double levels = kUneven * std::log2(size / few) + 1, segments = 2 * size / few;
    cycles =
        levels * whole * (target.hasMaskRegisters ? kCompressCycles : kPermuteCycles) +
        segments * kSegmentCycles +
        (target.hasMaskRegisters ? 0 : kTableCycles / double(std::max<int64_t>(1, sort.rows))) +
        kFilledSegments * whole * getRegisterSortCycles(target, bits, vectors);
  }
  double far = std::max(0.0, std::log2(bytes / double(target.machine.l2.bytes)));
  double row = problem.costs.fromCycles(cycles) +
               kSegmentStreams * far * bytes * problem.costs.getStreamTime(bytes);
  bool isWhole = sort.hasWholeKeys();
  double elements = double(sort.rows) * size;
  return double(sort.rows) * row +
         (isWhole
              ? elements * problem.costs.fromCycles(kWholeKeyCycles / double(lanes))
              : getEntryTime(problem, sort, schedule.getLanes()) +
                    elements * double(sort.elements.size() == 1) * problem.costs.getGatherTime());
}

std::string checkVectors(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  int64_t most = getMostVectors(problem, sort);
  ArrayRef<int64_t> block = schedule.getBlock();
  if (block.size() != 1 || block[0] < 1 || block[0] > most || !llvm::isPowerOf2_64(block[0]))
    return "expected `block` to be a power of two of up to " + std::to_string(most) + " vectors";
  return checkRows(problem, schedule, sort, sort.getVectorBufferBytes(block[0], problem.target));
}

//===-- sort.network -------------------------------------------------------------------------===//

int64_t getPaddedSize(const SortProblem &sort) {
  return std::max<int64_t>(2, int64_t(llvm::PowerOf2Ceil(uint64_t(sort.size))));
}

std::string refuseNetwork(const KernelProblem &problem) {
  if (!findSort(problem))
    return "the kernel contains no sort";
  SortProblem sort = getSort(problem);
  int64_t lanes = problem.target.getLanes(64);
  if (sort.keys.size() != 1)
    return "the comparator does not compare a single key of at most 32 bits in a known order";
  if (sort.sharesBytes)
    return "elements share bytes";
  if (sort.size < 2 || sort.rowShape.empty() || sort.rowShape.back() < lanes)
    return "there are fewer adjacent rows than lanes";
  if (getPaddedSize(sort) > problem.target.kernelStackBytes / (8 * lanes))
    return "rows do not fit into the stack";
  return "";
}

void proposeNetwork(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScheduleFields fields;
  fields.lanes = problem.target.getLanes(64);
  schedules.push_back(makeSchedule(problem, "sort.network", fields));
}

double costNetwork(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  const Target &target = problem.target;
  const Rates &rates = target.machine.rates;
  int64_t padded = getPaddedSize(sort), minor = sort.rowShape.back();
  double depth = llvm::Log2_64(padded), comparisons = padded / 2.0 * depth * (depth + 1) / 2;
  double work = (target.hasMaskRegisters ? kWideMinMax : kNarrowMinMax) / rates.simple;
  double cycles =
      comparisons *
          (kPairCycles + std::max({work, kAccesses / rates.load, kAccesses / rates.store})) +
      double(sort.size) * kEntryCycles;
  double blocks = double(sort.rows / minor) * double(llvm::divideCeil(minor, schedule.getLanes()));
  return blocks * problem.costs.fromCycles(cycles) +
         double(sort.rows) * double(sort.size) * countGathers(sort) * problem.costs.getGatherTime();
}

std::string checkNetwork(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"lanes"}); !wrong.empty())
    return wrong;
  return schedule.getLanes() == problem.target.getLanes(64)
             ? ""
             : "expected `lanes` to be those of a vector of 64-bit entries";
}

//===-- topk.select --------------------------------------------------------------------------===//

hlo::TopkOp findTopk(const KernelProblem &problem) {
  auto topks = problem.body.getOps<hlo::TopkOp>();
  return topks.empty() ? hlo::TopkOp() : *topks.begin();
}

/// The smallest buffer of candidates: 2 k elements and a vector of new ones. A sort in memory takes
/// long to begin, so it has at least 64; one in registers does not.
int64_t getLeastCandidates(const KernelProblem &problem, bool inRegisters = false) {
  int64_t least = 2 * int64_t(findTopk(problem).getK()) + problem.target.getLanes(32);
  return std::max<int64_t>(inRegisters ? 1 : 64, int64_t(llvm::PowerOf2Ceil(uint64_t(least))));
}

std::string refuseSelect(const KernelProblem &problem) {
  if (!findTopk(problem))
    return "the kernel contains no topk";
  return getLeastCandidates(problem) * 2 * int64_t(kEntryBytes) > problem.target.kernelStackBytes
             ? "the candidates do not fit into the stack"
             : "";
}

bool canSelectInRegisters(const Target &target, int64_t candidates) {
  return canCompress(target) && candidates <= kMostVectors * target.getLanes(64);
}

void proposeSelect(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ScheduleFields fields;
  fields.lanes = problem.target.getLanes(32);
  fields.block = {getLeastCandidates(problem), kRun};
  schedules.push_back(makeSchedule(problem, "topk.select", fields));
  fields.block[1] = kDigitValues[0];
  fields.with = {"digits"};
  schedules.push_back(makeSchedule(problem, "topk.select", fields));
  fields.block = {getLeastCandidates(problem, /*inRegisters=*/true)};
  if (!canSelectInRegisters(problem.target, fields.block[0]))
    return;
  fields.with = {kInRegisters};
  schedules.push_back(makeSchedule(problem, "topk.select", fields));
}

double costSelect(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  auto type = cast<RankedTensorType>(findTopk(problem).getOperand().getType());
  int64_t candidates = schedule.getBlock()[0];
  double size = double(type.getShape().back()),
         rows = size == 0 ? 0 : double(type.getNumElements()) / size;
  int64_t bits = std::min<int64_t>(32, hlo::getStorageBits(type.getElementType()));
  double sort = 0;
  if (schedule.has(kInRegisters)) {
    int64_t vectors = candidates / problem.target.getLanes(64);
    sort = problem.costs.fromCycles(double(vectors) *
                                    getRegisterSortCycles(problem.target, 64, vectors));
  } else if (schedule.has("digits")) {
    sort = getDigitsTime(problem, candidates, bits, schedule.getBlock()[1]);
  } else {
    sort = getMergeTime(problem, candidates, schedule.getBlock()[1], /*compare=*/0);
  }
  return rows * (problem.costs.fromCycles(size * kLookCycles / double(schedule.getLanes())) +
                 kSelections * sort);
}

std::string checkSelect(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkFieldNames(schedule, {"block", "lanes"}, {"digits", kInRegisters});
      !wrong.empty())
    return wrong;
  if (schedule.getLanes() != problem.target.getLanes(32))
    return "expected `lanes` to be those of a vector of 32-bit keys";
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t least = getLeastCandidates(problem, schedule.has(kInRegisters)),
          most = std::min(4 * least, problem.target.kernelStackBytes / int64_t(2 * kEntryBytes));
  size_t numbers = schedule.has(kInRegisters) ? 1 : 2;
  if (block.size() != numbers || !llvm::isPowerOf2_64(block[0]) || block[0] < least ||
      block[0] > most)
    return "expected `block` to be " + std::string(numbers == 1 ? "one number" : "two numbers") +
           ", the first a power of two from " + std::to_string(least) + " to " +
           std::to_string(most);
  if (schedule.has(kInRegisters))
    return canSelectInRegisters(problem.target, block[0]) && !schedule.has("digits")
               ? ""
               : "the candidates do not fit into the registers that the processor can sort";
  return schedule.has("digits") ? checkDigitValues(block[1]) : checkRun(block[1]);
}

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return "exact"; }

} // namespace

ArrayRef<Strategy> getSortStrategies() {
  constexpr auto kind = hlo::KernelKind::Sort;
  static const Strategy strategies[] = {
      {"sort.network", kind, refuseNetwork, proposeNetwork, costNetwork, checkNetwork,
       describeSums},
      {"sort.vectors", kind, refuseVectors, proposeVectors, costVectors, checkVectors,
       describeSums},
      {"sort.digits", kind, refuseDigits, proposeDigits, costDigits, checkDigits, describeSums},
      {"sort.merge", kind, refuseMerge, proposeMerge, costMerge, checkMerge, describeSums},
      {"topk.select", kind, refuseSelect, proposeSelect, costSelect, checkSelect, describeSums},
  };
  return strategies;
}

} // namespace hloc
