// SPDX-License-Identifier: Apache-2.0
// Operations that run computations: call, fusion, while, conditional, and asynchronous ones, which
// run when they start.
#include "compiler/evaluator/Interpreter.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

static FailureOr<Values> runNamed(Call &call, FlatSymbolRefAttr symbol,
                                  MutableArrayRef<Value> arguments) {
  Operation *computation = call.interpreter.lookup(call.op, symbol);
  if (!computation)
    return call.fail("no computation is named @" + symbol.getValue());
  if (computation->getRegion(0).getNumArguments() != arguments.size())
    return call.fail("@" + symbol.getValue() + " takes " +
                     Twine(computation->getRegion(0).getNumArguments()) +
                     " parameters but is given " + Twine(arguments.size()));
  return call.interpreter.run(computation, arguments);
}

static FailureOr<Values> callOp(Call &call) {
  return runNamed(call, cast<CallOp>(call.op).getToApplyAttr(), call.operands);
}

static FailureOr<Values> fusion(Call &call) {
  return runNamed(call, cast<FusionOp>(call.op).getCallsAttr(), call.operands);
}

static FailureOr<Values> whileOp(Call &call) {
  auto op = cast<WhileOp>(call.op);
  Values state(std::make_move_iterator(call.operands.begin()),
               std::make_move_iterator(call.operands.end()));
  while (true) {
    Values shown = state;
    FailureOr<Values> goesOn = runNamed(call, op.getConditionAttr(), shown);
    if (failed(goesOn))
      return failure();
    shown.clear(); // so that the body may change the state in place
    if (goesOn->empty() || !goesOn->front().isArray())
      return call.fail("the condition does not give a pred");
    if (!goesOn->front().getArray().get(0).i)
      return state;
    FailureOr<Values> next = runNamed(call, op.getBodyAttr(), state);
    if (failed(next))
      return failure();
    state = std::move(*next);
  }
}

/// pred: the first branch if true; s32: the branch of that number, the last if there is none.
static FailureOr<Values> conditional(Call &call) {
  auto op = cast<ConditionalOp>(call.op);
  const Array &selector = call.array(0);
  int64_t count = op.getBranchComputations().size();
  if (count == 0 || int64_t(call.operands.size()) != count + 1)
    return call.fail("expected one operand for each branch");
  int64_t branch = selector.getIndex(0);
  if (selector.type == ElementType::PRED)
    branch = branch ? 0 : 1;
  if (branch < 0 || branch >= count)
    branch = count - 1;
  return runNamed(call, cast<FlatSymbolRefAttr>(op.getBranchComputations()[branch]),
                  call.operands.slice(branch + 1, 1));
}

//===- Asynchronous operations ---------------------------------------------===//

/// ((operands), result, context): the context is zero.
static FailureOr<Values> asyncStart(Call &call) {
  auto op = cast<AsyncStartOp>(call.op);
  auto type = dyn_cast<TupleType>(op.getType());
  if (!type || type.size() < 2)
    return call.fail("expected the result to be a tuple of operands and results");
  std::vector<Value> elements{
      Value::makeTuple(std::vector<Value>(call.operands.begin(), call.operands.end()))};
  FailureOr<Values> results = runNamed(call, op.getCallsAttr(), call.operands);
  if (failed(results))
    return failure();
  elements.push_back(results->front());
  for (Type context : llvm::drop_begin(type.getTypes(), 2))
    elements.push_back(makeZero(context));
  return Values{Value::makeTuple(std::move(elements))};
}

static FailureOr<Values> asyncUpdate(Call &call) { return Values{std::move(call.operands[0])}; }

static FailureOr<Values> asyncDone(Call &call) {
  if (!call.operands[0].isTuple() || call.operands[0].getTupleSize() < 2)
    return call.fail("the operand is no asynchronous operation");
  return Values{call.operands[0].getElement(1)};
}

/// (destination, source, context).
static FailureOr<Values> copyStart(Call &call) {
  auto type = dyn_cast<TupleType>(call.op->getResult(0).getType());
  std::vector<Value> elements{call.operands[0], call.operands[0]};
  if (type && type.size() > 2)
    elements.push_back(makeZero(type.getType(2)));
  return Values{Value::makeTuple(std::move(elements))};
}

static FailureOr<Values> copyDone(Call &call) {
  if (!call.operands[0].isTuple())
    return call.fail("the operand is no copy");
  return Values{call.operands[0].getElement(0)};
}

void addControlOps(HandlerTable &table) {
  table["hlo.call"] = callOp;
  table["hlo.fusion"] = fusion;
  table["hlo.while"] = whileOp;
  table["hlo.conditional"] = conditional;
  table["hlo.async_start"] = asyncStart;
  table["hlo.async_update"] = asyncUpdate;
  table["hlo.async_done"] = asyncDone;
  table["hlo.copy_start"] = copyStart;
  table["hlo.copy_done"] = copyDone;
}

} // namespace hloc::evaluator
