// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/ElementType.h"
#include "passes/Freestanding.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Columns, which have 32 bits, of a matrix register; and registers along a side of a tile: four
/// hold sums, and there are eight.
static constexpr int64_t kRows = Target::kMatrixRows, kColumns = Target::kMatrixColumns,
                         kRegisters = 2;
/// Fraction of the time to load registers that products do not hide.
static constexpr double kExposedLoads = 0.45;

std::string refuseMatrices(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                           int64_t group) {
  bool isBf16 = dot.factorIsBf16();
  if (!(isBf16 ? problem.target.hasBf16Matrices : problem.target.hasMatrixMultiplyAdd) ||
      problem.target.machine.costs.matrixProduct == 0)
    return "the target has no matrix registers for these types";
  if (group != (isBf16 ? 2 : 4))
    return "these types are not multiplied in groups that fill 32 bits";
  if (lanes != kColumns)
    return "there are too few columns for a matrix register";
  auto module = problem.body.getParentOp()->getParentOfType<ModuleOp>();
  if (module && isFreestanding(module))
    return "there is no system that permits the use of matrix registers";
  return "";
}

SmallVector<TileShape> listMatrixTiles(const DotProblem &dot, int64_t lanes) {
  int64_t vectors = std::min(kRegisters, int64_t(llvm::divideCeil(dot.columns, lanes)));
  SmallVector<TileShape> tiles{{std::min(dot.rows, kRegisters * kRows), vectors}};
  if (dot.rows > kRows)
    tiles.push_back({kRows, vectors});
  return tiles;
}

bool fitsMatrices(TileShape tile, int64_t lanes) {
  return tile.rows <= kRegisters * kRows && tile.vectors * lanes <= kRegisters * kColumns;
}

bool leftIsInMatrices(const Target &target, const DotProblem &dot, hlo::ScheduleAttr schedule) {
  if (!schedule.has(kMatrixRegisters) || !isa<BlockArgument>(dot.lhs) || dot.liveDepth ||
      dot.lhsRows.size() != 1 || dot.lhsDepth.size() != 1 ||
      dot.lhsDepth[0] != dot.lhsType.getRank() - 1)
    return false;
  int64_t bits = hlo::getStorageBits(dot.lhsType.getElementType());
  if (bits * schedule.getGroup() != 32 || dot.depth % (kColumns * schedule.getGroup()) != 0)
    return false;
  // Rows that share sets of L1 are read from L2 again for each panel.
  int64_t rowBytes = bits / 8, wayBytes = target.machine.l1.getWayBytes();
  for (int64_t size : dot.lhsType.getShape().drop_front(dot.lhsRows[0] + 1))
    rowBytes *= size;
  int64_t sets = wayBytes / std::gcd(rowBytes, wayBytes);
  return int64_t(llvm::divideCeil(schedule.getTile()[0], sets)) + kPanelWays <=
         target.machine.l1.ways;
}

bool addsUpInMatrices(const DotProblem &dot, int64_t group) {
  return isa<IntegerType>(dot.element) || dot.depth <= kSumBlock * kColumns * group;
}

bool isResultOfTiles(Block &body, ArrayRef<int64_t> reuse, const DotProblem &dot, int64_t tileRows,
                     int64_t width) {
  auto returned = cast<hlo::ReturnOp>(body.getTerminator()).getOperands();
  return !dot.isEmpty() && !dot.swapped && !dot.liveRows && !isa<ComplexType>(dot.element) &&
         returned.size() == 1 && returned[0] == dot.result &&
         dot.resultType.getElementType() == dot.element &&
         dot.element.getIntOrFloatBitWidth() >= 8 && dot.rows % tileRows == 0 &&
         dot.columns % width == 0 && llvm::all_of(reuse, [](int64_t input) { return input < 0; });
}

double getMatrixProductTime(const KernelProblem &problem, int64_t group) {
  return problem.costs.fromCycles(problem.target.machine.costs.matrixProduct) /
         double(kRows * kColumns * kColumns * group);
}

double getMatrixTime(const KernelProblem &problem, const DotProblem &dot,
                     hlo::ScheduleAttr schedule) {
  int64_t rows = schedule.getTile()[0], columns = schedule.getTile()[1] * schedule.getLanes(),
          group = schedule.getGroup();
  auto count = [](int64_t size, int64_t part) { return double(llvm::divideCeil(size, part)); };
  double tiles = double(dot.batches) * count(dot.rows, rows) * count(dot.columns, columns);
  // A register takes as long if it is not full.
  double steps = count(dot.depth, kColumns * group);
  double products = double(llvm::alignTo(rows, kRows) * llvm::alignTo(columns, kColumns)) *
                    double(kColumns * group) * getMatrixProductTime(problem, group);
  double stepBytes = double(rows + columns) * Target::kMatrixRowBytes,
         blockSteps = std::min(steps, count(getSumDepth(group), kColumns * group));
  bool fitsL1 = stepBytes * blockSteps <= double(problem.target.machine.l1.bytes);
  const Cache &cache = fitsL1 ? problem.target.machine.l1 : problem.target.machine.l2;
  double loads = kExposedLoads * stepBytes * problem.costs.getStreamTime(double(cache.bytes));
  double sums = double(rows * columns) * count(dot.depth, getSumDepth(group));
  if (!isResultOfTiles(problem.body, problem.reuse, dot, rows, columns))
    sums *= 2; // they are stored twice
  return tiles * (steps * (products + loads) + sums * problem.costs.getReloadTime());
}

} // namespace hloc
