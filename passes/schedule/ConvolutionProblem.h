// SPDX-License-Identifier: Apache-2.0
// A convolution as numbers: schedules are chosen from them (ConvolutionSchedule.h), and code is
// generated from them (codegen/kernels/convolution).

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
  /// Type of the accumulators.
  mlir::Type element;
  int64_t groups = 1, batches = 1;
  /// Channels and features of one group.
  int64_t channels = 1, featuresPerGroup = 1;
  int64_t features = 1;
  /// Sizes of the output's spatial dimensions.
  llvm::SmallVector<int64_t> outputSizes;

  int64_t spatial() const { return window.getSizes().size(); }
  int64_t countTaps() const;
  /// Bytes of an accumulator; bits of its element, or of its real part if it is complex.
  int64_t getElementBytes() const;
  int64_t getPartBits() const;
  int64_t getFilterBytes() const;
  /// True if the input's minor dimension is that of channels.
  bool inputIsByChannels() const { return dims.getInputFeature() == inputType.getRank() - 1; }
};

/// How the window moves along one spatial dimension.
///
/// A base dilation inserts holes between the elements of the input. Of the taps of an output
/// position only every `phases`-th then meets an element, and the position modulo `phases` says
/// which ones. If pixels and taps advance by one, the code loops over these taps only; otherwise
/// `phases` is 1, and holes are detected when the input is read.
struct WindowAxis {
  /// The most taps of one position; and the steps in the dilated input between pixels (`stride`),
  /// between taps (`tapStride`) and between elements (`dilation`).
  int64_t taps = 1, stride = 1, tapStride = 1, dilation = 1, phases = 1;

  /// Positions of the dilated input under the windows of this many adjacent outputs.
  int64_t getExtent(int64_t outputs) const {
    return (outputs - 1) * stride + (taps - 1) * tapStride + 1;
  }
};

/// The dimension along which the lanes of a vector lie.
enum class ConvolutionLanes { Features, Groups, Pixels, Channels };

/// The tiles, units and buffers that a schedule prescribes for a convolution.
struct ConvolutionShape {
  /// `schedule` must be of a strategy for convolutions.
  ConvolutionShape(const ConvolutionProblem &problem, hlo::ScheduleAttr schedule);

  ConvolutionLanes lanesOn = ConvolutionLanes::Features;
  int64_t lanes = 1;
  llvm::SmallVector<WindowAxis> axes;
  /// The most and the fewest pixels that one phase has in a row. They differ if the phases do not
  /// divide the row evenly.
  int64_t pixels = 1, leastPixels = 1;
  TileShape tile;
  int64_t tilePixels = 1, tileFeatures = 1;
  /// Features that a unit computes in each of its runs; features of a run, which are contiguous and
  /// of one group; and runs per unit.
  int64_t blockFeatures = 1, featureRun = 1, unitRuns = 1;
  /// Images of a unit, and positions of the window's first dimension that a block has; zero except
  /// for convolution.window.
  int64_t unitBatches = 0, windowRows = 0;
  /// Pixels of a unit in each row.
  int64_t unitPixels = 1;
  /// Rows of pixels of a unit, and channels of a block of the filter; zero except for
  /// convolution.blocked.
  int64_t unitRows = 0, blockChannels = 0;
  /// Channels that one instruction multiplies and adds, whose elements fill a word of 32 bits in
  /// patch and panel: 1 except for convolution.blocked.
  int64_t group = 1;
  /// Steps of the loop over the channels of a tap.
  int64_t channelSteps = 1;
  /// Shape of the patch, a copy of the input under a tile's windows: [taps of all dimensions but
  /// the last..., position, channel], or [..., channel, position] with lanes along pixels. For
  /// convolution.blocked it covers all rows and pixels of a unit, and has groups of channels.
  llvm::SmallVector<int64_t> patchSizes;
  bool hasPatch = false;
  /// With lanes along channels: the filter as [tap..., feature, channel], padded to whole vectors
  /// of channels. For convolution.blocked: a block of the filter as [group of channels][feature].
  llvm::SmallVector<int64_t> panelSizes;
  /// For convolution.blocked: the sums of a unit's tiles as [row][tile][pixel][feature]. For
  /// convolution.window: totals, then errors, as
  /// [2][image][row][tile of pixels][tile of features][pixel][feature].
  llvm::SmallVector<int64_t> sumSizes;

  int64_t countElements(llvm::ArrayRef<int64_t> sizes) const {
    return sizes.empty() ? 0 : mlir::ShapedType::getNumElements(sizes);
  }
  /// Number of accumulators' elements that a kernel keeps on its stack.
  int64_t countFrameElements() const {
    return (hasPatch ? countElements(patchSizes) : 0) + countElements(panelSizes) +
           countElements(sumSizes);
  }

  /// Where the sum of an output element is cut into blocks: blocks of `size` steps along `level`,
  /// which is a dimension of the window, or channels after all of them. A sum of one block has the
  /// size 0.
  struct SumBlocks {
    int64_t level = 0, size = 0;
  };
  SumBlocks getSumBlocks(mlir::Type element) const;

private:
  void setUpAxes(const ConvolutionProblem &problem);
  void setUpPatch(const ConvolutionProblem &problem);
  void setUpWindow(const ConvolutionProblem &problem);
  void setUpChannels(const ConvolutionProblem &problem);
  void setUpBlocks(const ConvolutionProblem &problem);
};

} // namespace hloc

#endif
