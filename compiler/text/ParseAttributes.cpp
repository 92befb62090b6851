// SPDX-License-Identifier: Apache-2.0
// The values of attributes of particular opcodes: numbers, lists, shapes, computations, precision
// and aliases. Attributes about dimensions are in ParseWindows.cpp, the table of attributes in
// AttributeRules.cpp.
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

//===- Plain values --------------------------------------------------------===//

ParseResult Parser::parseIntAttr(Instruction &instruction, StringRef target) {
  int64_t value;
  if (takeInt(value))
    return failure();
  instruction.attributes.set(target, builder.getI64IntegerAttr(value));
  return success();
}

ParseResult Parser::parseBoolAttr(Instruction &instruction, StringRef target) {
  bool value;
  if (takeBool(value))
    return failure();
  instruction.attributes.set(target, builder.getBoolAttr(value));
  return success();
}

ParseResult Parser::parseFloatAttr(Instruction &instruction, StringRef target) {
  double value;
  if ((!lexer.is(Token::Decimal) && !lexer.is(Token::Int)) || lexer.getValue().getAsDouble(value))
    return expected("a number");
  lexer.next();
  instruction.attributes.set(target, builder.getF32FloatAttr(value));
  return success();
}

ParseResult Parser::parseStringAttr(Instruction &instruction, StringRef target) {
  std::string value;
  if (takeString(value))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(value));
  return success();
}

ParseResult Parser::parseIntsAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> values;
  if (takeInts(values))
    return failure();
  instruction.attributes.set(target, builder.getDenseI64ArrayAttr(values));
  return success();
}

/// A list of one number; if there are several, XLA takes the first for some opcodes.
ParseResult Parser::takeOneInt(const Instruction &instruction, int64_t &value) {
  const char *place = lexer.begin();
  SmallVector<int64_t> values;
  if (takeInts(values))
    return failure();
  StringRef opcode = instruction.opcode->text;
  if (values.empty() || (values.size() > 1 && (opcode == "concatenate" || opcode == "sort")))
    return fail(place,
                "expected exactly one dimension of " + opcode + " but got " + Twine(values.size()));
  if (values.size() > 1)
    warn(place, "expected exactly one dimension of " + opcode + " but got " + Twine(values.size()) +
                    ": those after the first do not count");
  value = values[0];
  return success();
}

template <typename Attr>
ParseResult Parser::parseOneIntAttr(Instruction &instruction, StringRef target) {
  int64_t value;
  if (takeOneInt(instruction, value))
    return failure();
  if constexpr (std::is_same_v<Attr, IntegerAttr>)
    instruction.attributes.set(target, builder.getI64IntegerAttr(value));
  else
    instruction.attributes.set(target, builder.getDenseI64ArrayAttr(value));
  return success();
}

template <typename Attr>
ParseResult Parser::parseEnumAttr(Instruction &instruction, StringRef target) {
  using Enum = decltype(std::declval<Attr>().getValue());
  auto value = lexer.is(Token::Ident) ? symbolizeEnum<Enum>(lexer.getValue()) : std::nullopt;
  if (!value && lexer.is(Token::Ident)) // XLA reads some values in any case
    value = symbolizeEnum<Enum>(lexer.getValue().lower());
  if (!value) {
    std::string names;
    for (int i = 0; i < 32; ++i) // enumerations count from 0
      if (StringRef name = stringifyEnum(static_cast<Enum>(i)); !name.empty())
        names += (names.empty() ? "" : ", ") + name.str();
    return expected("one of " + names);
  }
  lexer.next();
  instruction.attributes.set(target, Attr::get(context, *value));
  return success();
}

ParseResult Parser::parseShapeAttr(Instruction &instruction, StringRef target) {
  Type type;
  if (parseShape(type))
    return failure();
  instruction.attributes.set(target, TypeAttr::get(type));
  return success();
}

ParseResult Parser::parseShapesAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<Type> types;
  if (takeList(Token::LBrace, Token::RBrace, [&] { return parseShape(types.emplace_back()); }))
    return failure();
  if (types.size() != instruction.operands.size())
    return fail(place, "expected " + Twine(instruction.operands.size()) +
                           " layouts, one an operand, but got " + Twine(types.size()));
  for (auto [i, type] : llvm::enumerate(types))
    if (!areCompatible(type, instruction.operands[i].getType()))
      return fail(place, "expected a layout for operand " + Twine(i) + " of shape " +
                             shapeText(instruction.operands[i].getType()) + " but got " +
                             shapeText(type));
  instruction.attributes.set(target, builder.getTypeArrayAttr(types));
  return success();
}

ParseResult Parser::parseLiteralAttr(Instruction &instruction, StringRef target) {
  // `shape literal`, or `(shape literal, ...)` for a tuple.
  const char *place = lexer.begin();
  bool elided = false;
  Attribute value;
  if (lexer.is(Token::LParen)) {
    SmallVector<Attribute> elements;
    if (takeList(Token::LParen, Token::RParen, [&]() -> ParseResult {
          Type type;
          return failure(parseShape(type) || parseLiteral(type, elements.emplace_back(), elided));
        }))
      return failure();
    value = builder.getArrayAttr(elements);
  } else {
    Type type;
    if (parseShape(type) || parseLiteral(type, value, elided))
      return failure();
  }
  if (elided)
    return fail(place, "expected the literal's value but got `{...}`");
  instruction.attributes.set(target, value);
  return success();
}

//===- Computations --------------------------------------------------------===//

ParseResult Parser::takeComputation(Instruction &instruction, StringRef target,
                                    FlatSymbolRefAttr &symbol) {
  if (lexer.is(Token::LBrace)) {
    if (parseInlineComputation(symbol))
      return failure();
    if (!symbol) {
      instruction.poisoned = true;
      symbol = FlatSymbolRefAttr::get(context, "_");
    }
    return success();
  }
  const char *place = lexer.begin();
  StringRef name;
  if (takeName(name))
    return failure();
  auto found = computations.find(name);
  if (found == computations.end())
    forward.push_back({name, place});
  else if (!found->second)
    instruction.poisoned = true;
  symbol = FlatSymbolRefAttr::get(context, name);
  return success();
}

ParseResult Parser::parseComputationAttr(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, target, symbol))
    return failure();
  instruction.attributes.set(target, symbol);
  return success();
}

ParseResult Parser::parseComputationsAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> symbols;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        FlatSymbolRefAttr symbol;
        if (takeComputation(instruction, target, symbol))
          return failure();
        symbols.push_back(symbol);
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

/// custom-call's `to_apply`, conditional's `true_computation`: the first of a list.
ParseResult Parser::parseOneComputationAttr(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, "computation", symbol))
    return failure();
  SmallVector<Attribute> symbols{symbol};
  if (auto other = instruction.attributes.get(target))
    llvm::append_range(symbols, cast<ArrayAttr>(other));
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

ParseResult Parser::parseFalseComputation(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, "computation", symbol))
    return failure();
  SmallVector<Attribute> symbols;
  if (auto other = instruction.attributes.get(target))
    llvm::append_range(symbols, cast<ArrayAttr>(other));
  symbols.push_back(symbol);
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

//===- Precision, accuracy, aliasing ---------------------------------------===//

ParseResult Parser::parsePrecisionAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> values;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        auto value =
            lexer.is(Token::Ident) ? symbolizePrecision(lexer.getValue().lower()) : std::nullopt;
        if (!value)
          return expected("default, high or highest");
        lexer.next();
        values.push_back(PrecisionAttr::get(context, *value));
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(values));
  return success();
}

ParseResult Parser::parseAccuracyAttr(Instruction &instruction, StringRef target) {
  std::string mode = "tolerance";
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  auto parseTolerance = [&]() -> ParseResult {
    return takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
      if (!lexer.is(Token::Attribute))
        return expected("atol=, rtol= or ulps=");
      StringRef name = lexer.getValue();
      if (name != "atol" && name != "rtol" && name != "ulps")
        return expected("atol=, rtol= or ulps=");
      lexer.next();
      if (name == "ulps")
        return takeInt(ulps);
      double &value = name == "atol" ? atol : rtol;
      const char *place = lexer.begin();
      if ((!lexer.is(Token::Decimal) && !lexer.is(Token::Int)) ||
          lexer.getValue().getAsDouble(value))
        return expected("a number");
      if (value < 0)
        return fail(place, "expected a tolerance of at least 0");
      lexer.next();
      return success();
    });
  };
  if (take(Token::LBrace, "`{`"))
    return failure();
  bool isMode = lexer.getValue() == "mode";
  if (!lexer.is(Token::Attribute) || !(isMode || lexer.getValue() == "tolerance"))
    return expected("mode= or tolerance=");
  lexer.next();
  if (isMode) {
    mode = lexer.getValue().lower();
    if (!lexer.is(Token::Ident) || (mode != "default" && mode != "highest"))
      return expected("default or highest");
    lexer.next();
  } else if (parseTolerance()) {
    return failure();
  }
  if (take(Token::RBrace, "`}`"))
    return failure();
  instruction.attributes.set(target,
                             ResultAccuracyAttr::get(context, mode, builder.getF64FloatAttr(atol),
                                                     builder.getF64FloatAttr(rtol), ulps));
  return success();
}

ParseResult Parser::parseAliasingAttr(Instruction &instruction, StringRef target) {
  Attribute value;
  if (parseAliases(value, /*moduleLevel=*/false))
    return failure();
  instruction.attributes.set(target, value);
  return success();
}

//===- Enumerations ---------------------------------------------------------===//

template ParseResult Parser::parseOneIntAttr<DenseI64ArrayAttr>(Instruction &, StringRef);
template ParseResult Parser::parseOneIntAttr<IntegerAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<CollectiveModeAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<ComparisonTypeAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<ConvolutionKindAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<CustomCallApiAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<CustomCallScheduleAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<DirectionAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<DistributionAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<DotAlgorithmAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<FftTypeAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<FusionKindAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<PaddingTypeAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<RngAlgorithmAttr>(Instruction &, StringRef);
template ParseResult Parser::parseEnumAttr<TransposeAttr>(Instruction &, StringRef);

} // namespace hloc::text
