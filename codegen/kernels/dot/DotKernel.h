// SPDX-License-Identifier: Apache-2.0
// The code of a dot: what its ways of working share. DotKernel.cpp looks at the operands and
// chooses; DotBlocked.cpp (with DotPrefetch.cpp), DotNarrow.cpp and DotAxpy.cpp are the ways.

#ifndef HLOC_CODEGEN_KERNELS_DOTKERNEL_H
#define HLOC_CODEGEN_KERNELS_DOTKERNEL_H

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
  /// Whether the k that are multiplied are groups of `count` from the first to the last.
  bool hasWholeGroups(int64_t count) const { return !liveDepth && depth % count == 0; }
  mlir::Value beginOfBlock(int64_t block);
  Range clipDepth(mlir::Value start, mlir::Value end);
  TileSpan spanRows(mlir::Value nominal);
  mlir::Value countEntries(Range depthRange);
  void widenTile();
  TileStore makeStore();
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
  void prefetchStrip(const TileSpan &span, mlir::Value k);
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
  llvm::SmallVector<llvm::SmallVector<VectorValue>>
  addUnlessFirst(mlir::Value isFirst, llvm::ArrayRef<VectorValue> sums,
                 llvm::ArrayRef<MemoryArray> partial,
                 llvm::function_ref<ElementIndex(int64_t row, int64_t vector)> partialAt);
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
  /// Of what is multiplied, i16 or bf16 with pairs, i8 with fours.
  mlir::Type factor;
  /// How many neighbouring k are multiplied and added by one instruction: 1, 2
  /// (emitPairMultiplyAdd) or 4 (emitQuadMultiplyAdd).
  int64_t group = 1;
  /// With fours, where both operands are signed: the left one's bytes are taken as 128 more than
  /// they are, and 128 times the right one's are taken back.
  bool lhsIsOffset = false;
  /// Of a vector of the machine; and of the vectors that a tile is written in, which are as wide
  /// as its rows where they can be: the target splits them, and there is less code on the way to
  /// it.
  int64_t lanes = 1, tileLanes = 1;
  TileShape tile;
  /// The argument that holds the right operand in panels, if a kernel before this one packed it.
  mlir::BlockArgument packedPanels;
  /// Rows that are wanted, and k that are multiplied, of which there is one at least.
  Range wantedRows, multipliedDepth;

  VectorIndex batch;
};

} // namespace hloc

#endif
