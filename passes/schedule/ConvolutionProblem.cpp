// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ConvolutionProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/schedule/DotProblem.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The fewest multiply-adds per pixel and tap (channels) for which lanes may lie along pixels that
/// are not stored contiguously.
static constexpr int64_t kWorthScattering = 8;

ConvolutionProblem::ConvolutionProblem(hlo::ConvolutionOp op)
    : op(op), window(op.getWindow()), dims(op.getDimLabels()),
      inputType(cast<RankedTensorType>(op.getLhs().getType())),
      filterType(cast<RankedTensorType>(op.getRhs().getType())),
      resultType(cast<RankedTensorType>(op.getResult().getType())),
      element(getAccumulatorType(resultType.getElementType())), groups(op.getFeatureGroupCount()),
      batches(resultType.getDimSize(dims.getOutputBatch())),
      channels(filterType.getDimSize(dims.getKernelInputFeature())),
      featuresPerGroup(filterType.getDimSize(dims.getKernelOutputFeature()) / groups),
      features(filterType.getDimSize(dims.getKernelOutputFeature())) {
  for (int64_t d : dims.getOutputSpatial())
    outputSizes.push_back(resultType.getDimSize(d));
}

int64_t ConvolutionProblem::countTaps() const {
  return ShapedType::getNumElements(window.getSizes());
}

int64_t ConvolutionProblem::getElementBytes() const { return hlo::getStorageBits(element) / 8; }

int64_t ConvolutionProblem::getPartBits() const {
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  return std::max<int64_t>(part.getIntOrFloatBitWidth(), 8);
}

int64_t ConvolutionProblem::getFilterBytes() const {
  return countTaps() * channels * features * getElementBytes();
}

ConvolutionShape::ConvolutionShape(const ConvolutionProblem &problem, hlo::ScheduleAttr schedule)
    : lanesOn(llvm::StringSwitch<ConvolutionLanes>(schedule.getStrategy())
                  .Case("convolution.groups", ConvolutionLanes::Groups)
                  .Case("convolution.pixels", ConvolutionLanes::Pixels)
                  .Case("convolution.channels", ConvolutionLanes::Channels)
                  .Default(ConvolutionLanes::Features)),
      lanes(schedule.getLanes()), tile{schedule.getTile()[0], schedule.getTile()[1]},
      channelSteps(problem.channels), hasPatch(schedule.has("patch")) {
  setUpAxes(problem);
  if (problem.spatial() > 0) {
    pixels = problem.outputSizes.back();
    leastPixels = pixels / axes.back().phases;
    pixels = llvm::divideCeil(pixels, axes.back().phases);
  }
  unitPixels = pixels;
  featureRun = lanesOn == ConvolutionLanes::Features ? problem.featuresPerGroup : problem.features;
  if (lanesOn == ConvolutionLanes::Channels) {
    setUpChannels(problem);
    return;
  }
  bool onPixels = lanesOn == ConvolutionLanes::Pixels;
  tilePixels = onPixels ? tile.vectors * lanes : tile.rows;
  tileFeatures = onPixels ? tile.rows : tile.vectors * lanes;
  blockFeatures = schedule.getBlock()[0];
  if (schedule.getStrategy() == "convolution.blocked") {
    bool isLine = problem.spatial() == 1;
    unitRows = isLine ? 1 : schedule.getBlock()[1];
    if (isLine)
      unitPixels = schedule.getBlock()[1];
    blockChannels = schedule.getBlock()[2];
    group = schedule.getGroup();
    setUpBlocks(problem);
    return;
  }
  if (schedule.getStrategy() == "convolution.window") {
    unitBatches = schedule.getBlock()[1];
    windowRows = schedule.getBlock()[2];
    setUpWindow(problem);
    return;
  }
  unitRuns = schedule.getBlock()[1];
  if (schedule.getBlock().size() > 2)
    unitPixels = schedule.getBlock()[2];
  setUpPatch(problem);
}

void ConvolutionShape::setUpAxes(const ConvolutionProblem &problem) {
  for (int64_t d = 0; d < problem.spatial(); ++d) {
    hlo::WindowAttr window = problem.window;
    WindowAxis axis{window.getSizes()[d], window.getStrides()[d], window.getWindowDilations()[d],
                    window.getBaseDilations()[d], 1};
    // Along the last dimension each phase has tiles of its own.
    int64_t size = problem.outputSizes[d];
    bool isLast = d + 1 == problem.spatial(), isWhole = size % axis.dilation == 0;
    bool canPhase = !isLast || (lanesOn == ConvolutionLanes::Pixels
                                    ? isWhole && problem.channels >= kWorthScattering
                                    : size >= axis.dilation);
    if (axis.dilation > 1 && axis.stride == 1 && axis.tapStride == 1 && canPhase) {
      axis.phases = axis.dilation;
      axis.taps = llvm::divideCeil(axis.taps, axis.phases);
      axis.dilation = 1;
    }
    axes.push_back(axis);
  }
}

void ConvolutionShape::setUpPatch(const ConvolutionProblem &problem) {
  if (problem.spatial() == 0)
    return;
  bool onPixels = lanesOn == ConvolutionLanes::Pixels;
  int64_t patchChannels = lanesOn == ConvolutionLanes::Groups
                              ? problem.inputType.getDimSize(problem.dims.getInputFeature())
                              : problem.channels * unitRuns;
  int64_t width = axes.back().getExtent(tilePixels);
  for (const WindowAxis &axis : ArrayRef(axes).drop_back())
    patchSizes.push_back(axis.taps);
  patchSizes.append(onPixels
                        ? SmallVector<int64_t>{patchChannels, int64_t(llvm::alignTo(width, lanes))}
                        : SmallVector<int64_t>{width, patchChannels});
}

void ConvolutionShape::setUpWindow(const ConvolutionProblem &problem) {
  SmallVector<WindowAxis> block(axes);
  block.front().taps = windowRows;
  for (const WindowAxis &axis : ArrayRef(block).drop_back())
    patchSizes.push_back(axis.taps);
  patchSizes.append({block.back().getExtent(tilePixels), problem.channels});
  hasPatch = true;
  sumSizes = {2,
              unitBatches,
              ShapedType::getNumElements(ArrayRef(problem.outputSizes).drop_back()),
              int64_t(llvm::divideCeil(pixels, tilePixels)),
              int64_t(llvm::divideCeil(blockFeatures, tileFeatures)),
              tile.rows,
              tileFeatures};
}

void ConvolutionShape::setUpChannels(const ConvolutionProblem &problem) {
  int64_t padded = llvm::alignTo(problem.channels, lanes);
  blockFeatures = tileFeatures = problem.features;
  tilePixels = tile.rows;
  channelSteps = padded / lanes;
  for (const WindowAxis &axis : axes)
    panelSizes.push_back(axis.taps);
  patchSizes.assign(panelSizes.begin(), panelSizes.end() - 1);
  patchSizes.append({axes.back().getExtent(tile.rows), padded});
  panelSizes.append({problem.features, padded});
  hasPatch = true;
}

void ConvolutionShape::setUpBlocks(const ConvolutionProblem &problem) {
  int64_t last = problem.spatial() - 1, width = tile.vectors * lanes;
  for (int64_t d = 0; d + 1 < last; ++d)
    patchSizes.push_back(axes[d].taps);
  if (last > 0)
    patchSizes.push_back(axes[last - 1].getExtent(unitRows));
  patchSizes.append({axes[last].getExtent(unitPixels), problem.channels / group});
  panelSizes = {blockChannels / group, width};
  sumSizes = {unitRows, int64_t(llvm::divideCeil(unitPixels, tilePixels)), tile.rows, width};
  hasPatch = true;
}

ConvolutionShape::SumBlocks ConvolutionShape::getSumBlocks(Type element) const {
  int64_t terms = channelSteps;
  for (const WindowAxis &axis : axes)
    terms *= axis.taps;
  if (!isBlockedSum(element, terms))
    return {};
  int64_t level = axes.size(), below = 1;
  auto sizeOf = [&](int64_t at) {
    return at == int64_t(axes.size()) ? channelSteps : axes[at].taps;
  };
  while (level > 0 && below * sizeOf(level) < kSumBlock)
    below *= sizeOf(level--);
  return {level, chooseSumBlock(sizeOf(level), kSumBlock / below)};
}

} // namespace hloc
