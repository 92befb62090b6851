// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/SmallFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hloc::evaluator {

FloatFormat getFormat(ElementType type) {
  using enum ElementType;
  switch (type) {
  case F4E2M1FN:
    return {2, 1, 1, FloatFormat::Finite};
  case F6E2M3FN:
    return {2, 3, 1, FloatFormat::Finite};
  case F6E3M2FN:
    return {3, 2, 3, FloatFormat::Finite};
  case F8E3M4:
    return {3, 4, 3, FloatFormat::Ieee};
  case F8E4M3:
    return {4, 3, 7, FloatFormat::Ieee};
  case F8E4M3FN:
    return {4, 3, 7, FloatFormat::NanOnly};
  case F8E4M3FNUZ:
    return {4, 3, 8, FloatFormat::NegativeZeroNan};
  case F8E4M3B11FNUZ:
    return {4, 3, 11, FloatFormat::NegativeZeroNan};
  case F8E5M2:
    return {5, 2, 15, FloatFormat::Ieee};
  case F8E5M2FNUZ:
    return {5, 2, 16, FloatFormat::NegativeZeroNan};
  case F8E8M0FNU:
    return {8, 0, 127, FloatFormat::Exponent};
  case F16:
    return {5, 10, 15, FloatFormat::Ieee};
  case BF16:
    return {8, 7, 127, FloatFormat::Ieee};
  case F32:
    return {8, 23, 127, FloatFormat::Ieee};
  case F64:
    return {11, 52, 1023, FloatFormat::Ieee};
  default:
    llvm_unreachable("not a float type");
  }
}

double decodeFloat(const FloatFormat &format, uint32_t bits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.specials == FloatFormat::Exponent)
    return bits == 0xFF ? nan : std::ldexp(1.0, int(bits) - format.bias);

  uint32_t signBit = 1u << (format.exponentBits + format.mantissaBits);
  uint32_t magnitude = bits & (signBit - 1);
  uint32_t exponent = magnitude >> format.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  bool negative = bits & signBit;
  if (format.specials == FloatFormat::NegativeZeroNan && negative && magnitude == 0)
    return -nan; // its sign is set, which a total order sees
  if (format.specials == FloatFormat::NanOnly && magnitude == signBit - 1)
    return negative ? -nan : nan;
  double value;
  if (format.specials == FloatFormat::Ieee && exponent == (1u << format.exponentBits) - 1)
    value = mantissa ? nan : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - format.bias - format.mantissaBits);
  else
    value = std::ldexp(double(mantissa | (1u << format.mantissaBits)),
                       int(exponent) - format.bias - format.mantissaBits);
  return std::copysign(value, negative ? -1.0 : 1.0);
}

/// The code of NaN, without sign; of -0 for formats without NaN.
static uint32_t nanCode(const FloatFormat &format) {
  uint32_t signBit = 1u << (format.exponentBits + format.mantissaBits);
  switch (format.specials) {
  case FloatFormat::Ieee:
    return (((1u << format.exponentBits) - 1) << format.mantissaBits) |
           (1u << (format.mantissaBits - 1));
  case FloatFormat::NanOnly:
    return signBit - 1;
  case FloatFormat::NegativeZeroNan:
    return signBit;
  case FloatFormat::Finite:
    return signBit;
  case FloatFormat::Exponent:
    return 0xFF;
  }
  llvm_unreachable("covered switch");
}

static uint32_t encodePowerOfTwo(const FloatFormat &format, double value) {
  // The format has neither zero nor sign.
  if (std::isnan(value) || std::isinf(value) || value <= 0)
    return 0xFF;
  int exponent;
  double fraction = std::frexp(value, &exponent); // in [0.5, 1)
  int code = exponent - 1 + format.bias;
  if (fraction >= 0.75) // halves up: the bit before the point, always one, counts as odd
    ++code;
  // Between the two smallest numbers everything is rounded up, as in XLA.
  if (value > std::ldexp(1.0, -format.bias))
    code = std::max(code, 1);
  return code > 0xFE ? 0xFF : std::max(code, 0);
}

uint32_t encodeFloat(const FloatFormat &format, double value) {
  if (format.specials == FloatFormat::Exponent)
    return encodePowerOfTwo(format, value);

  uint32_t signBit = 1u << (format.exponentBits + format.mantissaBits);
  uint32_t sign = std::signbit(value) ? signBit : 0;
  bool unsignedNan =
      format.specials == FloatFormat::NegativeZeroNan || format.specials == FloatFormat::Finite;
  if (std::isnan(value))
    return nanCode(format) | (unsignedNan ? 0 : sign);
  // The largest finite code, to which formats without NaN saturate on overflow.
  uint32_t largest = signBit - 1;
  if (format.specials == FloatFormat::Ieee)
    largest = (((1u << format.exponentBits) - 1) << format.mantissaBits) - 1;
  else if (format.specials == FloatFormat::NanOnly)
    largest = signBit - 2;

  uint32_t magnitude = 0;
  if (std::isinf(value)) {
    magnitude = largest + 1;
  } else if (value != 0) {
    int exponent;
    std::frexp(value, &exponent);
    int least = 1 - format.bias; // exponent of the smallest normal number
    int quantum = std::max(exponent - 1, least) - format.mantissaBits;
    auto rounded = uint64_t(std::nearbyint(std::ldexp(std::fabs(value), -quantum)));
    // A carry out of the mantissa increments the exponent, as it should.
    uint64_t code = exponent - 1 < least ? rounded
                                         : (uint64_t(exponent - least) << format.mantissaBits) +
                                               rounded - (uint64_t(1) << format.mantissaBits);
    magnitude = uint32_t(std::min<uint64_t>(code, largest + 1));
  }
  if (magnitude > largest) {
    if (format.specials == FloatFormat::Ieee)
      return sign | (largest + 1);
    if (format.specials == FloatFormat::Finite)
      return sign | largest;
    return nanCode(format) | (unsignedNan ? 0 : sign);
  }
  if (magnitude == 0 && format.specials == FloatFormat::NegativeZeroNan)
    return 0; // there is no -0
  return sign | magnitude;
}

} // namespace hloc::evaluator
