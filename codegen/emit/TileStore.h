// SPDX-License-Identifier: Apache-2.0
// Stores the sums of a register tile: applies the epilogue that is fused onto a contraction, and
// handles the edges of the result.
//
// The code of a tile exists once, for whole tiles. If the result is not a whole number of tiles,
// the last tile moves back until it fits and stores some values again. Where that is impossible,
// because a result is in the memory of an operand that the epilogue would read after it is
// overwritten, these values are skipped. The tile may be stored into a slice of an array
// (`dynamic_update_slice`).

#ifndef HLOC_CODEGEN_EMIT_TILESTORE_H
#define HLOC_CODEGEN_EMIT_TILESTORE_H

#include "codegen/emit/RegisterTile.h"

namespace hloc {

/// The position of a tile along one dimension of the result.
struct TileSpan {
  /// Its first position, and a number known to divide that.
  mlir::Value start;
  int64_t multiple = 1;
  /// The number of positions at its start that belong to the tile before; null if it is always
  /// zero.
  mlir::Value skip;
  /// If the tile is larger than the dimension: the size of the dimension. Else the tile's size.
  int64_t live = 0;
};

/// The span of a tile of `tile` positions at `nominal` (a multiple of `tile` if `isAligned`), moved
/// back so that it ends within a dimension of `size`.
TileSpan makeTileSpan(IndexBuilder &index, mlir::Value nominal, int64_t size, int64_t tile,
                      bool isAligned = true);

class TileStore {
public:
  /// Maps a row and columns of the contraction to an index of the result.
  using Place = std::function<ElementIndex(VectorIndex row, VectorIndex column)>;

  /// For tiles of `shape` of the contraction `result`, with accumulators of type `accumulator`.
  /// Tiles may have more lanes than `context` has at present; loops over a tile, which long
  /// epilogues use, have no more than that.
  TileStore(KernelContext &context, mlir::Value result, mlir::Type accumulator, TileShape shape,
            Place place);

  /// Applies the epilogue to the sums (rows x vectors) and stores the results.
  void finish(llvm::ArrayRef<VectorValue> sums, TileSpan rows, TileSpan columns);

private:
  void finishVector(VectorValue sum, VectorIndex row, VectorIndex column, Mask mask);
  void finishInRegisters(llvm::ArrayRef<VectorValue> sums, const TileSpan &rows,
                         const TileSpan &columns);
  void finishThroughBuffer(llvm::ArrayRef<VectorValue> sums, const TileSpan &rows,
                           const TileSpan &columns);

  KernelContext &context;
  mlir::Value result;
  mlir::RankedTensorType resultType;
  mlir::Type accumulator;
  TileShape shape;
  Place place;
  int64_t loopLanes;
  /// True if the epilogue is short enough to be unrolled for each vector of a tile.
  bool isShort = false;
  /// True if a result is in the memory of an operand that is read.
  bool isInPlace;
  /// The update that writes the result, or null, and where its slice begins.
  hlo::DynamicUpdateSliceOp update;
  ElementIndex starts;
  mlir::Value buffer;
};

} // namespace hloc

#endif
