// SPDX-License-Identifier: Apache-2.0
// Asynchronous instructions. `add-start(x, y)` abbreviates an async-start of a computation that
// contains only the add; `add-update` and `add-done` are async-update and async-done.
#include "compiler/hlo/Location.h"
#include "compiler/text/AttributeRules.h"
#include "compiler/text/ParserImpl.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

/// The opcode that `opcode`, which is not one itself, wraps; `kind` is set to async-start,
/// async-update or async-done.
const Opcode *Parser::findAsyncSugar(StringRef opcode, StringRef &kind) const {
  for (auto [suffix, name] : {std::pair<StringRef, StringRef>{"-start", "async-start"},
                              {"-update", "async-update"},
                              {"-done", "async-done"}}) {
    if (!opcode.consume_back(suffix))
      continue;
    kind = name;
    // Opcodes that have separate asynchronous forms have no abbreviation.
    if (opcodes.find((opcode + "-start").str()) || opcodes.find((opcode + "-done").str()))
      return nullptr;
    const Opcode *wrapped = opcodes.find(opcode);
    return wrapped && wrapped->operation ? wrapped : nullptr;
  }
  return nullptr;
}

/// An attribute belongs to the start if every instruction or async-start may have it, otherwise to
/// the instruction that runs.
ParseResult Parser::parseAsyncAttributes(Instruction &start, Instruction &inner) {
  while (takeIf(Token::Comma)) {
    if (!lexer.is(Token::Attribute))
      return expected("an attribute's name followed by `=`");
    StringRef name = lexer.getValue();
    bool innerHas = llvm::any_of(findAttributeRules(name), [&](const AttributeRule &rule) {
      return !rule.isShared() && rule.applies(*inner.opcode);
    });
    bool startHas = name != "calls" &&
                    llvm::any_of(findAttributeRules(name),
                                 [&](const auto &rule) { return rule.applies(*start.opcode); });
    if (parseAttribute(startHas && !innerHas ? start : inner))
      return failure();
  }
  start.poisoned |= inner.poisoned;
  inner.poisoned = start.poisoned;
  return finishAttributes(inner);
}

/// `X-start(...), attributes of X`: builds the computation that contains X.
ParseResult Parser::parseAsyncStart(Instruction &start, const Opcode *wrapped) {
  if (!start.type)
    return fail(start.opcodePlace, "expected the shape of the start before the opcode");
  if (checkAsyncShape(start))
    return failure();
  Instruction inner;
  inner.opcode = wrapped;
  inner.name = wrapped->text;
  inner.place = inner.opcodePlace = start.opcodePlace;
  for (Value operand : start.operands)
    inner.operands.push_back(operand);
  if (wrapped->text == "constant" || parseAsyncAttributes(start, inner))
    return failure();
  if (start.poisoned)
    return success();
  SmallVector<Type> types(TypeRange(ValueRange(start.operands)));
  inner.type = cast<TupleType>(start.type).getType(1);

  // Operands and result may be bound later; then their types are those of the callee.
  auto operandsOfStart = cast<TupleType>(cast<TupleType>(start.type).getType(0));
  auto unbound = dyn_cast<TupleType>(inner.type);
  bool late = types.size() < wrapped->minOperands || operandsOfStart.size() != types.size() ||
              (unbound && unbound.size() == 0);
  Attribute symbol = inner.attributes.get("to_apply");
  if (!symbol)
    symbol = inner.attributes.get("calls");
  if (symbol) {
    ComputationOp callee = computations.lookup(cast<FlatSymbolRefAttr>(symbol).getValue());
    late |= callee && types.size() < callee.getNumArguments();
    if (callee && late && (wrapped->text == "call" || wrapped->text == "fusion")) {
      types.assign(callee.getArgumentTypes().begin(), callee.getArgumentTypes().end());
      inner.type = callee.getResultTypes()[0];
    }
  }
  inner.operands.clear();
  return makeAsyncComputation(start, inner, types);
}

ParseResult Parser::makeAsyncComputation(Instruction &start, Instruction &inner, TypeRange types) {
  std::string name = unusedName((start.name + ".computation").str());
  ComputationOp computation = createComputation(name, start.place);
  StringAttr symbol = builder.getStringAttr(name);
  made.insert(symbol);
  computations[name] = computation;
  Scope innerScope;
  innerScope.computation = computation;
  innerScope.block = &computation.getBody().front();
  Scope *outerScope = std::exchange(scope, &innerScope);
  for (auto [i, type] : llvm::enumerate(types)) {
    std::string parameter = (start.name + ".param_" + Twine(i)).str();
    inner.operands.push_back(innerScope.block->addArgument(
        type, makeLocation(builder.getStringAttr(parameter), locate(start.place))));
    innerScope.parameters.push_back({int64_t(i), {}, start.place, int64_t(i)});
  }
  ParseResult result = failure(checkOperandCount(inner) || create(inner, innerScope.root) ||
                               finishBody(innerScope, start.place));
  scope = outerScope;
  if (result) {
    computations[name] = ComputationOp();
    computation->erase();
    return failure();
  }
  if (auto thread = start.attributes.get("async_execution_thread"))
    if (cast<StringAttr>(thread).getValue() != "main")
      computation.setExecutionThreadAttr(cast<StringAttr>(thread));
  start.attributes.set("calls", FlatSymbolRefAttr::get(symbol));
  return success();
}

} // namespace hloc::text
