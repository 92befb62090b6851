// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/BindAsyncOperands.h"

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// The updates and the done that follow the start until all `operands` are given; empty if they are
/// not a simple chain.
static SmallVector<Operation *> followStates(AsyncStartOp start, size_t count,
                                             SmallVectorImpl<Value> &operands) {
  SmallVector<Operation *> states;
  Value state = start.getResult();
  while (operands.size() < count) {
    Operation *next = state.hasOneUse() ? *state.user_begin() : nullptr;
    if (!isa_and_present<AsyncUpdateOp, AsyncDoneOp>(next) || next->getOperand(0) != state)
      return {};
    llvm::append_range(operands, next->getOperands().drop_front());
    states.push_back(next);
    if (isa<AsyncDoneOp>(next))
      break;
    state = next->getResult(0);
  }
  return operands.size() == count ? states : SmallVector<Operation *>();
}

static LogicalResult bind(AsyncStartOp start, ComputationOp callee) {
  SmallVector<Value> operands(start.getInputs());
  SmallVector<Operation *> states = followStates(start, callee.getNumArguments(), operands);
  if (states.empty())
    return emitNotSupported(start.getLoc(),
                            "an asynchronous computation whose operands are bound elsewhere");
  Operation *last = states.pop_back_val();
  OpBuilder builder(last);
  Type result = callee.getBody().front().getTerminator()->getOperand(0).getType();
  Type type = TupleType::get(
      builder.getContext(),
      {TupleType::get(builder.getContext(), ValueRange(operands).getTypes()), result});
  OperationState state(start.getLoc(), AsyncStartOp::getOperationName(), operands, type);
  state.addAttribute("calls", start.getCallsAttr());
  Operation *whole = builder.create(state);
  if (isa<AsyncDoneOp>(last)) {
    last->setOperands(whole->getResults());
  } else {
    last->replaceAllUsesWith(whole->getResults());
    last->erase();
  }
  for (Operation *before : llvm::reverse(states))
    before->erase();
  start.erase();
  return success();
}

LogicalResult hloc::bindAsyncOperands(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<AsyncStartOp> starts;
  module.walk([&](AsyncStartOp start) { starts.push_back(start); });
  for (AsyncStartOp start : starts) {
    auto callee = symbols.lookup<ComputationOp>(start.getCalls());
    if (callee && start.getInputs().size() < callee.getNumArguments() &&
        failed(bind(start, callee)))
      return failure();
  }
  return success();
}
