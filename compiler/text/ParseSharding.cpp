// SPDX-License-Identifier: Apache-2.0
// Attributes that only other tools use: shardings, origins of values before the passes of another
// compiler, statistics. Their syntax is checked, and they are kept verbatim.
#include "compiler/text/ParserImpl.h"

using namespace mlir;

namespace hloc::text {

/// The states of a value over devices that do not divide it.
static constexpr StringRef kStates[] = {"replicated", "manual", "unreduced"};

//===- Meshes --------------------------------------------------------------===//

/// `mesh["a"=2,"b"=4]` or `maximal_mesh[device_id=3]`.
ParseResult Parser::takeMesh(Mesh &mesh) {
  const char *begin = lexer.begin();
  mesh.maximal = lexer.is(Token::Ident) && lexer.getValue() == "maximal_mesh";
  if (!mesh.maximal && !(lexer.is(Token::Ident) && lexer.getValue() == "mesh"))
    return expected("mesh[ or maximal_mesh[");
  lexer.next();
  if (mesh.maximal) {
    if (take(Token::LSquare, "`[`") || takeAttributeName("device_id"))
      return failure();
    return failure(takeInt(mesh.devices.emplace_back()) || take(Token::RSquare, "`]`"));
  }
  return takeList(Token::LSquare, Token::RSquare, [&]() -> ParseResult {
    StringRef name = lexer.getValue();
    if (llvm::any_of(mesh.axes, [&](const auto &axis) { return axis.first == name; }))
      return fail(lexer.begin(), "expected each axis of the mesh once");
    int64_t size;
    if (take(Token::String, "an axis's name in quotes") || take(Token::Equal, "`=`") ||
        takeInt(size))
      return failure();
    std::string why = addAxis(mesh, name, size);
    return why.empty() ? ParseResult(success()) : fail(begin, why);
  });
}

/// `device_ids=(0,2,1,3)` or `device_ids=([2,2]T(1,0))`, if present; otherwise all devices in
/// order.
ParseResult Parser::takeDeviceIds(Mesh &mesh) {
  const char *begin = lexer.begin();
  if (lexer.is(Token::Attribute) && lexer.getValue() == "device_ids") {
    lexer.next();
    if (take(Token::LParen, "`(`"))
      return failure();
    if (lexer.is(Token::LSquare)) {
      if (parseIota(mesh.devices))
        return failure();
    } else {
      do {
        if (takeInt(mesh.devices.emplace_back()))
          return failure();
      } while (takeIf(Token::Comma));
    }
    if (take(Token::RParen, "`)`"))
      return failure();
  } else if (!mesh.maximal) {
    llvm::append_range(mesh.devices, llvm::seq<int64_t>(0, mesh.total));
  }
  std::string why = checkDevices(mesh);
  return why.empty() ? ParseResult(success()) : fail(begin, why);
}

/// `"a"`, an axis of the mesh, or `"a":(2)4`, its part of size 4 that follows a factor of 2.
ParseResult Parser::takeAxis(const Mesh &mesh, MeshAxis &axis) {
  StringRef name = lexer.getValue();
  const char *place = lexer.begin();
  if (take(Token::String, "an axis's name in quotes"))
    return failure();
  const auto *found =
      llvm::find_if(mesh.axes, [&](const auto &known) { return known.first == name; });
  if (found == mesh.axes.end())
    return fail(place, "expected one of the mesh's axes");
  axis = getAxis(mesh, found - mesh.axes.begin());
  if (!takeIf(Token::Colon))
    return success();
  int64_t before, part;
  if (take(Token::LParen, "`(`") || takeInt(before) || take(Token::RParen, "`)`") || takeInt(part))
    return failure();
  std::string why = takePart(axis, before, part);
  return why.empty() ? ParseResult(success()) : fail(place, why);
}

//===- Shardings -----------------------------------------------------------===//

/// `name=`, which is required here.
ParseResult Parser::takeAttributeName(StringRef name) {
  if (!lexer.is(Token::Attribute) || lexer.getValue() != name)
    return expected(name + "=");
  lexer.next();
  return success();
}

/// `{...}` or `{{...}, {...}}`.
ParseResult Parser::takeMetadataList() {
  Lexer ahead = lexer;
  ahead.next();
  std::string ignored;
  if (ahead.is(Token::LBrace))
    return takeList(Token::LBrace, Token::RBrace, [&] { return takeMetadata(ignored); });
  return takeMetadata(ignored);
}

/// After the mesh: `replicated`, `manual` or `unreduced`, or the axes of each dimension, then those
/// along which the value is replicated, unreduced or manual.
ParseResult Parser::takeNamedSharding() {
  Mesh mesh;
  MeshAxis axis;
  if (takeMesh(mesh))
    return failure();
  if (mesh.maximal)
    return success();
  if (takeIf(Token::Comma) && lexer.is(Token::Attribute) && lexer.getValue() == "device_ids" &&
      (takeDeviceIds(mesh) || take(Token::Comma, "`,` after the devices")))
    return failure();
  auto takeAxes = [&] {
    bool open = false; // `?`, last, means that more axes may be added
    return takeList(Token::LBrace, Token::RBrace, [&] {
      if (open)
        return expected("`}` after `?`");
      open = takeIf(Token::Question);
      return open ? ParseResult(success()) : takeAxis(mesh, axis);
    });
  };
  bool whole = llvm::any_of(kStates, [&](StringRef state) { return lexer.isKeyword(state); });
  if (whole)
    lexer.next();
  else if (takeList(Token::LSquare, Token::RSquare, takeAxes))
    return failure();
  while (takeIf(Token::Comma)) {
    const char *place = lexer.begin();
    StringRef name = lexer.getValue();
    if (!lexer.is(Token::Attribute) || !(name == "metadata" || llvm::is_contained(kStates, name)))
      return expected("replicated=, unreduced=, manual= or metadata=");
    lexer.next();
    if (whole && name != "metadata")
      return fail(place, "unexpected `" + name + "` of a sharding without dimensions");
    if (name == "metadata") {
      if (takeMetadataList())
        return failure();
      continue;
    }
    if (name == "unreduced" && lexer.is(Token::LSquare) &&
        takeList(Token::LSquare, Token::RSquare, [&] { return take(Token::Ident, "a reduction"); }))
      return failure();
    if (takeAxes())
      return failure();
  }
  return success();
}

/// `[2,1]0,1`, `[2,2]<=[4]` or `[2,2]<=[2,2]T(1,0)`: sizes of the tiling, then its devices.
ParseResult Parser::takeTiles(Tiling &tiling) {
  const char *place = lexer.begin();
  SmallVector<int64_t> sizes;
  if (takeList(Token::LSquare, Token::RSquare, [&] { return takeInt(sizes.emplace_back()); }))
    return failure();
  if (sizes.empty() || llvm::any_of(sizes, [](int64_t size) { return size < 1; }))
    return fail(place, "expected tile sizes of at least 1");
  tiling.rank = sizes.size();
  if (takeIf(Token::LessEqual)) {
    if (!lexer.is(Token::LSquare))
      return expected("`[`");
    Iota iota;
    if (takeIota(iota))
      return failure();
    tiling.devices = iota.count;
    return success();
  }
  tiling.devices = 0;
  do {
    int64_t device;
    if (takeInt(device))
      return failure();
    ++tiling.devices;
  } while (takeIf(Token::Comma));
  return success();
}

/// One sharding in braces, with devices in a tiling or on a mesh.
ParseResult Parser::takeOneSharding() {
  const char *begin = lexer.begin();
  if (take(Token::LBrace, "`{` at the start of the sharding"))
    return failure();
  if (lexer.is(Token::Ident) && (lexer.getValue() == "mesh" || lexer.getValue() == "maximal_mesh"))
    return failure(takeNamedSharding() || take(Token::RBrace, "`}` at the end of the sharding"));
  Tiling tiling;
  StringRef state;
  while (!takeIf(Token::RBrace)) {
    int64_t number;
    if (lexer.isKeyword("last_tile_dim_replicate")) {
      lexer.next();
    } else if (lexer.isKeyword("shard_as") || lexer.isKeyword("shard_like")) {
      lexer.next();
      if (takeInt(number))
        return failure();
    } else if (lexer.is(Token::Attribute) && lexer.getValue() == "device") {
      lexer.next();
      if (takeInt(number))
        return failure();
      tiling.devices = 1;
    } else if (lexer.is(Token::Attribute) && lexer.getValue() == "devices") {
      lexer.next();
      if (takeTiles(tiling))
        return failure();
    } else if (lexer.is(Token::Attribute) && lexer.getValue() == "last_tile_dims") {
      const char *place = lexer.begin();
      size_t count = 0;
      lexer.next();
      if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
            ++count;
            if (!lexer.isKeyword("maximal") &&
                llvm::none_of(kStates, [&](StringRef state) { return lexer.isKeyword(state); }))
              return expected("maximal, replicated, manual or unreduced");
            lexer.next();
            return success();
          }))
        return failure();
      if (count > tiling.rank)
        return fail(place,
                    "expected at most as many last_tile_dims as the tiling has dimensions, " +
                        Twine(tiling.rank) + ", but got " + Twine(count));
    } else if (lexer.is(Token::Attribute) && lexer.getValue() == "metadata") {
      lexer.next();
      if (takeMetadataList())
        return failure();
    } else if (lexer.isKeyword("maximal") || lexer.isKeyword("unknown") ||
               llvm::any_of(kStates, [&](StringRef state) { return lexer.isKeyword(state); })) {
      state = lexer.getValue();
      lexer.next();
    } else {
      return expected("replicated, manual, unknown, unreduced, maximal, device=, devices=, "
                      "last_tile_dims=, last_tile_dim_replicate, shard_as, shard_like, metadata=, "
                      "mesh[ or `}`");
    }
  }
  if (state == "maximal" && tiling.devices != 1)
    return fail(begin, "expected exactly one device of a maximal sharding but got " +
                           Twine(tiling.devices));
  if (!state.empty() && state != "maximal" && tiling.devices)
    return fail(begin, "expected no devices of a sharding that is " + state);
  if (state.empty() && !tiling.rank)
    return fail(begin, "expected the sharding to have devices=");
  if (state.empty() && tiling.devices < 2)
    return fail(begin, "expected more than one device of a tiled sharding");
  return success();
}

/// A sharding, or those of a tuple's arrays: `{{...}, {...}}`.
ParseResult Parser::takeSharding() {
  Lexer ahead = lexer;
  if (!lexer.is(Token::LBrace))
    return expected("`{` at the start of the sharding");
  ahead.next();
  if (ahead.is(Token::LBrace) || ahead.is(Token::RBrace))
    return takeList(Token::LBrace, Token::RBrace, [&] { return takeOneSharding(); });
  return takeOneSharding();
}

ParseResult Parser::parseShardingAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (takeSharding())
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

/// `{kind="sharding", entry={...}, exit={...}}`.
ParseResult Parser::parseDomainAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (take(Token::LBrace, "`{` at the start of the domain") || takeAttributeName("kind"))
    return failure();
  if (lexer.is(Token::String) && lexer.getValue() != "sharding")
    return expected("the kind \"sharding\"");
  if (take(Token::String, "the domain's kind in quotes") || take(Token::Comma, "`,`") ||
      takeAttributeName("entry") || takeSharding() || take(Token::Comma, "`,`") ||
      takeAttributeName("exit") || takeSharding() ||
      take(Token::RBrace, "`}` at the end of the domain"))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

//===- Origins and statistics ----------------------------------------------===//

/// `{"instruction" {0,1}}`, an empty `{}`, or a tuple of them in parentheses.
ParseResult Parser::takeOriginTree() {
  if (lexer.is(Token::LParen))
    return nest([&]() -> ParseResult {
      lexer.next();
      while (!takeIf(Token::RParen)) {
        if (takeOriginTree())
          return failure();
        if (!takeIf(Token::Comma) && !lexer.is(Token::RParen))
          return expected("`,` or `)`");
      }
      return success();
    });
  if (take(Token::LBrace, "`{` or `(`"))
    return failure();
  SmallVector<int64_t> index;
  if (takeIf(Token::String) && lexer.is(Token::LBrace) && takeInts(index))
    return failure();
  return take(Token::RBrace, "`}` after the instruction's name and index");
}

/// `{tree}`, `{[synthetic_call]}` or `{}`.
ParseResult Parser::parseOriginAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  if (take(Token::LBrace, "`{` at the start of the origin"))
    return failure();
  if (takeIf(Token::LSquare)) {
    if (!lexer.is(Token::Ident) || lexer.getValue() != "synthetic_call")
      return expected("synthetic_call");
    lexer.next();
    if (take(Token::RSquare, "`]`"))
      return failure();
  } else if (!lexer.is(Token::RBrace) && takeOriginTree()) {
    return failure();
  }
  if (take(Token::RBrace, "`}` at the end of the origin"))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

/// `{visualizing_index=1,name=0.5,...}`; numbers without the index are an error.
ParseResult Parser::parseStatisticsAttr(Instruction &instruction, StringRef target) {
  const char *begin = lexer.begin();
  bool isEmpty = true, hasIndex = false;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        if (!lexer.is(Token::Attribute))
          return expected("the name of a number followed by `=`");
        bool isIndex = lexer.getValue() == "visualizing_index";
        isEmpty = false;
        hasIndex |= isIndex;
        lexer.next();
        int64_t number;
        if (isIndex)
          return takeInt(number);
        if (!lexer.is(Token::Int) && !lexer.is(Token::Decimal))
          return expected("a number");
        lexer.next();
        return success();
      }))
    return failure();
  if (!isEmpty && !hasIndex)
    return fail(begin, "expected a visualizing_index among the numbers");
  instruction.attributes.set(target, builder.getStringAttr(textSince(begin)));
  return success();
}

} // namespace hloc::text
