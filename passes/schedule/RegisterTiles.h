// SPDX-License-Identifier: Apache-2.0
// The shape of the register tile of contractions: rows x vectors accumulators that stay in
// registers while a loop runs over the contracted dimension (codegen/emit/RegisterTile.h).

#ifndef HLOC_PASSES_SCHEDULE_REGISTERTILES_H
#define HLOC_PASSES_SCHEDULE_REGISTERTILES_H

#include "compiler/target/Target.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace hloc {

/// The shape of a tile: `rows` scalars of the left operand against `vectors` vectors of the right.
struct TileShape {
  int64_t rows = 1, vectors = 1;
};

/// The best tile for a problem of `rows` rows and `columns` columns of accumulators of type
/// `accumulator`, with `lanes` elements a vector: as many accumulators as hide the latency of
/// multiply-add and leave room for the operands.
TileShape chooseTile(const Target &target, mlir::Type accumulator, int64_t lanes, int64_t rows,
                     int64_t columns);

/// Steps of a tile's loop between two looks at what memory is to be asked for.
inline constexpr int64_t kPieceSteps = 16;

/// Tiles of the most rows that have registers, one for each count of vectors that the columns fill.
llvm::SmallVector<TileShape> listTallTiles(const Target &target, mlir::Type accumulator,
                                           int64_t lanes, int64_t rows, int64_t columns);

/// Whether such a tile's accumulators and operands have registers.
bool fitsRegisters(const Target &target, mlir::Type accumulator, TileShape tile);

/// The part of the machine's multiply-adds that a tile can do: its latency and its loads limit it.
double getTileRate(const Target &target, mlir::Type accumulator, TileShape tile, int64_t rows);

} // namespace hloc

#endif
