// SPDX-License-Identifier: Apache-2.0
// convolution.blocked: lanes lie along features, for filters that do not fit in L2. A block of the
// filter is packed and then used by all tiles of several rows of pixels. `block` is [features of a
// unit, rows of pixels of a unit, channels of a block].
#include "passes/schedule/ConvolutionSchedule.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The fewest channels with which a single tap makes a block.
constexpr int64_t kBlockChannels = 128;
/// Tiles of features that share the patch of a unit.
constexpr int64_t kFeatureTiles = 2;
/// Fraction of a tile's peak rate that is reached when it reads packed blocks.
constexpr double kBlockedRate = 0.9;

std::string refuseBlocked(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (isEmpty(convolution) || convolution.spatial() < 2)
    return "there are fewer than two spatial dimensions";
  if (convolution.groups != 1)
    return "there are several groups";
  if (!isa<FloatType>(convolution.element))
    return "elements are not real floating-point numbers";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.channels < kBlockChannels)
    return "there are few channels";
  int64_t blocks =
      convolution.countTaps() *
      llvm::divideCeil(convolution.channels, chooseSumBlock(convolution.channels, kSumBlock));
  return blocks > kMaxPlainBlocks ? "there are so many blocks that their sum would lose accuracy"
                                  : "";
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
  // As many rows as fit: the patch takes at most half of L2, and patch, sums and a block of the
  // filter fit on the stack. Then all units get about equally many rows.
  int64_t bytes = convolution.getElementBytes(), most = 0;
  while (most < rowCount) {
    ConvolutionShape shape(convolution, make(most + 1));
    if (shape.countElements(shape.patchSizes) * bytes > problem.target.machine.l2.bytes / 2 ||
        !fitsStack(problem, convolution, shape))
      break;
    ++most;
  }
  if (most >= 2)
    schedules.push_back(make(llvm::divideCeil(rowCount, llvm::divideCeil(rowCount, most))));
}

double costBlocked(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  ConvolutionCounts counts(convolution, shape);
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
    return "expected no more pixels and rows than the result has";
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  if (block[0] > convolution.features || (block[0] < convolution.features && block[0] % width != 0))
    return "expected units of whole tiles";
  // Where sums are cut is decided by accuracy, not by speed.
  if (block[2] != chooseSumBlock(convolution.channels, kSumBlock))
    return "expected the channels of `block` to be those of a block of the sum, which accuracy "
           "determines";
  return checkFrame(problem, convolution, ConvolutionShape(convolution, schedule));
}

std::string sumBlocks(const KernelProblem &, hlo::ScheduleAttr schedule) {
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
