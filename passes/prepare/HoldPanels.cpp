// SPDX-License-Identifier: Apache-2.0
// Moves kernels that pack prepared arrays into panels, or find their range, to the preparation.
// Tests: test/passes/prepare/hold-panels.mlir, test/passes/prepare/hold-ranges.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/prepare/Preparation.h"
#include "passes/schedule/TileGroups.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_HOLDPANELS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

class PanelHolder {
public:
  explicit PanelHolder(PreparedProgram program)
      : program(program), builder(program.getPreparation().getBody().front().getTerminator()) {}

  /// Returns the number of kernels that were moved.
  unsigned run();

private:
  bool canMake(Value value);
  Value make(Value value);

  PreparedProgram program;
  OpBuilder builder;
  DenseMap<Value, bool> makeable;
  DenseMap<Value, Value> made;
};

/// True if the preparation can compute the value, which kernels compute from prepared arrays.
bool PanelHolder::canMake(Value value) {
  if (isPrepared(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<KernelOp, ReshapeOp, ConstantOp>(op) || op->hasAttr(kTileGroups))
    return false;
  auto [known, isNew] = makeable.try_emplace(value, false);
  if (isNew) {
    bool can = llvm::all_of(op->getOperands(), [&](Value operand) { return canMake(operand); });
    makeable[value] = can;
    return can;
  }
  return known->second;
}

Value PanelHolder::make(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return program.lookup(argument);
  if (Value known = made.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, make(operand));
  Operation *copy = builder.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    made[from] = to;
  return made[value];
}

unsigned PanelHolder::run() {
  Block &body = program.getMain().getBody().front();
  unsigned count = 0;
  for (auto kernel : llvm::to_vector(body.getOps<KernelOp>())) {
    if (!kernel->hasAttr(kWorthHolding) || !canMake(kernel.getResult(0)))
      continue;
    for (Value result : kernel.getResults())
      result.replaceAllUsesWith(program.hold(make(result)));
    ++count;
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<KernelOp, ReshapeOp, ConstantOp>(op) && isOpTriviallyDead(&op))
      op.erase();
  program.dropUnread();
  return count;
}

struct HoldPanels : hloc::impl::HoldPanelsBase<HoldPanels> {
  void runOnOperation() override {
    if (std::optional<PreparedProgram> program = PreparedProgram::find(getOperation()))
      held += PanelHolder(*program).run();
  }
};

} // namespace
