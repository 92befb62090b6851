// SPDX-License-Identifier: Apache-2.0
// The code of a dot: what the strategies share. DotKernel.cpp analyses the operands and dispatches
// to DotBlocked.cpp (with DotPrefetch.cpp and DotMatrix.cpp), DotRowBlocks.cpp, DotNarrow.cpp or
// DotAxpy.cpp.

#ifndef HLOC_CODEGEN_KERNELS_DOTKERNEL_H
#define HLOC_CODEGEN_KERNELS_DOTKERNEL_H

#include "codegen/emit/MatrixTile.h"
#include "codegen/emit/TileStore.h"

namespace hloc {

class DotKernel : private DotProblem {
public:
  DotKernel(KernelContext &context, hlo::DotOp dot)
      : DotProblem(dot), context(context), b(context.b), index(context.index) {}

  llvm::LogicalResult emit();

private:
  ElementIndex lhsIndex(VectorIndex m, VectorIndex k);
  ElementIndex rhsIndex(VectorIndex k, VectorIndex n);
  ElementIndex resultIndex(VectorIndex m, VectorIndex n);
  VectorValue loadLhs(VectorIndex m, VectorIndex k, Mask mask = {});
  VectorValue loadRhs(VectorIndex k, VectorIndex n, Mask mask = {});
  mlir::Value loadGroups(mlir::Value start,
                         llvm::function_ref<VectorValue(VectorIndex k, Mask mask)> load);

  /// Positions [start, end) of a dimension.
  struct Range {
    mlir::Value start, end;
  };
  Range makeRange(mlir::Value block, int64_t size, int64_t blockSize);
  void findLiveParts();
  /// True if the range of k that is multiplied is a whole number of groups of `count`.
  bool hasWholeGroups(int64_t count) const { return !liveDepth && depth % count == 0; }
  mlir::Value beginOfBlock(int64_t block);
  Range clipDepth(mlir::Value start, mlir::Value end);
  TileSpan spanRows(mlir::Value nominal);
  mlir::Value countEntries(Range depthRange);
  void widenTile();
  TileStore makeStore(TileShape shape);
  /// Where a vector of a tile is in an array of sums.
  using PlaceInTile = llvm::function_ref<ElementIndex(int64_t row, int64_t vector)>;
  llvm::SmallVector<VectorValue> loadTile(MemoryArray memory, TileShape shape, PlaceInTile at);
  void storeTile(MemoryArray memory, TileShape shape, llvm::ArrayRef<VectorValue> sums,
                 PlaceInTile at);
  void describeUnits(int64_t blockRows, int64_t blockColumns);
  bool leadsWithBatches(mlir::Value operand, llvm::ArrayRef<int64_t> batch);
  void emitUnits(llvm::function_ref<void(Range rows, Range columns)> body, int64_t blockRows,
                 int64_t blockColumns);
  void forEachTile(Range range, int64_t size, int64_t tileSize,
                   llvm::function_ref<void(const TileSpan &, mlir::Value number)> body,
                   bool isAligned = true);
  void forEachRowTile(Range range,
                      llvm::function_ref<void(const TileSpan &, mlir::Value number)> body) {
    forEachTile(range, rows, tile.rows, body, /*isAligned=*/!liveRows);
  }
  void emitBlocked();
  mlir::Value countPrefetched(Range rowRange, int64_t blockRows, int64_t turns);
  void prefetchRhs(Range columnRange, Range depthRange, int64_t blockColumns, mlir::Value turn,
                   mlir::Value share);
  void prefetchLhs(const TileSpan &span, Range depthRange, mlir::Value panel, int64_t panels,
                   mlir::Value piece);
  void prefetchRows(mlir::Value k, int64_t count, mlir::Value column, mlir::Value within);
  void prefetchColumnsOfRow(VectorIndex k, VectorIndex column);
  void prefetchNextStrip(const TileSpan &span, Range columnRange, mlir::Value k,
                         int64_t blockDepth);
  void prefetchColumns(const TileSpan &span, mlir::Value k);
  /// A panel of the packed right operand.
  struct Panel {
    MemoryArray memory;
    TileSpan span;
    mlir::Value number;
  };
  VectorValue loadColumns(VectorIndex k, VectorIndex n, Mask mask);
  void packEntry(const Panel &panel, mlir::Value within, int64_t vectors, int64_t live,
                 mlir::Value k, Range range);
  void packColumns(const Panel &panel, mlir::Value within, int64_t vectors, int64_t live,
                   mlir::Value from, Range range);
  void packSquares(const Panel &panel, mlir::Value within, int64_t live, Range range);
  void packCorrection(const Panel &panel, Range depthRange);
  mlir::Value firstOfGroup(Range range, mlir::Value entry);
  MemoryArray locatePanels(int64_t count, Range columnRange, Range depthRange);
  void packRhs(MemoryArray packed, Range columnRange, Range depthRange);
  void packLhs(MemoryArray packed, const TileSpan &span, Range depthRange);
  void packLhsBlock(MemoryArray packed, Range rowRange, Range depthRange);
  /// The end of a block of k.
  struct BlockEnd {
    /// The sums of the blocks before and, with compensation, their error terms; none if there is
    /// only one block.
    llvm::ArrayRef<MemoryArray> partial;
    /// Where the block begins and the first one began; the block's last k plus one.
    mlir::Value depthStart, firstStart, depthEnd;
    /// Sums are kept in the memory of the result.
    bool inResult;
  };
  void finishBlock(TileStore &store, TileShape shape, llvm::ArrayRef<VectorValue> sums,
                   const TileSpan &rowSpan, const TileSpan &columnSpan, const BlockEnd &end,
                   llvm::function_ref<ElementIndex(int64_t row, int64_t vector)> partialAt);
  llvm::SmallVector<llvm::SmallVector<VectorValue>>
  addUnlessFirst(mlir::Value isFirst, TileShape shape, llvm::ArrayRef<VectorValue> sums,
                 llvm::ArrayRef<MemoryArray> partial,
                 llvm::function_ref<ElementIndex(int64_t row, int64_t vector)> partialAt);
  void padPanel(const Panel &panel, Range range);
  /// What tiles of matrix registers read and write.
  struct Matrices {
    MemoryArray panels;
    /// The packed rows of the left operand; none if they are read in place.
    MemoryArray packedRows;
    /// Room for the sums of one tile.
    MemoryArray sums;
  };
  /// A tile: its positions, and its numbers within the unit.
  struct Tile {
    const TileSpan &rows, &columns;
    mlir::Value rowTile, panel;
  };
  void emitMatrices(const Matrices &memory, const Tile &at, Range depthRange, TileStore &store,
                    const BlockEnd &end,
                    llvm::function_ref<ElementIndex(VectorIndex row, int64_t vector)> partialAt);
  void multiplyMatrices(const Matrices &memory, const Tile &at, Range depthRange, MatrixMemory sums,
                        mlir::Value isFirst);
  MatrixMemory locateRows(const TileSpan &span, Range depthRange);
  MatrixMemory locateResult(const Tile &at);
  MemoryArray locateSums(MemoryArray partial, const Tile &at);
  void forEachRowOf(const TileSpan &span,
                    llvm::function_ref<void(const TileSpan &row, mlir::Value number)> body);
  llvm::SmallVector<VectorValue> loadRow(MemoryArray sums, mlir::Value row);
  void emitRowBlocks();
  llvm::SmallVector<VectorValue>
  loadSums(MemoryArray sums, mlir::Value isFirst,
           llvm::function_ref<ElementIndex(int64_t row, int64_t vector)> sumAt);
  llvm::SmallVector<VectorValue> addToTile(llvm::ArrayRef<VectorValue> before,
                                           MemoryArray packedRows, const TileSpan &rowSpan,
                                           const TileSpan &columnSpan, Range columnRange,
                                           Range depthRange);
  void emitStreaming();
  int64_t countStepsOfRun(int64_t step) const;
  void emitAlongDepth();
  void emitAxpy();
  void addRows(MemoryArray sums, TileSpan strip, int64_t width, mlir::Value k, int64_t count);
  void finishStrip(TileStore &store, const TileSpan &strip, int64_t width,
                   llvm::ArrayRef<MemoryArray> sums);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  /// Type of the factors: i16 or bf16 with groups of two, i8 with groups of four.
  mlir::Type factor;
  /// The number of successive k that one instruction multiplies and adds: 1, 2
  /// (emitPairMultiplyAdd) or 4 (emitQuadMultiplyAdd).
  int64_t group = 1;
  /// The k of a block, after which its sums are added to those of the blocks before.
  int64_t sumDepth = 0;
  /// Products are made in matrix registers (DotMatrix.cpp), which load the rows of the left operand
  /// where they lie, and store what is the result.
  bool usesMatrices = false, leftIsMatrix = false, resultIsMatrix = false;
  /// With groups of four if both operands are signed, outside matrix registers: 128 is added to the
  /// left operand's bytes, and 128 times the right operand's sum is subtracted again.
  bool lhsIsOffset = false;
  /// Lanes of a machine vector, and of the vectors that the code of a tile uses. The latter are as
  /// wide as the tile's rows if possible: the target splits them, and until then there is less
  /// code.
  int64_t lanes = 1, tileLanes = 1;
  TileShape tile;
  /// The argument that holds the right operand in panels, if a kernel before this one packed it.
  mlir::BlockArgument packedPanels;
  /// The rows that are wanted, and the k that are multiplied, at least one of which exists.
  Range wantedRows, multipliedDepth;

  VectorIndex batch;
};

} // namespace hloc

#endif
