// SPDX-License-Identifier: Apache-2.0
// sort.vectors: a quicksort of each row, whose segments of up to `block` vectors are sorted in
// registers. It sorts the elements' own keys, or a key above each position. A second number of
// `block` is that of the parts into which a single row is divided, which as many units sort.
#include "compiler/target/Access.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/SortSchedule.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

/// Vectors of a segment of a row that is too long for registers. Such rows need code for two
/// lengths, and more of it would take longer to compile than it saves.
constexpr int64_t kSegmentVectors = 8;
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

std::string describeSums(const KernelProblem &, hlo::ScheduleAttr) { return "exact"; }

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

/// Bytes of scratch memory to sort a row in `parts`.
int64_t getPartsScratch(const KernelProblem &problem, const SortProblem &sort, int64_t parts) {
  return getSharedBytes(parts) + sort.getVectorBufferBytes(kSegmentVectors, problem.target);
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

void proposeVectors(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  SortProblem sort = getSort(problem);
  const Target &target = problem.target;
  int64_t vectors = getMostVectors(problem, sort);
  if (vectors * target.getLanes(sort.getVectorBits()) < sort.size)
    vectors = std::min(vectors, kSegmentVectors);
  ScheduleFields fields = planRows(problem, sort, sort.getVectorBufferBytes(vectors, target));
  fields.block = {vectors};
  hlo::ScheduleAttr alone = makeSchedule(problem, "sort.vectors", fields);
  int64_t parts = chooseParts(problem, sort, costVectors(problem, alone));
  if (parts == 1 || vectors != kSegmentVectors)
    return schedules.push_back(alone);
  planParts(fields, parts, getPartsScratch(problem, sort, parts));
  schedules.push_back(makeSchedule(problem, "sort.vectors", fields));
}

std::string checkVectors(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  SortProblem sort = getSort(problem);
  int64_t most = getMostVectors(problem, sort);
  ArrayRef<int64_t> block = schedule.getBlock();
  bool inParts = block.size() == 2;
  if (block.size() - inParts != 1 || block[0] < 1 || block[0] > most ||
      !llvm::isPowerOf2_64(block[0]))
    return "expected `block` to be a power of two of up to " + std::to_string(most) + " vectors";
  if (!inParts)
    return checkRows(problem, schedule, sort, sort.getVectorBufferBytes(block[0], problem.target));
  if (block[0] != kSegmentVectors ||
      sort.size <= block[0] * problem.target.getLanes(sort.getVectorBits()))
    return "expected parts only with segments of " + std::to_string(kSegmentVectors) +
           " vectors, and of a longer row";
  return checkParts(problem, schedule, sort, getPartsScratch(problem, sort, block[1]));
}

} // namespace

double getRegisterSortCycles(const Target &target, int64_t bits, int64_t vectors) {
  double columns = llvm::Log2_64(uint64_t(vectors)),
         across = llvm::Log2_64(uint64_t(target.getLanes(bits)));
  double order = bits == 32 || target.hasMaskRegisters ? 1 : kNarrowMinMax / 2;
  double orders = columns * (columns + 1) / 2 + across * (columns + 1) + across * (across - 1);
  double shuffles = across * 1.5 + across * (across - 1) + std::min(columns, across) + 1;
  return orders * order / target.machine.rates.simple + shuffles / target.machine.rates.shuffle +
         kSegmentAccesses;
}

const Strategy kSortByVectors = {"sort.vectors", hlo::KernelKind::Sort, refuseVectors,
                                 proposeVectors, costVectors,           checkVectors,
                                 describeSums};

} // namespace hloc
