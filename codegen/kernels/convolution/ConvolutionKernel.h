// SPDX-License-Identifier: Apache-2.0
// The code of a convolution: what its parts share. ConvolutionKernel.cpp loops over units,
// ConvolutionInput.cpp reads operands and fills patches, ConvolutionTile.cpp is the register tile.
// ConvolutionBlocked.cpp is for filters of many channels, ConvolutionWindow.cpp for large windows,
// ConvolutionChannels.cpp for few features of many channels.

#ifndef HLOC_CODEGEN_KERNELS_CONVOLUTIONKERNEL_H
#define HLOC_CODEGEN_KERNELS_CONVOLUTIONKERNEL_H

#include "codegen/emit/TileStore.h"
#include "passes/schedule/ConvolutionProblem.h"

namespace hloc {

struct Axis : WindowAxis {
  /// For the current position (with phases: its phase): the number of taps, the first of them in
  /// the filter, and the input position that it meets for output position 0.
  mlir::Value count, firstTap;
  VectorIndex origin;
};

class ConvolutionKernel {
public:
  ConvolutionKernel(KernelContext &context, hlo::ConvolutionOp op)
      : problem(op), shape(problem, context.chosen), context(context), b(context.b),
        index(context.index), op(op), window(problem.window), dims(problem.dims),
        element(problem.element), factor(problem.element), tile(shape.tile),
        sumBlocks(shape.getSumBlocks(element)) {}

  llvm::LogicalResult emit();

private:
  void enterPhase(int64_t d, mlir::Value output);
  VectorIndex inputPosition(int64_t d, VectorIndex output, VectorIndex tap);
  /// The current position along d, one of the outer dimensions.
  VectorIndex outerPosition(int64_t d) {
    return axes[d].phases > 1 ? index.uniform(0) : index.uniform(outer[d]);
  }
  llvm::SmallVector<mlir::Value>
  walkTaps(int64_t rank, mlir::ValueRange values,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<VectorIndex>,
                                                             mlir::ValueRange)>
               body);
  /// The input's elements at `positions` and `channel`; zero in padding and holes.
  VectorValue loadInput(llvm::ArrayRef<VectorIndex> positions, VectorIndex channel, Mask mask);
  VectorValue loadFilter(llvm::ArrayRef<mlir::Value> tap, VectorIndex channel, VectorIndex feature,
                         Mask mask);
  bool copiesRows();
  void fillPatchByRows(mlir::Value pixelStart);
  void fillPatchBySquares(mlir::Value pixelStart);
  void fillPatch(mlir::Value pixelStart);
  /// Sums as loops carry them: with error terms if sums are made in blocks.
  llvm::SmallVector<mlir::Value> beginTileSums();
  bool sumsInBlocks() const { return sumBlocks.size > 0; }
  /// Adds the products of one tap and the channels [firstChannel, endChannel) to carried sums.
  using Products = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<VectorIndex> tap, mlir::Value firstChannel, mlir::Value endChannel,
      mlir::ValueRange sums)>;
  llvm::SmallVector<mlir::Value> sumProducts(mlir::ValueRange carried, Products body);
  TileSpan makePixelSpan(mlir::Value nominal, mlir::Value count);
  llvm::SmallVector<mlir::Value> addTile(const TileSpan &pixelSpan, const TileSpan &featureSpan,
                                         mlir::ValueRange carried);
  void finishTile(const TileSpan &pixelSpan, const TileSpan &featureSpan, mlir::ValueRange carried,
                  TileStore &store);
  TileStore makeStore();
  ElementIndex resultIndex(VectorIndex row, VectorIndex column);

  /// A packed block of the filter, [group of channels][feature], and the sums of a unit's tiles,
  /// [row][tile][pixel][feature].
  struct BlockMemory {
    MemoryArray panel, sums;
  };
  /// The rows of pixels of a unit, and the pixels of each.
  struct UnitPixels {
    mlir::Value firstRow, rows, firstPixel, pixels;
  };
  void fillUnit(const UnitPixels &unit);
  mlir::Value findPatchStart(const UnitPixels &unit);
  void forEachPixelTile(
      const UnitPixels &unit,
      llvm::function_ref<void(mlir::Value row, const TileSpan &span, mlir::Value number)> body);
  bool prefetchesFilter();
  void prefetchFilter(llvm::ArrayRef<VectorIndex> tap, mlir::Value channel, mlir::Value feature,
                      mlir::Value turn, int64_t turns);
  void packBlock(MemoryArray panel, llvm::ArrayRef<mlir::Value> tap, mlir::Value firstChannel,
                 mlir::Value groups, const TileSpan &featureSpan);
  llvm::SmallVector<VectorValue> beginSums(MemoryArray panel, mlir::Value groups);
  void emitFeatureTile(const BlockMemory &memory, const TileSpan &featureSpan,
                       const UnitPixels &unit, TileStore &store);
  void emitBlocked();

  void forEachPixelTileOfImages(
      mlir::Value firstImage, mlir::Value images,
      llvm::function_ref<void(const TileSpan &span, llvm::ArrayRef<VectorIndex> place)> body);
  void enterWindowRows(mlir::Value first, mlir::Value count);
  void emitWindow();

  void packFilter();
  llvm::SmallVector<VectorValue> multiplyChannels(llvm::ArrayRef<VectorIndex> tap,
                                                  mlir::Value firstStep, mlir::Value endStep,
                                                  llvm::ArrayRef<VectorValue> sums);
  llvm::SmallVector<VectorValue> addLanesOfRows(llvm::ArrayRef<VectorValue> sums);

  void setUp();
  bool isOn(ConvolutionLanes lanes) const { return shape.lanesOn == lanes; }
  int64_t spatial() const { return problem.spatial(); }

  const ConvolutionProblem problem;
  const ConvolutionShape shape;
  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ConvolutionOp op;
  hlo::WindowAttr window;
  hlo::ConvDimensionsAttr dims;
  mlir::Type element;
  /// Type of the factors: i16 or i8 with groups of channels, else that of the sums.
  mlir::Type factor;
  /// With groups of four channels if input and filter are signed: 128 is added to the input, and
  /// 128 times the filter's sum is subtracted again.
  bool inputIsOffset = false;
  TileShape tile;
  const ConvolutionShape::SumBlocks sumBlocks;
  llvm::SmallVector<Axis> axes;
  mlir::Value phase;
  VectorIndex firstChannel; // the first channel of a unit's patch

  /// The unit's image, and its row of pixels in all spatial dimensions but the last.
  mlir::Value batch;
  llvm::SmallVector<mlir::Value> outer;
  /// Null if the input is read in place.
  mlir::Value patch;
  /// The packed filter, with lanes along channels.
  MemoryArray panel;
};

} // namespace hloc

#endif
