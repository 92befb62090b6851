// SPDX-License-Identifier: Apache-2.0
// convolution.blocked: lanes lie along features, for convolutions of many channels. A block of the
// filter is packed and then used by all tiles of several rows of pixels. `block` is [features of a
// unit, rows of pixels of a unit, channels of a block]; with one spatial dimension, the second is
// the pixels of a unit, whose tiles are its rows here. Integers of few bits are multiplied in
// groups of channels.
#include "passes/schedule/ConvolutionSchedule.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The fewest channels, and groups of channels, with which a single tap makes a block. With groups
/// each step saves so much that few of them pay for the sums between blocks.
constexpr int64_t kLeastChannels = 48, kLeastGroups = 8;
/// Tiles of features that share the patch of a unit, where there are units enough.
constexpr int64_t kFeatureTiles = 2;
/// Numbers of rows of a unit that are candidates.
constexpr int64_t kHeights = 8;
/// Fraction of a tile's peak rate that is reached when it reads packed blocks.
constexpr double kBlockedRate = 0.9;
/// Fraction of the time to read a patch from beyond L2 that computation does not hide. Prefetches
/// of the processor follow the channels of each pixel.
constexpr double kExposedReads = 0.25;

/// Channels that one instruction multiplies and adds.
int64_t chooseGroup(const KernelProblem &problem, const ConvolutionProblem &convolution) {
  if (!convolution.element.isInteger(32) ||
      chooseLanes(problem, convolution, convolution.features) < kLeastGroupLanes)
    return 1;
  Type input = convolution.inputType.getElementType(),
       filter = convolution.filterType.getElementType();
  for (bool packs : {true, false}) // four channels, else two
    if (int64_t group = getIntegerGroup(problem.target, input, filter, packs);
        convolution.channels % group == 0)
      return group;
  return 1;
}

/// Channels of a block of the filter: whole groups, and so many that sums of blocks are accurate.
int64_t chooseBlockChannels(const ConvolutionProblem &convolution, int64_t group) {
  return llvm::alignTo(chooseSumBlock(convolution.channels, kSumBlock * group), group);
}

std::string refuseBlocked(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution) || convolution.spatial() == 0)
    return "there are no spatial dimensions";
  if (convolution.groups != 1)
    return "there are several groups";
  int64_t group = chooseGroup(problem, convolution);
  if (!isa<FloatType>(convolution.element) && group == 1)
    return "elements are neither real floating-point numbers nor integers that are multiplied in "
           "groups";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.channels < (group == 1 ? kLeastChannels : kLeastGroups * group))
    return "there are few channels";
  int64_t blocks = convolution.countTaps() *
                   llvm::divideCeil(convolution.channels, chooseBlockChannels(convolution, group));
  return group == 1 && blocks > kMaxPlainBlocks
             ? "there are so many blocks that their sum would lose accuracy"
             : "";
}

/// The rows of an image that units share, or the tiles of its only row; and those of a unit.
struct Rows {
  int64_t count = 1, ofUnit = 1;

  Rows(const ConvolutionProblem &convolution, const ConvolutionShape &shape) {
    bool isLine = convolution.spatial() == 1;
    count = isLine ? llvm::divideCeil(shape.pixels, shape.tilePixels)
                   : convolution.outputSizes[convolution.spatial() - 2];
    ofUnit = isLine ? llvm::divideCeil(shape.unitPixels, shape.tilePixels) : shape.unitRows;
  }
};

/// Time that tiles wait for a patch of which half of L2 does not hold all.
double getPatchTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    const ConvolutionShape &shape, const ConvolutionCounts &counts) {
  double bytes = double(convolution.getElementBytes()),
         patch = double(shape.countElements(shape.patchSizes)) * bytes,
         near = double(problem.target.machine.l2.bytes);
  if (2 * patch <= near)
    return 0;
  // Each tile of features reads what is under its windows.
  double read = counts.products / double(shape.tileFeatures) * bytes;
  return kExposedReads * read * problem.costs.getStreamTime(near + patch);
}

/// How much longer work of `time` takes because the cores that share the last-level cache do not
/// get equally much of it: the last units of a row and of a plane are smaller than the others.
double getImbalance(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    const ConvolutionShape &shape, double time) {
  Rows rows(convolution, shape);
  int64_t planes = convolution.batches *
                   ShapedType::getNumElements(
                       ArrayRef(convolution.outputSizes)
                           .drop_back(std::min<int64_t>(2, convolution.spatial()))),
          tiles = llvm::divideCeil(convolution.features, shape.tileFeatures),
          tilesOfUnit = llvm::divideCeil(shape.blockFeatures, shape.tileFeatures);
  int64_t units =
      planes * llvm::divideCeil(rows.count, rows.ofUnit) * llvm::divideCeil(tiles, tilesOfUnit);
  int64_t shares = std::min(problem.costs.getTaskCount(time), getLeastUnits(problem.target));
  double longest = double(llvm::divideCeil(units, shares) * rows.ofUnit * tilesOfUnit);
  return longest * double(shares) / double(planes * rows.count * tiles);
}

void proposeBlocked(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t lanes = chooseLanes(problem, convolution, convolution.features);
  int64_t pixels = convolution.outputSizes.back();
  TileShape tile = chooseTile(problem.target, convolution.element, lanes, pixels,
                              std::min(convolution.features, kBlockFeatures));
  int64_t width = tile.vectors * lanes, group = chooseGroup(problem, convolution),
          blockChannels = chooseBlockChannels(convolution, group);
  // Tiles of a line read few elements of the input, and so leave the filter in L2.
  bool isLine = convolution.spatial() == 1;
  if (isLine && group == 1 && convolution.getFilterBytes() <= problem.target.machine.l2.bytes)
    return;
  int64_t rowCount = isLine ? llvm::divideCeil(pixels, tile.rows)
                            : convolution.outputSizes[convolution.spatial() - 2];
  // All rows of the result in a unit, or equal parts of them. Fewer rows cost more time to pack the
  // filter, but they make more units, and their patch stays in L2.
  int64_t heights = 0;
  auto getFewer = [&](int64_t rows) {
    return llvm::divideCeil(rowCount, llvm::divideCeil(rowCount, rows - 1));
  };
  for (int64_t rows = rowCount; rows >= 2 && heights < kHeights; rows = getFewer(rows)) {
    size_t before = schedules.size();
    for (int64_t tiles : {kFeatureTiles, int64_t(1)}) {
      if (tiles > 1 && width >= convolution.features)
        continue;
      hlo::ScheduleAttr schedule =
          makeSchedule(convolution, "convolution.blocked", tile,
                       {std::min(tiles * width, convolution.features),
                        isLine ? std::min(rows * tile.rows, pixels) : rows, blockChannels},
                       lanes, /*hasPatch=*/false, group);
      if (fitsStack(problem, convolution, ConvolutionShape(convolution, schedule)))
        schedules.push_back(schedule);
    }
    heights += schedules.size() > before;
  }
}

double costBlocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  ConvolutionCounts counts(convolution, shape);
  Rows rows(convolution, shape);
  double images = convolution.spatial() == 1 ? counts.rows : counts.rows / double(rows.count),
         rowBlocks = images * double(llvm::divideCeil(rows.count, rows.ofUnit));
  double filter = double(convolution.getFilterBytes() / convolution.getElementBytes());
  double pack = rowBlocks * filter * 3 * problem.costs.getReloadTime();
  double compute = getProductTime(problem, convolution, shape, counts, kBlockedRate);
  double blocks = counts.taps * double(llvm::divideCeil(convolution.channels, shape.blockChannels));
  double sums =
      blocks * double(convolution.resultType.getNumElements()) * 2 * problem.costs.getReloadTime();
  double featureBlocks = double(llvm::divideCeil(convolution.features, shape.blockFeatures));
  double fill = rowBlocks * featureBlocks * double(shape.countElements(shape.patchSizes)) *
                getFillTime(problem, convolution, shape);
  double time = std::max(compute, getFilterTime(problem, convolution, counts, rowBlocks,
                                                /*pieceElements=*/0)) +
                pack + sums + fill + getPatchTime(problem, convolution, shape, counts);
  return time * getImbalance(problem, convolution, shape, time);
}

std::string checkBlocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t group = chooseGroup(problem, convolution);
  if (std::string wrong = checkFields(problem, convolution, schedule, 3, /*mayPatch=*/false, group);
      !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t pixels = convolution.outputSizes.back(), rows = schedule.getTile()[0];
  bool isLine = convolution.spatial() == 1;
  if (rows > pixels ||
      block[1] > (isLine ? pixels : convolution.outputSizes[convolution.spatial() - 2]))
    return "expected no more pixels and rows than the result has";
  if (isLine && block[1] % rows != 0 && block[1] < pixels)
    return "expected units of whole tiles";
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (block[0] > convolution.features || (block[0] < convolution.features && block[0] % width != 0))
    return "expected units of whole tiles";
  // Where sums are cut is decided by accuracy, not by speed.
  if (block[2] != chooseBlockChannels(convolution, group))
    return "expected the channels of `block` to be those of a block of the sum, which accuracy "
           "determines";
  return checkFrame(problem, convolution, ConvolutionShape(convolution, schedule));
}

std::string sumBlocks(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  if (!isa<FloatType>(getConvolution(problem).element))
    return kExactSums.str();
  return "blocks of " + std::to_string(schedule.getBlock()[2]) + " channels of each tap";
}

} // namespace

const Strategy kBlockedConvolution = {"convolution.blocked",
                                      hlo::KernelKind::Convolution,
                                      refuseBlocked,
                                      proposeBlocked,
                                      costBlocked,
                                      checkBlocked,
                                      sumBlocks};

} // namespace hloc
