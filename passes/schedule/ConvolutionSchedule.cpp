// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ConvolutionSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Bytes of the stack that are left for a tile of results and spilled registers.
static constexpr int64_t kOtherBytes = 32 << 10;

ConvolutionProblem getConvolution(const KernelProblem &problem) {
  return ConvolutionProblem(*problem.body.getOps<hlo::ConvolutionOp>().begin());
}

hlo::ScheduleAttr makeSchedule(const ConvolutionProblem &convolution, StringRef strategy,
                               TileShape tile, ArrayRef<int64_t> block, int64_t lanes,
                               bool hasPatch, int64_t group) {
  MLIRContext *context = convolution.resultType.getContext();
  SmallVector<StringAttr> with;
  if (hasPatch)
    with.push_back(StringAttr::get(context, "patch"));
  return hlo::ScheduleAttr::get(context, strategy, {tile.rows, tile.vectors}, block, lanes, group,
                                /*units=*/0, /*grain=*/0, /*scratch=*/0, with);
}

bool isEmpty(const ConvolutionProblem &convolution) {
  return convolution.resultType.getNumElements() == 0;
}

int64_t chooseLanes(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    int64_t along) {
  int64_t lanes = problem.target.getLanes(convolution.getPartBits());
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  return lanes;
}

ConvolutionCounts::ConvolutionCounts(const ConvolutionProblem &convolution,
                                     const ConvolutionShape &shape) {
  rows = double(convolution.batches);
  for (int64_t size : ArrayRef(convolution.outputSizes).drop_back(!shape.axes.empty()))
    rows *= double(size);
  if (!shape.axes.empty())
    rows *= double(shape.axes.back().phases);
  tilesOfRow = double(llvm::divideCeil(shape.pixels, shape.tilePixels));
  for (const WindowAxis &axis : shape.axes)
    taps *= double(axis.taps);
  // The last tile of a row repeats part of the one before.
  auto fill = [](int64_t size, int64_t tile) {
    return double(size) / double(llvm::alignTo(size, tile));
  };
  useful = fill(shape.pixels, shape.tilePixels) * fill(shape.featureRun, shape.tileFeatures);
  products = rows * double(shape.pixels) * double(convolution.features) *
             double(convolution.channels) * taps;
}

double getProductTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                      const ConvolutionShape &shape, const ConvolutionCounts &counts, double rate) {
  double whole = double(problem.target.getLanes(convolution.getPartBits()));
  rate *=
      counts.useful * getTileRate(problem.target, convolution.element, shape.tile,
                                  shape.lanesOn == ConvolutionLanes::Pixels ? convolution.features
                                                                            : shape.leastPixels);
  rate *= problem.costs.getGroupSpeed(shape.group, /*isBf16=*/false);
  return counts.products * problem.costs.getMultiplyAddTime(convolution.element) * whole /
         double(shape.lanes) / rate;
}

double getFilterTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                     const ConvolutionCounts &counts, double passes, int64_t pieceElements) {
  double bytes = double(convolution.getFilterBytes()),
         near = double(problem.target.machine.l2.bytes);
  double read = passes * bytes * counts.taps / double(convolution.countTaps());
  double time = read * problem.costs.getStreamTime(bytes);
  if (pieceElements > 0)
    time += read / double(pieceElements * convolution.getElementBytes()) *
            std::clamp((bytes - near) / near, 0.0, 1.0) * problem.costs.getMissTime(bytes);
  return time;
}

double getFillTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                   const ConvolutionShape &shape) {
  double reload = 2 * problem.costs.getReloadTime();
  bool isDilated =
      llvm::any_of(shape.axes, [](const WindowAxis &axis) { return axis.dilation > 1; });
  if (isDilated)
    return problem.costs.getGatherTime() + reload;
  if (shape.lanesOn != ConvolutionLanes::Pixels)
    return convolution.inputIsByChannels() ? reload : reload + problem.costs.getStridedTime();
  // Contiguous pixels are copied as they are; others are transposed in square tiles, or copied one
  // by one if there are few channels.
  if (convolution.channels == 1 || !convolution.inputIsByChannels())
    return reload;
  return reload + problem.costs.getStridedTime() / (convolution.channels * 2 < shape.lanes ? 1 : 2);
}

std::string checkFields(const KernelProblem &problem, const ConvolutionProblem &convolution,
                        hlo::ScheduleAttr schedule, size_t blockRank, bool mayPatch,
                        int64_t group) {
  if (std::string wrong = checkScheduleFields(
          problem, schedule, mayPatch ? ArrayRef<StringRef>{"patch"} : ArrayRef<StringRef>());
      !wrong.empty())
    return wrong;
  if (schedule.getBlock().size() != blockRank ||
      llvm::any_of(schedule.getBlock(), [](int64_t size) { return size < 1; }))
    return "expected `block` to be " + std::to_string(blockRank) + " numbers, 1 or more";
  if (schedule.getGroup() != group)
    return "expected `group` to be " + std::to_string(group) + " for these types and channels";
  return checkLanes(problem, schedule, convolution.getPartBits());
}

bool fitsStack(const KernelProblem &problem, const ConvolutionProblem &convolution,
               const ConvolutionShape &shape) {
  int64_t bytes = shape.countFrameElements() * convolution.getElementBytes();
  return bytes + kOtherBytes <= problem.target.kernelStackBytes;
}

std::string checkFrame(const KernelProblem &problem, const ConvolutionProblem &convolution,
                       const ConvolutionShape &shape) {
  return fitsStack(problem, convolution, shape)
             ? ""
             : "expected patches and blocks that fit into the stack";
}

std::string sumTapsInTurn(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  ConvolutionProblem convolution = getConvolution(problem);
  if (!isa<FloatType, ComplexType>(convolution.element))
    return kExactSums.str();
  if (isEmpty(convolution))
    return kSumsInTurn.str();
  ConvolutionShape shape(convolution, schedule);
  std::string order;
  llvm::raw_string_ostream out(order);
  // The lengths of the sums determine where they are cut into blocks.
  for (const WindowAxis &axis : shape.axes)
    out << axis.taps << " taps in each of " << axis.phases << " phases, ";
  out << shape.channelSteps << " channels";
  if (shape.lanesOn == ConvolutionLanes::Channels)
    out << " in each of " << shape.lanes << " lanes";
  return order;
}

} // namespace hloc
