// SPDX-License-Identifier: Apache-2.0
// Strategies for sorts, all of which are stable, and for topk. The bits of results do not depend on
// the choice.
//
// - sort.network: a sorting network over `lanes` rows at a time, one in each lane.
// - sort.vectors: a quicksort of each row (SortVectors.cpp).
// - sort.digits: a radix sort of each row. `block` is the number of values of a digit and, if a
//   single row is divided into parts, which as many units sort together, their number.
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
#include "passes/schedule/SortSchedule.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

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
/// Instructions of one comparison of a network: two loads, two stores, and minimum and maximum of
/// unsigned 64-bit integers, which are one instruction each with AVX-512 and otherwise a comparison
/// with inverted signs and two blends; and cycles to find the next pair.
constexpr double kAccesses = 2, kWideMinMax = 2, kPairCycles = 1.5;
/// Cycles of a vector of elements that contains no new candidate, and how often the candidates of a
/// row are sorted.
constexpr double kLookCycles = 4, kSelections = 3;

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

//===-- sort.digits --------------------------------------------------------------------------===//

std::string refuseDigits(const KernelProblem &problem) {
  if (!findSort(problem))
    return "the kernel contains no sort";
  return getSort(problem).keys.empty() ? "the comparator does not compare keys in a known order"
                                       : "";
}

/// Time of all passes over all rows.
double getDigitsTime(const KernelProblem &problem, const SortProblem &sort, int64_t values) {
  double row = 0;
  for (const SortKey &key : sort.keys)
    row += getDigitsTime(problem, sort.size, key.getBits(), values);
  return double(sort.rows) * row;
}

/// Bytes of scratch memory to sort a row in `parts`.
int64_t getPartsScratch(const SortProblem &sort, int64_t values, int64_t parts) {
  return sort.getDigitsSharedBytes(values, parts) + 2 * sort.getBufferBytes();
}

void proposeDigits(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  SortProblem sort = getSort(problem);
  for (int64_t values : kDigitValues) {
    ScheduleFields fields = planRows(problem, sort, 2 * sort.getBufferBytes());
    fields.block = {values};
    double time = getDigitsTime(problem, sort, values) + getEntryTime(problem, sort, fields.lanes);
    if (int64_t parts = chooseParts(problem, sort, time); parts > 1)
      planParts(fields, parts, getPartsScratch(sort, values, parts));
    schedules.push_back(makeSchedule(problem, "sort.digits", fields));
  }
}

double costDigits(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  return getDigitsTime(problem, sort, schedule.getBlock()[0]) +
         getEntryTime(problem, sort, schedule.getLanes());
}

std::string checkDigits(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  ArrayRef<int64_t> block = schedule.getBlock();
  if (block.empty())
    return "expected `block` to be the number of values of a digit";
  if (std::string wrong = checkDigitValues(block[0]); !wrong.empty())
    return wrong;
  return block.size() == 2
             ? checkParts(problem, schedule, sort, getPartsScratch(sort, block[0], block[1]))
             : checkRows(problem, schedule, sort, 2 * sort.getBufferBytes());
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
      kSortByVectors,
      {"sort.digits", kind, refuseDigits, proposeDigits, costDigits, checkDigits, describeSums},
      {"sort.merge", kind, refuseMerge, proposeMerge, costMerge, checkMerge, describeSums},
      {"topk.select", kind, refuseSelect, proposeSelect, costSelect, checkSelect, describeSums},
  };
  return strategies;
}

} // namespace hloc
