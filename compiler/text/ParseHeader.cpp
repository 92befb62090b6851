// SPDX-License-Identifier: Apache-2.0
// The module's header, and checks of the module as a whole.
#include "compiler/hlo/Location.h"
#include "compiler/text/AttributeRules.h"
#include "compiler/text/ParserImpl.h"
#include "compiler/text/Quote.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult Parser::parseHeader() {
  lexer.next();
  StringRef name;
  if (takeName(name))
    return failure();
  module->setSymName(name);
  while (takeIf(Token::Comma))
    if (parseHeaderAttribute())
      return failure();
  return lexer.isKeyword("FileNames") ? parseStackFrames() : ParseResult(success());
}

/// The kind of value of a module attribute.
enum class HeaderValue { Flag, Number, Layout, Alias, Donor, Strings, Flags, Debug, Unknown };

static HeaderValue findHeaderValue(StringRef name) {
  using enum HeaderValue;
  return StringSwitch<HeaderValue>(name)
      .Cases({"is_scheduled", "alias_passthrough_params"}, Flag)
      .Cases({"replica_count", "num_partitions"}, Number)
      .Case("entry_computation_layout", Layout)
      .Case("input_output_alias", Alias)
      .Case("buffer_donor", Donor)
      .Case("frontend_attributes", Strings)
      .Cases({"allow_spmd_sharding_propagation_to_parameters",
              "allow_spmd_sharding_propagation_to_output"},
             Flags)
      .Cases({"origin_recovery_table", "debug_attributes"}, Debug)
      .Default(Unknown);
}

bool isHeaderAttribute(StringRef name) { return findHeaderValue(name) != HeaderValue::Unknown; }

ParseResult Parser::parseHeaderAttribute() {
  if (!lexer.is(Token::Attribute))
    return expected("an attribute of the module followed by `=`");
  StringRef name = lexer.getValue();
  const char *place = lexer.begin();
  lexer.next();
  std::string key = ("hlo." + name).str();
  if ((*module)->hasAttr(key))
    return fail(place, "expected the attribute `" + name + "` once");
  const char *begin = lexer.begin();
  Attribute value;
  bool flag;
  int64_t number;
  using enum HeaderValue;
  switch (findHeaderValue(name)) {
  case Flag:
    if (takeBool(flag))
      return failure();
    value = builder.getBoolAttr(flag);
    break;
  case Number: // 0 and 1 mean the same
    if (takeInt(number))
      return failure();
    if (number < 0)
      return fail(begin, "expected a number of at least 0 but got " + Twine(number));
    value = builder.getI64IntegerAttr(number);
    break;
  case Layout:
    if (parseComputationLayout(value))
      return failure();
    break;
  case Alias:
    if (parseAliases(value, /*moduleLevel=*/true))
      return failure();
    break;
  case Donor:
    if (parseDonors(value))
      return failure();
    break;
  case Strings:
    if (takeFrontendAttributes())
      return failure();
    value = builder.getStringAttr(textSince(begin));
    break;
  case Flags:
    if (lexer.is(Token::LBrace)
            ? takeList(Token::LBrace, Token::RBrace, [&] { return takeBool(flag); })
            : takeBool(flag))
      return failure();
    value = builder.getStringAttr(textSince(begin));
    break;
  case Debug: {
    std::string raw;
    if (takeBraces(/*singleQuotes=*/false, raw))
      return failure();
    value = builder.getStringAttr(raw);
    break;
  }
  case Unknown:
    if (!findAttributeRules(name).empty())
      return fail(place,
                  "expected an attribute of the module but `" + name + "` is one of instructions");
    if (options.strict)
      return fail(place, "unknown attribute `" + name + "` of the module");
    warn(place, "unknown attribute `" + name + "` of the module");
    return skipUnknownAttribute();
  }
  (*module)->setAttr(key, value);
  return success();
}

/// `{(shape, ...)->shape}`.
ParseResult Parser::parseComputationLayout(Attribute &value) {
  SmallVector<Type> parameters;
  Type result;
  if (take(Token::LBrace, "`{`") ||
      takeList(
          Token::LParen, Token::RParen, [&] { return parseShape(parameters.emplace_back()); },
          /*mayEndInComma=*/true) ||
      take(Token::Arrow, "`->`") || parseShape(result) || take(Token::RBrace, "`}`"))
    return failure();
  value = TypeAttr::get(builder.getFunctionType(parameters, result));
  return success();
}

ParseResult Parser::parseShapeIndex(SmallVectorImpl<int64_t> &index) {
  return takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
    const char *place = lexer.begin();
    if (takeInt(index.emplace_back()))
      return failure();
    return index.back() < 0 ? fail(place, "expected an index of at least 0")
                            : ParseResult(success());
  });
}

/// `{ {output index}: (operand, {operand index}[, kind]), ... }`. At module level the operand is a
/// parameter, and a kind is allowed.
ParseResult Parser::parseAliases(Attribute &value, bool moduleLevel) {
  SmallVector<Attribute> aliases;
  if (takeList(
          Token::LBrace, Token::RBrace,
          [&]() -> ParseResult {
            SmallVector<int64_t> output, index;
            int64_t operand;
            std::string kind;
            if (parseShapeIndex(output) || take(Token::Colon, "`:` after the index of the result"))
              return failure();
            if (take(Token::LParen, "`(`") || takeInt(operand) || take(Token::Comma, "`,`") ||
                parseShapeIndex(index))
              return failure();
            if (moduleLevel && takeIf(Token::Comma)) {
              kind = lexer.getValue().str();
              if (!lexer.is(Token::Ident) || (kind != "may-alias" && kind != "must-alias"))
                return expected("may-alias or must-alias");
              lexer.next();
            }
            if (take(Token::RParen, "`)`"))
              return failure();
            if (moduleLevel && kind.empty())
              kind = "may-alias";
            aliases.push_back(BufferAliasAttr::get(context, output, operand, index, kind));
            return success();
          },
          /*mayEndInComma=*/true))
    return failure();
  value = builder.getArrayAttr(aliases);
  return success();
}

/// `{ (parameter, {index}), ... }`.
ParseResult Parser::parseDonors(Attribute &value) {
  SmallVector<Attribute> donors;
  if (takeList(
          Token::LBrace, Token::RBrace,
          [&]() -> ParseResult {
            SmallVector<int64_t> index;
            int64_t parameter;
            if (take(Token::LParen, "`(`") || takeInt(parameter) || take(Token::Comma, "`,`") ||
                parseShapeIndex(index) || take(Token::RParen, "`)`"))
              return failure();
            donors.push_back(BufferAliasAttr::get(context, {}, parameter, index, ""));
            return success();
          },
          /*mayEndInComma=*/true))
    return failure();
  value = builder.getArrayAttr(donors);
  return success();
}

/// The four tables of file names, functions, locations and frames, kept verbatim, one entry per
/// line.
ParseResult Parser::parseStackFrames() {
  std::string tables;
  for (StringRef table : {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
    if (!lexer.isKeyword(table))
      return expected("the table `" + table + "`");
    lexer.next();
    tables += (table + "\n").str();
    while (lexer.is(Token::Int)) {
      const char *begin = lexer.begin();
      lexer.next();
      if (table.ends_with("Names")) {
        if (take(Token::String, "a name in quotes"))
          return failure();
      } else {
        if (take(Token::LBrace, "`{`"))
          return failure();
        int64_t number;
        while (!takeIf(Token::RBrace)) {
          if (!lexer.is(Token::Attribute))
            return expected("a field or `}`");
          lexer.next();
          if (takeInt(number))
            return failure();
          takeIf(Token::Comma);
        }
      }
      tables += textSince(begin) + "\n";
    }
    tables += "\n";
  }
  (*module)->setAttr("hlo.stack_frames", builder.getStringAttr(StringRef(tables).rtrim()));
  return success();
}

//===- The whole module ----------------------------------------------------===//

} // namespace hloc::text
