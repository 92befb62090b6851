// SPDX-License-Identifier: Apache-2.0
// The code of a convolution: what its parts share. ConvolutionKernel.cpp chooses shapes and walks
// over units, ConvolutionInput.cpp reads operands and fills patches, ConvolutionTile.cpp is the
// tile; ConvolutionBlocked.cpp is the way of large filters, ConvolutionChannels.cpp that of few
// features of many channels.

#ifndef HLOC_CODEGEN_KERNELS_CONVOLUTIONKERNEL_H
#define HLOC_CODEGEN_KERNELS_CONVOLUTIONKERNEL_H

#include "codegen/emit/TileStore.h"

namespace hloc {

/// How the window goes along one spatial dimension.
///
/// A base dilation spreads the input out, with holes in between: of the taps of an output position
/// only every `phases`-th meets an element, and neighbouring positions take turns. Where pixels and
/// taps are next to each other, those taps are the only ones looked at; else (phases = 1) holes are
/// found when the input is read.
struct Axis {
  /// Taps of one position, at most; how far pixels and taps move in the input, holes included.
  int64_t taps = 1, stride = 1, tapStride = 1, dilation = 1, phases = 1;
  /// For the position, or with phases for those of its phase: how many taps there are, the first of
  /// them in the filter, and where in the input position 0 has it.
  mlir::Value count, firstTap;
  VectorIndex origin;
};

class ConvolutionKernel {
public:
  ConvolutionKernel(KernelContext &context, hlo::ConvolutionOp op)
      : context(context), b(context.b), index(context.index), op(op), window(op.getWindow()),
        dims(op.getDimLabels()),
        inputType(llvm::cast<mlir::RankedTensorType>(op.getLhs().getType())),
        filterType(llvm::cast<mlir::RankedTensorType>(op.getRhs().getType())),
        resultType(llvm::cast<mlir::RankedTensorType>(op.getResult().getType())) {}

  llvm::LogicalResult emit();

private:
  void setUpAxes();
  void enterPhase(int64_t d, mlir::Value output);
  VectorIndex inputPosition(int64_t d, VectorIndex output, VectorIndex tap);
  /// Position of the row of pixels along d, one of the outer dimensions.
  VectorIndex outerPosition(int64_t d) {
    return axes[d].phases > 1 ? index.uniform(0) : index.uniform(outer[d]);
  }
  llvm::SmallVector<mlir::Value>
  walkTaps(int64_t rank, mlir::ValueRange values,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<VectorIndex>,
                                                             mlir::ValueRange)>
               body);
  /// The input's elements at `positions`, channel `channel`; zero in padding and holes.
  VectorValue loadInput(llvm::ArrayRef<VectorIndex> positions, VectorIndex channel, Mask mask);
  VectorValue loadFilter(llvm::ArrayRef<mlir::Value> tap, VectorIndex channel, VectorIndex feature,
                         Mask mask);
  bool copiesRows();
  void fillPatchByRows(mlir::Value pixelStart);
  void fillPatchBySquares(mlir::Value pixelStart);
  void fillPatch(mlir::Value pixelStart);
  /// Folds the products of one tap and the channels [firstChannel, endChannel) into carried sums.
  using Products = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<VectorIndex> tap, mlir::Value firstChannel, mlir::Value endChannel,
      mlir::ValueRange sums)>;
  llvm::SmallVector<mlir::Value> sumProducts(mlir::ValueRange zeros, Products body);
  TileSpan makePixelSpan(mlir::Value nominal, mlir::Value count);
  void emitTile(const TileSpan &pixelSpan, const TileSpan &featureSpan, TileStore &store);
  TileStore makeStore();
  ElementIndex resultIndex(VectorIndex row, VectorIndex column);

  /// A packed block of the filter, [channel][feature], and the sums of a unit's tiles,
  /// [row][tile][pixel][feature].
  struct BlockMemory {
    MemoryArray panel, sums;
  };
  bool planBlocks();
  void fillRows(mlir::Value rowStart);
  void forEachPixelTile(
      mlir::Value rowCount,
      llvm::function_ref<void(mlir::Value row, const TileSpan &span, mlir::Value number)> body);
  bool prefetchesFilter();
  void prefetchFilter(llvm::ArrayRef<VectorIndex> tap, mlir::Value channel, mlir::Value feature,
                      mlir::Value turn, int64_t turns);
  void emitFeatureTile(const BlockMemory &memory, const TileSpan &featureSpan, mlir::Value rowStart,
                       mlir::Value rowCount, TileStore &store);
  void emitBlocked();

  bool planChannelLanes(int64_t lanes);
  void packFilter();
  llvm::SmallVector<VectorValue> multiplyChannels(llvm::ArrayRef<VectorIndex> tap,
                                                  mlir::Value firstStep, mlir::Value endStep,
                                                  llvm::ArrayRef<VectorValue> sums);
  llvm::SmallVector<VectorValue> addLanesOfRows(llvm::ArrayRef<VectorValue> sums);

  void chooseShape();
  int64_t spatial() const { return window.getSizes().size(); }

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ConvolutionOp op;
  hlo::WindowAttr window;
  hlo::ConvDimensionsAttr dims;
  mlir::RankedTensorType inputType, filterType, resultType;
  mlir::Type element; // of accumulators

  int64_t channels = 1; // of one group
  int64_t features = 1, featuresPerGroup = 1;
  llvm::SmallVector<int64_t> outputSizes; // spatial
  llvm::SmallVector<Axis> axes;
  /// Pixels of one row and phase, and of the phases that have one less where the phases do not
  /// share a row alike; the phase.
  int64_t pixels = 1, leastPixels = 1;
  mlir::Value phase;
  bool lanesOnPixels = false, lanesOnChannels = false, vectorInput = false;
  TileShape tile; // rows x vectors
  int64_t tilePixels = 1, tileFeatures = 1;
  /// Features that a unit covers, and those that follow each other within a group.
  int64_t blockFeatures = 1, featureRun = 1;
  /// Such runs that a unit covers; the first channel of its patch.
  int64_t unitRuns = 1;
  VectorIndex firstChannel;
  /// In blocks: rows of pixels of a unit, channels of a block; else zero.
  int64_t unitRows = 0, blockChannels = 0;

  /// Of the unit: the image, and the row of pixels by all spatial dimensions but the last.
  mlir::Value batch;
  llvm::SmallVector<mlir::Value> outer;
  /// The patch: [window position but the last dimension..., pixel or position, channel], or with
  /// lanes on pixels [.., channel, pixel].
  mlir::Value patch;
  llvm::SmallVector<int64_t> patchSizes;
  /// With lanes on channels: the filter, [tap..., feature, channel]. As in the patch, zeros make
  /// the channels whole vectors, whose number this is; else the number of channels.
  MemoryArray panel;
  int64_t channelSteps = 1;
};

} // namespace hloc

#endif
