// SPDX-License-Identifier: Apache-2.0

#include "program/Element.h"

#include "hlort/hlort.h"
#include "program/Random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace hloc::runtime {

static_assert(std::endian::native == std::endian::little);

static constexpr Element elements[] = {
    {"pred", HLORT_PRED, Element::Pred, 8},
    {"s1", HLORT_S1, Element::Signed, 1},
    {"s2", HLORT_S2, Element::Signed, 2},
    {"s4", HLORT_S4, Element::Signed, 4},
    {"s8", HLORT_S8, Element::Signed, 8},
    {"s16", HLORT_S16, Element::Signed, 16},
    {"s32", HLORT_S32, Element::Signed, 32},
    {"s64", HLORT_S64, Element::Signed, 64},
    {"u1", HLORT_U1, Element::Unsigned, 1},
    {"u2", HLORT_U2, Element::Unsigned, 2},
    {"u4", HLORT_U4, Element::Unsigned, 4},
    {"u8", HLORT_U8, Element::Unsigned, 8},
    {"u16", HLORT_U16, Element::Unsigned, 16},
    {"u32", HLORT_U32, Element::Unsigned, 32},
    {"u64", HLORT_U64, Element::Unsigned, 64},
    {"f16", HLORT_F16, Element::Float, 16, 10, 15},
    {"bf16", HLORT_BF16, Element::Float, 16, 7, 127},
    {"f32", HLORT_F32, Element::Float, 32, 23, 127},
    {"f64", HLORT_F64, Element::Float, 64, 52, 1023},
    {"c64", HLORT_C64, Element::Complex, 64, 23, 127},
    {"c128", HLORT_C128, Element::Complex, 128, 52, 1023},
    {"f8e5m2", HLORT_F8E5M2, Element::Float, 8, 2, 15},
    {"f8e4m3", HLORT_F8E4M3, Element::Float, 8, 3, 7},
    {"f8e3m4", HLORT_F8E3M4, Element::Float, 8, 4, 3},
    {"f8e4m3fn", HLORT_F8E4M3FN, Element::Float, 8, 3, 7, Element::OnesAreNan},
    {"f8e4m3b11fnuz", HLORT_F8E4M3B11FNUZ, Element::Float, 8, 3, 11, Element::MinusZeroIsNan},
    {"f8e5m2fnuz", HLORT_F8E5M2FNUZ, Element::Float, 8, 2, 16, Element::MinusZeroIsNan},
    {"f8e4m3fnuz", HLORT_F8E4M3FNUZ, Element::Float, 8, 3, 8, Element::MinusZeroIsNan},
    {"f8e8m0fnu", HLORT_F8E8M0FNU, Element::Float, 8, 0, 127, Element::ExponentOnly},
    {"f4e2m1fn", HLORT_F4E2M1FN, Element::Float, 4, 1, 1, Element::None},
};

const Element *findElement(int32_t number) {
  for (const Element &element : elements)
    if (element.number == number)
      return &element;
  return nullptr;
}

const Element *findElement(std::string_view name) {
  for (const Element &element : elements)
    if (element.name == name)
      return &element;
  return nullptr;
}

std::string Element::getNpyType() const {
  const char *letter = kind == Pred                   ? "b"
                       : kind == Signed               ? "i"
                       : kind == Complex              ? "c"
                       : bits >= 16 && name[0] == 'f' ? "f"
                                                      : "u";
  return letter + std::to_string(getBytes());
}

namespace {

template <typename T> T load(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T> void store(T value, char *bytes) { std::memcpy(bytes, &value, sizeof value); }

/// The format of a float, or of a part of a complex number.
class Format {
public:
  explicit Format(const Element &type)
      : type(type), width(type.kind == Element::Complex ? type.bits / 2 : type.bits) {}

  int getBytes() const { return (width + 7) / 8; }

  double read(const char *bytes) const {
    if (width == 64)
      return load<double>(bytes);
    if (width == 32)
      return double(load<float>(bytes));
    uint32_t all = getBits(bytes), size = all & ~getSign();
    if (type.specials == Element::ExponentOnly)
      return all == 0xff ? NAN : std::ldexp(1.0, int(all) - type.bias);
    uint32_t ones = getSign() - 1, exponent = size >> type.mantissa,
             fraction = size & ((1u << type.mantissa) - 1);
    bool isTop = exponent == ones >> type.mantissa, isMinus = all & getSign();
    if ((type.specials == Element::Ieee && isTop && fraction) ||
        (type.specials == Element::OnesAreNan && size == ones) ||
        (type.specials == Element::MinusZeroIsNan && all == getSign()))
      return NAN;
    double value = type.specials == Element::Ieee && isTop
                       ? INFINITY
                       : std::ldexp(fraction + (exponent ? 1u << type.mantissa : 0u),
                                    int(std::max(exponent, 1u)) - type.bias - type.mantissa);
    return isMinus ? -value : value;
  }

  /// Writes a finite number, rounded to nearest even; numbers that are too large become the
  /// largest.
  void write(double value, char *bytes) const {
    if (width == 64)
      return store(value, bytes);
    if (width == 32)
      return store(float(value), bytes);
    int exponent;
    std::frexp(value, &exponent);
    bool isPower = type.specials == Element::ExponentOnly;
    int scale = std::max(exponent - 1, (isPower ? 0 : 1) - type.bias);
    auto quanta =
        uint32_t(std::nearbyint(std::ldexp(std::fabs(value), int(type.mantissa) - scale)));
    // Rounding up to the next power of two carries into the exponent.
    uint32_t all = isPower ? uint32_t(scale + type.bias) + (quanta > 1)
                           : (uint32_t(scale + type.bias - 1) << type.mantissa) + quanta;
    all = std::min(all, getLargest());
    if (std::signbit(value) && !isPower && (all || type.specials != Element::MinusZeroIsNan))
      all |= getSign();
    if (width == 16)
      store(uint16_t(all), bytes);
    else
      store(uint8_t(all), bytes);
  }

  /// Its bits as an integer in the order of the values; both zeros are 0.
  int64_t getOrder(const char *bytes) const {
    if (type.specials == Element::ExponentOnly)
      return getBits(bytes);
    uint64_t all = width == 64 ? load<uint64_t>(bytes) : getBits(bytes), sign = uint64_t(1)
                                                                                << (width - 1);
    return all & sign ? -int64_t(all & ~sign) : int64_t(all);
  }

private:
  uint32_t getSign() const {
    return type.specials == Element::ExponentOnly ? 0 : 1u << (width - 1);
  }
  uint32_t getBits(const char *bytes) const {
    return width == 32   ? load<uint32_t>(bytes)
           : width == 16 ? load<uint16_t>(bytes)
                         : load<uint8_t>(bytes);
  }
  /// The bits of the largest number.
  uint32_t getLargest() const {
    switch (type.specials) {
    case Element::Ieee:
      return (((getSign() >> type.mantissa) - 1) << type.mantissa) - 1;
    case Element::OnesAreNan:
      return getSign() - 2;
    case Element::ExponentOnly:
      return 0xfe;
    case Element::MinusZeroIsNan:
    case Element::None:
      break;
    }
    return getSign() - 1;
  }

  const Element &type;
  int width;
};

double getDistance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double difference = std::fabs(a - b);
  return std::isnan(difference) ? INFINITY : difference;
}

double getDistance(const Element &element, const ElementValue &a, const ElementValue &b) {
  if (element.kind == Element::Complex)
    return std::hypot(getDistance(a.real, b.real), getDistance(a.imaginary, b.imaginary));
  if (element.kind == Element::Float)
    return getDistance(a.real, b.real);
  // Subtracted as unsigned: the difference may exceed int64_t.
  auto x = uint64_t(a.integer), y = uint64_t(b.integer);
  bool less = element.kind == Element::Unsigned ? x < y : a.integer < b.integer;
  return double(less ? y - x : x - y);
}

double getMagnitude(const Element &element, const ElementValue &value) {
  double size = getDistance(element, value, {});
  return std::isfinite(size) ? size : 0;
}

/// True if two values have the same bits, part by part, or are both NaN.
bool hasSameBits(const ElementValue &a, const ElementValue &b) {
  auto same = [](double p, double q) {
    return std::isnan(p) ? std::isnan(q) : p == q && std::signbit(p) == std::signbit(q);
  };
  return a.integer == b.integer && same(a.real, b.real) && same(a.imaginary, b.imaginary);
}

std::string getNumberText(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

} // namespace

ElementValue Element::read(const char *bytes) const {
  ElementValue value;
  switch (kind) {
  case Pred:
  case Unsigned:
    std::memcpy(&value.integer, bytes, size_t(getBytes()));
    break;
  case Signed:
    value.integer = bits <= 8    ? load<int8_t>(bytes)
                    : bits == 16 ? load<int16_t>(bytes)
                    : bits == 32 ? load<int32_t>(bytes)
                                 : load<int64_t>(bytes);
    break;
  case Complex:
    value.imaginary = Format(*this).read(bytes + getBytes() / 2);
    [[fallthrough]];
  case Float:
    value.real = Format(*this).read(bytes);
    break;
  }
  return value;
}

void Element::draw(std::mt19937_64 &source, int64_t bound, char *bytes) const {
  switch (kind) {
  case Pred:
    *bytes = char(source() >> 63);
    return;
  case Signed:
  case Unsigned: {
    int64_t value = drawInteger(source, kind == Unsigned, bound);
    if (bits < 8) { // wrapped
      value = int64_t(uint64_t(value) << (64 - bits));
      value = kind == Unsigned ? int64_t(uint64_t(value) >> (64 - bits)) : value >> (64 - bits);
    }
    std::memcpy(bytes, &value, size_t(getBytes()));
    return;
  }
  case Float: {
    double value = drawNormal(source);
    return Format(*this).write(specials == ExponentOnly ? std::abs(value) : value, bytes);
  }
  case Complex:
    Format(*this).write(drawNormal(source), bytes);
    return Format(*this).write(drawNormal(source), bytes + getBytes() / 2);
  }
}

std::string Element::getText(const char *bytes, bool allDigits) const {
  ElementValue value = read(bytes);
  int digits = !allDigits ? 6 : mantissa > 23 ? 17 : 9;
  switch (kind) {
  case Pred:
    return value.integer ? "true" : "false";
  case Signed:
    return std::to_string(value.integer);
  case Unsigned:
    return std::to_string(uint64_t(value.integer));
  case Float:
    return getNumberText(value.real, digits);
  case Complex:
    break;
  }
  return "(" + getNumberText(value.real, digits) + ", " + getNumberText(value.imaginary, digits) +
         ")";
}

double Element::getDistance(const char *got, const char *expected) const {
  return runtime::getDistance(*this, read(got), read(expected));
}

double Element::getUlpsApart(const char *got, const char *expected) const {
  Format format(*this);
  double apart = 0;
  for (int at = 0; at < getBytes(); at += format.getBytes()) {
    bool isNan = std::isnan(format.read(got + at));
    if (isNan != std::isnan(format.read(expected + at)))
      return INFINITY;
    int64_t p = format.getOrder(got + at), q = format.getOrder(expected + at);
    if (!isNan)
      apart = std::max(apart, double(uint64_t(std::max(p, q)) - uint64_t(std::min(p, q))));
  }
  return apart;
}

bool Element::isWithin(const Tolerance &tolerance, const char *got, const char *expected) const {
  ElementValue value = read(got), wanted = read(expected);
  double apart = runtime::getDistance(*this, value, wanted);
  bool isNear = !tolerance.sameBits || hasSameBits(value, wanted);
  if (isNear && std::isfinite(apart) &&
      apart <= tolerance.atol + tolerance.rtol * getMagnitude(*this, wanted))
    return true;
  return tolerance.ulp > 0 && isFloating() && getUlpsApart(got, expected) <= double(tolerance.ulp);
}

bool Element::admitsZeros(const Tolerance &tolerance, const char *expected, int64_t count) const {
  constexpr char zero[mostBytes] = {};
  bool areZeros = true;
  for (int64_t i = 0; i < count; ++i, expected += getBytes()) {
    if (!isWithin(tolerance, zero, expected))
      return false;
    areZeros &= isWithin({}, zero, expected);
  }
  return !areZeros;
}

} // namespace hloc::runtime
