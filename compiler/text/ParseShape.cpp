// SPDX-License-Identifier: Apache-2.0
// Shapes: element types, dimensions, layouts, tuples.
#include "compiler/text/ParserImpl.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

bool Parser::atShape() const {
  if (lexer.is(Token::Type) || lexer.is(Token::LParen))
    return true;
  return lexer.is(Token::Ident) && lexer.getValue() == "b" && *lexer.end() == '(';
}

ParseResult Parser::parseShape(Type &type) {
  if (lexer.is(Token::Type))
    return parseArrayShape(type);
  if (lexer.is(Token::Ident) && lexer.getValue() == "b")
    return nest([&] { return parseBufferShape(type); });
  if (lexer.is(Token::LParen))
    return nest([&] { return parseTupleShape(type); });
  return expected("a shape");
}

ParseResult Parser::parseBufferShape(Type &type) {
  lexer.next();
  Type contents;
  if (take(Token::LParen, "`(` after `b`"))
    return failure();
  const char *place = lexer.begin();
  if (parseShape(contents))
    return failure();
  if (!isa<RankedTensorType>(contents))
    return fail(place, "expected the shape of an array in a buffer but got " + shapeText(contents));
  if (take(Token::RParen, "`)` at the end of the buffer's shape"))
    return failure();
  type = BufferType::get(context, contents);
  return success();
}

ParseResult Parser::parseTupleShape(Type &type) {
  const char *place = lexer.begin();
  SmallVector<Type> elements;
  if (takeList(Token::LParen, Token::RParen, [&] { return parseShape(elements.emplace_back()); }))
    return failure();
  type = TupleType::get(context, elements);
  return checkTupleSize(type, place);
}

ParseResult Parser::parseArrayShape(Type &type) {
  StringRef name = lexer.getValue();
  const char *place = lexer.begin();
  lexer.next();
  SmallVector<int64_t, 6> sizes, bounds;
  bool bounded = false;
  auto parseDimension = [&]() -> ParseResult {
    int64_t size = ShapedType::kDynamic, bound = -1;
    if (takeIf(Token::Question)) {
    } else {
      bool dynamic = takeIf(Token::LessEqual);
      const char *number = lexer.begin();
      if (!lexer.is(Token::Int))
        return expected("the size of a dimension");
      if (takeInt(dynamic ? bound : size))
        return failure();
      if ((dynamic ? bound : size) < 0)
        return fail(number, "expected a size of at least 0");
      bounded |= dynamic;
    }
    sizes.push_back(size);
    bounds.push_back(bound);
    return success();
  };
  if (takeList(Token::LSquare, Token::RSquare, parseDimension))
    return failure();
  if (name == "token" || name == "opaque") {
    if (!sizes.empty())
      return fail(place, "expected no dimensions in a shape of " + name);
    type = name == "token" ? Type(TokenType::get(context)) : Type(hlo::OpaqueType::get(context));
    return success();
  }
  Type element = getElementType(name, context);
  if (!bounded)
    bounds.clear();
  RankedTensorType array;
  if (makeArray(element, sizes, bounds, place, array))
    return failure();
  bool hasLayout = lexer.is(Token::LBrace) && atLayout();
  if (hasLayout ? parseLayout(array, bounds) : addLayout(array, bounds, nullptr, place))
    return failure();
  type = array;
  return success();
}

/// True if the `{` here begins a layout and not a computation's body or a literal.
bool Parser::atLayout() {
  Lexer ahead = lexer;
  ahead.next();
  if (ahead.is(Token::RBrace))
    return true;
  if (ahead.is(Token::Colon))
    return true;
  if (!ahead.is(Token::Int))
    return false;
  return true;
}

ParseResult Parser::parseLayout(RankedTensorType &type, ArrayRef<int64_t> bounds) {
  const char *place = lexer.begin();
  lexer.next();
  ArrayLayout layout;
  if (lexer.is(Token::Int))
    do {
      if (takeInt(layout.order.emplace_back()))
        return failure();
    } while (takeIf(Token::Comma));
  if (takeIf(Token::Colon) && parseLayoutProperties(layout))
    return failure();
  if (take(Token::RBrace, "`}` at the end of the layout"))
    return failure();
  return addLayout(type, bounds, &layout, place);
}

ParseResult Parser::parseLayoutProperties(ArrayLayout &layout) {
  // In this order, each at most once.
  static constexpr StringRef kOrder[] = {"D", "T", "L", "#", "*", "E", "S", "SC", "P", "M"};
  size_t next = 0;
  auto takeNumber = [&](int64_t &number) -> ParseResult {
    return failure(take(Token::LParen, "`(`") || takeInt(number) || take(Token::RParen, "`)`"));
  };
  while (!lexer.is(Token::RBrace)) {
    StringRef letter = lexer.is(Token::Ident) ? lexer.getValue() : lexer.spelling();
    const auto *found = llvm::find(kOrder, letter);
    if (found == std::end(kOrder))
      return expected("a property of the layout or `}`");
    if (found < kOrder + next)
      return fail(lexer.begin(), "expected the layout's properties once each, in the order D, T, "
                                 "L, #, *, E, S, SC, P, M, but got " +
                                     letter);
    next = found - kOrder + 1;
    const char *begin = lexer.begin();
    lexer.next();
    int64_t number = 0;
    if (letter == "T") {
      if (!lexer.is(Token::LParen))
        return expected("`(` at the start of a tile");
      while (lexer.is(Token::LParen)) {
        SmallVector<int64_t> sizes;
        if (takeList(Token::LParen, Token::RParen, [&]() -> ParseResult {
              if (takeIf(Token::Star)) {
                sizes.push_back(-1);
                return success();
              }
              const char *place = lexer.begin();
              if (takeInt(sizes.emplace_back()))
                return failure();
              return sizes.back() < 0 ? fail(place, "expected a tile's size to be at least 0")
                                      : ParseResult(success());
            }))
          return failure();
        layout.tiles.push_back(TileAttr::get(context, sizes));
      }
    } else if (letter == "E" || letter == "S") {
      if (takeNumber(letter == "E" ? layout.bits : layout.space))
        return failure();
    } else if (letter == "L" || letter == "M") {
      if (takeNumber(number))
        return failure();
      if (letter == "L" && number < 1)
        return fail(begin, "expected an alignment of at least 1");
      if (letter == "M" || number != 1)
        layout.rest += textSince(begin);
    } else if (letter == "P") {
      return fail(begin, "expected no physical shape in the layout of a dense array");
    } else if (letter == "SC") {
      if (!lexer.is(Token::LParen))
        return expected("`(` at the start of a split");
      while (takeIf(Token::LParen)) {
        // The lexer treats `0:` as the start of a number: dimension, then the indices.
        if (takeInt(number) || take(Token::Colon, "`:` after the split dimension"))
          return failure();
        do {
          if (takeInt(number))
            return failure();
        } while (takeIf(Token::Comma));
        if (take(Token::RParen, "`)` at the end of the split"))
          return failure();
      }
      layout.rest += textSince(begin);
    } else { // D(..), #(..), *(..)
      if (takeList(Token::LParen, Token::RParen, [&]() -> ParseResult {
            StringRef word = lexer.getValue();
            if (letter == "D"
                    ? !lexer.is(Token::Ident) || (word != "D" && word != "C" && word != "S")
                    : !lexer.is(Token::Type) || !word.starts_with("u"))
              return expected(letter == "D" ? "a dimension's kind, D, C or S"
                                            : "an unsigned integer type");
            lexer.next();
            takeIf(Token::Plus);
            takeIf(Token::Tilde);
            return success();
          }))
        return failure();
      layout.rest += textSince(begin);
    }
  }
  return success();
}

} // namespace hloc::text
