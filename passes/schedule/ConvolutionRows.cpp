// SPDX-License-Identifier: Apache-2.0
// Strategies whose units are rows of pixels, or parts of them:
//
// - convolution.features: lanes lie along features, the rows of a tile are pixels. `block` is
//   [features of a unit, groups of a unit, pixels of a unit in each row]; without the last number,
//   units have whole rows. With `patch`, the input under a tile's windows is copied first.
// - convolution.groups: lanes lie along features of several groups, each of which reads its own
//   channel.
// - convolution.pixels: lanes lie along pixels, the rows of a tile are features.
#include "passes/schedule/ConvolutionSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The most bytes of a patch on the stack. If a patch would be larger, the input is read in place.
constexpr int64_t kPatchBytes = 192 << 10;
/// Units that keep the cores of a large machine busy, and the fewest parts into which rows are
/// divided to have that many.
constexpr int64_t kMostUnits = 64, kLeastParts = 4;
/// Fractions of a tile's peak rate that are reached from patches and from the input in place.
constexpr double kPatchRate = 0.8, kInPlaceRate = 0.5;

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
  // Each product loads a vector of the input, or gathers it if groups have several features.
  if (onGroups) {
    double load = convolution.featuresPerGroup == 1 ? problem.costs.getReloadTime()
                                                    : problem.costs.getGatherTime();
    compute = std::max(compute, counts.products / counts.useful * load);
  }
  // Pixels that are not contiguous are gathered for each vector.
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
  // If features are the minor dimension of the result, pixels are stored with a stride.
  bool isApart = onPixels && convolution.features > 1 &&
                 convolution.dims.getOutputFeature() == convolution.resultType.getRank() - 1;
  if (isApart)
    time += double(convolution.resultType.getNumElements()) * problem.costs.getStridedTime();
  return time;
}

/// The units of a schedule if they have whole rows.
int64_t countRowUnits(const ConvolutionProblem &convolution, const ConvolutionShape &shape) {
  int64_t blocks = convolution.features / shape.featureRun / shape.unitRuns *
                   int64_t(llvm::divideCeil(shape.featureRun, shape.blockFeatures));
  ArrayRef<int64_t> outer(convolution.outputSizes);
  return convolution.batches * blocks *
         ShapedType::getNumElements(outer.drop_back(outer.empty() ? 0 : 1));
}

/// Makes a schedule of one of the strategies whose units are rows of pixels.
hlo::ScheduleAttr proposeRows(const KernelProblem &problem, StringRef strategy) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution))
    return makeSchedule(convolution, strategy, {1, 1}, {1, 1}, 1);
  // A schedule without a tile, to know the pixels and features.
  ConvolutionShape bare(convolution, makeSchedule(convolution, strategy, {1, 1}, {1, 1}, 1));
  bool onPixels = bare.lanesOn == ConvolutionLanes::Pixels;
  int64_t lanes = chooseLanes(problem, convolution, onPixels ? bare.pixels : bare.featureRun);
  int64_t blockFeatures =
      onPixels ? convolution.features : std::min(bare.featureRun, kBlockFeatures);
  TileShape tile =
      onPixels
          ? chooseTile(problem.target, convolution.element, lanes, convolution.features,
                       bare.pixels, TileKeeps::Fewest)
          : chooseTile(problem.target, convolution.element, lanes, bare.leastPixels, blockFeatures,
                       bare.lanesOn == ConvolutionLanes::Features ? TileKeeps::Fewest
                                                                  : TileKeeps::Vectors);
  int64_t width = tile.vectors * lanes, runs = 1;
  if (!onPixels && blockFeatures < bare.featureRun)
    blockFeatures = std::max(width, blockFeatures / width * width);
  // A unit of several groups fills one patch with the channels of all of them.
  if (bare.lanesOn == ConvolutionLanes::Features)
    while (convolution.features / bare.featureRun % (2 * runs) == 0 &&
           2 * runs * bare.featureRun <= kBlockFeatures)
      runs *= 2;
  ConvolutionShape shape(convolution,
                         makeSchedule(convolution, strategy, tile, {blockFeatures, runs}, lanes));
  int64_t elements = shape.countElements(shape.patchSizes);
  // A patch pays only if each element is used several times.
  bool isReused = bare.lanesOn != ConvolutionLanes::Groups || convolution.countTaps() > 1;
  bool hasPatch =
      elements > 0 && elements * convolution.getElementBytes() <= kPatchBytes && isReused;
  hlo::ScheduleAttr whole =
      makeSchedule(convolution, strategy, tile, {blockFeatures, runs}, lanes, hasPatch);
  // Few long rows are divided.
  int64_t tiles = llvm::divideCeil(shape.pixels, shape.tilePixels),
          tasks = std::min(problem.costs.getTaskCount(costRows(problem, whole)), kMostUnits),
          parts = std::min(tiles, tasks / countRowUnits(convolution, shape));
  if (parts < kLeastParts)
    return whole;
  int64_t unitPixels = int64_t(llvm::divideCeil(tiles, parts)) * shape.tilePixels;
  return makeSchedule(convolution, strategy, tile, {blockFeatures, runs, unitPixels}, lanes,
                      hasPatch);
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
             : "each group has several channels and several features";
}

std::string refusePixels(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (convolution.spatial() == 0)
    return "there are no spatial dimensions";
  if (convolution.groups != 1)
    return "there are several groups";
  // Lanes along features then need no transposition of the input or the result.
  return convolution.features >= problem.target.getLanes(convolution.getPartBits())
             ? "there are enough features to fill vectors"
             : "";
}

std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  bool dividesRows = schedule.getBlock().size() == 3;
  if (std::string wrong =
          checkFields(problem, convolution, schedule, dividesRows ? 3 : 2, /*mayPatch=*/true);
      !wrong.empty() || isEmpty(convolution))
    return wrong;
  int64_t blockFeatures = schedule.getBlock()[0], runs = schedule.getBlock()[1];
  if (blockFeatures > convolution.features || runs > convolution.groups)
    return "expected a unit with no more features and groups than the result has";
  ConvolutionShape shape(convolution, schedule);
  bool onPixels = shape.lanesOn == ConvolutionLanes::Pixels;
  if (onPixels ? blockFeatures != convolution.features
               : blockFeatures < shape.featureRun && blockFeatures % shape.tileFeatures != 0)
    return onPixels ? "expected a unit of all features" : "expected units of whole tiles";
  if (shape.tile.rows > (onPixels ? convolution.features : shape.leastPixels))
    return "expected no more rows in a tile than the result has";
  if (dividesRows && shape.unitPixels % shape.tilePixels != 0)
    return "expected units of whole tiles of pixels";
  bool canRun = shape.lanesOn == ConvolutionLanes::Features
                    ? convolution.features / shape.featureRun % runs == 0
                    : runs == 1;
  if (!canRun || (runs > 1 && blockFeatures < shape.featureRun))
    return "expected units of whole groups, with the same number of groups in each";
  if (shape.hasPatch && shape.countElements(shape.patchSizes) == 0)
    return "there are no elements to copy into a patch";
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
