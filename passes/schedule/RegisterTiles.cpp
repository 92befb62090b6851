// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/RegisterTiles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// What a height that divides the rows may cost: a ragged edge needs as much code again.
static constexpr double kRaggedEdge = 0.02;
/// Of the rates that a machine has on paper, what is reached beside other instructions.
static constexpr double kReached = 0.9, kSlack = 1.25;
/// Accumulators for each multiply-add on its way with which none is ever waited for, and what is
/// lost for the part of them that is missing.
static constexpr double kEnough = 1.5, kLostByFew = 1.0 / 3;
/// How much longer a tile takes whose sums alone have no registers.
static constexpr double kSpilled = 5;

/// Registers of an accumulator: complex numbers take two.
static int64_t getWidth(Type accumulator) { return isa<ComplexType>(accumulator) ? 2 : 1; }

bool fitsRegisters(const Target &target, Type accumulator, TileShape tile) {
  // With a row's vectors and a scalar of the left operand, of complex ones also the negative of the
  // imaginary part, and the product where it is not added at once.
  int64_t width = getWidth(accumulator), product = target.hasFma ? 0 : 1;
  return ((tile.rows + 1) * tile.vectors + 1) * width + (width - 1) + product <=
         target.vectorRegisters;
}

double getTileRate(const Target &target, Type accumulator, TileShape tile, int64_t rows) {
  const Machine &machine = target.machine;
  double count = double(tile.rows * tile.vectors);
  double filled = count * getWidth(accumulator) /
                  (machine.rates.multiplyAddLatency * machine.rates.multiplyAdd);
  double latency = std::min({1.0, filled, 1 - kLostByFew * (1 - filled / kEnough)});
  // How many loads a multiply-add needs, against those that the first cache can do; and how many
  // rows share a vector, against what the second gives.
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
                                     int64_t rows, int64_t columns) {
  // Accumulators may take three registers in four.
  int64_t budget = target.vectorRegisters * 3 / 4 / getWidth(accumulator);
  int64_t most = std::max<int64_t>(1, llvm::divideCeil(columns, lanes));
  SmallVector<TileShape> tiles;
  for (int64_t vectors : {1, 2, 3, 4, 8}) {
    if (vectors > most)
      continue;
    TileShape tile{std::min<int64_t>(rows, budget / vectors), vectors};
    while (tile.rows > 1 && !fitsRegisters(target, accumulator, tile))
      --tile.rows;
    tiles.push_back(tile);
  }
  return tiles;
}

TileShape chooseTile(const Target &target, Type accumulator, int64_t lanes, int64_t rows,
                     int64_t columns) {
  TileShape best;
  double bestScore = -1;
  for (auto [limit, vectors] : listTallTiles(target, accumulator, lanes, rows, columns))
    for (int64_t height = limit; height >= 1; --height) {
      // Work asked for over work done: the last tile goes over rows of the one before again.
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

} // namespace hloc
