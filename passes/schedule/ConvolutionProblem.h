// SPDX-License-Identifier: Apache-2.0
// A convolution in the numbers that its schedules are chosen by (ConvolutionSchedule.h) and its
// code is made of (codegen/kernels/convolution).

#ifndef HLOC_PASSES_SCHEDULE_CONVOLUTIONPROBLEM_H
#define HLOC_PASSES_SCHEDULE_CONVOLUTIONPROBLEM_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/target/Target.h"
#include "passes/schedule/RegisterTiles.h"

namespace hloc {

struct ConvolutionProblem {
  explicit ConvolutionProblem(hlo::ConvolutionOp op);

  hlo::ConvolutionOp op;
  hlo::WindowAttr window;
  hlo::ConvDimensionsAttr dims;
  mlir::RankedTensorType inputType, filterType, resultType;
  /// Of accumulators.
  mlir::Type element;
  int64_t groups = 1, batches = 1;
  /// Of one group: channels, and features.
  int64_t channels = 1, featuresPerGroup = 1;
  int64_t features = 1;
  /// Spatial.
  llvm::SmallVector<int64_t> outputSizes;

  int64_t spatial() const { return window.getSizes().size(); }
  int64_t countTaps() const;
  /// Bytes of an accumulator, and of a real number of one.
  int64_t getElementBytes() const;
  int64_t getPartBits() const;
  int64_t getFilterBytes() const;
  /// Whether input channels lie beside each other.
  bool inputIsByChannels() const { return dims.getInputFeature() == inputType.getRank() - 1; }
};

/// How the window goes along one spatial dimension.
///
/// A base dilation spreads the input out, with holes in between: of the taps of an output position
/// only every `phases`-th meets an element, and neighbouring positions take turns. Where pixels and
/// taps are next to each other, those taps are the only ones looked at; else (phases = 1) holes are
/// found when the input is read.
struct WindowAxis {
  /// Taps of one position, at most; how far pixels and taps move in the input, holes included.
  int64_t taps = 1, stride = 1, tapStride = 1, dilation = 1, phases = 1;

  /// Input positions under the windows of so many neighbouring outputs.
  int64_t getExtent(int64_t outputs) const {
    return (outputs - 1) * stride + (taps - 1) * tapStride + 1;
  }
};

/// What lanes are.
enum class ConvolutionLanes { Features, Groups, Pixels, Channels };

/// What a schedule makes of a convolution.
struct ConvolutionShape {
  /// The schedule's strategy is one for convolutions.
  ConvolutionShape(const ConvolutionProblem &problem, hlo::ScheduleAttr schedule);

  ConvolutionLanes lanesOn = ConvolutionLanes::Features;
  int64_t lanes = 1;
  llvm::SmallVector<WindowAxis> axes;
  /// Pixels of one row and phase, and of the phases that have one less where the phases do not
  /// share a row alike.
  int64_t pixels = 1, leastPixels = 1;
  TileShape tile;
  int64_t tilePixels = 1, tileFeatures = 1;
  /// Features that a unit covers, those that follow each other within a group, and the runs of them
  /// that a unit covers.
  int64_t blockFeatures = 1, featureRun = 1, unitRuns = 1;
  /// In blocks: rows of pixels of a unit, channels of a block; else zero.
  int64_t unitRows = 0, blockChannels = 0;
  /// Steps along the channels of a tap.
  int64_t channelSteps = 1;
  /// The patch, which holds the input under a tile's windows: [window position but the last
  /// dimension..., pixel or position, channel], or with lanes on pixels [.., channel, pixel]; in
  /// blocks, that of all rows of a unit.
  llvm::SmallVector<int64_t> patchSizes;
  bool hasPatch = false;
  /// With lanes on channels: the filter, [tap..., feature, channel], whole vectors of channels.
  /// In blocks: a block of the filter, [channel][feature].
  llvm::SmallVector<int64_t> panelSizes;
  /// In blocks: sums of a unit's tiles, [row][tile][pixel][feature].
  llvm::SmallVector<int64_t> sumSizes;

  int64_t countElements(llvm::ArrayRef<int64_t> sizes) const {
    return sizes.empty() ? 0 : mlir::ShapedType::getNumElements(sizes);
  }
  /// Elements of accumulators that a kernel keeps on its stack.
  int64_t countFrameElements() const {
    return (hasPatch ? countElements(patchSizes) : 0) + countElements(panelSizes) +
           countElements(sumSizes);
  }

private:
  void setUpAxes(const ConvolutionProblem &problem);
  void setUpPatch(const ConvolutionProblem &problem);
  void setUpChannels(const ConvolutionProblem &problem);
  void setUpBlocks(const ConvolutionProblem &problem);
};

} // namespace hloc

#endif
