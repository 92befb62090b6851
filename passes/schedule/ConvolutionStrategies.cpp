// SPDX-License-Identifier: Apache-2.0
// Strategies for convolutions. In all of them a unit is some features at a row of pixels, and a
// register tile goes over the taps and channels under its pixels' windows:
//
// - convolution.features: lanes lie on features, rows are pixels. `block` is features of a unit and
//   groups of a unit; with `patch`, what lies under a tile's windows is copied first.
// - convolution.groups: lanes lie on features of several groups, each with its own channel.
// - convolution.pixels: lanes lie on pixels, rows are features.
// - convolution.channels: lanes lie on channels, and are added up at the end; `tile` is pixels and
//   features.
// - convolution.blocked: as the first, for filters that do not stay in the second cache: a block of
//   the filter is packed and used by all tiles of several rows of pixels. `block` is features and
//   rows of pixels of a unit, and channels of a block.
#include "compiler/hlo/ElementType.h"
#include "passes/schedule/ConvolutionProblem.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Bytes on the stack that a patch may take; larger ones are not made, and the input is read in
/// place.
constexpr int64_t kPatchBytes = 192 << 10;
/// Output features of a unit.
constexpr int64_t kBlockFeatures = 128;
/// Channels from which a tap alone makes a block.
constexpr int64_t kBlockChannels = 128;
/// Blocks whose sums may be added up without compensation.
constexpr int64_t kMaxBlocks = 64;
/// Bytes of the stack that a tile of results and spilled registers may take.
constexpr int64_t kOtherBytes = 32 << 10;
/// Tiles of features that a unit's patch serves in blocks.
constexpr int64_t kFeatureTiles = 2;
/// Of a tile's rate, what is reached from patches, from inputs in place, from packed blocks, and
/// along channels.
constexpr double kPatchRate = 0.8, kInPlaceRate = 0.5, kBlockedRate = 0.9, kAlongRate = 0.7;

ConvolutionProblem getConvolution(const KernelProblem &problem) {
  return ConvolutionProblem(*problem.body.getOps<hlo::ConvolutionOp>().begin());
}

hlo::ScheduleAttr makeSchedule(const ConvolutionProblem &convolution, StringRef strategy,
                               TileShape tile, ArrayRef<int64_t> block, int64_t lanes,
                               bool hasPatch = false) {
  MLIRContext *context = convolution.resultType.getContext();
  SmallVector<StringAttr> with;
  if (hasPatch)
    with.push_back(StringAttr::get(context, "patch"));
  return hlo::ScheduleAttr::get(context, strategy, {tile.rows, tile.vectors}, block, lanes,
                                /*group=*/1, /*units=*/0, /*grain=*/0, /*scratch=*/0, with);
}

bool isEmpty(const ConvolutionProblem &convolution) {
  return convolution.resultType.getNumElements() == 0;
}

/// Elements of a vector, which has no more than there are `along` it.
int64_t chooseLanes(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    int64_t along) {
  int64_t lanes = problem.target.getLanes(convolution.getPartBits());
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  return lanes;
}

//===-- Rows of pixels: features, groups, pixels ---------------------------------------------===//

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
  return convolution.groups == 1 ? "" : "there are several groups";
}

/// How a kernel's tiles and units go, for costs.
struct Counts {
  Counts(const ConvolutionProblem &convolution, const ConvolutionShape &shape) {
    rows = double(convolution.batches);
    for (int64_t size : ArrayRef(convolution.outputSizes).drop_back(!shape.axes.empty()))
      rows *= double(size);
    if (!shape.axes.empty())
      rows *= double(shape.axes.back().phases);
    tilesOfRow = double(llvm::divideCeil(shape.pixels, shape.tilePixels));
    for (const WindowAxis &axis : shape.axes)
      taps *= double(axis.taps);
    // The last tiles compute again what their neighbours do.
    auto fill = [](int64_t size, int64_t tile) {
      return double(size) / double(llvm::alignTo(size, tile));
    };
    useful = fill(shape.pixels, shape.tilePixels) * fill(shape.featureRun, shape.tileFeatures);
    products = rows * double(shape.pixels) * double(convolution.features) *
               double(convolution.channels) * taps;
  }

  /// Rows of pixels of all images and phases, tiles of each.
  double rows, tilesOfRow, taps = 1, useful, products;
};

/// Time of the products, each of which a tile does at `rate` of the machine's.
double getProductTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                      const ConvolutionShape &shape, const Counts &counts, double rate) {
  double whole = double(problem.target.getLanes(convolution.getPartBits()));
  rate *=
      counts.useful * getTileRate(problem.target, convolution.element, shape.tile,
                                  shape.lanesOn == ConvolutionLanes::Pixels ? convolution.features
                                                                            : shape.leastPixels);
  return counts.products * problem.costs.getMultiplyAddTime(convolution.element) * whole /
         double(shape.lanes) / rate;
}

/// Time to read what a phase needs of the filter `passes` times, in pieces of so many elements that
/// lie apart: beyond the second cache each is waited for. Zero elements: one after the other.
double getFilterTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                     const Counts &counts, double passes, int64_t pieceElements) {
  double bytes = double(convolution.getFilterBytes()),
         near = double(problem.target.machine.l2.bytes);
  double read = passes * bytes * counts.taps / double(convolution.countTaps());
  double time = read * problem.costs.getStreamTime(bytes);
  if (pieceElements > 0)
    time += read / double(pieceElements * convolution.getElementBytes()) *
            std::clamp((bytes - near) / near, 0.0, 1.0) * problem.costs.getMissTime(bytes);
  return time;
}

/// Time to bring one element of the input to its place in a patch.
double getFillTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                   const ConvolutionShape &shape) {
  double reload = 2 * problem.costs.getReloadTime();
  bool isDilated =
      llvm::any_of(shape.axes, [](const WindowAxis &axis) { return axis.dilation > 1; });
  if (isDilated)
    return problem.costs.getGatherTime() + reload;
  if (shape.lanesOn != ConvolutionLanes::Pixels)
    return convolution.inputIsByChannels() ? reload : reload + problem.costs.getStridedTime();
  // Pixels beside each other: as they lie, in squares that are turned, or one by one.
  if (convolution.channels == 1 || !convolution.inputIsByChannels())
    return reload;
  return reload + problem.costs.getStridedTime() / (convolution.channels * 2 < shape.lanes ? 1 : 2);
}

double costRows(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution))
    return 0;
  ConvolutionShape shape(convolution, schedule);
  Counts counts(convolution, shape);
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

/// What is wrong with what schedules of all strategies have, the block being of so many numbers.
std::string checkFields(const KernelProblem &problem, const ConvolutionProblem &convolution,
                        hlo::ScheduleAttr schedule, size_t blockRank, bool mayPatch) {
  if (std::string wrong = checkScheduleFields(
          problem, schedule, mayPatch ? ArrayRef<StringRef>{"patch"} : ArrayRef<StringRef>());
      !wrong.empty())
    return wrong;
  if (schedule.getBlock().size() != blockRank ||
      llvm::any_of(schedule.getBlock(), [](int64_t size) { return size < 1; }))
    return "expected `block` to be " + std::to_string(blockRank) + " numbers, 1 or more";
  if (schedule.getGroup() != 1)
    return "expected no `group`";
  return checkLanes(problem, schedule, convolution.getPartBits());
}

std::string checkFrame(const KernelProblem &problem, const ConvolutionProblem &convolution,
                       const ConvolutionShape &shape) {
  int64_t bytes = shape.countFrameElements() * convolution.getElementBytes();
  return bytes + kOtherBytes > problem.target.kernelStackBytes
             ? "expected patches and blocks that fit into the stack"
             : "";
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

//===-- convolution.channels -----------------------------------------------------------------===//

std::string refuseChannels(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t lanes = problem.target.getLanes(convolution.getPartBits());
  if (isEmpty(convolution) || convolution.spatial() == 0)
    return "there are no pixels";
  if (convolution.groups != 1)
    return "there are several groups";
  if (!isa<FloatType>(convolution.element))
    return "lanes of this type are not added up";
  if (!convolution.inputIsByChannels())
    return "channels do not lie beside each other";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.features > lanes / 2 || convolution.channels < 2 * lanes)
    return "there are too many features, or too few channels";
  return "";
}

void proposeChannels(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ConvolutionProblem convolution = getConvolution(problem);
  // Accumulators may take three registers in four; the last tile does pixels again.
  int64_t pixels = convolution.outputSizes.back(),
          most = std::clamp<int64_t>(problem.target.vectorRegisters * 3 / 4 / convolution.features,
                                     1, pixels),
          rows = most;
  for (int64_t fewer = most; fewer > most / 2; --fewer)
    if (llvm::alignTo(pixels, fewer) * rows < llvm::alignTo(pixels, rows) * fewer)
      rows = fewer;
  hlo::ScheduleAttr schedule =
      makeSchedule(convolution, "convolution.channels", {rows, convolution.features}, {},
                   problem.target.getLanes(convolution.getPartBits()));
  ConvolutionShape shape(convolution, schedule);
  int64_t elements = shape.countFrameElements();
  if (elements > 0 &&
      elements * convolution.getElementBytes() <= problem.target.machine.l2.bytes / 2)
    schedules.push_back(schedule);
}

double costChannels(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  Counts counts(convolution, shape);
  counts.useful *= double(convolution.channels) / double(shape.channelSteps * shape.lanes);
  double sums = double(convolution.resultType.getNumElements()) *
                problem.costs.fromCycles(llvm::Log2_64(shape.lanes) + 1);
  double pack = double(shape.countElements(shape.panelSizes)) *
                (problem.costs.getReloadTime() + problem.costs.getStridedTime());
  return getProductTime(problem, convolution, shape, counts, kAlongRate) + sums + pack +
         counts.rows * counts.tilesOfRow * double(shape.countElements(shape.patchSizes)) *
             getFillTime(problem, convolution, shape);
}

std::string checkChannels(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (std::string wrong = checkFields(problem, convolution, schedule, 0, /*mayPatch=*/false);
      !wrong.empty())
    return wrong;
  if (schedule.getTile()[1] != convolution.features ||
      schedule.getTile()[0] > convolution.outputSizes.back())
    return "expected `tile` to be pixels of a row and all features";
  if (schedule.getLanes() != problem.target.getLanes(convolution.getPartBits()))
    return "expected the target's own lanes: the order of sums depends on them";
  return checkFrame(problem, convolution, ConvolutionShape(convolution, schedule));
}

//===-- convolution.blocked ------------------------------------------------------------------===//

std::string refuseBlocked(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution) || convolution.spatial() < 2)
    return "there are no rows of pixels";
  if (convolution.groups != 1)
    return "there are several groups";
  if (!isa<FloatType>(convolution.element))
    return "sums of this type are not made in blocks";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.channels < kBlockChannels)
    return "there are few channels";
  int64_t blocks =
      convolution.countTaps() *
      llvm::divideCeil(convolution.channels, chooseSumBlock(convolution.channels, kSumBlock));
  return blocks > kMaxBlocks ? "there are so many blocks that their sums would lose accuracy" : "";
}

void proposeBlocked(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t lanes = chooseLanes(problem, convolution, convolution.features);
  int64_t pixels = convolution.outputSizes.back();
  TileShape tile = chooseTile(problem.target, convolution.element, lanes, pixels,
                              std::min(convolution.features, kBlockFeatures));
  int64_t blockFeatures = std::min(kFeatureTiles * tile.vectors * lanes, convolution.features),
          blockChannels = chooseSumBlock(convolution.channels, kSumBlock);
  int64_t rowCount = convolution.outputSizes[convolution.spatial() - 2];
  auto make = [&](int64_t rows) {
    return makeSchedule(convolution, "convolution.blocked", tile,
                        {blockFeatures, rows, blockChannels}, lanes);
  };
  // As many rows as leave the patch in half of the second cache, and with the sums and a block of
  // the filter on the stack; units of as many rows each.
  int64_t bytes = convolution.getElementBytes(), most = 0;
  while (most < rowCount) {
    ConvolutionShape shape(convolution, make(most + 1));
    if (shape.countElements(shape.patchSizes) * bytes > problem.target.machine.l2.bytes / 2 ||
        shape.countFrameElements() * bytes + kOtherBytes > problem.target.kernelStackBytes)
      break;
    ++most;
  }
  if (most >= 2)
    schedules.push_back(make(llvm::divideCeil(rowCount, llvm::divideCeil(rowCount, most))));
}

double costBlocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  Counts counts(convolution, shape);
  double rowCount = double(convolution.outputSizes[convolution.spatial() - 2]);
  double rowBlocks = counts.rows / rowCount * std::ceil(rowCount / double(shape.unitRows));
  double filter = double(convolution.getFilterBytes() / convolution.getElementBytes());
  double pack = rowBlocks * filter * 3 * problem.costs.getReloadTime();
  double compute = getProductTime(problem, convolution, shape, counts, kBlockedRate);
  double blocks = counts.taps * double(llvm::divideCeil(convolution.channels, shape.blockChannels));
  double sums =
      blocks * double(convolution.resultType.getNumElements()) * 2 * problem.costs.getReloadTime();
  double featureBlocks = double(llvm::divideCeil(convolution.features, shape.blockFeatures));
  double fill = rowBlocks * featureBlocks * double(shape.countElements(shape.patchSizes)) *
                getFillTime(problem, convolution, shape);
  return std::max(compute,
                  getFilterTime(problem, convolution, counts, rowBlocks, /*pieceElements=*/0)) +
         pack + sums + fill;
}

std::string checkBlocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (std::string wrong = checkFields(problem, convolution, schedule, 3, /*mayPatch=*/false);
      !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  if (schedule.getTile()[0] > convolution.outputSizes.back() ||
      block[1] > convolution.outputSizes[convolution.spatial() - 2])
    return "expected no more pixels and rows of them than there are";
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (block[0] > convolution.features || (block[0] < convolution.features && block[0] % width != 0))
    return "expected units of whole tiles";
  // Where sums are cut is a matter of accuracy.
  if (block[2] != chooseSumBlock(convolution.channels, kSumBlock))
    return "expected a block's channels to be those of sums, which accuracy decides";
  return checkFrame(problem, convolution, ConvolutionShape(convolution, schedule));
}

} // namespace

ArrayRef<Strategy> getConvolutionStrategies() {
  constexpr auto kind = hlo::KernelKind::Convolution;
  static const Strategy strategies[] = {
      {"convolution.features", kind, refuseNothing, proposeFeatures, costRows, checkRows},
      {"convolution.groups", kind, refuseGroups, proposeGroups, costRows, checkRows},
      {"convolution.pixels", kind, refusePixels, proposePixels, costRows, checkRows},
      {"convolution.channels", kind, refuseChannels, proposeChannels, costChannels, checkChannels},
      {"convolution.blocked", kind, refuseBlocked, proposeBlocked, costBlocked, checkBlocked},
  };
  return strategies;
}

} // namespace hloc
