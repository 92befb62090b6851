// SPDX-License-Identifier: Apache-2.0
// Moves to the preparation what main computes from its prepared parameters alone, as far as
// WeightCut.h decides. Test: test/passes/prepare/hold-prepared.mlir.
#include "mlir/IR/IRMapping.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/prepare/Preparation.h"
#include "passes/simplify/WeightCut.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_HOLDPREPARED
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

class PreparedHolder {
public:
  explicit PreparedHolder(PreparedProgram program)
      : program(program),
        cut(WeightCut::ofArguments(program.getMain(), program.getKnownArguments())),
        builder(program.getPreparation().getBody().front().getTerminator()) {}

  /// Returns the number of values that the preparation now computes for main.
  unsigned run() {
    unsigned count = 0;
    for (int number : cut.solve()) {
      cut.replace(number, program.hold(make(cut[number].values[0])));
      ++count;
    }
    cut.eraseDead();
    program.dropUnread();
    return count;
  }

private:
  Value make(Value value);

  PreparedProgram program;
  WeightCut cut;
  OpBuilder builder;
  DenseMap<Value, Value> made;
};

/// Computes `value` in the preparation; if it is made of a part, computes what is made of the
/// whole.
Value PreparedHolder::make(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return program.lookup(argument);
  if (Value known = made.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (cut.isOfPart(op))
    return make(op->getOperand(0));
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, make(operand));
  Value result = builder.clone(*op, mapping)->getResult(0);
  if (cut.get(value).pick) // elementwise
    result.setType(arrayType(value).clone(arrayType(mapping.lookup(op->getOperand(0))).getShape()));
  return made[value] = result;
}

struct HoldPrepared : hloc::impl::HoldPreparedBase<HoldPrepared> {
  void runOnOperation() override {
    if (std::optional<PreparedProgram> program = PreparedProgram::find(getOperation()))
      held += PreparedHolder(*program).run();
  }
};

} // namespace
