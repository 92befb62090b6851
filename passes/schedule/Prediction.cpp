// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Prediction.h"
#include "compiler/target/Access.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/KernelWork.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace hloc {

/// Cycles for one comparison of a sort with its moves, and for one update of a scatter.
static constexpr double kSortStepCycles = 2.5, kScatterCycles = 6;
/// Elements up to which a kernel has no loops, and neither start nor end.
static constexpr double kStraightElements = 64;
/// Cycles to fold the lanes of a vector at the end of a row, and to move them for a step of the
/// prefixes within one.
static constexpr double kFoldLanesCycles = 30, kMoveLanesCycles = 3;
/// How much longer operations take of which each waits for the one before: four cycles where two
/// begin in one, and those that are two instructions.
static constexpr double kLatencyOfRate = 4;

static double countElements(Value value) { return fuse::elementsOf(value.getType()); }

static double getWindowSize(hlo::WindowAttr window) {
  double size = 1;
  for (int64_t one : window.getSizes())
    size *= double(one);
  return size;
}

/// Multiply-adds of a contraction.
static double countProducts(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](hlo::DotOp dot) {
        double depth = 1;
        auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
        for (int64_t dimension : dot.getLhsContractingDims())
          depth *= double(lhs.getDimSize(dimension));
        return countElements(dot.getResult()) * depth;
      })
      .Case([](hlo::ConvolutionOp convolution) {
        auto filter = cast<RankedTensorType>(convolution.getRhs().getType());
        int64_t features = filter.getDimSize(convolution.getDimLabels().getKernelOutputFeature());
        double holes = 1; // positions between the elements of a dilated operand
        for (int64_t dilation : convolution.getWindow().getBaseDilations())
          holes *= double(dilation);
        return features ? countElements(convolution.getResult()) *
                              double(filter.getNumElements() / features) / holes
                        : 0.0;
      })
      .Default([](Operation *) { return 0.0; });
}

/// Time of one application of a computation to elements of vectors, or to single ones.
static double getComputationTime(const KernelProblem &problem, Operation *user,
                                 FlatSymbolRefAttr symbol, bool isScalar) {
  hlo::ComputationOp computation = lookupComputation(user, symbol);
  if (!computation)
    return problem.costs.getElementTime(user);
  double time = 0;
  for (Operation &op : computation.getBody().front().without_terminator())
    time += isScalar ? problem.costs.getScalarTime(&op) : problem.costs.getElementTime(&op);
  return time;
}

/// Sums and the like. Where lanes lie along the reduced dimensions, they are folded at the end of
/// each row.
static double getReduceTime(const KernelProblem &problem, hlo::ReduceOp reduce,
                            hlo::ScheduleAttr schedule) {
  double inputs = countElements(reduce.getInputs()[0]),
         results = countElements(reduce.getResult(0));
  double fold = inputs * getComputationTime(problem, reduce, reduce.getToApplyAttr(), false);
  bool foldsLanes = schedule && schedule.getStrategy() == "reduce.rows";
  return fold + (foldsLanes ? results * problem.costs.fromCycles(kFoldLanesCycles) : 0);
}

/// The steps of a scan follow each other: what counts is how long one takes, not how many
/// instructions could be begun meanwhile.
static double getScanTime(const KernelProblem &problem, hlo::ScanOp scan) {
  auto type = cast<RankedTensorType>(scan.getArrays()[0].getType());
  ArrayRef<int64_t> shape = type.getShape();
  size_t dimension = scan.getDimensions()[0];
  double elements = double(type.getNumElements()), steps = double(shape[dimension]);
  double lanes = problem.target.getLanes(getComputedBits(type.getElementType()));
  double chain =
      kLatencyOfRate * getComputationTime(problem, scan, scan.getToApplyAttr(), /*isScalar=*/true);
  bool isMinor = dimension + 1 == shape.size();
  if (scan.getIsAssociative().value_or(false) && isMinor && steps >= lanes)
    // Prefixes within a vector, then the carry.
    return elements / lanes *
           (std::log2(lanes) * (chain + problem.costs.fromCycles(kMoveLanesCycles)) + chain);
  double across = shape.size() < 2 ? 1 : double(isMinor ? shape[shape.size() - 2] : shape.back());
  double columns = elements / std::max(1.0, steps * across) * std::ceil(across / lanes);
  return columns * steps * chain;
}

static double getSortTime(const KernelProblem &problem, hlo::SortOp sort) {
  auto type = cast<RankedTensorType>(sort.getInputs()[0].getType());
  double elements = double(type.getNumElements());
  double length = double(std::max<int64_t>(2, type.getDimSize(sort.getDimension())));
  return elements * std::log2(length) * problem.costs.fromCycles(kSortStepCycles) *
         double(sort.getInputs().size());
}

/// Time of the operation that a kernel's loops are built around.
static double getRootTime(const KernelProblem &problem, Operation *op, hlo::ScheduleAttr schedule) {
  const CostModel &costs = problem.costs;
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<hlo::DotOp, hlo::ConvolutionOp>([&](Operation *) {
        Type element = getElementTypeOrSelf(op->getResult(0).getType());
        return schedule ? getCost(problem, schedule)
                        : countProducts(op) * costs.getMultiplyAddTime(element);
      })
      .Case([&](hlo::ReduceOp reduce) { return getReduceTime(problem, reduce, schedule); })
      .Case([&](hlo::ReduceWindowOp reduce) {
        return countElements(reduce.getResult(0)) * getWindowSize(reduce.getWindow()) *
               getComputationTime(problem, reduce, reduce.getToApplyAttr(), false);
      })
      .Case([&](hlo::ScanOp scan) { return getScanTime(problem, scan); })
      .Case([&](hlo::SortOp sort) { return getSortTime(problem, sort); })
      .Case([&](hlo::TopkOp topk) {
        return countElements(topk.getOperand()) * costs.getElementTime(topk);
      })
      .Case([&](hlo::ScatterOp scatter) {
        double updates = countElements(scatter.getInputs().back()), windows = updates;
        auto type = cast<RankedTensorType>(scatter.getInputs().back().getType());
        for (int64_t dimension : scatter.getUpdateWindowDims())
          windows /= double(std::max<int64_t>(1, type.getDimSize(dimension)));
        double lanes = problem.target.getLanes(getComputedBits(type.getElementType()));
        return costs.fromCycles(windows * kScatterCycles + 2 * updates / lanes);
      })
      .Default([](Operation *) { return 0.0; });
}

/// Whether a kernel is straight-line code in the program (isSmall in codegen).
static bool isStraight(const KernelProblem &problem) {
  if (!llvm::is_contained({hlo::KernelKind::Loop, hlo::KernelKind::Reduce, hlo::KernelKind::Dot,
                           hlo::KernelKind::Update},
                          problem.kind))
    return false;
  double elements = 0;
  for (Value result : problem.body.getTerminator()->getOperands()) {
    auto update = result.getDefiningOp<hlo::DynamicUpdateSliceOp>();
    elements += countElements(update && problem.kind == hlo::KernelKind::Update ? update.getUpdate()
                                                                                : result);
  }
  return elements <= kStraightElements;
}

/// Time to read the inputs and write the results once. Of an array that is only written in part, or
/// of which only a part is read, that part.
static double getTraffic(const KernelProblem &problem, const KernelWork &work) {
  const Machine &machine = problem.target.machine;
  double read = 0, written = 0, footprint = 0;
  for (BlockArgument argument : problem.body.getArguments()) {
    double whole = fuse::bytesOf(argument.getType());
    double asked = work.getRequests(argument).getTotal() * fuse::elementBytes(argument.getType());
    read += std::min(asked, whole);
    footprint += whole;
  }
  for (Value result : problem.body.getTerminator()->getOperands()) {
    double bytes = fuse::bytesOf(result.getType());
    auto update = result.getDefiningOp<hlo::DynamicUpdateSliceOp>();
    if (update && problem.kind == hlo::KernelKind::Update)
      bytes = fuse::bytesOf(update.getUpdate().getType());
    else if (auto scatter = result.getDefiningOp<hlo::ScatterOp>())
      bytes = fuse::bytesOf(scatter.getInputs().back().getType());
    else
      footprint += bytes;
    written += bytes;
  }
  return read * getReadTime(machine, footprint) + written * getWriteTime(machine, footprint);
}

/// What passes before and after the loops: nothing works until the first load is done.
static double getStartTime(const KernelProblem &problem) {
  double latency = 0;
  for (BlockArgument argument : problem.body.getArguments())
    latency =
        std::max(latency, getLatency(problem.target.machine, fuse::bytesOf(argument.getType())));
  return latency + (isStraight(problem) ? 0 : problem.costs.getLaunchTime());
}

double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  KernelWork elements(problem);
  double work = elements.getTime();
  for (Operation &op : problem.body)
    work += getRootTime(problem, &op, schedule);
  return getStartTime(problem) + std::max(work, getTraffic(problem, elements));
}

double getLimit(const KernelProblem &problem) {
  double work = 0;
  for (Operation &op : problem.body)
    if (op.getNumResults() == 1)
      work += countProducts(&op) *
              problem.costs.getMultiplyAddTime(getElementTypeOrSelf(op.getResult(0).getType()));
  return std::max(work, getTraffic(problem, KernelWork(problem)));
}

KernelPrediction predictKernel(hlo::KernelFunctionOp kernel, const Target &target) {
  KernelPrediction prediction;
  if (ArrayAttr schedules = kernel.getSchedulesAttr())
    prediction.schedule = cast<hlo::ScheduleAttr>(schedules[target.number]);
  KernelProblem problem{kernel.getKind(), kernel.getBody().front(), kernel.getReuse(), target,
                        CostModel(target)};
  prediction.time = predictTime(problem, prediction.schedule);
  prediction.limit = getLimit(problem);
  return prediction;
}

} // namespace hloc
