// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Prediction.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/kernels/ArraySizes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace hloc {

/// Cycles for one comparison of a sort with its moves, and for one update of a scatter.
static constexpr double kSortStepCycles = 2.5, kScatterCycles = 6;

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
        return features ? countElements(convolution.getResult()) *
                              double(filter.getNumElements() / features)
                        : 0.0;
      })
      .Default([](Operation *) { return 0.0; });
}

/// Time that one operation of a kernel adds to its arithmetic.
static double getWork(const KernelProblem &problem, Operation *op, hlo::ScheduleAttr schedule) {
  const CostModel &costs = problem.costs;
  auto inputsOf = [](auto reducing) { return countElements(reducing.getInputs()[0]); };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<hlo::DotOp, hlo::ConvolutionOp>([&](Operation *) {
        Type element = getElementTypeOrSelf(op->getResult(0).getType());
        return schedule ? getCost(problem, schedule)
                        : countProducts(op) * costs.getMultiplyAddTime(element);
      })
      .Case([&](hlo::ReduceOp reduce) { return inputsOf(reduce) * costs.getElementTime(op); })
      .Case([&](hlo::ReduceWindowOp reduce) {
        return countElements(reduce.getResult(0)) * getWindowSize(reduce.getWindow()) *
               costs.getElementTime(op);
      })
      .Case([&](hlo::ScanOp scan) {
        return countElements(scan.getArrays()[0]) * 2 * costs.getElementTime(op);
      })
      .Case([&](hlo::SortOp sort) {
        double elements = countElements(sort.getInputs()[0]);
        auto type = cast<RankedTensorType>(sort.getInputs()[0].getType());
        double length = double(std::max<int64_t>(2, type.getDimSize(sort.getDimension())));
        return elements * std::log2(length) * costs.fromCycles(kSortStepCycles) *
               double(sort.getInputs().size());
      })
      .Case([&](hlo::ScatterOp scatter) {
        return countElements(scatter.getInputs().back()) * costs.fromCycles(kScatterCycles);
      })
      .Case<hlo::ReturnOp, hlo::ConstantOp>([](Operation *) { return 0.0; })
      .Default([&](Operation *other) {
        return countElements(other->getResult(0)) * costs.getElementTime(other);
      });
}

/// Time to read the inputs and write the results once. Of an array that is only written in part, or
/// of which only a part is read, that part.
static double getTraffic(const KernelProblem &problem) {
  double time = 0;
  auto add = [&](Type type, double bytes) {
    time += bytes * problem.costs.getStreamTime(fuse::bytesOf(type));
  };
  for (BlockArgument argument : problem.body.getArguments()) {
    double whole = fuse::bytesOf(argument.getType()), part = 0;
    for (Operation *user : argument.getUsers()) {
      bool isPart = isa<hlo::DynamicSliceOp, hlo::GatherOp, hlo::SliceOp>(user) &&
                    user->getOperand(0) == argument;
      bool isUpdated =
          isa<hlo::DynamicUpdateSliceOp, hlo::ScatterOp>(user) && user->getOperand(0) == argument;
      part += isUpdated ? 0 : isPart ? fuse::bytesOf(user->getResult(0).getType()) : whole;
    }
    add(argument.getType(), std::min(part, whole));
  }
  for (Value result : problem.body.getTerminator()->getOperands()) {
    double bytes = fuse::bytesOf(result.getType());
    if (auto update = result.getDefiningOp<hlo::DynamicUpdateSliceOp>())
      bytes = fuse::bytesOf(update.getUpdate().getType());
    else if (auto scatter = result.getDefiningOp<hlo::ScatterOp>())
      bytes = fuse::bytesOf(scatter.getInputs().back().getType());
    add(result.getType(), bytes);
  }
  return time;
}

double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  double work = 0;
  for (Operation &op : problem.body)
    work += getWork(problem, &op, schedule);
  return problem.costs.getLaunchTime() + std::max(work, getTraffic(problem));
}

double getLimit(const KernelProblem &problem) {
  double work = 0;
  for (Operation &op : problem.body)
    if (op.getNumResults() == 1)
      work += countProducts(&op) *
              problem.costs.getMultiplyAddTime(getElementTypeOrSelf(op.getResult(0).getType()));
  return std::max(work, getTraffic(problem));
}

} // namespace hloc
