// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/RegisterTiles.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// What is given up for a height that divides the rows: a ragged edge needs as much code again.
static constexpr double kRaggedEdge = 0.02;
/// The fraction of a machine's nominal load rate that is reached among other instructions, and a
/// tolerance for the bandwidth of L2.
static constexpr double kReached = 0.9, kSlack = 1.25;
/// Accumulators per multiply-add in flight from which there are no stalls, and what is lost in
/// proportion to those that are missing.
static constexpr double kEnough = 1.5, kLostByFew = 1.0 / 3;
/// By what factor a tile is slower if its accumulators alone exceed the registers.
static constexpr double kSpilled = 5;

/// Registers per accumulator: two for complex numbers.
static int64_t getWidth(Type accumulator) { return isa<ComplexType>(accumulator) ? 2 : 1; }

bool fitsRegisters(const Target &target, Type accumulator, TileShape tile, TileKeeps keeps) {
  // Besides the accumulators there are the values that are kept, one of the other operand, for
  // complex numbers also the negated imaginary part, and the product if there is no fused
  // multiply-add, as for integers.
  bool isFused = target.hasFma && !isa<IntegerType>(accumulator);
  int64_t width = getWidth(accumulator), product = isFused ? 0 : 1,
          kept = keeps == TileKeeps::Fewest ? std::min(tile.rows, tile.vectors) : tile.vectors;
  return (tile.rows * tile.vectors + kept + 1) * width + (width - 1) + product <=
         target.vectorRegisters;
}

double getTileRate(const Target &target, Type accumulator, TileShape tile, int64_t rows,
                   int64_t depth) {
  const Machine &machine = target.machine;
  double count = double(tile.rows * tile.vectors);
  // A core begins tiles of few steps while it is still at work on the ones before.
  double instructions = double(depth) * (count + double(tile.rows + tile.vectors)),
         begun = depth > 0 ? std::max(1.0, machine.rates.window / instructions) : 1;
  double filled = begun * count * getWidth(accumulator) /
                  (machine.rates.multiplyAddLatency * machine.rates.multiplyAdd);
  double latency = std::min({1.0, filled, 1 - kLostByFew * (1 - filled / kEnough)});
  // The loads per multiply-add against the load rate of L1, and the rows that share a loaded vector
  // against the bandwidth of L2.
  double loads =
      (tile.rows + tile.vectors) / count * machine.rates.multiplyAdd / machine.rates.load;
  double rowsPerLoad =
      kSlack * machine.rates.multiplyAdd * target.vectorBytes / machine.l2.bytesPerCycle;
  if (count * getWidth(accumulator) > double(target.vectorRegisters))
    latency /= kSpilled;
  double wait = std::max({1.0, loads / kReached, std::min<double>(rows, rowsPerLoad) / tile.rows});
  return latency / wait;
}

SmallVector<TileShape> listTallTiles(const Target &target, Type accumulator, int64_t lanes,
                                     int64_t rows, int64_t columns, TileKeeps keeps) {
  // Accumulators may take three quarters of the registers.
  int64_t budget = target.vectorRegisters * 3 / 4 / getWidth(accumulator);
  int64_t most = std::max<int64_t>(1, llvm::divideCeil(columns, lanes));
  SmallVector<TileShape> tiles;
  for (int64_t vectors : {1, 2, 3, 4, 8}) {
    if (vectors > most)
      continue;
    TileShape tile{std::min<int64_t>(rows, budget / vectors), vectors};
    // Where there are more rows, a higher tile of fewer vectors keeps these.
    TileKeeps kept = tile.rows == rows ? keeps : TileKeeps::Vectors;
    while (tile.rows > 1 && !fitsRegisters(target, accumulator, tile, kept))
      --tile.rows;
    tiles.push_back(tile);
  }
  return tiles;
}

TileShape chooseTile(const Target &target, Type accumulator, int64_t lanes, int64_t rows,
                     int64_t columns, TileKeeps keeps) {
  TileShape best;
  double bestScore = -1;
  for (auto [limit, vectors] : listTallTiles(target, accumulator, lanes, rows, columns, keeps))
    for (int64_t height = limit; height >= 1; --height) {
      // Useful work over work done: the last tile repeats rows of the one before.
      double useful = double(columns) / llvm::alignTo(columns, vectors * lanes) * rows /
                      llvm::alignTo(rows, height);
      double loads = double(height + vectors) / (height * vectors);
      double score = useful * getTileRate(target, accumulator, {height, vectors}, rows) -
                     0.05 * loads - (rows % height != 0 ? kRaggedEdge : 0);
      if (score > bestScore) {
        bestScore = score;
        best = {height, vectors};
      }
    }
  return best;
}

int64_t getIntegerGroup(const Target &target, Type left, Type right, bool packs) {
  auto fits = [](Type type, unsigned bits) {
    return isa<IntegerType>(type) && !hlo::isPred(type) &&
           (type.getIntOrFloatBitWidth() < bits || type.isSignlessInteger(bits));
  };
  bool leftIsBytes = fits(left, 8) || left.isUnsignedInteger(8);
  if (packs && target.hasQuadMultiplyAdd && leftIsBytes && fits(right, 8))
    return 4;
  return target.hasPairMultiplyAdd && fits(left, 16) && fits(right, 16) ? 2 : 1;
}

} // namespace hloc
