// SPDX-License-Identifier: Apache-2.0
// Attributes that every instruction may have. Their syntax is checked, and they are kept verbatim.
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

/// Text in balanced braces, verbatim.
ParseResult Parser::takeBraces(bool singleQuotes, std::string &value) {
  if (!lexer.is(Token::LBrace))
    return expected("`{`");
  const char *end = lexer.findClosingBrace(singleQuotes);
  if (!end)
    return fail(lexer.begin(), "expected a `}` that closes this brace");
  StringRef raw(lexer.begin(), end - lexer.begin());
  lexer.reset(end);
  value = raw.str();
  return success();
}

/// `{true,false}`: whether each array of a parameter is the same on all replicas.
ParseResult Parser::parseReplicationAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  uint64_t count = 0;
  bool value;
  if (takeList(Token::LBrace, Token::RBrace, [&] { return ++count, takeBool(value); }))
    return failure();
  if (instruction.opcode->text != "parameter")
    return fail(begin, "expected parameter_replication on a parameter only");
  if (instruction.type && count != countLeaves(instruction.type))
    return fail(begin, "expected one value for each of the parameter's " +
                           Twine(countLeaves(instruction.type)) + " arrays but got " +
                           Twine(count));
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

ParseResult Parser::parseConfigAttr(Instruction &instruction, StringRef target) {
  std::string value;
  if (lexer.is(Token::String)) {
    value = lexer.spelling().str();
    lexer.next();
  } else if (!lexer.is(Token::LBrace)) {
    return expected("a string or `{`");
  } else if (takeBraces(/*singleQuotes=*/false, value)) {
    return failure();
  }
  instruction.attributes.set(target, builder.getStringAttr(value));
  return success();
}

ParseResult Parser::parsePredecessorsAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<StringRef> names;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        const char *namePlace = lexer.begin();
        StringRef name;
        if (takeName(name))
          return failure();
        names.push_back(name);
        llvm::CachedHashStringRef key(name);
        if (scope->poisoned.contains(key))
          instruction.poisoned = true;
        else if (!scope->values.contains(key))
          return fail(namePlace,
                      "expected an instruction defined before this one but got `" + name + "`");
        return success();
      }))
    return failure();
  if (names.empty())
    return fail(place, "expected at least one control predecessor");
  instruction.attributes.set(target, builder.getStrArrayAttr(names));
  return success();
}

ParseResult Parser::parseMetadata(Instruction &instruction, StringRef) {
  std::string value;
  if (takeMetadata(value))
    return failure();
  instruction.metadata = builder.getStringAttr(StringRef(value).drop_front().drop_back().trim());
  return success();
}

/// `{field=value ...}`, verbatim.
ParseResult Parser::takeMetadata(std::string &value) {
  const char *begin = lexer.begin();
  if (take(Token::LBrace, "`{` at the start of the metadata"))
    return failure();
  SmallVector<StringRef> seen;
  while (!takeIf(Token::RBrace)) {
    if (takeIf(Token::Comma))
      continue;
    if (!lexer.is(Token::Attribute))
      return expected("a field of the metadata or `}`");
    StringRef name = lexer.getValue();
    const char *place = lexer.begin();
    if (llvm::is_contained(seen, name))
      return fail(place, "expected `" + name + "` once in the metadata");
    seen.push_back(name);
    lexer.next();
    enum Kind { Unknown, String, Int, Ints };
    Kind kind = llvm::StringSwitch<Kind>(name)
                    .Cases({"op_type", "op_name", "source_file", "deduplicated_name"}, String)
                    .Cases({"scheduling_name", "metadata_payload"}, String)
                    .Cases({"source_line", "source_end_line", "source_column"}, Int)
                    .Cases({"source_end_column", "stack_frame_id"}, Int)
                    .Case("profile_type", Ints)
                    .Case("preserve_layout", Unknown)
                    .Default(Unknown);
    SmallVector<int64_t> ignored;
    int64_t number;
    switch (kind) {
    case String:
      if (take(Token::String, "a string"))
        return failure();
      break;
    case Int: {
      const char *numberPlace = lexer.begin();
      if (takeInt(number))
        return failure();
      if (!llvm::isInt<32>(number))
        return fail(numberPlace, "expected an integer that fits 32 bits");
      break;
    }
    case Ints:
      if (takeInts(ignored))
        return failure();
      break;
    case Unknown:
      if (options.strict)
        return fail(place, "unknown field `" + name + "` of the metadata");
      warn(place, "unknown field `" + name + "` of the metadata");
      if (lexer.is(Token::LBrace)) {
        std::string value;
        if (takeBraces(true, value))
          return failure();
      } else {
        lexer.next();
      }
    }
  }
  value = textSince(begin);
  return success();
}

/// `{key="string",key2={json}}`.
ParseResult Parser::takeFrontendAttributes() {
  llvm::SmallDenseSet<StringRef> seen;
  return takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
    if (!lexer.is(Token::Attribute))
      return expected("a name followed by `=`");
    if (!seen.insert(lexer.getValue()).second)
      warn(lexer.begin(), "`" + lexer.getValue() + "` stands here again: the last one counts");
    lexer.next();
    std::string value;
    if (lexer.is(Token::String)) {
      lexer.next();
      return success();
    }
    return lexer.is(Token::LBrace) ? takeBraces(/*singleQuotes=*/false, value)
                                   : expected("a string or `{`");
  });
}

ParseResult Parser::parseFrontendAttributes(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (takeFrontendAttributes())
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

//===- Groups of participants ----------------------------------------------===//

/// `[2,4]T(1,0)`, after `<=`: numbers from 0 in a grid of that shape, transposed. The current token
/// is `[`.
ParseResult Parser::takeIota(Iota &iota) {
  const char *place = lexer.begin();
  if (takeList(Token::LSquare, Token::RSquare, [&] { return takeInt(iota.sizes.emplace_back()); }))
    return failure();
  if (std::string why = countIota(iota); !why.empty())
    return fail(place, why);
  if (iota.sizes.size() == 1) {
    iota.order.push_back(0);
    return success();
  }
  if (!lexer.is(Token::Ident) || lexer.getValue() != "T")
    return expected("T(...), the order of the " + Twine(iota.sizes.size()) + " dimensions");
  lexer.next();
  if (takeList(Token::LParen, Token::RParen, [&] { return takeInt(iota.order.emplace_back()); }))
    return failure();
  if (std::string why = checkOrder(iota); !why.empty())
    return fail(place, why);
  return success();
}

/// The numbers of an iota, in order.
ParseResult Parser::parseIota(SmallVectorImpl<int64_t> &ids) {
  Iota iota;
  if (takeIota(iota))
    return failure();
  listIota(iota, ids);
  return success();
}

ParseResult Parser::parseReplicaGroupsAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (lexer.is(Token::Ident))
    return parseMeshGroups(instruction, target);
  SmallVector<int64_t> ids, sizes;
  StringAttr text;
  if (lexer.is(Token::LSquare)) {
    SmallVector<int64_t> shape;
    if (takeList(Token::LSquare, Token::RSquare, [&] { return takeInt(shape.emplace_back()); }))
      return failure();
    if (shape.size() != 2)
      return fail(begin, "expected two numbers: how many groups, and how large each is");
    if (take(Token::LessEqual, "`<=`") || (!lexer.is(Token::LSquare) && expected("`[`")) ||
        parseIota(ids))
      return failure();
    int64_t total;
    if (llvm::MulOverflow(shape[0], shape[1], total) || total != int64_t(ids.size()))
      return fail(begin, "expected " + Twine(shape[0]) + " groups of " + Twine(shape[1]) +
                             " but got " + Twine(ids.size()) + " participants");
    sizes.assign(shape[0], shape[1]);
    text = builder.getStringAttr(textSince(begin));
  } else if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
               SmallVector<int64_t> group;
               if (takeInts(group))
                 return failure();
               ids.append(group);
               sizes.push_back(group.size());
               return success();
             })) {
    return failure();
  }
  instruction.attributes.set(target, ReplicaGroupsAttr::get(context, ids, sizes, text));
  return success();
}

/// `mesh["a"=2,"b"=4], device_ids=([4,2]T(1,0)) {"a","b":(2)2}`: groups vary over the listed axes.
ParseResult Parser::parseMeshGroups(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  Mesh mesh;
  if (takeMesh(mesh))
    return failure();
  if (takeIf(Token::Comma) && !lexer.is(Token::Attribute))
    return expected("device_ids=");
  if (takeDeviceIds(mesh))
    return failure();
  SmallVector<MeshAxis> varying;
  if (takeList(Token::LBrace, Token::RBrace,
               [&] { return takeAxis(mesh, varying.emplace_back()); }))
    return failure();
  Groups groups;
  if (std::string why = listGroups(mesh, varying, groups); !why.empty())
    return fail(begin, why);
  auto text = builder.getStringAttr(textSince(begin));
  instruction.attributes.set(target,
                             ReplicaGroupsAttr::get(context, groups.ids, groups.sizes, text));
  return success();
}

} // namespace hloc::text
