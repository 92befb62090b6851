// SPDX-License-Identifier: Apache-2.0
// Instructions: left side, shape, opcode, attributes, and the operation they make. Their operands
// are in ParseOperands.cpp.
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

/// Makes `value` known by the instruction's name.
ParseResult Parser::define(const Instruction &instruction, Value value) {
  StringRef name = instruction.name;
  if (isTypeName(name) || (name.starts_with("__") && !name.starts_with("__xla_")))
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

/// `(N)` after `parameter`. The block argument is made at once, in its place among those there are.
ParseResult Parser::parseParameter(Instruction &instruction, bool nested) {
  lexer.next();
  const char *place = lexer.begin();
  int64_t number;
  if (takeInt(number) || take(Token::RParen, "`)` after the parameter's number"))
    return failure();
  if (!instruction.type)
    return fail(instruction.opcodePlace, "expected the shape of the parameter before the opcode");
  if (number < 0)
    return fail(place, "expected a parameter number of at least 0 but got " + Twine(number));
  if (!nested && parseAttributes(instruction))
    return failure();
  auto at = llvm::lower_bound(scope->parameters, number,
                              [](const Scope::Parameter &p, int64_t n) { return p.number < n; });
  if (at != scope->parameters.end() && at->number == number)
    return fail(place, "expected each parameter once but got number " + Twine(number) + " again");
  size_t index = at - scope->parameters.begin();
  int64_t before = scope->operations + scope->parameters.size();
  scope->parameters.insert(at, {number, instruction.attributes, instruction.place, before});
  scope->block->insertArgument(index, instruction.type,
                               makeLocation(builder.getStringAttr(instruction.name),
                                            locate(instruction.place), instruction.metadata));
  instruction.operands.push_back(scope->block->getArgument(index));
  return success();
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

/// Checks that nothing required is missing, and sets what the text may leave out.
ParseResult Parser::finishAttributes(Instruction &instruction) {
  if (instruction.poisoned)
    return success();
  const Opcode &opcode = *instruction.opcode;
  for (StringRef name : opcode.required)
    if (!llvm::is_contained(instruction.seen, name))
      return fail(instruction.opcodePlace,
                  "expected the attribute `" + name + "` of " + opcode.text);
  NamedAttrList &attributes = instruction.attributes;
  if (opcode.hasAttribute("window") && opcode.text != "custom-call" && !attributes.get("window"))
    attributes.set("window", WindowAttr::get(context, {}, {}, {}, {}, {}, {}, {}));
  if (opcode.hasAttribute("lhs_ragged_dims") && !attributes.get("lhs_ragged_dims"))
    attributes.set("lhs_ragged_dims", builder.getDenseI64ArrayAttr({}));
  if (opcode.text == "broadcast" && !attributes.get("dimensions")) {
    auto type = dyn_cast<RankedTensorType>(instruction.operands[0].getType());
    if (!type || type.getRank() != 0)
      return fail(instruction.opcodePlace, "expected the attribute `dimensions` of broadcast: only "
                                           "for a scalar it may be left out");
    attributes.set("dimensions", builder.getDenseI64ArrayAttr({}));
  }
  if (opcode.text == "map" && attributes.get("dimensions") && !instruction.operands.empty())
    if (auto type = dyn_cast<RankedTensorType>(instruction.operands[0].getType())) {
      // XLA reads them and takes all.
      auto all = builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq(type.getRank())));
      if (attributes.set("dimensions", all) != all)
        warn(instruction.opcodePlace, "the dimensions of map do not count: it is of all elements");
    }
  if (attributes.get("slice_sizes") && instruction.operands.size() != 4 &&
      StringRef(opcode.text).starts_with("collective-permute"))
    return fail(instruction.opcodePlace, "expected 4 operands of " + opcode.text +
                                             ", since slice_sizes are given, but got " +
                                             Twine(instruction.operands.size()));
  if (opcode.text == "conditional") {
    bool byName = llvm::is_contained(instruction.seen, "true_computation");
    if (byName != llvm::is_contained(instruction.seen, "false_computation"))
      return fail(instruction.opcodePlace, "expected both true_computation and false_computation");
    if (!byName && !attributes.get("branch_computations"))
      return fail(instruction.opcodePlace,
                  "expected the attribute `branch_computations`, or `true_computation` and "
                  "`false_computation`, of conditional");
  }
  if (opcode.text == "custom-call" && llvm::is_contained(instruction.seen, "to_apply") &&
      llvm::is_contained(instruction.seen, "called_computations"))
    return fail(instruction.opcodePlace, "expected either to_apply or called_computations");
  return success();
}

//===- The operation -------------------------------------------------------===//

ParseResult Parser::create(Instruction &instruction, Value &value) {
  if (instruction.poisoned)
    return success();
  if (!instruction.opcode->operation) { // a parameter: made already
    value = instruction.operands[0];
    return success();
  }
  if (setFixedShape(instruction))
    return failure();
  Location location = makeLocation(builder.getStringAttr(instruction.name),
                                   locate(instruction.place), instruction.metadata);
  Type type = instruction.type ? instruction.type : Type(builder.getNoneType());
  Operation *operation =
      Operation::create(location, *instruction.opcode->operation, TypeRange(type),
                        instruction.operands, std::move(instruction.attributes), nullptr, {}, 0);
  scope->block->push_back(operation);
  ++scope->operations;
  if (!instruction.type && infer(operation, instruction)) {
    operation->erase();
    return failure();
  }
  value = operation->getResult(0);
  return success();
}

/// Instructions whose shape follows from their operands (or, of infeed and recv, from the data that
/// the shape names), so that XLA does not look at the rest of what the text says.
ParseResult Parser::setFixedShape(Instruction &instruction) {
  StringRef opcode = instruction.opcode->text;
  Type token = TokenType::get(context), stated = instruction.type, fixed;
  auto typeOf = [&](size_t i) { return instruction.operands[i].getType(); };
  auto tuple = [&](ArrayRef<Type> types) { return TupleType::get(context, types); };
  Type number = RankedTensorType::get({}, builder.getIntegerType(32, /*isSigned=*/false));
  auto dataOf = [](Type type) {
    auto parts = dyn_cast_or_null<TupleType>(type);
    return parts && parts.size() ? parts.getType(0) : Type();
  };
  if (!stated)
    return success();
  if (opcode == "after-all" || opcode == "outfeed" || opcode == "send-done") {
    fixed = token;
  } else if (opcode == "add-dependency") {
    fixed = typeOf(0);
  } else if (opcode == "send") {
    fixed = tuple({typeOf(0), number, token});
  } else if (opcode == "recv-done") {
    if (Type data = dataOf(typeOf(0)))
      fixed = tuple({data, token});
  } else if (opcode == "infeed" || opcode == "recv") {
    Type data = dataOf(stated);
    if (!data)
      return fail(instruction.opcodePlace, "expected " + opcode +
                                               " to have a shape (data, ...) but got " +
                                               shapeText(stated));
    fixed = opcode == "infeed" ? tuple({data, token}) : tuple({data, number, token});
  }
  if (!fixed || areCompatible(fixed, stated))
    return success();
  warn(instruction.opcodePlace, "the shape of " + opcode + " is " + shapeText(fixed) +
                                    ", whatever the text says: " + shapeText(stated));
  instruction.type = fixed;
  return success();
}

ParseResult Parser::infer(Operation *operation, const Instruction &instruction) {
  unsigned before = errors;
  ScopedDiagnosticHandler count(context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // another handler prints it
  });
  FailureOr<Type> type = inferResultType(operation, [&](FlatSymbolRefAttr symbol) {
    ComputationOp computation = computations.lookup(symbol.getValue());
    return computation ? computation.getFunctionType() : FunctionType();
  });
  if (failed(type))
    return errors == before
               ? fail(instruction.opcodePlace, "expected operands and attributes from "
                                               "which the shape of " +
                                                   instruction.opcode->text + " can be inferred")
               : failure();
  if (checkTupleSize(*type, instruction.place))
    return failure();
  operation->getResult(0).setType(*type);
  return success();
}

} // namespace hloc::text
