// SPDX-License-Identifier: Apache-2.0
// The shape of the register tile of contractions: rows x vectors accumulators that stay in
// registers during the loop over the contracting dimension (codegen/emit/RegisterTile.h).

#ifndef HLOC_PASSES_SCHEDULE_REGISTERTILES_H
#define HLOC_PASSES_SCHEDULE_REGISTERTILES_H

#include "compiler/target/Target.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace hloc {

/// A tile: `rows` scalars of the left operand times `vectors` vectors of the right one.
struct TileShape {
  int64_t rows = 1, vectors = 1;
};

/// Which values of a step stay in registers while those of the other operand pass: the vectors of a
/// row, or the scalars of a column if they are fewer. In code for a row as one long vector, LLVM
/// keeps its parts.
enum class TileKeeps { Vectors, Fewest };

/// The best tile for a product of `rows` rows and `columns` columns with accumulators of type
/// `accumulator` and `lanes` elements per vector: enough accumulators to hide the latency of
/// multiply-add, and registers left for the operands.
TileShape chooseTile(const Target &target, mlir::Type accumulator, int64_t lanes, int64_t rows,
                     int64_t columns, TileKeeps keeps = TileKeeps::Vectors);

/// The fewest lanes of sums with instructions that add several products to each.
inline constexpr int64_t kLeastGroupLanes = 4;

/// How many products of integers of types `left` and `right` one instruction adds to a sum of 32
/// bits: 2 (emitPairMultiplyAdd), or 4 (emitQuadMultiplyAdd) if `packs` says that both operands are
/// packed; else 1.
int64_t getIntegerGroup(const Target &target, mlir::Type left, mlir::Type right, bool packs);

/// Steps of a tile's loop between two prefetches.
inline constexpr int64_t kPieceSteps = 16;

/// The tallest tile that fits the registers for each number of vectors that the columns can fill.
llvm::SmallVector<TileShape> listTallTiles(const Target &target, mlir::Type accumulator,
                                           int64_t lanes, int64_t rows, int64_t columns,
                                           TileKeeps keeps = TileKeeps::Vectors);

/// True if the tile's accumulators and operands fit the registers.
bool fitsRegisters(const Target &target, mlir::Type accumulator, TileShape tile,
                   TileKeeps keeps = TileKeeps::Vectors);

/// The fraction of the machine's peak multiply-add rate that a tile reaches, given its latency and
/// its loads. `depth` is the number of its steps, 0 if there are many.
double getTileRate(const Target &target, mlir::Type accumulator, TileShape tile, int64_t rows,
                   int64_t depth = 0);

} // namespace hloc

#endif
