// SPDX-License-Identifier: Apache-2.0
// Calls, loops, asynchronous operations and transfers with the host.
#include "compiler/hlo/infer/Rules.h"
#include "compiler/hlo/infer/Signatures.h"

using namespace mlir;

namespace hloc::hlo {

static Report failMissing(const Rule &rule) {
  return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
}

/// Value of `key="..."` in the text of frontend_attributes; nothing if it is missing.
static std::optional<StringRef> getFrontendAttribute(StringRef text, StringRef key) {
  for (size_t at = text.find(key); at != StringRef::npos; at = text.find(key, at + 1)) {
    StringRef rest = text.drop_front(at + key.size());
    bool startsKey = at == 0 || StringRef("{, ").contains(text[at - 1]);
    if (startsKey && rest.consume_front("="))
      return rest.consume_front("\"") ? rest.take_until([](char c) { return c == '"'; })
                                      : rest.take_until([](char c) { return c == ','; });
  }
  return std::nullopt;
}

/// C2: a composite has a name, and a version that is a number.
static LogicalResult expectComposite(const Rule &rule, DictionaryAttr attributes) {
  auto text = attributes ? attributes.getAs<StringAttr>("hlo.frontend_attributes") : StringAttr();
  StringRef keys = text ? text.getValue() : StringRef();
  std::optional<StringRef> name = getFrontendAttribute(keys, "composite.name");
  std::optional<StringRef> version = getFrontendAttribute(keys, "composite.version");
  uint64_t number;
  if (!name || name->empty())
    return rule.fail(Error::Composite)
           << "expected a composite call to have frontend_attributes with a composite.name";
  if (version && version->getAsInteger(10, number))
    return rule.fail(Error::Composite)
           << "expected composite.version to be a number of at least 0 but got " << *version;
  return success();
}

FailureOr<Type> infer(CallOp::Adaptor op, const Rule &rule) {
  if (op.getIsComposite() && failed(expectComposite(rule, op.getAttributes())))
    return failure();
  if (!rule.knowsSignatures()) {
    if (rule.getDeclared())
      return rule.getDeclared();
    return failMissing(rule);
  }
  auto results =
      expectCallable(rule, op.getToApplyAttr(), op.getInputs().getTypes(), "computation"); // C1
  if (failed(results))
    return failure();
  return packTypes(rule.getContext(), *results);
}

FailureOr<Type> infer(WhileOp::Adaptor op, const Rule &rule) {
  TypeRange state = op.getState().getTypes();
  Type result = packTypes(rule.getContext(), state);
  if (!rule.knowsSignatures())
    return result;
  auto held = expectCallable(rule, op.getConditionAttr(), state, "condition"); // C1
  if (failed(held))
    return failure();
  if (held->size() != 1 ||
      !typesAgree((*held)[0],
                  RankedTensorType::get({}, IntegerType::get(rule.getContext(), 1)))) // C2
    return rule.fail(Error::While) << "expected condition " << op.getCondition()
                                   << " to return pred[] but it returns " << toText(*held);
  auto next = expectCallable(rule, op.getBodyAttr(), state, "body"); // C3
  if (failed(next))
    return failure();
  if (!typesAgree(*next, state)) // C4
    return rule.fail(Error::While) << "expected body " << op.getBody() << " to return the state, "
                                   << toText(state) << ", but it returns " << toText(*next);
  return result;
}

FailureOr<Type> infer(ConditionalOp::Adaptor op, const Rule &rule) {
  Type index = op.getBranchIndex().getType();
  Type element = getElementTypeOrSelf(index);
  ArrayAttr branches = op.getBranchComputations();
  if (failed(expectScalar(rule, index, "the branch index"))) // C1
    return failure();
  if (!isPred(element) && !element.isSignlessInteger(32)) // C2
    return rule.fail(Error::ElementType)
           << "expected the branch index to be pred[] or s32[] but got " << toText(index);
  if (isPred(element) ? branches.size() != 2 : branches.empty()) // C3
    return rule.fail(Error::Conditional)
           << "expected " << (isPred(element) ? "2 branches" : "at least one branch") << " but got "
           << branches.size();
  if (op.getBranchOperands().size() != branches.size()) // C4
    return rule.fail(Error::OperandCount) << "expected one operand for each of " << branches.size()
                                          << " branches but got " << op.getBranchOperands().size();
  if (!rule.knowsSignatures()) {
    if (rule.getDeclared())
      return rule.getDeclared();
    return failMissing(rule);
  }
  FailureOr<TypeRange> first = failure();
  for (auto [branch, operand] : llvm::zip(branches, op.getBranchOperands())) {
    auto results =
        expectCallable(rule, cast<FlatSymbolRefAttr>(branch), operand.getType(), "branch"); // C5
    if (failed(results))
      return failure();
    if (failed(first))
      first = results;
    if (!typesAgree(*first, *results)) // C6
      return rule.fail(Error::Conditional)
             << "expected branch " << cast<FlatSymbolRefAttr>(branch).getValue()
             << " to return what "
             << "the first returns, " << toText(*first) << ", but it returns " << toText(*results);
  }
  return packTypes(rule.getContext(), *first);
}

Type getPart(Type type, ArrayRef<int64_t> path) {
  for (int64_t index : path) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= int64_t(tuple.size()))
      return nullptr;
    type = tuple.getType(index);
  }
  return type;
}

/// Each alias names a part of the result and a part of an operand, of one shape.
static LogicalResult expectAliases(const Rule &rule, std::optional<ArrayAttr> aliases,
                                   TypeRange operands) {
  Type result = rule.getDeclared();
  if (!aliases || !result)
    return success();
  for (Attribute attribute : *aliases) {
    auto alias = dyn_cast<BufferAliasAttr>(attribute);
    Type from, to;
    if (alias && alias.getOperand() >= 0 && alias.getOperand() < int64_t(operands.size())) {
      from = getPart(operands[alias.getOperand()], alias.getOperandIndex());
      to = getPart(result, alias.getOutputIndex());
    }
    if (!from || !to)
      return rule.fail(Error::Alias)
             << "expected output_to_operand_aliasing to name parts of the result " << toText(result)
             << " and of the operands (" << toText(operands) << ")";
    auto unwrap = [](Type type) {
      auto buffer = dyn_cast<BufferType>(type);
      return buffer ? buffer.getContents() : type;
    };
    if (!typesAgree(unwrap(from), unwrap(to)))
      return rule.fail(Error::Alias)
             << "expected aliases of one shape but got " << toText(to) << " for " << toText(from);
  }
  return success();
}

FailureOr<Type> infer(FusionOp::Adaptor op, const Rule &rule) {
  TypeRange operands = op.getInputs().getTypes();
  if (!rule.knowsSignatures() || !rule.getDeclared()) {
    if (rule.getDeclared())
      return rule.getDeclared();
    return failMissing(rule);
  }
  auto results = expectCallable(rule, op.getCallsAttr(), operands, "computation"); // C1
  if (failed(results) ||
      failed(expectAliases(rule, op.getOutputToOperandAliasing(), operands))) // C2
    return failure();
  return packTypes(rule.getContext(), *results);
}

FailureOr<Type> infer(CustomCallOp::Adaptor op, const Rule &rule) {
  TypeRange operands = op.getInputs().getTypes();
  if (std::optional<ArrayAttr> constraints = op.getOperandLayoutConstraints()) {
    if (failed(expectCount(rule, constraints->size(), operands.size(),
                           "operand_layout_constraints"))) // C1
      return failure();
    for (auto [i, constraint] : llvm::enumerate(*constraints)) {
      Type type = cast<TypeAttr>(constraint).getValue();
      if (!typesAgree(type, operands[i])) // C2
        return rule.fail(Error::ShapesDiffer)
               << "expected operand_layout_constraints to give operand " << i << " as "
               << toText(operands[i]) << " but got " << toText(type);
    }
  }
  if (failed(expectAliases(rule, op.getOutputToOperandAliasing(), operands))) // C3
    return failure();
  if (std::optional<ArrayAttr> called = op.getCalledComputations();
      called && rule.knowsSignatures())
    for (Attribute computation : *called) // C4
      if (failed(rule.getSignature(cast<FlatSymbolRefAttr>(computation))))
        return failure();
  return packTypes(rule.getContext(), rule.getDeclaredTypes());
}

//===- Asynchronous operations ---------------------------------------------===//

static Type makeTuple(const Rule &rule, ArrayRef<Type> types) {
  return TupleType::get(rule.getContext(), types);
}

/// C1: ((operands...), result, context...).
static FailureOr<TupleType> expectState(const Rule &rule, Type type) {
  auto state = dyn_cast_or_null<TupleType>(type);
  if (state && state.size() >= 2 && isa<TupleType>(state.getType(0)))
    return state;
  return rule.fail(Error::Async) << "expected a state ((operands), result, ...) but got "
                                 << (type ? toText(type) : "none");
}

/// The computation that the operation with state `state` runs, if its start can be found.
static FlatSymbolRefAttr findCalled(Value state, FlatSymbolRefAttr stated) {
  while (auto update = state.getDefiningOp<AsyncUpdateOp>()) {
    if (stated || update.getInputs().empty())
      break;
    stated = update.getCallsAttr();
    state = update.getInputs().front();
  }
  auto start = state.getDefiningOp<AsyncStartOp>();
  return stated || !start ? stated : start.getCallsAttr();
}

/// True if `held` is a valid part of `result` in a state: all of it, or a tuple of its first parts,
/// while the others are bound later.
static bool holdsPartOf(Type held, Type result) {
  if (typesAgree(held, result))
    return true;
  auto some = dyn_cast<TupleType>(held), all = dyn_cast<TupleType>(result);
  TypeRange parts = all ? TypeRange(all.getTypes()) : TypeRange(result);
  return some && some.size() <= parts.size() &&
         typesAgree(some.getTypes(), parts.take_front(some.size()));
}

/// C2, C3: the computation's first parameters are the operands in the state, and it returns the
/// results in the state.
static LogicalResult expectWrapped(const Rule &rule, FlatSymbolRefAttr computation,
                                   TupleType state) {
  if (!rule.knowsSignatures() || !computation)
    return success();
  auto signature = rule.getSignature(computation);
  if (failed(signature))
    return failure();
  auto operands = cast<TupleType>(state.getType(0));
  TypeRange parameters = signature->getInputs();
  Type result = packTypes(rule.getContext(), signature->getResults());
  if (operands.size() <= parameters.size() &&
      typesAgree(operands.getTypes(), parameters.take_front(operands.size())) &&
      holdsPartOf(state.getType(1), result))
    return success();
  return rule.fail(Error::Async) << "expected a state of the operands and result of "
                                 << computation.getValue() << ", ((" << toText(parameters) << "), "
                                 << toText(result) << ", ...), but got " << toText(Type(state));
}

FailureOr<Type> infer(AsyncStartOp::Adaptor op, const Rule &rule) {
  auto state = expectState(rule, rule.getDeclared());
  if (failed(state) || failed(expectWrapped(rule, op.getCallsAttr(), *state)))
    return failure();
  TypeRange operands = op.getInputs().getTypes();
  TypeRange held = cast<TupleType>(state->getType(0)).getTypes();
  if (operands.size() > held.size() ||
      !typesAgree(operands, held.take_front(operands.size()))) // C4
    return rule.fail(Error::Async)
           << "expected operands (" << toText(held) << ") but got (" << toText(operands) << ")";
  return Type(*state);
}

/// C4: a state comes first; the operands after it are bound now.
static FailureOr<TupleType> expectStateOperand(const Rule &rule, ValueRange inputs) {
  if (inputs.empty())
    return rule.fail(Error::OperandCount)
           << "expected the state of an asynchronous operation but got no operand";
  return expectState(rule, inputs.front().getType());
}

FailureOr<Type> infer(AsyncUpdateOp::Adaptor op, const Rule &rule) {
  ValueRange inputs = op.getInputs();
  auto before = expectStateOperand(rule, inputs);
  if (failed(before))
    return failure();
  SmallVector<Type> operands(cast<TupleType>(before->getType(0)).getTypes());
  llvm::append_range(operands, inputs.drop_front().getTypes());
  SmallVector<Type> after(before->getTypes());
  after[0] = makeTuple(rule, operands);
  // More of the result may be bound, and the context is backend-specific.
  if (auto declared = dyn_cast_or_null<TupleType>(rule.getDeclared());
      declared && declared.size() >= 2 && holdsPartOf(before->getType(1), declared.getType(1))) {
    after.truncate(1);
    llvm::append_range(after, declared.getTypes().drop_front());
  }
  auto state = cast<TupleType>(makeTuple(rule, after));
  if (failed(expectWrapped(rule, findCalled(inputs.front(), op.getCallsAttr()), state)))
    return failure();
  return Type(state);
}

FailureOr<Type> infer(AsyncDoneOp::Adaptor op, const Rule &rule) {
  ValueRange inputs = op.getInputs();
  auto before = expectStateOperand(rule, inputs);
  if (failed(before))
    return failure();
  FlatSymbolRefAttr called = findCalled(inputs.front(), op.getCallsAttr());
  SmallVector<Type> operands(cast<TupleType>(before->getType(0)).getTypes());
  llvm::append_range(operands, inputs.drop_front().getTypes());
  SmallVector<Type> after(before->getTypes());
  after[0] = makeTuple(rule, operands);
  if (failed(expectWrapped(rule, called, cast<TupleType>(makeTuple(rule, after)))))
    return failure();
  Type held = before->getType(1), declared = rule.getDeclared();
  if (rule.knowsSignatures() && called)
    return packTypes(rule.getContext(), rule.getSignature(called)->getResults());
  return declared && holdsPartOf(held, declared) ? declared : held;
}

static Type getU32(const Rule &rule) {
  return RankedTensorType::get({}, IntegerType::get(rule.getContext(), 32, IntegerType::Unsigned));
}

FailureOr<Type> infer(CopyStartOp::Adaptor op, const Rule &rule) {
  Type type = op.getOperand().getType();
  return makeTuple(rule, {type, type, getU32(rule)});
}

/// C1: a tuple of at least `size` elements, made by an operation's first half.
static FailureOr<TupleType> expectTuple(const Rule &rule, Type type, size_t size) {
  auto tuple = dyn_cast_or_null<TupleType>(type);
  if (tuple && tuple.size() >= size)
    return tuple;
  return rule.fail(Error::Async) << "expected a tuple of at least " << size << " elements but got "
                                 << (type ? toText(type) : "none");
}

FailureOr<Type> infer(CopyDoneOp::Adaptor op, const Rule &rule) {
  auto state = expectTuple(rule, op.getOperand().getType(), 2);
  if (failed(state))
    return failure();
  if (!typesAgree(state->getType(0), state->getType(1))) // C2
    return rule.fail(Error::Async)
           << "expected source and destination of one shape but got " << toText(Type(*state));
  return state->getType(0);
}

//===- Order and bookkeeping -----------------------------------------------===//

FailureOr<Type> infer(AfterAllOp::Adaptor op, const Rule &rule) {
  return Type(TokenType::get(rule.getContext()));
}

FailureOr<Type> infer(AddDependencyOp::Adaptor op, const Rule &rule) {
  return op.getOperand().getType();
}

FailureOr<Type> infer(OptBarrierOp::Adaptor op, const Rule &rule) {
  return packTypes(rule.getContext(), op.getInputs().getTypes());
}

FailureOr<Type> infer(DomainOp::Adaptor op, const Rule &rule) { return op.getOperand().getType(); }

FailureOr<Type> infer(PartitionIdOp::Adaptor op, const Rule &rule) { return getU32(rule); }
FailureOr<Type> infer(ReplicaIdOp::Adaptor op, const Rule &rule) { return getU32(rule); }

//===- The host ------------------------------------------------------------===//

FailureOr<Type> infer(InfeedOp::Adaptor op, const Rule &rule) {
  // Flattened, it returns only the arrays.
  TypeRange results = rule.getDeclaredTypes();
  auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType();
  if (tuple && (tuple.size() != 2 || !isa<TokenType>(tuple.getType(1)))) // C1
    return rule.fail(Error::ResultShape)
           << "expected a result (data, token[]) but got " << toText(rule.getDeclaredTypes());
  return packTypes(rule.getContext(), rule.getDeclaredTypes());
}

FailureOr<Type> infer(OutfeedOp::Adaptor op, const Rule &rule) {
  if (std::optional<Type> shape = op.getOutfeedShape()) {
    SmallVector<Type> stated, actual;
    flattenTypes(*shape, stated);
    flattenTypes(op.getInputs().getTypes(), actual);
    if (!typesAgree(stated, actual)) // C1
      return rule.fail(Error::ShapesDiffer)
             << "expected outfeed_shape to be " << toText(op.getInputs().getTypes()) << " but got "
             << toText(*shape);
  }
  return Type(TokenType::get(rule.getContext()));
}

FailureOr<Type> infer(SendOp::Adaptor op, const Rule &rule) {
  return makeTuple(rule,
                   {op.getOperand().getType(), getU32(rule), TokenType::get(rule.getContext())});
}

FailureOr<Type> infer(SendDoneOp::Adaptor op, const Rule &rule) {
  if (failed(expectTuple(rule, op.getOperand().getType(), 3)))
    return failure();
  return Type(TokenType::get(rule.getContext()));
}

FailureOr<Type> infer(RecvOp::Adaptor op, const Rule &rule) {
  auto state = expectTuple(rule, rule.getDeclared(), 1);
  if (failed(state))
    return failure();
  return makeTuple(rule, {state->getType(0), getU32(rule), TokenType::get(rule.getContext())});
}

FailureOr<Type> infer(RecvDoneOp::Adaptor op, const Rule &rule) {
  auto state = expectTuple(rule, op.getOperand().getType(), 3);
  if (failed(state))
    return failure();
  return makeTuple(rule, {state->getType(0), TokenType::get(rule.getContext())});
}

} // namespace hloc::hlo
