// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/AsyncThreads.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Computations.h"
#include "passes/frontend/TupleLeaves.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// True for operations that run computations once, or as control flow.
static bool runsInOrder(Operation *op) {
  return isa<CallOp, FusionOp, WhileOp, ConditionalOp, AsyncStartOp, AsyncUpdateOp, AsyncDoneOp>(
      op);
}

static SmallVector<ComputationOp> getCallees(Operation *op) {
  SmallVector<ComputationOp> callees;
  op->getAttrDictionary().walk([&](FlatSymbolRefAttr symbol) {
    if (ComputationOp callee = lookupComputation(op, symbol))
      callees.push_back(callee);
  });
  return callees;
}

AsyncThreads::AsyncThreads(ModuleOp module) {
  SmallVector<Operation *> starts;
  module.walk([&](AsyncStartOp start) { starts.push_back(start); });
  if (starts.empty())
    return;
  SmallVector<ComputationOp> work;
  module.walk([&](Operation *op) {
    if (!isa<ModuleOp, ComputationOp>(op) && !runsInOrder(op))
      llvm::append_range(work, getCallees(op));
  });
  while (!work.empty()) {
    ComputationOp computation = work.pop_back_val();
    if (applied.insert(computation).second)
      for (Operation &op : computation.getBody().front())
        llvm::append_range(work, getCallees(&op));
  }
}

AsyncThreads::Effects AsyncThreads::getEffects(Operation *op) {
  if (isa<AsyncUpdateOp, AsyncDoneOp>(op)) // their start names it
    return Effects::None;
  if (runsInOrder(op)) {
    Effects effects = Effects::None;
    for (ComputationOp callee : getCallees(op))
      effects = std::max(effects, getEffects(callee));
    return effects;
  }
  if (isMemoryEffectFree(op))
    return Effects::None;
  return isa<CustomCallOp, HostTransferOp>(op) ? Effects::Host : Effects::Ordered;
}

AsyncThreads::Effects AsyncThreads::getEffects(ComputationOp computation) {
  Effects effects = Effects::None;
  for (Operation &op : computation.getBody().front().without_terminator())
    effects = std::max(effects, getEffects(&op));
  return effects;
}

/// The only async_done of `start`, if it is in the same block; else null.
static AsyncDoneOp findDone(AsyncStartOp start) {
  Value state = start.getResult();
  while (state.hasOneUse()) {
    Operation *user = *state.user_begin();
    if (user->getBlock() != start->getBlock() || user->getOperand(0) != state)
      return nullptr;
    if (auto done = dyn_cast<AsyncDoneOp>(user))
      return done;
    if (!isa<AsyncUpdateOp>(user) || user->getResult(0).getType() != state.getType())
      return nullptr;
    state = user->getResult(0);
  }
  return nullptr;
}

static bool areStatic(TypeRange types) {
  return llvm::all_of(getLeaves(types), [](Type leaf) {
    auto array = dyn_cast<RankedTensorType>(leaf);
    return array && array.hasStaticShape();
  });
}

/// True if the computation and its callees use only arrays of static shape.
static bool isStatic(ComputationOp computation) {
  return areStatic(computation.getArgumentTypes()) &&
         llvm::all_of(computation.getBody().front(), [](Operation &op) {
           return areStatic(op.getResultTypes()) &&
                  (!runsInOrder(&op) || llvm::all_of(getCallees(&op), isStatic));
         });
}

bool AsyncThreads::runsOnThread(AsyncStartOp start, ComputationOp callee) const {
  std::optional<StringRef> thread = start.getAsyncExecutionThread();
  if (!thread || thread->empty() || *thread == "main" ||
      applied.contains(start->getParentOfType<ComputationOp>()))
    return false;
  AsyncDoneOp done = findDone(start);
  if (!done || TypeRange(callee.getArgumentTypes()) != start.getInputs().getTypes() ||
      !isStatic(callee))
    return false;
  Effects effects = getEffects(callee);
  if (effects == Effects::Ordered)
    return false;
  for (Operation *op = start->getNextNode(); op != done; op = op->getNextNode())
    if (effects != Effects::None && getEffects(op) != Effects::None)
      return false;
  return true;
}

} // namespace hloc
