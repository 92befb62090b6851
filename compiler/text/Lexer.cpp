// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace hloc::text {

static bool isIdentifierStart(char c) { return isAlpha(c) || c == '_'; }
static bool isIdentifierPart(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '-'; }

bool isTypeName(StringRef name) {
  // Most names can be rejected by their second letter.
  if (name.size() < 2 || (!llvm::isDigit(name[1]) && !StringRef("rfop").contains(name[1])))
    return false;
  return StringSwitch<bool>(name)
      .Cases({"pred", "s1", "s2", "s4", "s8", "s16", "s32", "s64"}, true)
      .Cases({"u1", "u2", "u4", "u8", "u16", "u32", "u64"}, true)
      .Cases({"f16", "bf16", "f32", "f64", "c64", "c128", "token", "opaque"}, true)
      .Cases({"f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz"}, true)
      .Cases({"f8e3m4", "f4e2m1fn", "f8e8m0fnu", "f6e2m3fn", "f6e3m2fn"}, true)
      .Default(false);
}

bool atComputation(const Lexer &lexer) {
  if (lexer.isKeyword("ENTRY"))
    return true;
  if (!lexer.is(Token::Name) && !lexer.is(Token::Ident))
    return false;
  Lexer ahead = lexer;
  ahead.next();
  if (!ahead.is(Token::LParen))
    return ahead.is(Token::LBrace);
  ahead.next();
  if (ahead.is(Token::RParen)) { // `()` may also be the end of operands
    ahead.next();
    return ahead.is(Token::Arrow);
  }
  return ahead.is(Token::Name) && ahead.spelling().ends_with(":");
}

bool isInstructionName(StringRef name) {
  return !isTypeName(name) && (!name.starts_with("__") || name.starts_with("__xla_"));
}

static bool isKeywordName(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"true", "false", "inf", "HloModule", "ENTRY", "ROOT", "FileNames"}, true)
      .Cases({"FunctionNames", "FileLocations", "StackFrames", "maximal", "replicated"}, true)
      .Cases({"manual", "last_tile_dim_replicate", "shard_as", "shard_like", "unknown"}, true)
      .Case("unreduced", true)
      .Default(false);
}

const char *Lexer::skipBlank(const char *place) {
  while (true) {
    while (*place == ' ' || *place == '\n' || *place == '\t' || *place == '\r')
      ++place;
    if (*place != '/')
      return place;
    if (place[1] == '/') {
      while (*place != '\n' && *place != '\r' && place != text.end())
        ++place;
    } else if (place[1] == '*') {
      size_t close = StringRef(place + 2, text.end() - place - 2).find("*/");
      if (close == StringRef::npos) {
        error = "expected `*/` at the end of the comment";
        start = place;
        return nullptr;
      }
      place += close + 4;
    } else {
      return place;
    }
  }
}

const char *Lexer::findClosingBrace(bool singleQuotes) const {
  size_t depth = 0;
  for (const char *place = start; place < text.end(); ++place) {
    if (*place == '"' || (singleQuotes && *place == '\'')) {
      char quote = *place++;
      while (place < text.end() && *place != quote)
        place += *place == '\\' ? 2 : 1;
    } else if (*place == '{') {
      ++depth;
    } else if (*place == '}' && --depth == 0) {
      return place + 1;
    }
  }
  return nullptr;
}

void Lexer::next() {
  previous = cursor;
  const char *place = skipBlank(cursor);
  if (!place) {
    cursor = text.end();
    token = Token::Error;
    return;
  }
  start = cursor = place;
  if (start >= text.end()) {
    cursor = start = text.end();
    token = Token::Eof;
    return;
  }
  auto punctuation = [&](Token kind, unsigned length = 1) {
    token = kind;
    cursor = start + length;
  };
  char c = *start;
  if (isIdentifierStart(c))
    return lexIdentifier();
  if (isDigit(c) || c == '-' || c == '?') {
    if (c == '-' && start[1] == '>')
      return punctuation(Token::Arrow, 2);
    return lexNumber();
  }
  switch (c) {
  case '%':
    ++cursor;
    if (!isIdentifierStart(*cursor)) {
      cursor += cursor != text.end();
      return fail("expected a name after `%`");
    }
    while (isIdentifierPart(*cursor))
      ++cursor;
    value = StringRef(start + 1, cursor - start - 1);
    token = Token::Name;
    return;
  case '=':
    return punctuation(Token::Equal);
  case ',':
    return punctuation(Token::Comma);
  case ':':
    return punctuation(Token::Colon);
  case '*':
    return punctuation(Token::Star);
  case '#':
    return punctuation(Token::Hash);
  case '+':
    return punctuation(Token::Plus);
  case '~':
    return punctuation(Token::Tilde);
  case '[':
    return punctuation(Token::LSquare);
  case ']':
    return punctuation(Token::RSquare);
  case '{':
    return punctuation(Token::LBrace);
  case '}':
    return punctuation(Token::RBrace);
  case '(':
    return punctuation(Token::LParen);
  case ')':
    return punctuation(Token::RParen);
  case '<':
    if (start[1] == '=')
      return punctuation(Token::LessEqual, 2);
    break;
  case '.':
    if (start[1] == '.' && start[2] == '.')
      return punctuation(Token::Ellipsis, 3);
    break;
  case '"':
  case '\'':
    return lexString(c);
  case 0:
    ++cursor;
    return fail("unexpected NUL byte in the text");
  default:
    break;
  }
  ++cursor;
  fail("unexpected character");
}

void Lexer::lexIdentifier() {
  if ((*start == 'b' || *start == 'f') && lexDimLabels())
    return;
  if (*start == 'n' && lexNan())
    return;
  while (isIdentifierPart(*cursor))
    ++cursor;
  value = StringRef(start, cursor - start);
  if (*cursor == '=') {
    ++cursor;
    token = Token::Attribute;
  } else if (*cursor == ':') {
    ++cursor;
    token = Token::Name;
  } else if (value.size() <= 13 && isTypeName(value)) {
    token = Token::Type;
  } else {
    token = isKeywordName(value) ? Token::Keyword : Token::Ident;
  }
}

/// `nan`, `-nan`, `nan(0x..)`, from the position of the sign, if any.
bool Lexer::lexNan() {
  const char *place = start + (*start == '-');
  if (!StringRef(place, text.end() - place).starts_with("nan"))
    return false;
  place += 3;
  if (*place == '(' && place[1] == '0' && place[2] == 'x') {
    const char *digit = place + 3;
    while (isHexDigit(*digit))
      ++digit;
    if (digit == place + 3 || *digit != ')')
      return false;
    place = digit + 1;
  } else if (isIdentifierPart(*place) || *place == '=' || *place == ':') {
    return false;
  }
  cursor = place;
  value = spelling();
  token = Token::Decimal;
  return true;
}

/// `[0-9bf?]{2,}_[0-9io?]{2,}->[0-9bf?]{2,}`.
bool Lexer::lexDimLabels() {
  auto take = [](const char *place, char a, char b) {
    while (isDigit(*place) || *place == a || *place == b || *place == '?')
      ++place;
    return place;
  };
  const char *lhs = take(start, 'b', 'f');
  if (*lhs != '_' || lhs - start < 2)
    return false;
  const char *rhs = take(lhs + 1, 'i', 'o');
  if (rhs - lhs < 3 || *rhs != '-' || rhs[1] != '>')
    return false;
  const char *out = take(rhs + 2, 'b', 'f');
  if (out - rhs < 4)
    return false;
  cursor = out;
  value = spelling();
  token = Token::DimLabels;
  return true;
}

void Lexer::lexNumber() {
  auto digits = [](const char *place) {
    while (isDigit(*place))
      ++place;
    return place;
  };
  auto finish = [&](Token kind, const char *end) {
    token = kind;
    cursor = end;
    value = spelling();
  };
  const char *first = start + (*start == '-');
  const char *end = digits(first);

  // Decimal: digits with a point, an exponent or both.
  const char *number = end;
  if (*number == '.' && (end != first || isDigit(number[1])))
    number = digits(number + 1);
  if (number != first && (*number == 'e' || *number == 'E')) {
    const char *exponent = number + 1;
    if (*exponent == '+' || *exponent == '-')
      ++exponent;
    if (isDigit(*exponent))
      number = digits(exponent);
  }
  if (number != end)
    return finish(Token::Decimal, number);

  if (*start != '-' && lexDimLabels())
    return;
  if (*start == '?')
    return finish(Token::Question, start + 1);
  if (end == first) {
    StringRef rest(first, text.end() - first);
    if (rest.starts_with("inf") && !isIdentifierPart(first[3]))
      return finish(Token::NegativeInf, first + 3);
    if (lexNan())
      return;
    ++cursor;
    return fail("unexpected `-`");
  }
  if (*start != '-' && *end == 'x' && isDigit(end[1])) {
    while (*end == 'x' && isDigit(end[1]))
      end = digits(end + 1);
    return finish(Token::DxD, end);
  }
  // Pad: low_high[_interior] joined by `x`.
  const char *pad = nullptr;
  for (const char *place = start;;) {
    place = digits(place + (*place == '-'));
    if (*place != '_')
      break;
    const char *high = place + 1 + (place[1] == '-');
    if (!isDigit(*high))
      break;
    pad = digits(high);
    if (*pad == '_' && isDigit(pad[1]))
      pad = digits(pad + 1);
    if (*pad != 'x')
      break;
    place = pad + 1;
    if (!isDigit(place[*place == '-']))
      break;
  }
  if (pad)
    return finish(Token::Pad, pad);
  finish(Token::Int, end);
}

void Lexer::lexString(char quote) {
  ++cursor;
  while (cursor < text.end() && *cursor != quote)
    cursor += *cursor == '\\' ? 2 : 1;
  if (cursor >= text.end()) {
    cursor = text.end();
    return fail("expected a quote at the end of the string");
  }
  value = StringRef(start + 1, cursor - start - 1);
  ++cursor;
  token = Token::String;
}

} // namespace hloc::text
