// SPDX-License-Identifier: Apache-2.0
// Strategies whose units are rows of pixels:
//
// - convolution.features: lanes lie on features, rows are pixels. `block` is features of a unit and
//   groups of a unit; with `patch`, what lies under a tile's windows is copied first.
// - convolution.groups: lanes lie on features of several groups, each with its own channel.
// - convolution.pixels: lanes lie on pixels, rows are features.
#include "passes/schedule/ConvolutionSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Bytes on the stack that a patch may take; larger ones are not made, and the input is read in
/// place.
constexpr int64_t kPatchBytes = 192 << 10;
/// Of a tile's rate, what is reached from patches, and from inputs in place.
constexpr double kPatchRate = 0.8, kInPlaceRate = 0.5;

/// A schedule of one of the strategies whose units are rows of pixels.
hlo::ScheduleAttr proposeRows(const KernelProblem &problem, StringRef strategy) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution))
    return makeSchedule(convolution, strategy, {1, 1}, {1, 1}, 1);
  // Pixels and features before there is a tile.
  ConvolutionShape bare(convolution, makeSchedule(convolution, strategy, {1, 1}, {1, 1}, 1));
  bool onPixels = bare.lanesOn == ConvolutionLanes::Pixels;
  int64_t lanes = chooseLanes(problem, convolution, onPixels ? bare.pixels : bare.featureRun);
  int64_t blockFeatures =
      onPixels ? convolution.features : std::min(bare.featureRun, kBlockFeatures);
  TileShape tile = onPixels ? chooseTile(problem.target, convolution.element, lanes,
                                         convolution.features, bare.pixels)
                            : chooseTile(problem.target, convolution.element, lanes,
                                         bare.leastPixels, blockFeatures);
  int64_t width = tile.vectors * lanes, runs = 1;
  if (!onPixels && blockFeatures < bare.featureRun)
    blockFeatures = std::max(width, blockFeatures / width * width);
  // A unit of several groups fills one patch with all of their channels.
  if (bare.lanesOn == ConvolutionLanes::Features)
    while (convolution.features / bare.featureRun % (2 * runs) == 0 &&
           2 * runs * bare.featureRun <= kBlockFeatures)
      runs *= 2;
  ConvolutionShape shape(convolution,
                         makeSchedule(convolution, strategy, tile, {blockFeatures, runs}, lanes));
  int64_t elements = shape.countElements(shape.patchSizes);
  // Without several uses of each element a patch is only a detour.
  bool isReused = bare.lanesOn != ConvolutionLanes::Groups || convolution.countTaps() > 1;
  bool hasPatch =
      elements > 0 && elements * convolution.getElementBytes() <= kPatchBytes && isReused;
  return makeSchedule(convolution, strategy, tile, {blockFeatures, runs}, lanes, hasPatch);
}

void proposeFeatures(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  schedules.push_back(proposeRows(problem, "convolution.features"));
}
void proposeGroups(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  schedules.push_back(proposeRows(problem, "convolution.groups"));
}
void proposePixels(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  schedules.push_back(proposeRows(problem, "convolution.pixels"));
}

std::string refuseNothing(const KernelProblem &) { return {}; }

std::string refuseGroups(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (convolution.groups == 1)
    return "there is one group";
  return convolution.featuresPerGroup == 1 || convolution.channels == 1
             ? ""
             : "a group has several channels and several features";
}

std::string refusePixels(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (convolution.spatial() == 0)
    return "there are no pixels";
  if (convolution.groups != 1)
    return "there are several groups";
  // Then lanes on features need no turning, neither of the input nor of the result.
  return convolution.features >= problem.target.getLanes(convolution.getPartBits())
             ? "features fill vectors"
             : "";
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution))
    return 0;
  ConvolutionShape shape(convolution, schedule);
  ConvolutionCounts counts(convolution, shape);
  double tiles = counts.rows * counts.tilesOfRow;
  bool onPixels = shape.lanesOn == ConvolutionLanes::Pixels,
       onGroups = shape.lanesOn == ConvolutionLanes::Groups;
  double compute = getProductTime(problem, convolution, shape, counts,
                                  shape.hasPatch ? kPatchRate : kInPlaceRate);
  // A vector of the input for each product, of places that are computed if groups have several
  // features.
  if (onGroups) {
    double load = convolution.featuresPerGroup == 1 ? problem.costs.getReloadTime()
                                                    : problem.costs.getGatherTime();
    compute = std::max(compute, counts.products / counts.useful * load);
  }
  // Pixels that are not beside each other are collected for each vector of them.
  if (onPixels && shape.axes.back().stride * shape.axes.back().dilation > 1)
    compute += counts.products / double(shape.tile.rows) * problem.costs.getStridedTime();
  double time = std::max(compute, getFilterTime(problem, convolution, counts, tiles,
                                                onPixels ? shape.tile.rows : shape.tileFeatures));
  if (shape.hasPatch) {
    double blocks = double(llvm::divideCeil(shape.featureRun, shape.blockFeatures)) *
                    double(convolution.features / shape.featureRun / shape.unitRuns);
    if (onGroups)
      blocks = double(llvm::divideCeil(convolution.features, shape.blockFeatures));
    time += tiles * blocks * double(shape.countElements(shape.patchSizes)) *
            getFillTime(problem, convolution, shape);
  }
  // Pixels are stored apart from each other where features lie between them.
  bool isApart = onPixels && convolution.features > 1 &&
                 convolution.dims.getOutputFeature() == convolution.resultType.getRank() - 1;
  if (isApart)
    time += double(convolution.resultType.getNumElements()) * problem.costs.getStridedTime();
  return time;
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (std::string wrong = checkFields(problem, convolution, schedule, 2, /*mayPatch=*/true);
      !wrong.empty() || isEmpty(convolution))
    return wrong;
  int64_t blockFeatures = schedule.getBlock()[0], runs = schedule.getBlock()[1];
  if (blockFeatures > convolution.features || runs > convolution.groups)
    return "expected a unit of no more features and groups than there are";
  ConvolutionShape shape(convolution, schedule);
  bool onPixels = shape.lanesOn == ConvolutionLanes::Pixels;
  if (onPixels ? blockFeatures != convolution.features
               : blockFeatures < shape.featureRun && blockFeatures % shape.tileFeatures != 0)
    return onPixels ? "expected a unit of all features" : "expected units of whole tiles";
  if (shape.tile.rows > (onPixels ? convolution.features : shape.leastPixels))
    return "expected no more rows of a tile than there are";
  bool canRun = shape.lanesOn == ConvolutionLanes::Features
                    ? convolution.features / shape.featureRun % runs == 0
                    : runs == 1;
  if (!canRun || (runs > 1 && blockFeatures < shape.featureRun))
    return "expected units of whole groups, of which all have as many";
  if (shape.hasPatch && shape.countElements(shape.patchSizes) == 0)
    return "there is nothing to copy into a patch";
  return checkFrame(problem, convolution, shape);
}

} // namespace

const Strategy kFeatureConvolution = {"convolution.features",
                                      hlo::KernelKind::Convolution,
                                      refuseNothing,
                                      proposeFeatures,
                                      costRows,
                                      checkRows,
                                      sumTapsInTurn};
const Strategy kGroupConvolution = {"convolution.groups",
                                    hlo::KernelKind::Convolution,
                                    refuseGroups,
                                    proposeGroups,
                                    costRows,
                                    checkRows,
                                    sumTapsInTurn};
const Strategy kPixelConvolution = {"convolution.pixels",
                                    hlo::KernelKind::Convolution,
                                    refusePixels,
                                    proposePixels,
                                    costRows,
                                    checkRows,
                                    sumTapsInTurn};

} // namespace hloc
