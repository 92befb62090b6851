// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/InFlight.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hloc {

/// The largest unroll factor, and the most instructions of an unrolled loop: more would not fit the
/// cache of decoded instructions and take longer to compile than it saves.
static constexpr int64_t kMostVectors = 4;
static constexpr double kMostInstructions = 1800;
/// The fraction of a polynomial's instructions that load its coefficients.
static constexpr double kConstantShare = 0.6;
/// The least fraction of time that a larger factor must save.
static constexpr double kLeastGain = 0.05;

/// True if the operation expands to polynomials with more coefficients than there are registers.
static bool isPolynomial(Operation *op) {
  switch (hlo::getCostClass(op)) {
  case hlo::CostClass::Exponential:
  case hlo::CostClass::Logarithm:
  case hlo::CostClass::Trigonometric:
  case hlo::CostClass::Inverse:
  case hlo::CostClass::Power:
    return isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  default:
    return false;
  }
}

/// True for a broadcast scalar of floating-point type, which each use loads where registers are
/// short.
static bool isConstant(Operation *op) {
  auto broadcast = dyn_cast<hlo::BroadcastOp>(op);
  return broadcast && cast<RankedTensorType>(broadcast.getOperand().getType()).getRank() == 0 &&
         isa<FloatType>(broadcast.getType().getElementType());
}

int64_t chooseVectorsInFlight(const KernelProblem &problem, int64_t lanes, double count,
                              double unrolled) {
  const CostModel &costs = problem.costs;
  const Rates &rates = problem.target.machine.rates;
  double work = 0, constants = 0, chain = 0;
  // Beside a polynomial no register is left for constants, in other code about half of them are.
  int64_t scalars = llvm::count_if(problem.body, [](Operation &op) { return isConstant(&op); });
  bool isShort =
      llvm::any_of(problem.body,
                   [](Operation &op) { return op.getNumResults() > 0 && isPolynomial(&op); }) ||
      scalars > problem.target.vectorRegisters / 2;
  double load = isShort ? costs.fromCycles(1 / rates.load) : 0;
  llvm::DenseMap<Value, double> ready;
  for (Operation &op : problem.body) {
    if (op.getNumResults() == 0)
      continue;
    // A complex number is two independent vectors already.
    if (isa<ComplexType>(getElementTypeOrSelf(op.getResult(0).getType())))
      return 1;
    double begin = 0, time = costs.getScalarTime(&op);
    for (Value operand : op.getOperands())
      begin = std::max(begin, ready.lookup(operand));
    double end = begin + costs.getLatency(&op);
    for (Value result : op.getResults())
      ready[result] = end;
    chain = std::max(chain, end);
    work += time;
    constants += isPolynomial(&op) ? kConstantShare * time
                 : isConstant(&op) ? load * double(std::distance(op.user_begin(), op.user_end()))
                                   : 0;
  }
  if (work * count / double(lanes) < costs.getTaskTime())
    return 1;

  double instructions = costs.toCycles(work) * rates.simple;
  // Of a body that the window does not hold twice, a part that waits for a chain of operations is
  // rarely in flight together with one that the number of instructions limits: their times add up.
  bool overlaps = 2 * instructions <= rates.window;
  auto getTime = [&](int64_t vectors) {
    double all = double(vectors) * unrolled,
           ahead = std::max(1.0, rates.window / (instructions * all));
    double issue = work + constants / all, wait = chain / (all * ahead);
    return overlaps ? std::max(issue, wait) : issue + wait;
  };
  int64_t vectors = 1;
  double least = getTime(1);
  for (int64_t more = 2; more <= kMostVectors; more *= 2) {
    if (instructions * double(more) * unrolled > kMostInstructions ||
        getTime(more) > least * (1 - kLeastGain))
      continue;
    vectors = more;
    least = getTime(more);
  }
  return vectors;
}

} // namespace hloc
