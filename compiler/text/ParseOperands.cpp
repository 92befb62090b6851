// SPDX-License-Identifier: Apache-2.0
// Operands of instructions: names, with or without shapes, elements of tuples and whole
// instructions.
#include "compiler/hlo/Location.h"
#include "compiler/text/ParserImpl.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult Parser::parseOperands(Instruction &instruction) {
  if (take(Token::LParen, "`(`"))
    return failure();
  // Any number of commas is allowed, as in XLA.
  for (bool separate = true; !takeIf(Token::RParen);)
    if (takeIf(Token::Comma))
      separate = true;
    else if (!separate)
      return expected("`,` or `)`");
    else if (parseOperand(instruction))
      return failure();
    else
      separate = false;
  instruction.operandsEnd = lexer.previousEnd() - 1;
  return success();
}

ParseResult Parser::parseOperand(Instruction &instruction) {
  const char *place = lexer.begin();
  Type type;
  if (atShape() && parseShape(type))
    return failure();
  const char *namePlace = lexer.begin();
  if (mayMakeParameters() && type && (lexer.is(Token::Comma) || lexer.is(Token::RParen))) {
    std::string made = "_" + std::to_string(scope->parameters.size());
    instruction.operands.push_back(
        findParameterOrMake(builder.getStringAttr(made).getValue(), type, place));
    return success();
  }
  if (!lexer.is(Token::Name) && !lexer.is(Token::Ident))
    return expected("an operand");
  Value value;
  if (lexer.is(Token::Ident) && *lexer.end() == '(')
    return parseNested(instruction, type, value)
               ? failure()
               : (instruction.operands.push_back(value), success());
  StringRef name = lexer.getValue();
  lexer.next();
  llvm::CachedHashStringRef key(name);
  auto found = scope->values.find(key);
  if (found != scope->values.end()) {
    value = found->second;
  } else if (scope->poisoned.contains(key)) {
    instruction.poisoned = true;
  } else {
    value = findParameterOrMake(name, type, namePlace);
    if (!value)
      return fail(namePlace,
                  "expected an instruction defined before this one but got `" + name + "`");
  }
  while (lexer.is(Token::Hash))
    if (parseElementOf(value, name))
      return failure();
  if (!value) {
    instruction.poisoned = true;
    return success();
  }
  if (type && !areCompatible(type, value.getType()))
    return fail(place, "expected an operand of shape " + shapeText(type) + " but `" + name +
                           "` is " + shapeText(value.getType()));
  instruction.operands.push_back(value);
  return success();
}

bool Parser::mayMakeParameters() const {
  return singleInstruction && computations.lookup("_") == scope->computation;
}

/// In a single instruction, an unknown operand with a shape is a parameter.
Value Parser::findParameterOrMake(StringRef name, Type type, const char *place) {
  if (!mayMakeParameters() || !type)
    return nullptr;
  Value value =
      scope->block->addArgument(type, makeLocation(builder.getStringAttr(name), locate(place)));
  int64_t number = scope->parameters.size();
  scope->parameters.push_back({number, {}, place, number});
  scope->values[llvm::CachedHashStringRef(name)] = value;
  return value;
}

/// `#N` after an operand: that element of the tuple, through a get-tuple-element.
ParseResult Parser::parseElementOf(Value &value, StringRef name) {
  const char *place = lexer.begin();
  lexer.next();
  int64_t index;
  if (takeInt(index) || !value)
    return failure(bool(value));
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple || index < 0 || index >= int64_t(tuple.size()))
    return fail(place, "expected an element of a tuple but `" + name + "` is " +
                           shapeText(value.getType()));
  // Shared by all uses of this element.
  Value &known = scope->elements[{value, index}];
  if (known) {
    value = known;
    return success();
  }
  OpBuilder ops = OpBuilder::atBlockEnd(scope->block);
  std::string elementName = (getInstructionName(value.getLoc()) + "." + Twine(index)).str();
  auto get = GetTupleElementOp::create(
      ops, makeLocation(builder.getStringAttr(elementName), locate(place)),
      TypeRange{tuple.getType(index)}, value, builder.getI64IntegerAttr(index));
  ++scope->operations;
  value = known = get->getResult(0);
  return success();
}

/// An instruction without a name as an operand.
ParseResult Parser::parseNested(Instruction &outer, Type type, Value &value) {
  Instruction inner;
  inner.type = type;
  inner.place = lexer.begin();
  // Names are assigned in the order in which instructions are created: operands first.
  std::string name = (lexer.getValue() + ".anon").str();
  auto number = [&] {
    if (unsigned before = scope->anonymous[name]++)
      name += "." + std::to_string(before);
    inner.name = name;
  };
  if (lexer.getValue() == "parameter")
    number();
  ParseResult result = nest([&]() -> ParseResult {
    if (parseRightSide(inner, /*nested=*/true) || inner.poisoned)
      return failure(!inner.poisoned);
    if (inner.name.empty())
      number();
    return create(inner, value);
  });
  outer.poisoned |= inner.poisoned;
  return result;
}

} // namespace hloc::text
