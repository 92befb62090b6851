// SPDX-License-Identifier: Apache-2.0
#include "codegen/units/Budget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hloc {

namespace {

/// Lowering the level of a unit by one.
struct Step {
  size_t unit;
  const EffortCosts *from, *to;
  /// Nanoseconds of compile time saved, and of run time lost per call.
  double saved, lost;
};

} // namespace

double getTime(const UnitWork &unit, const EffortCosts &effort) {
  return double(unit.instructions) * effort.instruction + effort.unit;
}

const EffortCosts &getEffort(const CompileCosts &costs, int level) {
  return *llvm::find_if(costs.efforts,
                        [&](const EffortCosts &effort) { return effort.level <= level; });
}

BudgetPlan planLevels(ArrayRef<UnitWork> units, int level, double budget,
                      const CompileCosts &costs) {
  auto efforts = llvm::to_vector(llvm::make_filter_range(
      costs.efforts, [&](const EffortCosts &effort) { return effort.level <= level; }));
  BudgetPlan plan;
  plan.levels.assign(units.size(), level);
  std::vector<Step> steps;
  for (auto [i, unit] : llvm::enumerate(units)) {
    plan.time += getTime(unit, efforts.front());
    if (unit.isFixed)
      continue;
    for (const auto &[from, to] : llvm::zip(efforts, ArrayRef(efforts).drop_front()))
      steps.push_back({i, &from, &to, getTime(unit, from) - getTime(unit, to),
                       unit.runTime * (to.slowdown - from.slowdown)});
  }
  // The steps of one unit stay in order, since each loses more per saving than the one before.
  llvm::stable_sort(
      steps, [](const Step &x, const Step &y) { return x.lost * y.saved < y.lost * x.saved; });
  size_t taken = 0;
  for (; taken < steps.size() && plan.time > budget; ++taken) {
    plan.levels[steps[taken].unit] = steps[taken].to->level;
    plan.time -= steps[taken].saved;
  }
  // The last step may save far more than was needed: undo earlier steps that still fit, the
  // costliest first, unless the unit has been lowered further.
  for (const Step &step : llvm::reverse(ArrayRef(steps).take_front(taken)))
    if (plan.levels[step.unit] == step.to->level && plan.time + step.saved <= budget) {
      plan.levels[step.unit] = step.from == &efforts.front() ? level : step.from->level;
      plan.time += step.saved;
    }
  return plan;
}

/// The number of registers for a value of this type.
static int64_t countRegisters(Type type, const Target &target) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !vector.getElementType().isIntOrIndexOrFloat())
    return 1;
  int64_t bits = vector.getElementType().isIndex() ? 64 : vector.getElementTypeBitWidth();
  return std::max<int64_t>(1, vector.getNumElements() * bits / (8 * target.vectorBytes));
}

int64_t countInstructions(ModuleOp module, const Target &target) {
  int64_t count = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    function.walk([&](Operation *op) {
      if (op == function || op->hasTrait<OpTrait::ConstantLike>())
        return;
      int64_t registers = 1;
      for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                                llvm::to_vector(op->getResultTypes())))
        registers = std::max(registers, countRegisters(type, target));
      count += registers;
    });
  return count;
}

bool leavesChoices(ModuleOp module, const Target &target) {
  using arith::FastMathFlags;
  bool multiplies = false, adds = false;
  bool regroups =
      module
          .walk([&](Operation *op) {
            if (auto reduction = dyn_cast<vector::ReductionOp>(op))
              return isa<FloatType>(reduction.getType()) &&
                             (reduction.getKind() == vector::CombiningKind::ADD ||
                              reduction.getKind() == vector::CombiningKind::MUL)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            auto arithmetic = dyn_cast<arith::ArithFastMathInterface>(op);
            if (!arithmetic || isa<math::FmaOp>(op))
              return WalkResult::advance();
            auto attribute = arithmetic.getFastMathFlagsAttr(); // conversions may have none
            FastMathFlags flags = attribute ? attribute.getValue() : FastMathFlags::none;
            if (bitEnumContainsAny(flags, FastMathFlags::reassoc | FastMathFlags::arcp))
              return WalkResult::interrupt();
            bool contracts = bitEnumContainsAny(flags, FastMathFlags::contract);
            multiplies |= contracts && isa<arith::MulFOp>(op);
            adds |= contracts && isa<arith::AddFOp, arith::SubFOp>(op);
            return WalkResult::advance();
          })
          .wasInterrupted();
  return regroups || (target.hasFma && multiplies && adds);
}

} // namespace hloc
