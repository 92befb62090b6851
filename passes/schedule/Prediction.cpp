// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Prediction.h"
#include "compiler/target/Access.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/DotSchedule.h"
#include "passes/schedule/KernelWork.h"
#include "passes/schedule/ReduceSchedule.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

/// The most elements of a kernel that is straight-line code, without a launch.
static constexpr double kStraightElements = 64;

/// The number of multiply-adds of a contraction.
static double countProducts(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](hlo::DotOp dot) {
        double depth = 1;
        auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
        for (int64_t dimension : dot.getLhsContractingDims())
          depth *= double(lhs.getDimSize(dimension));
        return fuse::elementsOf(dot.getResult()) * depth;
      })
      .Case([](hlo::ConvolutionOp convolution) {
        auto filter = cast<RankedTensorType>(convolution.getRhs().getType());
        int64_t features = filter.getDimSize(convolution.getDimLabels().getKernelOutputFeature());
        double holes = 1; // the dilated operand has this many positions per element
        for (int64_t dilation : convolution.getWindow().getBaseDilations())
          holes *= double(dilation);
        return features ? fuse::elementsOf(convolution.getResult()) *
                              double(filter.getNumElements() / features) / holes
                        : 0.0;
      })
      .Default([](Operation *) { return 0.0; });
}

/// Time of a reduction. Where lanes lie along the reduced dimensions, they are folded at the end of
/// each row.
static double getReduceTime(const KernelProblem &problem, hlo::ReduceOp reduce,
                            hlo::ScheduleAttr schedule) {
  double inputs = fuse::elementsOf(reduce.getInputs()[0]),
         results = fuse::elementsOf(reduce.getResult(0));
  double fold = inputs * getComputationTime(problem, reduce);
  bool foldsLanes = schedule && schedule.getStrategy() == "reduce.rows";
  return fold + (foldsLanes ? results * getFoldLanesTime(problem, reduce, schedule) : 0);
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
      .Case<hlo::ReduceWindowOp, hlo::ScanOp, hlo::ScatterOp, hlo::SortOp, hlo::TopkOp>(
          [&](Operation *) { return schedule ? getCost(problem, schedule) : 0; })
      .Default([](Operation *) { return 0.0; });
}

/// True if a kernel is straight-line code in the program (isSmall in codegen).
static bool isStraight(const KernelProblem &problem) {
  if (!llvm::is_contained({hlo::KernelKind::Loop, hlo::KernelKind::Reduce, hlo::KernelKind::Dot,
                           hlo::KernelKind::Update},
                          problem.kind))
    return false;
  double elements = 0;
  if (auto update = findUpdateInPlace(problem.kind, problem.body))
    elements = fuse::elementsOf(update.getUpdate());
  else
    for (Value result : problem.body.getTerminator()->getOperands())
      elements += fuse::elementsOf(result);
  return elements <= kStraightElements;
}

/// The bytes that are read of an input.
static double getReadBytes(const KernelWork &work, BlockArgument argument) {
  return std::min(work.getRequests(argument).getTotal() * fuse::elementBytes(argument.getType()),
                  fuse::bytesOf(argument.getType()));
}

/// The part of a result that a kernel with the update in place `update`, if any, writes; null if
/// that is all of it.
static Value getWrittenPart(Value result, hlo::DynamicUpdateSliceOp update) {
  if (update)
    return update.getUpdate();
  auto scatter = result.getDefiningOp<hlo::ScatterOp>();
  return scatter ? scatter.getInputs().back() : Value();
}

SmallVector<int64_t> getAccessedBytes(const KernelProblem &problem) {
  SmallVector<int64_t> bytes;
  KernelWork work(problem);
  for (BlockArgument argument : problem.body.getArguments())
    bytes.push_back(int64_t(getReadBytes(work, argument)));
  hlo::DynamicUpdateSliceOp update = findUpdateInPlace(problem.kind, problem.body);
  for (Value result : problem.body.getTerminator()->getOperands()) {
    Value part = getWrittenPart(result, update);
    bytes.push_back(int64_t(fuse::bytesOf((part ? part : result).getType())));
  }
  return bytes;
}

/// Time to read the inputs and write the results once. Where only a part of an array is read or
/// written, only that part counts.
static double getTraffic(const KernelProblem &problem, const KernelWork &work) {
  const Machine &machine = problem.target.machine;
  double read = 0, written = 0, footprint = 0;
  for (BlockArgument argument : problem.body.getArguments()) {
    read += getReadBytes(work, argument);
    footprint += fuse::bytesOf(argument.getType());
  }
  hlo::DynamicUpdateSliceOp update = findUpdateInPlace(problem.kind, problem.body);
  for (Value result : problem.body.getTerminator()->getOperands()) {
    Value part = getWrittenPart(result, update);
    if (!part)
      footprint += fuse::bytesOf(result.getType());
    written += fuse::bytesOf((part ? part : result).getType());
  }
  return read * getReadTime(machine, footprint) + written * getWriteTime(machine, footprint);
}

/// Time before and after the loops: the launch, and the latency of the first load.
static double getStartTime(const KernelProblem &problem) {
  double latency = 0;
  for (BlockArgument argument : problem.body.getArguments())
    latency =
        std::max(latency, getLatency(problem.target.machine, fuse::bytesOf(argument.getType())));
  return latency + (isStraight(problem) ? 0 : problem.costs.getLaunchTime());
}

double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  KernelWork elements(problem);
  bool isWalk = problem.kind == hlo::KernelKind::Loop || problem.kind == hlo::KernelKind::Update;
  double work = 0;
  if (isWalk && schedule && !isStraight(problem)) {
    work = getCost(problem, schedule); // there is nothing but elementwise code
  } else {
    work = elements.getTime();
    for (Operation &op : problem.body)
      work += getRootTime(problem, &op, schedule);
  }
  return getStartTime(problem) + std::max(work, getTraffic(problem, elements));
}

double getLimit(const KernelProblem &problem) {
  double work = 0;
  for (Operation &op : problem.body)
    if (auto dot = dyn_cast<hlo::DotOp>(op))
      work += getLeastProductTime(problem, dot);
    else if (op.getNumResults() == 1)
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
  if (!prediction.schedule)
    prediction.schedule = chooseSchedule(problem).best.schedule;
  prediction.time = predictTime(problem, prediction.schedule);
  prediction.limit = getLimit(problem);
  return prediction;
}

} // namespace hloc
