// SPDX-License-Identifier: Apache-2.0
// From the finished sums of a register tile to memory: the epilogue that is fused onto a
// contraction, and the edges of its result.
//
// There is one copy of a tile's code, for whole tiles. Where the result is not a whole number of
// tiles, the last tile moves back until it fits, and stores the same values again; but not where a
// result lies in the memory of an operand, which the epilogue would read after it has been written.
// What is written may be a slice of an array (`dynamic_update_slice`).

#ifndef HLOC_CODEGEN_EMIT_TILESTORE_H
#define HLOC_CODEGEN_EMIT_TILESTORE_H

#include "codegen/emit/RegisterTile.h"

namespace hloc {

/// Where a tile lies along one dimension of the result.
struct TileSpan {
  /// Its first position, and a number known to divide that.
  mlir::Value start;
  int64_t multiple = 1;
  /// Positions at its start that belong to the tile before; null if there never are any.
  mlir::Value skip;
  /// Positions of the dimension from `start` on, where the tile is larger than the dimension;
  /// else the tile's own size.
  int64_t live = 0;
};

/// The span of the tile of `tile` positions that is to do those from `nominal` (a multiple of
/// `tile`, if it `isAligned`) of a dimension of `size`.
TileSpan makeTileSpan(IndexBuilder &index, mlir::Value nominal, int64_t size, int64_t tile,
                      bool isAligned = true);

class TileStore {
public:
  /// The result's index of a row and some columns of the contraction.
  using Place = std::function<ElementIndex(VectorIndex row, VectorIndex column)>;

  /// For tiles of `shape` of the contraction `result`, with sums of type `accumulator`. Tiles may
  /// come in more lanes than `context` has now; loops over a tile, of long epilogues, have no more
  /// than these.
  TileStore(KernelContext &context, mlir::Value result, mlir::Type accumulator, TileShape shape,
            Place place);

  /// Gives sums (rows x vectors) to the epilogue and stores the results.
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
  /// Whether the epilogue is short enough to be repeated for each vector of a tile.
  bool isShort = false;
  /// Whether a result lies in the memory of an operand that is read.
  bool isInPlace;
  /// The update that the result is written by, if there is one, and where its slice begins.
  hlo::DynamicUpdateSliceOp update;
  ElementIndex starts;
  mlir::Value buffer;
};

} // namespace hloc

#endif
