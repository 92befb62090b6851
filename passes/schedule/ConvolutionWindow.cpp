// SPDX-License-Identifier: Apache-2.0
// convolution.window: lanes lie along features, for windows larger than the result, as in gradients
// of filters. A block of the window is used by all tiles of several images. `block` is [features of
// a unit, images of a unit, positions of the window's first dimension in a block].
#include "passes/schedule/ConvolutionSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Fraction of a tile's peak rate that is reached when patch and filter are in L2.
constexpr double kWindowRate = 0.85;
/// The parts of L2 for a block of the filter, and for sums with their errors.
constexpr int64_t kFilterShare = 2, kSumShare = 4;

std::string refuseWindow(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution) || convolution.spatial() == 0)
    return "there are no spatial dimensions";
  if (convolution.groups != 1)
    return "there are several groups";
  if (!isa<FloatType>(convolution.element))
    return "elements are not real floating-point numbers";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.countTaps() <= ShapedType::getNumElements(convolution.outputSizes))
    return "the window is no larger than the result";
  ConvolutionShape bare(convolution,
                        makeSchedule(convolution, "convolution.features", {1, 1}, {1, 1}, 1));
  return bare.getSumBlocks(convolution.element).size == 0 ? "the sums are short" : "";
}

/// Of how many positions of the window's first dimension a block must have a multiple.
int64_t getLeastRows(const ConvolutionProblem &convolution, const ConvolutionShape &shape) {
  ConvolutionShape::SumBlocks blocks = shape.getSumBlocks(convolution.element);
  return blocks.level == 0 ? blocks.size : 1;
}

/// Units of `features` features, and as many images as their sums have room for.
hlo::ScheduleAttr makeUnits(const KernelProblem &problem, const ConvolutionProblem &convolution,
                            TileShape tile, int64_t lanes, int64_t features) {
  int64_t near = problem.target.machine.l2.bytes, bytes = convolution.getElementBytes();
  auto make = [&](int64_t images, int64_t rows) {
    return makeSchedule(convolution, "convolution.window", tile, {features, images, rows}, lanes);
  };
  ConvolutionShape shape(convolution, make(1, 1));
  int64_t taps = convolution.window.getSizes().front(), least = getLeastRows(convolution, shape);
  int64_t rowBytes = convolution.countTaps() / taps * convolution.channels * features * bytes,
          imageBytes = shape.countElements(shape.sumSizes) * bytes;
  int64_t rows = std::clamp<int64_t>(near / kFilterShare / rowBytes / least * least, least, taps);
  // Whatever the number of cores, there should be units for all of them.
  int64_t blocks = llvm::divideCeil(convolution.features, features),
          share = llvm::divideCeil(convolution.batches * blocks, getLeastUnits(problem.target));
  int64_t most =
      std::clamp<int64_t>(near / kSumShare / imageBytes, 1, std::min(convolution.batches, share));
  int64_t units = llvm::divideCeil(convolution.batches, most);
  return make(llvm::divideCeil(convolution.batches, units), rows);
}

void proposeWindow(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t lanes = chooseLanes(problem, convolution, convolution.features),
          most = std::min(convolution.features, kBlockFeatures);
  TileShape tile = chooseTile(problem.target, convolution.element, lanes,
                              convolution.outputSizes.back(), most, TileKeeps::Fewest);
  int64_t width = tile.vectors * lanes;
  for (int64_t tiles = llvm::divideCeil(most, width); tiles > 0; tiles /= 2) {
    int64_t features = std::min(tiles * width, convolution.features);
    hlo::ScheduleAttr schedule = makeUnits(problem, convolution, tile, lanes, features);
    if (fitsStack(problem, convolution, ConvolutionShape(convolution, schedule)))
      schedules.push_back(schedule);
  }
}

double costWindow(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  ConvolutionCounts counts(convolution, shape);
  double near = double(problem.target.machine.l2.bytes);
  double batchBlocks = std::ceil(double(convolution.batches) / double(shape.unitBatches)),
         featureBlocks = std::ceil(double(convolution.features) / double(shape.blockFeatures)),
         windowBlocks = std::ceil(double(shape.axes.front().taps) / double(shape.windowRows));
  // Each tile reads a block of the filter from L2.
  double tiles = counts.rows * counts.tilesOfRow,
         read = tiles * double(convolution.getFilterBytes()) * problem.costs.getStreamTime(near);
  double compute = getProductTime(problem, convolution, shape, counts, kWindowRate);
  double elements = double(shape.countElements(shape.sumSizes)) * batchBlocks * featureBlocks,
         sums = windowBlocks * elements * 2 * problem.costs.getReloadTime();
  double fill = tiles * featureBlocks * windowBlocks *
                double(shape.countElements(shape.patchSizes)) *
                getFillTime(problem, convolution, shape);
  double filter = getFilterTime(problem, convolution, counts, batchBlocks, /*pieceElements=*/0);
  double time = std::max(compute, read) + filter + sums + fill, units = batchBlocks * featureBlocks,
         shares = double(std::min(problem.costs.getTaskCount(time), getLeastUnits(problem.target)));
  return time * std::ceil(units / shares) * shares / units;
}

std::string checkWindow(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (std::string wrong = checkFields(problem, convolution, schedule, 3, /*mayPatch=*/false);
      !wrong.empty())
    return wrong;
  ArrayRef<int64_t> block = schedule.getBlock();
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (schedule.getTile()[0] > convolution.outputSizes.back())
    return "expected no more rows in a tile than the result has";
  if (block[0] > convolution.features || (block[0] < convolution.features && block[0] % width != 0))
    return "expected units of whole tiles";
  if (block[1] > convolution.batches || block[2] > convolution.window.getSizes().front())
    return "expected no more images than there are, and no more positions than the window has";
  ConvolutionShape shape(convolution, schedule);
  if (block[2] % getLeastRows(convolution, shape) != 0 && block[2] < shape.axes.front().taps)
    return "expected whole blocks of the sum, which accuracy determines";
  return checkFrame(problem, convolution, shape);
}

} // namespace

const Strategy kWindowConvolution = {"convolution.window", hlo::KernelKind::Convolution,
                                     refuseWindow,         proposeWindow,
                                     costWindow,           checkWindow,
                                     sumTapsInTurn};

} // namespace hloc
