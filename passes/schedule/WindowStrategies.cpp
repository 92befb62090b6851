// SPDX-License-Identifier: Apache-2.0
// Strategies for windows (reduce_window). The bits of results do not depend on the choice, unless
// what is summed is computed in the kernel.
//
// - window.each: each output folds its window on its own, with lanes along the outputs' minor
//   dimension. `tile` is [1, independent vectors of outputs]; `unroll` repeats the code for each
//   position of a window.
#include "compiler/hlo/ElementType.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Computations.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/Strategies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// The most positions for which code may be repeated, and the most independent vectors.
constexpr int64_t kUnrolledPositions = 32, kMostVectors = 8;
/// Cycles per position of a loop over positions, and the latency of a fold.
constexpr double kLoopCycles = 1, kFoldLatency = 4;

/// By what factor minimum and maximum of floats are slower if no instruction respects NaNs and the
/// signs of zeros.
constexpr double kExtreme = 4;

bool isLongExtreme(const KernelProblem &problem, Operation &op) {
  return isa<hlo::MaximumOp, hlo::MinimumOp>(op) && !problem.target.hasRange &&
         isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
}

struct WindowProblem {
  explicit WindowProblem(const KernelProblem &problem)
      : op(*problem.body.getOps<hlo::ReduceWindowOp>().begin()),
        shape(cast<RankedTensorType>(op.getResult(0).getType()).getShape()),
        bits(getWidestElement(problem.body)) {
    for (int64_t size : op.getWindow().getSizes())
      positions *= size;
    for (Type result : problem.body.getTerminator()->getOperandTypes())
      packsResults |= hlo::getStorageBits(cast<RankedTensorType>(result).getElementType()) < 8;
  }
  int64_t getMinor() const { return shape.empty() ? 1 : shape.back(); }

  hlo::ReduceWindowOp op;
  ArrayRef<int64_t> shape; // of the outputs
  int64_t bits, positions = 1;
  bool packsResults = false;
};

std::string refuseNothing(const KernelProblem &) { return {}; }

void proposeEach(const KernelProblem &problem, SmallVectorImpl<hlo::ScheduleAttr> &schedules) {
  WindowProblem window(problem);
  bool isScalar = window.shape.empty() || window.packsResults;
  int64_t lanes = isScalar ? 1 : problem.target.getLanes(window.bits);
  while (lanes > 1 && lanes / 2 >= window.getMinor())
    lanes /= 2;
  for (int64_t vectors : {1, 2})
    for (bool unrolls : {true, false}) {
      if ((vectors > 1 && (isScalar || window.getMinor() < 2 * vectors * lanes)) ||
          (unrolls && window.positions > kUnrolledPositions))
        continue;
      ScheduleFields fields;
      fields.tile = {1, vectors};
      fields.lanes = lanes;
      if (unrolls)
        fields.with = {"unroll"};
      schedules.push_back(makeSchedule(problem, "window.each", fields));
    }
}

double costEach(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  WindowProblem window(problem);
  hlo::ComputationOp computation = lookupComputation(window.op, window.op.getToApplyAttr());
  double fold = 0;
  if (computation)
    for (Operation &inner : computation.getBody().front().without_terminator())
      fold += problem.costs.getScalarTime(&inner) * (isLongExtreme(problem, inner) ? kExtreme : 1);
  double vectors = double(schedule.getTile()[1]);
  int64_t width = schedule.getTile()[1] * schedule.getLanes();
  double outputs = double(fuse::elementsOf(window.op.getResult(0).getType())) /
                   double(std::max<int64_t>(1, window.getMinor())) *
                   double(llvm::divideCeil(window.getMinor(), width));
  // Independent vectors hide each other's latency and share the cost of a loop. Unrolled code
  // overlaps with the next outputs instead.
  bool unrolls = schedule.has("unroll");
  double step = unrolls ? vectors * fold
                        : std::max(vectors * fold, problem.costs.fromCycles(kFoldLatency)) +
                              problem.costs.fromCycles(kLoopCycles);
  return outputs * double(window.positions) * step;
}

std::string checkEach(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  WindowProblem window(problem);
  if (std::string wrong = checkFieldNames(schedule, {"tile", "lanes"}, {"unroll"}); !wrong.empty())
    return wrong;
  if (std::string wrong = checkVectors(schedule, kMostVectors); !wrong.empty())
    return wrong;
  if (schedule.has("unroll") && window.positions > kUnrolledPositions)
    return "expected no `unroll` of more than " + std::to_string(kUnrolledPositions) + " positions";
  if (schedule.getLanes() * schedule.getTile()[1] != 1 &&
      (window.packsResults || window.shape.empty()))
    return "expected one lane: results of such elements do not begin at whole bytes";
  return checkLanes(problem, schedule, window.bits);
}

/// Whether a product is rounded before it is added may depend on whether it is in a loop.
std::string describeSums(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  bool addsComputed = llvm::any_of(WindowProblem(problem).op.getInputs(), [](Value input) {
    return input.getDefiningOp() && !isa<IntegerType>(getElementTypeOrSelf(input.getType()));
  });
  return addsComputed && schedule.has("unroll") ? "in turn, without a loop" : "in turn";
}

} // namespace

ArrayRef<Strategy> getWindowStrategies() {
  static const Strategy strategies[] = {{"window.each", hlo::KernelKind::Window, refuseNothing,
                                         proposeEach, costEach, checkEach, describeSums}};
  return strategies;
}

} // namespace hloc
