// SPDX-License-Identifier: Apache-2.0
// Literals, parsed directly from the text into bytes, without tokens for the elements.
#include "compiler/hlo/Literal.h"
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

using llvm::isAlnum;
using llvm::isAlpha;
using llvm::isDigit;
using llvm::isHexDigit;

namespace hloc::text {
namespace {

/// Parses the scalars of one array. On failure `error` and `place` describe the error.
class Scanner {
public:
  Scanner(Type element, const char *end) : end(end), isBool(element.isSignlessInteger(1)) {
    Type part = element;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      isComplex = true;
      part = complex.getElementType();
    }
    bytes = getLiteralElementBytes(part);
    if (auto type = dyn_cast<IntegerType>(part)) {
      width = type.getWidth();
      isUnsigned = type.isUnsigned() || isBool;
    } else {
      semantics = &cast<FloatType>(part).getFloatSemantics();
      isFloat = part.isF32();
      isDouble = part.isF64();
      throughFloat = part.isF16() || part.isBF16();
    }
  }

  /// Parses one element at `place`, which it advances.
  bool read(const char *&place, SmallVectorImpl<char> &out) {
    if (!isComplex)
      return readPart(place, out);
    if (*place != '(')
      return fail(place, "expected `(` at the start of a complex number");
    skip(++place);
    if (!readPart(place, out))
      return false;
    skip(place);
    if (*place != ',')
      return fail(place, "expected `,` between the parts of a complex number");
    skip(++place);
    if (!readPart(place, out))
      return false;
    skip(place);
    if (*place != ')')
      return fail(place, "expected `)` at the end of a complex number");
    ++place;
    return true;
  }

  const char *errorPlace = nullptr;
  std::string error;

private:
  static void skip(const char *&place) {
    while (*place == ' ' || *place == '\n' || *place == '\t' || *place == '\r')
      ++place;
  }
  bool fail(const char *place, const Twine &message) {
    errorPlace = place;
    error = message.str();
    return false;
  }
  static bool endsNumber(const char *place) {
    return !isAlnum(*place) && *place != '_' && *place != '.' && *place != '-';
  }
  bool readPart(const char *&place, SmallVectorImpl<char> &out) {
    return semantics ? readFloat(place, out) : readInteger(place, out);
  }
  template <typename T> void store(T value, SmallVectorImpl<char> &out) {
    size_t size = out.size();
    out.resize_for_overwrite(size + bytes);
    memcpy(out.data() + size, &value, bytes);
  }

  bool readInteger(const char *&place, SmallVectorImpl<char> &out) {
    const char *start = place;
    if (isBool && (*place == 't' || *place == 'f')) {
      StringRef word = StringRef(place, end - place).take_while(isAlpha);
      if (word == "true" || word == "false") {
        place = word.end();
        store(uint8_t(word == "true"), out);
        return true;
      }
    }
    bool negative = *place == '-';
    place += negative;
    uint64_t value = 0;
    const char *digits = place;
    for (; isDigit(*place); ++place)
      if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
          __builtin_add_overflow(value, uint64_t(*place - '0'), &value))
        return fail(start, "expected an integer that fits 64 bits");
    if (place == digits || !endsNumber(place))
      return fail(start, isBool ? "expected true, false, 0 or 1" : "expected an integer");
    if (isBool) {
      store(uint8_t(value != 0), out);
      return true;
    }
    // Numbers of 64 bits may be written as signed or unsigned ones, as in XLA.
    bool either = width == 64;
    uint64_t most = negative && (either || !isUnsigned) ? uint64_t(1) << (width - 1)
                    : negative                          ? 0
                    : isUnsigned || either              ? ~uint64_t(0) >> (64 - width)
                                                        : (uint64_t(1) << (width - 1)) - 1;
    if (value > most)
      return fail(start, Twine("expected an integer that fits ") + (isUnsigned ? "u" : "s") +
                             Twine(width) + " but got " + StringRef(start, place - start));
    store(negative ? -value : value, out);
    return true;
  }

  /// Parses digits; exact if the digits and the power of ten are exact in double.
  static bool readDouble(const char *&place, const char *end, double &value) {
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *start = place, *at = place;
    bool negative = *at == '-';
    at += negative;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    for (; isDigit(*at); ++at, ++count)
      digits = digits * 10 + (*at - '0');
    if (*at == '.')
      for (++at; isDigit(*at); ++at, ++count, --exponent)
        digits = digits * 10 + (*at - '0');
    if (!count)
      return false;
    if (*at == 'e' || *at == 'E') {
      const char *digit = at + 1;
      bool down = *digit == '-';
      digit += *digit == '-' || *digit == '+';
      if (isDigit(*digit)) {
        int power = 0;
        for (; isDigit(*digit); ++digit)
          power = std::min(power * 10 + (*digit - '0'), 100000);
        exponent += down ? -power : power;
        at = digit;
      }
    }
    place = at;
    if (count <= 15 && exponent >= -22 && exponent <= 22) {
      value =
          exponent < 0 ? double(digits) / kPowers[-exponent] : double(digits) * kPowers[exponent];
      // Without point and exponent it is an integer, which has no negative zero.
      bool isZero = digits == 0 && exponent == 0 &&
                    StringRef(start, at - start).find_first_of(".eE") == StringRef::npos;
      value = negative && !isZero ? -value : value;
      return true;
    }
    auto [rest, code] = std::from_chars(start, end, value);
    if (code == std::errc::result_out_of_range) {
      // For overflow and underflow, too: the former becomes infinite, the latter zero or subnormal.
      APFloat exact(APFloat::IEEEdouble());
      llvm::consumeError(
          exact.convertFromString(StringRef(start, at - start), APFloat::rmNearestTiesToEven)
              .takeError());
      value = exact.convertToDouble();
    }
    return true;
  }

  bool readFloat(const char *&place, SmallVectorImpl<char> &out) {
    const char *start = place;
    bool negative = *place == '-';
    const char *word = place + negative;
    if (*word == 'i' || *word == 'n')
      return readSpecial(place, word, negative, out);
    double value = 0;
    if (*start == '.' || !readDouble(place, end, value) || !endsNumber(place))
      return fail(start, "expected a number");
    auto outOfRange = [&] {
      return fail(start, "expected a number in the range of " + typeName() + " but got " +
                             StringRef(start, place - start));
    };
    if (isDouble) {
      if (std::isinf(value))
        return outOfRange();
      store(value, out);
      return true;
    }
    if (isFloat) {
      float rounded = float(value);
      if (std::isinf(rounded))
        return outOfRange();
      store(rounded, out);
      return true;
    }
    if (APFloat::SemanticsToEnum(*semantics) == APFloat::S_Float8E8M0FNU) {
      // Powers of two from 2^-127; halfway is rounded up, and so is everything between the two
      // smallest. There is no zero.
      int exponent = 0;
      double fraction = std::frexp(value, &exponent);
      int power = std::max(exponent - 1 + (fraction >= 0.75), value > 0x1p-127 ? -126 : -127);
      if (value <= 0 || negative || power > 127)
        return outOfRange();
      store(power + 127, out);
      return true;
    }
    // XLA converts f16 and bf16 via f32.
    bool inexact;
    APFloat small(value);
    if (throughFloat)
      small = APFloat(float(value));
    small.convert(*semantics, APFloat::rmNearestTiesToEven, &inexact);
    if (!small.isFinite() || std::isinf(value))
      return outOfRange();
    store(small.bitcastToAPInt().getZExtValue(), out);
    return true;
  }

  /// `inf`, `nan`, `nan(0x..)`.
  bool readSpecial(const char *&place, const char *word, bool negative,
                   SmallVectorImpl<char> &out) {
    const char *start = place;
    StringRef rest(word, end - word);
    if (rest.consume_front("inf") && endsNumber(rest.begin())) {
      bool hasInf = APFloat::semanticsHasInf(*semantics);
      place = rest.begin();
      if (!hasInf && !APFloat::semanticsHasNaN(*semantics)) // what XLA's conversions give
        store(APFloat::getLargest(*semantics, negative).bitcastToAPInt().getZExtValue(), out);
      else if (!hasInf)
        store(APFloat::getQNaN(*semantics, negative).bitcastToAPInt().getZExtValue(), out);
      else
        store(APFloat::getInf(*semantics, negative).bitcastToAPInt().getZExtValue(), out);
      return true;
    }
    rest = StringRef(word, end - word);
    if (!rest.consume_front("nan"))
      return fail(start, "expected a number");
    if (!APFloat::semanticsHasNaN(*semantics) && endsNumber(rest.begin())) {
      place = rest.begin();
      store(APFloat::getZero(*semantics, !negative).bitcastToAPInt().getZExtValue(), out);
      return true;
    }
    if (!APFloat::semanticsHasNaN(*semantics))
      return fail(start, "expected a number");
    uint64_t bits = APFloat::getQNaN(*semantics, negative).bitcastToAPInt().getZExtValue();
    if (rest.consume_front("(0x")) {
      StringRef digits = rest.take_while(isHexDigit);
      uint64_t payload = 0;
      rest = rest.drop_front(digits.size());
      if (digits.getAsInteger(16, payload) || !rest.consume_front(")"))
        return fail(start, "expected nan(0x...) with a payload of at most 52 bits");
      // Only types that also have infinities have several NaNs.
      unsigned mantissa = APFloat::semanticsPrecision(*semantics) - 1;
      uint64_t mask = (uint64_t(1) << mantissa) - 1;
      bool hasPayload = APFloat::semanticsHasInf(*semantics);
      if (payload == 0 || (hasPayload ? payload > mask : payload != (bits & mask)))
        return fail(start, "expected the payload of a NaN of " + typeName());
      if (hasPayload)
        bits = (bits & ~mask) | payload;
    }
    if (!endsNumber(rest.begin()))
      return fail(start, "expected a number");
    place = rest.begin();
    store(bits, out);
    return true;
  }

  std::string typeName() const {
    if (isFloat)
      return "f32";
    if (isDouble)
      return "f64";
    switch (APFloat::SemanticsToEnum(*semantics)) {
    case APFloat::S_IEEEhalf:
      return "f16";
    case APFloat::S_BFloat:
      return "bf16";
    default:
      return "its type";
    }
  }

  const char *end;
  bool isBool = false, isComplex = false, isUnsigned = false;
  bool isFloat = false, isDouble = false, throughFloat = false;
  unsigned width = 0, bytes = 0;
  const llvm::fltSemantics *semantics = nullptr;
};

} // namespace

ParseResult Parser::parseArrayLiteral(RankedTensorType type, Attribute &value, bool &elided) {
  const char *literal = lexer.begin();
  RankedTensorType valueType;
  if (getValueType(type, literal, valueType))
    return failure();
  ArrayRef<int64_t> shape = valueType.getShape();
  int64_t rank = shape.size(), count = valueType.getNumElements();
  Type element = type.getElementType();
  int64_t elementBytes = getLiteralElementBytes(element);

  if (lexer.is(Token::LBrace)) {
    Lexer ahead = lexer;
    ahead.next();
    if (ahead.is(Token::Ellipsis)) {
      ahead.next();
      if (!ahead.is(Token::RBrace) || rank == 0) {
        lexer = ahead;
        return rank == 0 ? fail(literal, "expected a scalar but got an array")
                         : expected("`}` after `...`");
      }
      if (options.elidedConstants == ElidedConstants::Refuse)
        return fail(literal, "expected the constant's value but got `{...}`: it was left out "
                             "when the module was printed (print it with large constants)");
      lexer.reset(ahead.end());
      elided = options.elidedConstants == ElidedConstants::Keep;
      value = makeZeros(valueType);
      return success();
    }
  }

  SmallVector<char> bytes;
  size_t remaining = lexer.getText().end() - literal;
  bytes.reserve(std::min<uint64_t>(uint64_t(count) * elementBytes, 2 * remaining + 16));
  Scanner scanner(element, lexer.getText().end());
  SmallVector<int64_t> seen(rank);
  int64_t level = 0;
  const char *place = literal;
  auto isLast = [&] { return level == 0; };
  auto tooMany = [&](const char *at) {
    return fail(at, "expected " + Twine(shape[level - 1]) + " elements in dimension " +
                        Twine(level - 1) + " but got more");
  };
  while (true) {
    char c = *place;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == '/') {
      if (c == ',' && isLast())
        return fail(place, "expected a value");
      if (c != '/') {
        ++place;
        continue;
      }
      const char *next = lexer.skipBlank(place);
      if (!next || next == place)
        return fail(place, "expected a value");
      place = next;
      continue;
    }
    if (c == '{') {
      if (level == rank)
        return fail(place, "expected braces nested " + Twine(rank) +
                               " deep in a constant of rank " + Twine(rank) + " but got more");
      if (level > 0 && ++seen[level - 1] > shape[level - 1])
        return tooMany(place);
      seen[level++] = 0;
      ++place;
      continue;
    }
    if (c == '}') {
      if (isLast())
        return fail(place, "expected a value but got `}`");
      if (seen[level - 1] != shape[level - 1])
        return fail(place, "expected " + Twine(shape[level - 1]) + " elements in dimension " +
                               Twine(level - 1) + " but got " + Twine(seen[level - 1]));
      --level;
      ++place;
      if (isLast())
        break;
      continue;
    }
    if (level != rank && (level > 0 || count == 0)) {
      lexer.reset(place);
      return expected("`{`: a constant of rank " + Twine(rank) + " has braces nested " +
                      Twine(rank) + " deep");
    }
    if (rank && level == 0) { // XLA reads only the first element
      warn(place, "expected braces nested " + Twine(rank) + " deep in a constant of rank " +
                      Twine(rank) + "; the elements that are missing are zero");
      if (!scanner.read(place, bytes))
        return fail(scanner.errorPlace, scanner.error);
      // The size of such a constant is not bounded by the text, so its memory, and its print, need
      // a bound.
      if (uint64_t(count) > (uint64_t(1) << 24) / elementBytes)
        return fail(literal, "expected all elements of so large a constant");
      bytes.resize(count * elementBytes);
      break;
    }
    if (rank && ++seen[level - 1] > shape[level - 1])
      return tooMany(place);
    if (!scanner.read(place, bytes))
      return fail(scanner.errorPlace, scanner.error);
    if (isLast())
      break;
  }
  lexer.reset(place);
  value = makeLiteral(valueType, bytes);
  return success();
}

ParseResult Parser::parseLiteral(Type type, Attribute &value, bool &elided) {
  if (auto array = dyn_cast<RankedTensorType>(type))
    return parseArrayLiteral(array, value, elided);
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return fail(lexer.begin(), "expected the constant to be an array or a tuple but its shape is " +
                                   shapeText(type));
  return nest([&] { return parseTupleLiteral(tuple, value, elided); });
}

ParseResult Parser::parseTupleLiteral(TupleType type, Attribute &value, bool &elided) {
  if (take(Token::LParen, "`(` at the start of a tuple"))
    return failure();
  SmallVector<Attribute> elements;
  for (Type element : type.getTypes()) {
    if (!elements.empty() && take(Token::Comma, "`,` between the elements of a tuple"))
      return failure();
    if (parseLiteral(element, elements.emplace_back(), elided))
      return failure();
  }
  if (take(Token::RParen, "`)` after " + std::to_string(elements.size()) + " elements"))
    return failure();
  value = builder.getArrayAttr(elements);
  return success();
}

} // namespace hloc::text
