// SPDX-License-Identifier: Apache-2.0
// Attributes that every instruction may carry. Their text is checked, then kept as it stands.
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

/// Text in balanced braces, taken verbatim.
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

ParseResult Parser::parseBracesAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  std::string value;
  if (takeBraces(/*singleQuotes=*/true, value))
    return failure();
  if (target == "hlo.statistics" && !StringRef(value).drop_front().ltrim().starts_with(
                                        "visualizing_index"))
    return fail(begin, "expected visualizing_index= first in the statistics");
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
          return fail(namePlace, "expected an instruction defined before this one but got `" +
                                     name + "`");
        return success();
      }))
    return failure();
  if (names.empty())
    return fail(place, "expected at least one control predecessor");
  instruction.attributes.set(target, builder.getStrArrayAttr(names));
  return success();
}

ParseResult Parser::parseMetadata(Instruction &instruction, StringRef) {
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
    case Int:
      if (takeInt(number))
        return failure();
      break;
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
  std::string value = textSince(begin);
  instruction.metadata = builder.getStringAttr(StringRef(value).drop_front().drop_back().trim());
  return success();
}

/// `{key="string",key2={json}}`.
ParseResult Parser::takeFrontendAttributes() {
  if (take(Token::LBrace, "`{`"))
    return failure();
  SmallVector<StringRef> seen;
  while (!takeIf(Token::RBrace)) {
    if (!lexer.is(Token::Attribute))
      return expected("a name followed by `=`");
    if (llvm::is_contained(seen, lexer.getValue()))
      return fail(lexer.begin(), "expected `" + lexer.getValue() + "` once");
    seen.push_back(lexer.getValue());
    lexer.next();
    std::string value;
    if (lexer.is(Token::String))
      lexer.next();
    else if (!lexer.is(Token::LBrace))
      return expected("a string or `{`");
    else if (takeBraces(/*singleQuotes=*/false, value))
      return failure();
    if (!takeIf(Token::Comma) && !lexer.is(Token::RBrace))
      return expected("`,` or `}`");
  }
  return success();
}

ParseResult Parser::parseFrontendAttributes(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (takeFrontendAttributes())
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

ParseResult Parser::parseShardingAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (takeSharding(0))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

ParseResult Parser::takeSharding(unsigned nesting) {
  const char *begin = lexer.begin();
  std::string value;
  if (nesting == 0 || lexer.is(Token::LBrace))
    return takeBraces(/*singleQuotes=*/true, value);
  return fail(begin, "expected a sharding");
}

//===- Groups of participants ----------------------------------------------===//

/// The ids that `[2,4]T(1,0)`, after `<=`, lists: an iota in that shape, transposed. The current
/// token is `[`.
ParseResult Parser::parseIota(SmallVectorImpl<int64_t> &ids) {
  const char *place = lexer.begin();
  SmallVector<int64_t> sizes, order;
  if (takeList(Token::LSquare, Token::RSquare, [&] { return takeInt(sizes.emplace_back()); }))
    return failure();
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size <= 0 || llvm::MulOverflow(count, size, count) || count > (int64_t(1) << 24))
      return fail(place, "expected at least one and at most 2^24 participants");
  if (lexer.is(Token::Ident) && lexer.getValue() == "T") {
    lexer.next();
    if (takeList(Token::LParen, Token::RParen, [&] { return takeInt(order.emplace_back()); }))
      return failure();
  } else if (sizes.size() != 1) {
    return expected("T(...), the order of the " + Twine(sizes.size()) + " dimensions");
  } else {
    order.push_back(0);
  }
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, sizes.size())))
    return fail(place, "expected T(...) to be a permutation of the dimensions");
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * sizes[i + 1];
  ids.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, id = 0;
    for (int64_t d = int64_t(order.size()) - 1; d >= 0; --d) {
      id += rest % sizes[order[d]] * strides[order[d]];
      rest /= sizes[order[d]];
    }
    ids.push_back(id);
  }
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
  SmallVector<std::pair<StringRef, int64_t>> axes;
  SmallVector<int64_t> devices;
  bool maximal = lexer.getValue() == "maximal_mesh";
  if (!maximal && lexer.getValue() != "mesh")
    return expected("`{`, `[` or `mesh[`");
  lexer.next();
  int64_t total = 1;
  if (maximal) {
    if (take(Token::LSquare, "`[`") || !lexer.is(Token::Attribute))
      return expected("device_id=");
    lexer.next();
    if (takeInt(devices.emplace_back()) || take(Token::RSquare, "`]`"))
      return failure();
  } else if (takeList(Token::LSquare, Token::RSquare, [&]() -> ParseResult {
               auto &axis = axes.emplace_back();
               axis.first = lexer.getValue();
               if (take(Token::String, "an axis's name in quotes") || take(Token::Equal, "`=`") ||
                   takeInt(axis.second))
                 return failure();
               if (axis.second <= 0 || llvm::MulOverflow(total, axis.second, total) ||
                   total > (int64_t(1) << 24))
                 return fail(begin, "expected at least one and at most 2^24 participants");
               return success();
             })) {
    return failure();
  }
  if (takeIf(Token::Comma)) {
    if (!lexer.is(Token::Attribute) || lexer.getValue() != "device_ids")
      return expected("device_ids=");
    lexer.next();
    if (take(Token::LParen, "`(`"))
      return failure();
    if (lexer.is(Token::LSquare)) {
      if (parseIota(devices))
        return failure();
    } else {
      do {
        if (takeInt(devices.emplace_back()))
          return failure();
      } while (takeIf(Token::Comma));
    }
    if (take(Token::RParen, "`)`"))
      return failure();
  } else if (!maximal) {
    devices.assign(llvm::seq<int64_t>(0, total).begin(), llvm::seq<int64_t>(0, total).end());
  }
  if (int64_t(devices.size()) != total)
    return fail(begin, "expected " + Twine(total) + " devices but got " + Twine(devices.size()));

  // Each listed axis, or part of one, as (stride in the mesh, size).
  SmallVector<std::pair<int64_t, int64_t>> varying;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        StringRef name = lexer.getValue();
        const char *place = lexer.begin();
        if (take(Token::String, "an axis's name in quotes"))
          return failure();
        int64_t stride = total;
        int64_t size = 0;
        for (auto &axis : axes) {
          stride /= axis.second;
          if (axis.first != name)
            continue;
          size = axis.second;
          break;
        }
        if (!size)
          return fail(place, "expected one of the mesh's axes");
        if (takeIf(Token::Colon)) {
          int64_t before, part;
          if (take(Token::LParen, "`(`") || takeInt(before) || take(Token::RParen, "`)`") ||
              takeInt(part))
            return failure();
          if (before <= 0 || part <= 0 || size % before || size / before % part)
            return fail(place, "expected a part of an axis of size " + Twine(size));
          stride *= size / before / part;
          size = part;
        }
        varying.push_back({stride, size});
        return success();
      }))
    return failure();

  // A group for every participant whose index is 0 along all varying axes.
  SmallVector<int64_t> ids, sizes;
  int64_t groupSize = 1;
  for (auto &[stride, size] : varying)
    groupSize *= size;
  if (groupSize > total)
    return fail(begin, "expected each axis once in the groups");
  for (int64_t first = 0; first < total; ++first) {
    if (llvm::any_of(varying, [&](auto axis) { return first / axis.first % axis.second; }))
      continue;
    for (int64_t member = 0; member < groupSize; ++member) {
      int64_t rest = member, place = first;
      for (auto &[stride, size] : llvm::reverse(varying)) {
        place += rest % size * stride;
        rest /= size;
      }
      if (place >= total)
        return fail(begin, "expected each axis once in the groups");
      ids.push_back(devices[place]);
    }
    sizes.push_back(groupSize);
  }
  instruction.attributes.set(target,
                             ReplicaGroupsAttr::get(context, ids, sizes,
                                                    builder.getStringAttr(textSince(begin))));
  return success();
}

} // namespace hloc::text
