// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Summation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace hloc {

/// True if the code of `op` never ends with a floating-point multiplication.
static bool endsWithoutProduct(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return !isa<FloatType, ComplexType>(element) ||
         isa<hlo::ConstantOp, hlo::DotOp, hlo::ConvolutionOp>(op) ||
         (isa<FloatType>(element) &&
          isa<hlo::AddOp, hlo::SubtractOp, hlo::MaximumOp, hlo::MinimumOp, hlo::AbsOp,
              hlo::SelectOp, hlo::ClampOp, hlo::ConvertOp, hlo::IotaOp>(op));
}

static bool isRepetition(Operation *op) {
  auto count = [](Value value) { return cast<ShapedType>(value.getType()).getNumElements(); };
  return isa<hlo::BroadcastOp>(op) && count(op->getResult(0)) > count(op->getOperand(0));
}

/// True if `value` may differ at each position of its shape: it depends on something that is
/// neither broadcast nor constant.
static bool varies(Value value) {
  SmallVector<Value> open{value};
  llvm::SmallDenseSet<Value, 16> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op)
      return true;
    if (!seen.insert(next).second || isa<hlo::ConstantOp, hlo::IotaOp>(op) || isRepetition(op))
      continue;
    if (op->getNumOperands() == 0)
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// The operation that computes `value`, looking through data movement, broadcasts and negation;
/// null if the value comes from memory. Sets `isRepeated` if it is broadcast.
static Operation *findSource(Value value, bool &isRepeated) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<hlo::BroadcastOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp,
                         hlo::ReverseOp, hlo::CopyOp, hlo::NegateOp>(op)) {
    isRepeated |= isRepetition(op);
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  isRepeated |= !varies(value);
  return op;
}

/// True if an element of `joined`, a pad or concatenation, may be a floating-point product.
static bool mayBeProduct(Operation *joined) {
  SmallVector<Operation *> open{joined};
  llvm::SmallDenseSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (Value operand : next->getOperands()) {
      bool isRepeated = false;
      Operation *source = findSource(operand, isRepeated);
      if (isa_and_nonnull<hlo::PadOp, hlo::ConcatenateOp>(source))
        open.push_back(source);
      else if (source && !endsWithoutProduct(source))
        return true;
    }
  }
  return false;
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
      if (isa_and_nonnull<hlo::PadOp, hlo::ConcatenateOp>(source) && mayBeProduct(source))
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
      (problem.target.reproducible || !mayContractOtherwise(problem.body)))
    return found->summation(problem, schedule);
  llvm::raw_string_ostream(text) << Attribute(schedule);
  return text;
}

} // namespace hloc
