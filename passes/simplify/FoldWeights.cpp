// SPDX-License-Identifier: Apache-2.0
// Computes at compile time what programs compute from large constants, such as bound weights, as
// far as WeightCut.h decides. Test: test/passes/simplify/fold-weights.mlir.
#include "compiler/evaluator/core/Evaluator.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/simplify/RewriteRules.h"
#include "passes/simplify/WeightCut.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_FOLDWEIGHTS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

class WeightFolder {
public:
  explicit WeightFolder(func::FuncOp function)
      : function(function), cut(WeightCut::ofConstants(function)) {}

  /// Returns the number of values that were computed.
  unsigned run();

private:
  FailureOr<evaluator::Value> evaluate(Value value);
  bool store(int number);

  func::FuncOp function;
  WeightCut cut;
};

/// Evaluates the value; if it is made of a part, evaluates what is made of the whole.
FailureOr<evaluator::Value> WeightFolder::evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ConstantOp>(op))
    return evaluator::fromAttribute(constant.getValue());
  if (cut.isOfPart(op))
    return evaluate(op->getOperand(0));
  SmallVector<evaluator::Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<evaluator::Value> known = evaluate(operand);
    if (failed(known))
      return failure();
    operands.push_back(std::move(*known));
  }
  FailureOr<evaluator::Array> result = evaluator::foldArrays(op, operands);
  if (failed(result))
    return failure();
  return evaluator::Value(std::move(*result));
}

/// Replaces a node's values by a constant.
bool WeightFolder::store(int number) {
  Value first = cut[number].values[0];
  FailureOr<evaluator::Value> value = evaluate(first);
  if (failed(value))
    return false;
  const evaluator::Array &array = value->getArray();
  auto type = RankedTensorType::get(array.shape, arrayType(first).getElementType());
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  cut.replace(number, ConstantOp::create(builder, first.getLoc(), type,
                                         evaluator::toAttribute(builder.getContext(), array)));
  return true;
}

unsigned WeightFolder::run() {
  if (cut.getElements() <= double(getMostFoldedElements())) // then all that is folded already
    return 0;
  unsigned count = 0;
  for (int number : cut.solve())
    count += store(number);
  cut.eraseDead();
  return count;
}

struct FoldWeights : hloc::impl::FoldWeightsBase<FoldWeights> {
  void runOnOperation() override { folded += WeightFolder(getOperation()).run(); }
};

} // namespace
