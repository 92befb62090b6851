// SPDX-License-Identifier: Apache-2.0
// convolution.channels: lanes lie along channels and are added at the end. `tile` is [pixels,
// features].
#include "passes/schedule/ConvolutionSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Fraction of a tile's peak rate that is reached along channels.
constexpr double kAlongRate = 0.7;

std::string refuseChannels(const KernelProblem &problem) {
  ConvolutionProblem convolution = getConvolution(problem);
  int64_t lanes = problem.target.getLanes(convolution.getPartBits());
  if (isEmpty(convolution) || convolution.spatial() == 0)
    return "there are no spatial dimensions";
  if (convolution.groups != 1)
    return "there are several groups";
  if (!isa<FloatType>(convolution.element))
    return "lanes of this type cannot be added up";
  if (!convolution.inputIsByChannels())
    return "channels are not the minor dimension";
  if (llvm::any_of(convolution.window.getBaseDilations(), [](int64_t d) { return d != 1; }))
    return "the input is dilated";
  if (convolution.features > lanes / 2 || convolution.channels < 2 * lanes)
    return "there are too many features, or too few channels";
  return "";
}

void proposeChannels(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  ConvolutionProblem convolution = getConvolution(problem);
  // Accumulators may take three quarters of the registers. The last tile of a row repeats pixels of
  // the one before, so fewer pixels per tile can be less work.
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
  if (elements > 0 && fitsStack(problem, convolution, shape) &&
      elements * convolution.getElementBytes() <= problem.target.machine.l2.bytes / 2)
    schedules.push_back(schedule);
}

double costChannels(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  ConvolutionShape shape(convolution, schedule);
  ConvolutionCounts counts(convolution, shape);
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

} // namespace

const Strategy kChannelConvolution = {"convolution.channels", hlo::KernelKind::Convolution,
                                      refuseChannels,         proposeChannels,
                                      costChannels,           checkChannels,
                                      sumTapsInTurn};

} // namespace hloc
