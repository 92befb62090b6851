// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Scalar.h"
#include "compiler/evaluator/core/SmallFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace hloc::evaluator {

/// Every value of a small format, by its code.
static const double *getDecodeTable(ElementType type) {
  static const auto tables = [] {
    std::array<std::vector<double>, size_t(ElementType::C128) + 1> made;
    for (int t = int(ElementType::F4E2M1FN); t <= int(ElementType::F16); ++t) {
      FloatFormat format = getFormat(ElementType(t));
      made[t].resize(size_t(1) << (8 * getBytes(ElementType(t))));
      for (size_t code = 0; code < made[t].size(); ++code)
        made[t][code] = decodeFloat(format, uint32_t(code & ((1u << getBits(ElementType(t))) - 1)));
    }
    return made;
  }();
  return tables[size_t(type)].data();
}

namespace {
/// Calls `visit` with a function that reads the element at an index; dispatches on the type once.
template <typename Visit> void withReader(ElementType type, const char *bytes, Visit visit) {
  auto plain = [&](auto sample, auto make) {
    using T = decltype(sample);
    visit([bytes, make](int64_t index) {
      T value;
      std::memcpy(&value, bytes + index * int64_t(sizeof(T)), sizeof(T));
      return make(value);
    });
  };
  auto integer = [](auto value) { return Scalar::ofInt(int64_t(value)); };
  auto real = [](auto value) { return Scalar::ofFloat(double(value)); };
  using enum ElementType;
  switch (type) {
  case PRED:
    return plain(uint8_t(), [](uint8_t v) { return Scalar::ofInt(v != 0); });
  case S1:
    return plain(int8_t(), [](int8_t v) { return Scalar::ofInt(-(v & 1)); });
  case S2:
    return plain(int8_t(), [](int8_t v) { return Scalar::ofInt(llvm::SignExtend64<2>(v)); });
  case S4:
    return plain(int8_t(), [](int8_t v) { return Scalar::ofInt(llvm::SignExtend64<4>(v)); });
  case S8:
    return plain(int8_t(), integer);
  case S16:
    return plain(int16_t(), integer);
  case S32:
    return plain(int32_t(), integer);
  case S64:
    return plain(int64_t(), integer);
  case U1:
    return plain(uint8_t(), [](uint8_t v) { return Scalar::ofInt(v & 1); });
  case U2:
    return plain(uint8_t(), [](uint8_t v) { return Scalar::ofInt(v & 3); });
  case U4:
    return plain(uint8_t(), [](uint8_t v) { return Scalar::ofInt(v & 15); });
  case U8:
    return plain(uint8_t(), integer);
  case U16:
    return plain(uint16_t(), integer);
  case U32:
    return plain(uint32_t(), integer);
  case U64:
    return plain(uint64_t(), integer);
  case F16: {
    const double *table = getDecodeTable(type);
    return plain(uint16_t(), [table](uint16_t v) { return Scalar::ofFloat(table[v]); });
  }
  case BF16:
    return plain(uint16_t(), [](uint16_t v) {
      return Scalar::ofFloat(llvm::bit_cast<float>(uint32_t(v) << 16));
    });
  case F32:
    return plain(float(), real);
  case F64:
    return plain(double(), real);
  case C64:
    return plain(std::array<float, 2>(), [](auto v) { return Scalar::ofComplex(v[0], v[1]); });
  case C128:
    return plain(std::array<double, 2>(), [](auto v) { return Scalar::ofComplex(v[0], v[1]); });
  default: {
    const double *table = getDecodeTable(type);
    return plain(uint8_t(), [table](uint8_t v) { return Scalar::ofFloat(table[v]); });
  }
  }
}
} // namespace

void load(ElementType type, const char *bytes, int64_t count, Scalar *out) {
  withReader(type, bytes, [&](auto read) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = read(i);
  });
}

void loadAt(ElementType type, const char *bytes, const int64_t *offsets, int64_t count,
            Scalar *out) {
  withReader(type, bytes, [&](auto read) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = read(offsets[i]);
  });
}

/// bf16 from its bits, which is faster than the general way; `value` is rounded already.
static uint16_t encodeBf16(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xFFC0 : 0x7FC0;
  return uint16_t(llvm::bit_cast<uint32_t>(float(value)) >> 16);
}

void store(ElementType type, const Scalar *in, int64_t count, char *bytes) {
  auto write = [&](auto make) {
    for (int64_t i = 0; i < count; ++i) {
      auto value = make(in[i]);
      std::memcpy(bytes + i * int64_t(sizeof(value)), &value, sizeof(value));
    }
  };
  using enum ElementType;
  switch (type) {
  case F64:
    return write([](Scalar s) { return s.f; });
  case F32:
    return write([](Scalar s) { return float(s.f); });
  case BF16:
    return write([](Scalar s) { return encodeBf16(s.f); });
  case F16:
    return write(
        [format = getFormat(F16)](Scalar s) { return uint16_t(encodeFloat(format, s.f)); });
  case C64:
    return write([](Scalar s) { return std::array<float, 2>{float(s.c.re), float(s.c.im)}; });
  case C128:
    return write([](Scalar s) { return std::array<double, 2>{s.c.re, s.c.im}; });
  default:
    break;
  }
  if (isFloat(type))
    return write(
        [format = getFormat(type)](Scalar s) { return uint8_t(encodeFloat(format, s.f)); });
  switch (getBytes(type)) {
  case 1:
    return write([](Scalar s) { return uint8_t(s.u); });
  case 2:
    return write([](Scalar s) { return uint16_t(s.u); });
  case 4:
    return write([](Scalar s) { return uint32_t(s.u); });
  default:
    return write([](Scalar s) { return s.u; });
  }
}

/// A float rounded to a bf16, ties to even.
static double roundToBf16(double value) {
  if (std::isnan(value))
    return value;
  // Rounding a double to a float first would round twice, so this is for values that are exact
  // floats.
  float single = float(value);
  if (double(single) == value) {
    uint32_t bits = llvm::bit_cast<uint32_t>(single);
    bits += 0x7FFF + ((bits >> 16) & 1);
    return llvm::bit_cast<float>(bits & 0xFFFF0000);
  }
  static const FloatFormat format = getFormat(ElementType::BF16);
  return llvm::bit_cast<float>(encodeFloat(format, value) << 16);
}

void wrap(ElementType type, Scalar *scalars, int64_t count) {
  auto each = [&](auto change) {
    for (int64_t i = 0; i < count; ++i)
      change(scalars[i]);
  };
  using enum ElementType;
  switch (type) {
  case PRED:
    return each([](Scalar &s) { s.i = s.i != 0; });
  case S64:
  case U64:
  case F64:
  case C128:
    return;
  case F32:
    return each([](Scalar &s) { s.f = float(s.f); });
  case C64:
    return each([](Scalar &s) { s.c = {float(s.c.re), float(s.c.im)}; });
  case BF16:
    return each([](Scalar &s) { s.f = roundToBf16(s.f); });
  default:
    break;
  }
  if (isFloat(type)) {
    const FloatFormat format = getFormat(type);
    const double *table = getDecodeTable(type);
    return each([&](Scalar &s) { s.f = table[encodeFloat(format, s.f)]; });
  }
  int shift = 64 - getBits(type);
  if (getDomain(type) == Domain::Signed)
    return each([shift](Scalar &s) { s.i = int64_t(s.u << shift) >> shift; });
  each([shift](Scalar &s) { s.u = s.u << shift >> shift; });
}

/// An integer as a double that still rounds correctly to a float of fewer bits: if the integer is
/// not exact, the last bit of the double is set (rounding to odd).
static double toDoubleForRounding(bool isSigned, Scalar value) {
  bool negative = isSigned && value.i < 0;
  uint64_t magnitude = negative ? uint64_t(0) - value.u : value.u;
  if (int extra = 64 - llvm::countl_zero(magnitude) - 53; extra > 0) {
    uint64_t lost = magnitude & ((uint64_t(1) << extra) - 1);
    magnitude = (magnitude >> extra << extra) | (lost ? uint64_t(1) << extra : 0);
  }
  return negative ? -double(magnitude) : double(magnitude);
}

/// A double rounded toward zero and saturated to an integer type.
static Scalar toInteger(ElementType to, double value) {
  if (std::isnan(value))
    return Scalar::ofInt(0);
  bool isSigned = getDomain(to) == Domain::Signed;
  int bits = getBits(to) - isSigned;
  double limit = std::ldexp(1.0, bits); // exclusive
  Scalar largest, least;
  largest.u = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  least.i = isSigned ? -int64_t(largest.u) - 1 : 0;
  if (value >= limit)
    return largest;
  if (value <= (isSigned ? -limit : 0.0))
    return least;
  Scalar result;
  if (isSigned)
    result.i = int64_t(value);
  else
    result.u = uint64_t(value);
  return result;
}

Scalar convert(ElementType from, ElementType to, Scalar value) {
  Domain source = getDomain(from), target = getDomain(to);
  if (source == Domain::Complex && target != Domain::Complex) {
    if (target == Domain::Pred)
      return Scalar::ofInt(value.c.re != 0 || value.c.im != 0);
    return convert(getReal(from), to, Scalar::ofFloat(value.c.re));
  }
  if (target == Domain::Complex) {
    Scalar result = value;
    if (source != Domain::Complex)
      result = Scalar::ofComplex(convert(from, getReal(to), value).f, 0);
    wrap(to, &result, 1);
    return result;
  }
  bool fromFloat = source == Domain::Float;
  if (target == Domain::Pred)
    return Scalar::ofInt(fromFloat ? value.f != 0 : value.i != 0);
  if (target == Domain::Float) {
    Scalar result = value;
    if (!fromFloat && to == ElementType::F64) // one rounding, by the processor
      result.f = source == Domain::Unsigned ? double(value.u) : double(value.i);
    else if (!fromFloat)
      result.f = toDoubleForRounding(source != Domain::Unsigned, value);
    wrap(to, &result, 1);
    return result;
  }
  Scalar result = fromFloat ? toInteger(to, value.f) : value;
  wrap(to, &result, 1);
  return result;
}

int64_t asIndex(ElementType type, Scalar value) {
  if (type == ElementType::U64 && value.i < 0)
    return std::numeric_limits<int64_t>::max();
  return value.i;
}

int64_t totalOrderKey(double value) {
  auto bits = llvm::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

std::string toString(ElementType type, Scalar value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto real = [&](double number) {
    if (std::isnan(number) || std::isinf(number))
      stream << (std::signbit(number) ? "-" : "") << (std::isnan(number) ? "nan" : "inf");
    else
      stream << llvm::format(getReal(type) == ElementType::F64 ? "%.17g" : "%.9g", number);
  };
  switch (getDomain(type)) {
  case Domain::Pred:
    stream << (value.i ? "true" : "false");
    break;
  case Domain::Signed:
    stream << value.i;
    break;
  case Domain::Unsigned:
    stream << value.u;
    break;
  case Domain::Float:
    real(value.f);
    break;
  case Domain::Complex:
    stream << '(';
    real(value.c.re);
    stream << ", ";
    real(value.c.im);
    stream << ')';
    break;
  }
  return text;
}

} // namespace hloc::evaluator
