// SPDX-License-Identifier: Apache-2.0
// Attributes about dimensions: windows, labels, padding, slices, and lists of lists.
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

/// `3`, `3x3`: the numbers between the `x`.
static bool readProduct(StringRef text, SmallVectorImpl<int64_t> &values) {
  while (!text.empty()) {
    auto [first, rest] = text.split('x');
    if (first.getAsInteger(10, values.emplace_back()))
      return false;
    text = rest;
  }
  return true;
}

/// `0_1`, `0_1x2_3_1`: low, high and, if requested, interior padding.
static bool readPadding(StringRef text, SmallVectorImpl<int64_t> &low,
                        SmallVectorImpl<int64_t> &high, SmallVectorImpl<int64_t> *interior) {
  while (!text.empty()) {
    auto [first, rest] = text.split('x');
    SmallVector<StringRef, 3> parts;
    first.split(parts, '_');
    if (parts.size() < 2 || parts.size() > (interior ? 3 : 2) ||
        parts[0].getAsInteger(10, low.emplace_back()) ||
        parts[1].getAsInteger(10, high.emplace_back()))
      return false;
    if (interior && parts.size() == 3 && parts[2].getAsInteger(10, interior->emplace_back()))
      return false;
    if (interior && parts.size() == 2)
      interior->push_back(0);
    text = rest;
  }
  return true;
}

ParseResult Parser::parseWindowAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<int64_t> sizes, strides, low, high, base, dilations, reversals;
  if (take(Token::LBrace, "`{` at the start of the window"))
    return failure();
  SmallVector<StringRef> seen;
  while (!takeIf(Token::RBrace)) {
    if (!lexer.is(Token::Attribute))
      return expected("size=, stride=, pad=, lhs_dilate=, rhs_dilate=, rhs_reversal= or `}`");
    StringRef name = lexer.getValue();
    const char *namePlace = lexer.begin();
    if (llvm::is_contained(seen, name))
      return fail(namePlace, "expected `" + name + "` once in a window");
    seen.push_back(name);
    lexer.next();
    if (name == "pad") {
      if (!lexer.is(Token::Pad) || !readPadding(lexer.getValue(), low, high, nullptr))
        return expected("padding such as 0_1x2_3");
    } else {
      SmallVectorImpl<int64_t> *list = name == "size"           ? &sizes
                                       : name == "stride"       ? &strides
                                       : name == "lhs_dilate"   ? &base
                                       : name == "rhs_dilate"   ? &dilations
                                       : name == "rhs_reversal" ? &reversals
                                                                : nullptr;
      if (!list)
        return fail(namePlace, "expected size, stride, pad, lhs_dilate, rhs_dilate or "
                               "rhs_reversal in a window but got `" +
                                   name + "`");
      if ((!lexer.is(Token::Int) && !lexer.is(Token::DxD)) || !readProduct(lexer.getValue(), *list))
        return expected("numbers such as 2x3");
    }
    lexer.next();
  }
  size_t rank = sizes.size();
  if (rank == 0 && !seen.empty())
    return fail(place, "expected the window to have a size");
  auto complete = [&](SmallVectorImpl<int64_t> &list, StringRef name,
                      int64_t value) -> ParseResult {
    if (list.empty())
      list.assign(rank, value);
    if (list.size() != rank)
      return fail(place, "expected " + Twine(rank) + " dimensions in the window's " + name +
                             " but got " + Twine(list.size()));
    return success();
  };
  if (reversals.size() > rank) // XLA ignores the rest
    reversals.resize(rank);
  if (complete(strides, "stride", 1) || complete(low, "pad", 0) || complete(high, "pad", 0) ||
      complete(base, "lhs_dilate", 1) || complete(dilations, "rhs_dilate", 1) ||
      complete(reversals, "rhs_reversal", 0))
    return failure();
  SmallVector<bool> reverse;
  for (int64_t flag : reversals)
    reverse.push_back(flag != 0);
  instruction.attributes.set(
      target, WindowAttr::get(context, sizes, strides, low, high, base, dilations, reverse));
  return success();
}

/// `{lhs={sparsity=1x4 dimension=1 stride=1} rhs={... idx=2}}`.
ParseResult Parser::parseSparsityAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> operands;
  SmallVector<StringRef> sides;
  if (take(Token::LBrace, "`{`"))
    return failure();
  while (!takeIf(Token::RBrace)) {
    StringRef side = lexer.getValue();
    if (!lexer.is(Token::Attribute) || (side != "lhs" && side != "rhs"))
      return expected("lhs=, rhs= or `}`");
    if (llvm::is_contained(sides, side))
      return fail(lexer.begin(), "expected `" + side + "` once");
    sides.push_back(side);
    lexer.next();
    if (take(Token::LBrace, "`{`"))
      return failure();
    SmallVector<StringRef> seen;
    SmallVector<int64_t> block;
    int64_t dimension = 0, stride = 0, indices = -1;
    const char *place = lexer.begin();
    while (!takeIf(Token::RBrace)) {
      StringRef name = lexer.getValue();
      int64_t *number = llvm::StringSwitch<int64_t *>(name)
                            .Case("dimension", &dimension)
                            .Case("stride", &stride)
                            .Case("idx", &indices)
                            .Default(nullptr);
      if (!lexer.is(Token::Attribute) || (!number && name != "sparsity"))
        return expected("sparsity=, dimension=, stride=, idx= or `}`");
      if (llvm::is_contained(seen, name))
        return fail(lexer.begin(), "expected `" + name + "` once");
      seen.push_back(name);
      lexer.next();
      if (number) {
        if (takeInt(*number))
          return failure();
        continue;
      }
      if (!lexer.is(Token::DxD) || !readProduct(lexer.getValue(), block) || block.size() != 2)
        return expected("elements kept of a block and the block's size, such as 1x4");
      lexer.next();
    }
    if (block.empty())
      return fail(place, "expected sparsity=");
    operands.push_back(
        SparsityAttr::get(context, side == "rhs", block[0], block[1], dimension, stride, indices));
  }
  instruction.attributes.set(target, builder.getArrayAttr(operands));
  return success();
}

ParseResult Parser::parseDimLabelsAttr(Instruction &instruction, StringRef target) {
  if (!lexer.is(Token::DimLabels))
    return expected("labels such as b01f_01io->b01f");
  const char *place = lexer.begin();
  StringRef text = lexer.getValue();
  auto [lhs, rest] = text.split('_');
  auto [rhs, out] = rest.split("->");
  unsigned spatialRank = lhs.size() - lhs.count('?') - 2;
  // Positions of the two letters, then of the digits 0, 1, ...
  auto read = [&](StringRef labels, char first, char second,
                  SmallVectorImpl<int64_t> &places) -> ParseResult {
    places.assign(spatialRank + 2, -1);
    size_t count = 0;
    for (auto [i, c] : llvm::enumerate(labels)) {
      if (c == '?')
        continue;
      ++count;
      size_t slot = c == first ? 0 : c == second ? 1 : size_t(c - '0') + 2;
      if (slot >= places.size() || places[slot] >= 0)
        return fail(place, "expected the labels " + Twine(first) + ", " + Twine(second) +
                               " and each digit from 0 to " + Twine(int(spatialRank) - 1) +
                               " once in `" + labels + "`");
      places[slot] = i;
    }
    if (count != places.size())
      return fail(place, "expected " + Twine(places.size()) + " labels in `" + labels +
                             "`, as many as in `" + lhs + "`");
    return success();
  };
  SmallVector<int64_t> input, kernel, output;
  if (lhs.size() - lhs.count('?') < 2)
    return fail(place, "expected the labels b and f in `" + lhs + "`");
  if (read(lhs, 'b', 'f', input) || read(rhs, 'i', 'o', kernel) || read(out, 'b', 'f', output))
    return failure();
  lexer.next();
  auto spatial = [](ArrayRef<int64_t> places) { return places.drop_front(2); };
  instruction.attributes.set(target,
                             ConvDimensionsAttr::get(context, input[0], input[1], spatial(input),
                                                     kernel[0], kernel[1], spatial(kernel),
                                                     output[0], output[1], spatial(output)));
  return success();
}

static bool isScalar(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.getRank() == 0;
}

ParseResult Parser::parsePaddingAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> low, high, interior;
  if (lexer.is(Token::Pad)) {
    if (!readPadding(lexer.getValue(), low, high, &interior))
      return expected("padding such as 0_1x2_3_1");
    lexer.next();
  } else if (instruction.operands.empty() || !isScalar(instruction.operands[0].getType())) {
    return expected("padding such as 0_1x2_3_1");
  }
  instruction.attributes.set("low", builder.getDenseI64ArrayAttr(low));
  instruction.attributes.set("high", builder.getDenseI64ArrayAttr(high));
  instruction.attributes.set("interior", builder.getDenseI64ArrayAttr(interior));
  return success();
}

ParseResult Parser::parseSliceAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> starts, limits, strides;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        if (take(Token::LSquare, "`[` at the start of a range") || takeInt(starts.emplace_back()) ||
            take(Token::Colon, "`:` after the start of a range") || takeInt(limits.emplace_back()))
          return failure();
        strides.push_back(1);
        if (takeIf(Token::Colon) && takeInt(strides.back()))
          return failure();
        return take(Token::RSquare, "`]` at the end of a range");
      }))
    return failure();
  instruction.attributes.set("starts", builder.getDenseI64ArrayAttr(starts));
  instruction.attributes.set("limits", builder.getDenseI64ArrayAttr(limits));
  instruction.attributes.set("strides", builder.getDenseI64ArrayAttr(strides));
  return success();
}

ParseResult Parser::parsePairsAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> flat;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        const char *place = lexer.begin();
        SmallVector<int64_t> pair;
        if (takeInts(pair))
          return failure();
        if (pair.size() != 2)
          return fail(place, "expected a pair of participants but got " + Twine(pair.size()));
        flat.append(pair);
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getDenseI64ArrayAttr(flat));
  return success();
}

ParseResult Parser::parseIntListsAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> lists;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        SmallVector<int64_t> values;
        if (takeInts(values))
          return failure();
        lists.push_back(builder.getDenseI64ArrayAttr(values));
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(lists));
  return success();
}

} // namespace hloc::text
