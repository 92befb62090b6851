// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Summation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace hloc {

/// Whether the code of `op` never ends with the multiplication of floats.
static bool endsWithoutProduct(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return !isa<FloatType, ComplexType>(element) ||
         isa<hlo::ConstantOp, hlo::DotOp, hlo::ConvolutionOp>(op) ||
         (isa<FloatType>(element) &&
          isa<hlo::AddOp, hlo::SubtractOp, hlo::MaximumOp, hlo::MinimumOp, hlo::AbsOp,
              hlo::SelectOp, hlo::ClampOp, hlo::ConvertOp, hlo::IotaOp>(op));
}

/// What computes `value`, which may be moved, repeated (which `isRepeated` then tells) or negated
/// on the way; null if it comes from memory.
static Operation *findSource(Value value, bool &isRepeated) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<hlo::BroadcastOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp,
                         hlo::ReverseOp, hlo::CopyOp, hlo::NegateOp>(op)) {
    isRepeated |= isa<hlo::BroadcastOp>(op);
    op = op->getOperand(0).getDefiningOp();
  }
  return op;
}

bool mayContractOtherwise(Block &body) {
  for (Operation &op : body) {
    bool isSum = isa<hlo::AddOp, hlo::SubtractOp>(op), isReduction = isa<hlo::ReduceOp>(op);
    if (!isSum && !isReduction)
      continue;
    for (Value operand : op.getOperands()) {
      bool isRepeated = false;
      Operation *source = findSource(operand, isRepeated);
      if (source && (isRepeated || isReduction) && !endsWithoutProduct(source))
        return true;
    }
  }
  return false;
}

std::string getSummation(const KernelProblem &problem, hlo::ScheduleAttr schedule) {
  std::string text;
  const Strategy *found = llvm::find_if(getStrategies(problem), [&](const Strategy &strategy) {
    return strategy.name == schedule.getStrategy();
  });
  if (found != getStrategies(problem).end() && found->summation &&
      !mayContractOtherwise(problem.body))
    return found->summation(problem, schedule);
  llvm::raw_string_ostream(text) << Attribute(schedule);
  return text;
}

} // namespace hloc
