// SPDX-License-Identifier: Apache-2.0
// Erases what loops and branches compute without any use. Liveness is propagated backwards from
// side effects and results through all regions. Test:
// test/passes/simplify/remove-dead-loop-state.mlir.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_DEF_REMOVEDEADLOOPSTATE
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op);
}

class Liveness {
public:
  explicit Liveness(func::FuncOp function) {
    collect(function.getBody());
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  bool isLive(Operation *op) const { return liveOps.contains(op); }
  bool isLive(Value value) const { return liveValues.contains(value); }

  /// All operations, including those inside control flow; inner ones first.
  SmallVector<Operation *> postOrder;

private:
  void collect(Region &region) {
    for (Operation &op : region.getOps()) {
      if (isControlFlow(&op))
        for (Region &inner : op.getRegions())
          collect(inner);
      postOrder.push_back(&op);
      bool isTerminator = op.hasTrait<OpTrait::IsTerminator>();
      if (isa<func::ReturnOp>(op) ||
          (!isTerminator && !isControlFlow(&op) && !isMemoryEffectFree(&op)))
        markOp(&op);
    }
  }

  void markValue(Value value) {
    if (liveValues.insert(value).second)
      worklist.push_back(value);
  }

  /// Marks an operation that must run, its operands, and everything that decides whether it runs.
  void markOp(Operation *op) {
    if (!liveOps.insert(op).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      markValue(loop.getLowerBound());
      markValue(loop.getUpperBound());
      markValue(loop.getStep());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      markValue(loop.getConditionOp().getCondition());
    } else if (isControlFlow(op)) {
      markValue(op->getOperand(0)); // the condition or index
    } else {
      for (Value operand : op->getOperands())
        markValue(operand);
    }
    Operation *parent = op->getParentOp();
    if (parent && isControlFlow(parent))
      markOp(parent);
  }

  /// Marks loop-carried value `i` everywhere: initial value, argument, yield, result.
  void markState(Operation *op, unsigned i) {
    markOp(op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      markValue(loop.getInits()[i]);
      markValue(loop.getRegionIterArgs()[i]);
      markValue(loop.getResult(i));
      markValue(loop.getBody()->getTerminator()->getOperand(i));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      markValue(loop.getInits()[i]);
      markValue(loop.getBeforeArguments()[i]);
      markValue(loop.getAfterArguments()[i]);
      markValue(loop.getResult(i));
      markValue(loop.getConditionOp().getArgs()[i]);
      markValue(loop.getYieldOp()->getOperand(i));
    } else {
      markValue(op->getResult(i));
      for (Region &region : op->getRegions())
        if (!region.empty())
          markValue(region.front().getTerminator()->getOperand(i));
    }
  }

  void visit(Value value) {
    if (auto result = dyn_cast<OpResult>(value)) {
      if (isControlFlow(result.getOwner()))
        markState(result.getOwner(), result.getResultNumber());
      else
        markOp(result.getOwner());
      return;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (!isControlFlow(parent))
      return;
    unsigned inductionVariables = isa<scf::ForOp>(parent) ? 1 : 0;
    if (argument.getArgNumber() < inductionVariables)
      markOp(parent);
    else
      markState(parent, argument.getArgNumber() - inductionVariables);
  }

  DenseSet<Operation *> liveOps;
  DenseSet<Value> liveValues;
  SmallVector<Value> worklist;
};

/// Removes the operands in `dead`, which are counted from operand `first`.
void eraseOperands(Operation *op, const llvm::BitVector &dead, unsigned first = 0) {
  llvm::BitVector operands(op->getNumOperands());
  for (unsigned i : dead.set_bits())
    operands.set(first + i);
  op->eraseOperands(operands);
}

void eraseArguments(Block &block, const llvm::BitVector &dead, unsigned first = 0) {
  llvm::BitVector arguments(block.getNumArguments());
  for (unsigned i : dead.set_bits())
    arguments.set(first + i);
  block.eraseArguments(arguments);
}

struct RemoveDeadLoopState : hloc::impl::RemoveDeadLoopStateBase<RemoveDeadLoopState> {
  /// Removes dead values from a live operation's terminators and initial values.
  static void disconnect(Operation *op, const llvm::BitVector &dead) {
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      eraseOperands(op, dead);
      eraseOperands(loop.getConditionOp(), dead, 1);
      eraseOperands(loop.getYieldOp(), dead);
      return;
    }
    if (isa<scf::ForOp>(op))
      eraseOperands(op, dead, 3);
    for (Region &region : op->getRegions())
      if (!region.empty())
        eraseOperands(region.front().getTerminator(), dead);
  }

  /// Rebuilds `op` without dead arguments and results.
  static void rebuild(Operation *op, const llvm::BitVector &dead) {
    for (Region &region : op->getRegions())
      if (!region.empty() && region.getNumArguments() > 0)
        eraseArguments(region.front(), dead, isa<scf::ForOp>(op) ? 1 : 0);
    SmallVector<Type> types;
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      if (!dead[i])
        types.push_back(type);
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), types, op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion()->takeBody(op->getRegion(i));
    OpBuilder builder(op);
    Operation *kept = builder.create(state);
    for (unsigned i = 0, next = 0; i < op->getNumResults(); ++i)
      if (!dead[i])
        op->getResult(i).replaceAllUsesWith(kept->getResult(next++));
    op->erase();
  }

  void runOnOperation() override {
    Liveness liveness(getOperation());
    SmallVector<std::pair<Operation *, llvm::BitVector>> shrinking;
    for (Operation *op : liveness.postOrder) {
      if (!isControlFlow(op) || !liveness.isLive(op))
        continue;
      llvm::BitVector dead(op->getNumResults());
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        if (!liveness.isLive(result))
          dead.set(i);
      if (dead.none())
        continue;
      removed += dead.count();
      disconnect(op, dead);
      shrinking.push_back({op, dead});
    }
    // Dead values are now used only by dead operations; users come after their operands.
    SmallVector<Operation *> deadOps;
    for (Operation *op : liveness.postOrder)
      if (!liveness.isLive(op) && !op->hasTrait<OpTrait::IsTerminator>())
        deadOps.push_back(op);
    for (Operation *op : deadOps)
      op->dropAllReferences();
    for (Operation *op : deadOps) // inner operations come before outer ones in this list
      op->erase();
    for (auto &[op, dead] : shrinking)
      rebuild(op, dead);
  }
};

} // namespace
