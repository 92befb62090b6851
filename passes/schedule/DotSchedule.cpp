// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/DotSchedule.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Access.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/Streams.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Bytes that memory could have delivered in the time that a jump to another row costs.
static constexpr double kRowChangeBytes = 512;
/// Fraction of the time to read from L2 that tiles stall.
static constexpr double kPanelWait = 0.2;

/// Fraction of misses that is not hidden where hardware prefetchers do not help.
static constexpr double kExposedMisses = 0.2;

/// Loads per multiply-add, as a fraction of what L1 can do, that cost nothing; what each one beyond
/// costs, as loads and multiply-adds compete for issue slots; and the most that is lost.
static constexpr double kFreeLoads = 0.4, kLostByLoads = 0.5, kMostLostByLoads = 0.11;

DotProblem getDot(const KernelProblem &problem) {
  return DotProblem(*problem.body.getOps<hlo::DotOp>().begin());
}

int64_t countUnits(const DotProblem &dot, hlo::ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile(), block = schedule.getBlock();
  bool isAlongDepth = schedule.getStrategy() == "dot.along_depth";
  int64_t rows = block.empty() ? tile[0] : block[0],
          columns = !block.empty() ? block[1] : tile[1] * (isAlongDepth ? 1 : schedule.getLanes());
  return dot.batches * int64_t(llvm::divideCeil(dot.rows, rows)) *
         int64_t(llvm::divideCeil(dot.columns, columns));
}

int64_t chooseLanes(const KernelProblem &problem, const DotProblem &dot, int64_t along) {
  int64_t lanes = problem.target.getLanes(dot.getPartBits());
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  return lanes;
}

int64_t chooseGroup(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                    bool packs) {
  const Target &target = problem.target;
  if (lanes < kLeastGroupLanes || dot.depth < 2)
    return 1;
  if (dot.factorIsBf16())
    return target.usesBf16Dot(dot.hasNoSubnormals()) && dot.element.isF32() ? 2 : 1;
  return dot.element.isInteger(32) ? getIntegerGroup(target, dot.lhsType.getElementType(),
                                                     dot.rhsType.getElementType(), packs)
                                   : 1;
}

int64_t getSumDepth(int64_t group) { return kSumBlock * group; }

static double getProducts(const DotProblem &dot) {
  return double(dot.batches) * dot.rows * dot.columns * dot.depth;
}

double getProductTime(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                      double rate) {
  double whole = problem.target.getLanes(dot.getPartBits());
  return getProducts(dot) * problem.costs.getMultiplyAddTime(dot.element) * whole / lanes / rate;
}

double getLeastProductTime(const KernelProblem &problem, hlo::DotOp op) {
  DotProblem dot(op);
  int64_t lanes = problem.target.getLanes(dot.getPartBits()),
          group = chooseGroup(problem, dot, lanes, /*packs=*/true);
  if (refuseMatrices(problem, dot, lanes, group).empty())
    return getProducts(dot) * getMatrixProductTime(problem, group);
  return getProductTime(problem, dot, lanes,
                        problem.costs.getGroupSpeed(group, dot.factorIsBf16()));
}

double getLoadRate(const KernelProblem &problem, const DotProblem &dot, TileShape tile) {
  if (dot.batches > 1)
    return 1;
  const Rates &rates = problem.target.machine.rates;
  double loads = double(tile.rows + tile.vectors) / double(tile.rows * tile.vectors) *
                 rates.multiplyAdd / rates.load;
  return 1 - std::clamp(kLostByLoads * (loads - kFreeLoads), 0.0, kMostLostByLoads);
}

double getReadTime(const KernelProblem &problem, const DotProblem &dot, double passes) {
  // What is read repeatedly shares its cache with other data.
  double held = dot.getRhsWholeBytes() * (passes > 1 ? 2 : 1),
         first = std::max(held, fuse::bytesOf(dot.rhsType)); // all batches
  if (BlockArgument origin = findOrigin(dot.rhs))
    first = std::max(first, problem.getBytesAround(origin));
  return dot.batches * dot.getRhsBytes() *
         (problem.costs.getStreamTime(first) + (passes - 1) * problem.costs.getStreamTime(held));
}

double getStripFactor(const KernelProblem &problem, const DotProblem &dot, int64_t columns) {
  if (dot.rows > kMostAxpyRows || dot.depthIsMinorOfRhs ||
      std::max(dot.getRhsWholeBytes(), fuse::bytesOf(dot.rhsType)) <=
          double(problem.target.machine.l2.bytes))
    return 1;
  double bytes = double(std::min(columns, dot.columns)) * fuse::elementBytes(dot.rhsType);
  return 1 + kRowChangeBytes / bytes;
}

bool canAskAhead(const DotProblem &dot) {
  return dot.rhsWhole && fuse::elementBytes(dot.rhsType) >= 1 && dot.rhsColumns.size() == 1 &&
         dot.rhsDepth.size() == 1 && dot.rhsColumns[0] == dot.rhsType.getRank() - 1;
}

double getPanelWait(const KernelProblem &problem, const DotProblem &dot, double rowTiles,
                    int64_t elements) {
  const Machine &machine = problem.target.machine;
  if (elements * dot.getElementBytes() <= machine.l1.bytes / 2)
    return 0;
  return kPanelWait * dot.batches * rowTiles * dot.columns * dot.depth * dot.getElementBytes() *
         problem.costs.getStreamTime(double(machine.l2.bytes));
}

bool rowsShareWays(const KernelProblem &problem, const DotProblem &dot) {
  int64_t rank = dot.lhsType.getRank();
  return rank > 0 && dot.lhsType.getDimSize(rank - 1) * dot.getElementBytes() %
                             problem.target.machine.l1.getWayBytes() ==
                         0;
}

double getTransposedTime(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows,
                         double panels) {
  const Machine &machine = problem.target.machine;
  double bytes = fuse::bytesOf(dot.lhsType);
  if (!dot.lhsIsTransposed || bytes / dot.batches <= double(machine.l1.bytes) / 2)
    return 0;
  double lines = double(dot.batches) * dot.depth * llvm::divideCeil(dot.rows, tileRows);
  // Lines that evict each other from L1 do so in L2 as well.
  double held = rowsShareWays(problem, dot) ? bytes : double(machine.l2.bytes);
  return panels * lines * machine.l1.lineBytes * problem.costs.getStreamTime(held);
}

double getColdRowsTime(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows) {
  const Machine &machine = problem.target.machine;
  double bytes = fuse::bytesOf(dot.lhsType), rowBytes = double(dot.depth) * dot.getElementBytes();
  if (bytes <= double(machine.l2.bytes) || 2 * rowBytes > kPageBytes ||
      double(tileRows) * rowBytes <= kPageBytes)
    return 0;
  return kExposedMisses * bytes / double(machine.l1.lineBytes) * getApartTime(machine, bytes);
}

double getPrologueTime(const KernelProblem &problem, const DotProblem &dot) {
  if (dot.rhsIsPlain)
    return 0;
  double time = dot.rhsWhole ? 2 * problem.costs.getReloadTime() : 0;
  for (Operation *op = dot.rhs.getDefiningOp(); op;
       op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
    time += problem.costs.getElementTime(op);
  return time;
}

double getBatchMinorTime(const KernelProblem &problem, const DotProblem &dot) {
  bool isMinor = !dot.rhsBatch.empty() && dot.rhsBatch.back() == dot.rhsType.getRank() - 1 &&
                 dot.rhsType.getShape().back() > 1;
  return isMinor ? problem.costs.getStridedTime() +
                       getApartTime(problem.target.machine, double(dot.batches) * dot.getRhsBytes())
                 : 0;
}

hlo::ScheduleAttr makeSchedule(const DotProblem &dot, StringRef strategy, TileShape tile,
                               ArrayRef<int64_t> block, int64_t lanes, int64_t group,
                               ArrayRef<StringRef> with) {
  MLIRContext *context = dot.resultType.getContext();
  SmallVector<StringAttr> names =
      llvm::map_to_vector(with, [&](StringRef name) { return StringAttr::get(context, name); });
  return hlo::ScheduleAttr::get(context, strategy, {tile.rows, tile.vectors}, block, lanes, group,
                                /*units=*/0, /*grain=*/0, /*scratch=*/0, names);
}

std::string checkTile(const KernelProblem &problem, const DotProblem &dot,
                      hlo::ScheduleAttr schedule, ArrayRef<StringRef> with) {
  if (std::string wrong = checkScheduleFields(problem, schedule, with); !wrong.empty())
    return wrong;
  if (schedule.getTile()[0] > dot.rows)
    return "expected no more rows in a tile than the product has";
  return checkLanes(problem, schedule, dot.getPartBits());
}

std::string sumInPlace(const KernelProblem &problem, hlo::ScheduleAttr) {
  DotProblem dot = getDot(problem);
  if (!isa<FloatType, ComplexType>(dot.element))
    return kExactSums.str();
  if (!isBlockedSum(dot.element, dot.depth))
    return kSumsInTurn.str();
  return "blocks of " + std::to_string(chooseSumBlock(dot.depth, kSumBlock)) +
         " in turn, compensated";
}

std::string describeSumBlocks(const DotProblem &dot, int64_t group) {
  int64_t block = getSumDepth(group);
  if (dot.depth <= block)
    return "";
  return ", blocks of " + std::to_string(block) + " added to the first" +
         (isCompensatedSum(dot.element, dot.depth) ? " and compensated" : "");
}

std::string sumInBlocks(const KernelProblem &problem, hlo::ScheduleAttr) {
  DotProblem dot = getDot(problem);
  if (!isa<FloatType, ComplexType>(dot.element))
    return kExactSums.str();
  return kSumsInTurn.str() + describeSumBlocks(dot, /*group=*/1);
}

} // namespace hloc
