// SPDX-License-Identifier: Apache-2.0
#include "passes/Freestanding.h"
#include "passes/schedule/DotSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Columns, which have 32 bits, of a matrix register; and registers along a side of a tile: four
/// hold sums, and there are eight.
static constexpr int64_t kRows = Target::kMatrixRows, kColumns = Target::kMatrixColumns,
                         kRegisters = 2;
/// Fraction of the rate of products that is reached beside loads of registers.
static constexpr double kMatrixReached = 0.9;

std::string refuseMatrices(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                           int64_t group) {
  bool isBf16 = dot.factorIsBf16();
  if (!(isBf16 ? problem.target.usesBf16Matrices : problem.target.hasMatrixMultiplyAdd) ||
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

double getMatrixProductTime(const KernelProblem &problem, int64_t group) {
  return problem.costs.fromCycles(problem.target.machine.costs.matrixProduct) /
         double(kRows * kColumns * kColumns * group);
}

double getMatrixTime(const KernelProblem &problem, const DotProblem &dot,
                     hlo::ScheduleAttr schedule) {
  int64_t rows = schedule.getTile()[0], columns = schedule.getTile()[1] * schedule.getLanes();
  auto count = [](int64_t size, int64_t part) { return double(llvm::divideCeil(size, part)); };
  double tiles = double(dot.batches) * count(dot.rows, rows) * count(dot.columns, columns);
  int64_t group = schedule.getGroup(), depth = llvm::alignTo(dot.depth, kColumns * group);
  // A register takes as long if it is not full.
  double products = double(llvm::alignTo(rows, kRows) * llvm::alignTo(columns, kColumns) * depth);
  double sums = 2 * double(rows * columns) * count(dot.depth, getSumDepth(dot, group));
  return tiles * (products * getMatrixProductTime(problem, group) / kMatrixReached +
                  sums * problem.costs.getReloadTime());
}

} // namespace hloc
