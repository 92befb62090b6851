// SPDX-License-Identifier: Apache-2.0
// Instructions: left side, shape, opcode, attributes, and the operation built from them. Their
// operands are in ParseOperands.cpp.
#include "compiler/hlo/Location.h"
#include "compiler/hlo/infer/Infer.h"
#include "compiler/text/AttributeRules.h"
#include "compiler/text/ParserImpl.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult Parser::parseInstruction() {
  Instruction instruction;
  bool root = lexer.isKeyword("ROOT");
  const char *rootPlace = lexer.begin();
  if (root)
    lexer.next();
  instruction.place = lexer.begin();
  if (lexer.is(Token::Attribute))
    return fail(lexer.begin(),
                "expected a space between the name `" + lexer.getValue() + "` and `=`");
  if (lexer.is(Token::Name) || lexer.is(Token::Ident))
    instruction.name = lexer.getValue();
  bool failed = bool(takeName(instruction.name)) ||
                bool(take(Token::Equal, "`=` after the instruction's name"));
  Value value;
  failed = failed || parseRightSide(instruction, /*nested=*/false) || create(instruction, value);
  if (root && scope->rootPlace)
    return fail(rootPlace, "expected one ROOT in a computation but got a second");
  if (root)
    scope->rootPlace = rootPlace;
  if (failed || instruction.poisoned) {
    if (!instruction.name.empty())
      scope->poisoned.insert(llvm::CachedHashStringRef(instruction.name));
    scope->failed = true;
    return failure(failed);
  }
  if (root)
    scope->root = value;
  scope->last = value;
  return define(instruction, value);
}

/// Registers `value` under the instruction's name.
ParseResult Parser::define(const Instruction &instruction, Value value) {
  StringRef name = instruction.name;
  if (!isInstructionName(name))
    return fail(instruction.place, "expected a name that is neither an element type nor starts "
                                   "with two underscores but got `" +
                                       name + "`");
  if (scope->values.try_emplace(llvm::CachedHashStringRef(name), value).second)
    return success();
  return fail(instruction.place, "expected a new name but `" + name + "` is defined already");
}

ParseResult Parser::parseRightSide(Instruction &instruction, bool nested) {
  if (atShape() && parseShape(instruction.type))
    return failure();
  instruction.opcodePlace = lexer.begin();
  if (!lexer.is(Token::Ident))
    return expected(instruction.type ? "an opcode" : "a shape or an opcode");
  StringRef spelling = lexer.getValue();
  StringRef sugarKind;
  const Opcode *wrapped = nullptr;
  instruction.opcode = opcodes.find(spelling);
  if (!instruction.opcode) {
    wrapped = findAsyncSugar(spelling, sugarKind);
    if (wrapped)
      instruction.opcode = opcodes.find(sugarKind);
  }
  if (!instruction.opcode) {
    StringRef nearest = opcodes.nearest(spelling);
    return fail(lexer.begin(),
                "unknown opcode `" + spelling + "`" +
                    (nearest.empty() ? Twine() : "; did you mean `" + nearest + "`?"));
  }
  lexer.next();
  if (!lexer.is(Token::LParen))
    return expected("`(` after the opcode");
  if (spelling == "parameter")
    return parseParameter(instruction, nested);
  if (spelling == "constant") {
    lexer.next();
    if (!instruction.type)
      return fail(instruction.opcodePlace, "expected the shape of the constant before the opcode");
    Attribute value;
    bool elided = false;
    if (parseLiteral(instruction.type, value, elided))
      return failure();
    instruction.attributes.set("value", value);
    if (elided)
      instruction.attributes.set("hlo.elided", builder.getUnitAttr());
    if (auto elements = dyn_cast<ElementsAttr>(value); // a constant has no dynamic dimensions
        elements && !cast<RankedTensorType>(instruction.type).hasStaticShape())
      instruction.type = elements.getType();
    if (take(Token::RParen, "`)` after the constant's value"))
      return failure();
  } else {
    if (parseOperands(instruction))
      return failure();
    if (!wrapped && checkOperandCount(instruction))
      return failure();
  }
  if (wrapped && sugarKind == "async-start")
    return parseAsyncStart(instruction, wrapped);
  if (nested ? finishAttributes(instruction) : parseAttributes(instruction))
    return failure();
  if (StringRef(instruction.opcode->text).starts_with("async-"))
    return checkAsyncChain(instruction, wrapped);
  return success();
}

/// `(N)` after `parameter`.
ParseResult Parser::parseParameter(Instruction &instruction, bool nested) {
  lexer.next();
  const char *place = lexer.begin();
  int64_t number;
  if (takeInt(number) || take(Token::RParen, "`)` after the parameter's number"))
    return failure();
  if (!instruction.type)
    return fail(instruction.opcodePlace, "expected the shape of the parameter before the opcode");
  if (!nested && parseAttributes(instruction))
    return failure();
  return addParameter(instruction, number, place);
}

//===- Attributes ----------------------------------------------------------===//

ParseResult Parser::parseAttributes(Instruction &instruction) {
  while (takeIf(Token::Comma))
    if (parseAttribute(instruction))
      return failure();
  return finishAttributes(instruction);
}

ParseResult Parser::unexpectedAttribute(const Instruction &instruction, StringRef name,
                                        const char *place) {
  std::string allowed;
  for (const AttributeRule &rule : getAttributeRules())
    if (!rule.isShared() && rule.applies(*instruction.opcode))
      allowed += (allowed.empty() ? "" : ", ") + rule.text.str();
  return fail(place, "unexpected attribute `" + name + "` of " + instruction.opcode->text +
                         (allowed.empty() ? Twine("; it has none of its own")
                                          : "; it may have " + Twine(allowed)));
}

ParseResult Parser::parseAttribute(Instruction &instruction) {
  if (!lexer.is(Token::Attribute))
    return expected("an attribute's name followed by `=`");
  StringRef name = lexer.getValue();
  const char *place = lexer.begin();
  if (llvm::is_contained(instruction.seen, name))
    return fail(place, "expected the attribute `" + name + "` once");
  ArrayRef<AttributeRule> rules = findAttributeRules(name);
  if (rules.empty()) {
    if (isHeaderAttribute(name) || name == "execution_thread")
      return fail(place, "expected an attribute of instructions but `" + name + "` is one of " +
                             (isHeaderAttribute(name) ? "modules" : "computations"));
    if (options.strict)
      return fail(place, "unknown attribute `" + name + "`");
    warn(place, "unknown attribute `" + name + "`");
    lexer.next();
    return skipUnknownAttribute();
  }
  const AttributeRule *rule = llvm::find_if(
      rules, [&](const AttributeRule &rule) { return rule.applies(*instruction.opcode); });
  if (rule == rules.end())
    return unexpectedAttribute(instruction, name, place);
  instruction.seen.push_back(name);
  lexer.next();
  if (!instruction.poisoned && instruction.opcode->text == "conditional" &&
      rule->target == "branch_computations" && !instruction.operands.empty()) {
    auto index = dyn_cast<RankedTensorType>(instruction.operands[0].getType());
    bool byPred = index && index.getElementType().isSignlessInteger(1);
    if (byPred == (name == "branch_computations"))
      return fail(place, byPred ? "expected true_computation and false_computation with a pred, "
                                  "not branch_computations"
                                : "expected branch_computations with an index, not `" + name + "`");
  }
  return (this->*rule->parse)(instruction, rule->target);
}

ParseResult Parser::skipUnknownAttribute() {
  if (lexer.is(Token::LBrace)) {
    std::string ignored;
    return takeBraces(/*singleQuotes=*/true, ignored);
  }
  if (lexer.is(Token::Error) || lexer.is(Token::Eof))
    return expected("the attribute's value");
  lexer.next();
  return success();
}

//===- The operation -------------------------------------------------------===//

} // namespace hloc::text
