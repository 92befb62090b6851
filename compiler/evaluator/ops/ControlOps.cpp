// SPDX-License-Identifier: Apache-2.0
// Operations that run computations: call, fusion, while, conditional, and asynchronous ones, which
// run as soon as all their operands are known.
#include "compiler/evaluator/core/Interpreter.h"

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

/// pred: the first branch if true; s32: the branch with that number, or the last.
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

/// The computation that an asynchronous operation runs: named by its start, which update and done
/// find through their states, or by themselves.
static FlatSymbolRefAttr findCalled(Operation *op) {
  while (true) {
    if (auto start = dyn_cast<AsyncStartOp>(op))
      return start.getCallsAttr();
    auto stated = op->getAttrOfType<FlatSymbolRefAttr>("calls");
    if (stated || !isa<AsyncUpdateOp, AsyncDoneOp>(op) || op->getNumOperands() == 0)
      return stated;
    op = op->getOperand(0).getDefiningOp();
    if (!op)
      return nullptr;
  }
}

/// The part of `result`, of type `whole`, in a state of type `type`: all of it, or a tuple of its
/// first parts, while the others are added at the end.
static Value getPart(const Value &result, Type whole, Type type) {
  auto some = dyn_cast<TupleType>(type), all = dyn_cast<TupleType>(whole);
  if (!some || (all && all.size() == some.size()))
    return result;
  std::vector<Value> parts;
  for (size_t i = 0; i < some.size(); ++i)
    parts.push_back(all ? result.getElement(i) : result);
  return Value::makeTuple(std::move(parts));
}

/// The state ((operands), result, context) after `bound` was appended to the operands. The
/// computation runs once all of them are known, unless it has run: then `known` is its result.
/// Contexts are zero. `type` is the state's, null at the end.
static FailureOr<Values> advance(Call &call, std::vector<Value> operands, ArrayRef<Value> bound,
                                 TupleType type, std::shared_ptr<Pending> known = nullptr) {
  if (known && !type) {
    FailureOr<Value> result = (*known)(call.op);
    return failed(result) ? FailureOr<Values>() : Values{*result};
  }
  FlatSymbolRefAttr symbol = findCalled(call.op);
  Operation *computation = symbol ? call.interpreter.lookup(call.op, symbol) : nullptr;
  if (!computation)
    return call.fail("the computation that runs asynchronously is not in sight");
  operands.insert(operands.end(), bound.begin(), bound.end());
  bool complete = operands.size() == computation->getRegion(0).getNumArguments();
  if (!complete && !type)
    return call.fail("ends before all operands of @" + symbol.getValue() + " are known");
  Value result;
  if (known) {
    FailureOr<Value> had = (*known)(call.op);
    if (failed(had))
      return failure();
    result = *had;
  } else if (complete) {
    std::vector<Value> arguments = operands;
    FailureOr<Values> results = runNamed(call, symbol, arguments);
    if (failed(results))
      return failure();
    result = results->front();
  }
  if (!type)
    return Values{result};
  Type whole = cast<ComputationOp>(computation).getResultTypes().front();
  std::vector<Value> elements{Value::makeTuple(std::move(operands)),
                              complete ? getPart(result, whole, type.getType(1))
                                       : makeZero(type.getType(1))};
  for (Type context : llvm::drop_begin(type.getTypes(), 2))
    elements.push_back(makeZero(context));
  Value state = Value::makeTuple(std::move(elements));
  if (complete)
    state.setPending([result](Operation *) -> FailureOr<Value> { return result; });
  return Values{state};
}

static FailureOr<Values> asyncStart(Call &call) {
  auto type = dyn_cast<TupleType>(call.op->getResult(0).getType());
  if (!type || type.size() < 2)
    return call.fail("expected the result to be a tuple of operands and results");
  return advance(call, {}, call.operands, type);
}

/// Updates and ends: operands after the state are bound now.
static FailureOr<Values> asyncNext(Call &call) {
  Value &state = call.operands[0];
  if (!state.isTuple() || state.getTupleSize() < 2 || !state.getElement(0).isTuple())
    return call.fail("the operand is not an asynchronous operation");
  const Value &held = state.getElement(0);
  std::vector<Value> operands;
  for (size_t i = 0; i < held.getTupleSize(); ++i)
    operands.push_back(held.getElement(i));
  auto type = isa<AsyncDoneOp>(call.op) ? TupleType()
                                        : dyn_cast<TupleType>(call.op->getResult(0).getType());
  return advance(call, std::move(operands), call.operands.drop_front(), type, state.getPending());
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
    return call.fail("the operand is not a copy");
  return Values{call.operands[0].getElement(0)};
}

void addControlOps(HandlerTable &table) {
  table["hlo.call"] = callOp;
  table["hlo.fusion"] = fusion;
  table["hlo.while"] = whileOp;
  table["hlo.conditional"] = conditional;
  table["hlo.async_start"] = asyncStart;
  table["hlo.async_update"] = asyncNext;
  table["hlo.async_done"] = asyncNext;
  table["hlo.copy_start"] = copyStart;
  table["hlo.copy_done"] = copyDone;
}

} // namespace hloc::evaluator
