// SPDX-License-Identifier: Apache-2.0
// Conversions between element types. Narrow floats go through f32: decoded exactly; encoded by
// integer rounding of the f32's bits, or, from f64, after a first rounding to odd, which keeps the
// second one right.
#include "codegen/math/FloatFormat.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace hloc {

Type getRegisterType(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element) && width >= 32)
    return element;
  return IntegerType::get(element.getContext(), width);
}

/// f64 to f32 so that a later rounding to fewer digits sees on which side of a tie the value was:
/// inexact results get an odd last bit.
static Expr roundToOdd(Expr x) {
  if (x.isF32())
    return x;
  Expr nearest = toF32(x);
  Expr back = toF64(nearest);
  Expr bits = bitsOf(nearest);
  Expr one = bits.integer(1), zero = bits.integer(0);
  Expr beyond = select(gt(abs(back), abs(x)), one, zero);
  Expr inexact = select(lt(back, x) | gt(back, x), one, zero);
  return asFloat((bits - beyond) | inexact);
}

/// Powers of two: 0, negative numbers and NaN have no code but that of NaN. A number halfway
/// between two rounds up (the bit before the point, which is always one, counts as odd), between
/// the two least codes all do, as XLA has it.
static Expr encodePowerOfTwo(Expr x) {
  Expr bits = bitsOf(x);
  Expr half = select(lt(bits, 0x800000), bits.integer(0x3fffff), bits.integer(0x400000));
  Expr rounded = lshr(bits + half, 23);
  Expr representable = gt(x, 0) & lt(x, infinity(x));
  return truncInt(select(representable, rounded, bits.integer(0xff)), 8);
}

Expr encodeByIntegers(Expr x, const FloatFormat &format) {
  x = roundToOdd(x);
  if (format.mantissaBits == 0)
    return encodePowerOfTwo(x);
  unsigned mantissa = format.mantissaBits;
  unsigned shift = 23 - mantissa;
  Expr bits = bitsOf(x);
  Expr magnitude = bits & 0x7fffffff;
  // To nearest even by adding just under half a unit, or half if the last bit kept is odd.
  Expr rounded = lshr(magnitude + ((1 << (shift - 1)) - 1) + (lshr(magnitude, shift) & 1), shift);
  Expr code = rounded - ((127 - format.bias) << mantissa);
  // Subnormal results: addition to a number with their unit in the last place rounds.
  int unit = 1 - format.bias - int(mantissa);
  Expr magic = x.real(std::ldexp(1.0, unit + 23));
  Expr small = bitsOf(asFloat(magnitude) + magic) - bitsOf(magic);
  code = select(lt(magnitude, int64_t(128 - format.bias) << 23), small, code);
  // The code after the greatest number is infinity or NaN where there is one.
  Expr limit = code.integer(format.maxCode + (format.special == FloatFormat::Finite ? 0 : 1));
  code = select(lt(limit, code), limit, code);
  Expr sign = lshr(bits & int64_t(0x80000000), 32 - format.width);
  Expr isNan = gt(magnitude, 0x7f800000);
  switch (format.special) {
  case FloatFormat::Ieee:
    code = select(isNan, code.integer((format.maxCode + 1) | (1 << (mantissa - 1))), code) | sign;
    break;
  case FloatFormat::NanOnly:
    code = code | sign;
    break;
  case FloatFormat::NegativeZeroIsNan:
    code = select(eq(code & ((1 << (format.width - 1)) - 1), 0), code, code | sign);
    break;
  case FloatFormat::Finite:
    // NaN of either sign becomes -0, as XLA:CPU has it.
    code = select(isNan, code.integer(1 << (format.width - 1)), code | sign);
    break;
  }
  return truncInt(code, format.width);
}

/// The high half of an f32: rounding carries into the exponent by itself, up to infinity, but also
/// from the digits of a NaN into its sign.
static Expr encodeBrain(Expr x, BrainSource source = BrainSource::Any) {
  Expr bits = bitsOf(x);
  if (source == BrainSource::Exact)
    return truncInt(lshr(bits, 16), 16);
  Expr rounded = bits + 0x7fff + (lshr(bits, 16) & 1);
  if (source == BrainSource::Any)
    rounded = select(isNan(x), bits | 0x400000, rounded);
  return truncInt(lshr(rounded, 16), 16);
}

static Expr encode(Expr x, FloatType type) {
  if (type.isBF16())
    return encodeBrain(roundToOdd(x));
  if (!type.isF16())
    return encodeByIntegers(x, getFloatFormat(type));
  Value half = arith::TruncFOp::create(*x.b, x.typeOf(type), roundToOdd(x).value);
  return {x.b, arith::BitcastOp::create(*x.b, x.intType(16), half)};
}

/// True if the finite numbers of `format` are among those of f16, times a power of two.
static bool fitsHalf(const FloatFormat &format) {
  unsigned exponentBits = format.width - 1 - format.mantissaBits;
  return exponentBits < 5 || (exponentBits == 5 && format.special == FloatFormat::Ieee);
}

/// Replaces the f32 bits in `value`, decoded from `code`, where the code is no finite number.
static Expr decodeSpecial(Expr value, Expr code, const FloatFormat &format) {
  Expr magnitude = code & ((1 << (format.width - 1)) - 1);
  switch (format.special) {
  case FloatFormat::Ieee: {
    Expr infinityOrNan = shl(magnitude, 23 - format.mantissaBits) | 0x7f800000;
    return select(gt(magnitude, format.maxCode), infinityOrNan, value);
  }
  case FloatFormat::NanOnly:
    return select(gt(magnitude, format.maxCode), value.integer(0x7fc00000), value);
  case FloatFormat::NegativeZeroIsNan:
    return select(eq(code, 1 << (format.width - 1)), value.integer(0x7fc00000), value);
  case FloatFormat::Finite:
    return value;
  }
  llvm_unreachable("all kinds of special codes are handled");
}

/// As decodeByIntegers, by the conversion from f16 that most processors have. Needs fitsHalf.
static Expr decodeByHalf(Expr x, const FloatFormat &format) {
  ImplicitLocOpBuilder &b = *x.b;
  unsigned mantissa = format.mantissaBits, unused = 10 - mantissa;
  int64_t magnitudeBits = (int64_t(1) << (format.width - 1 + unused)) - 1;
  Expr bits = shl(sext(x, 16), unused) & (0x8000 | magnitudeBits);
  Expr value = toF32({&b, arith::BitcastOp::create(b, bits.typeOf(b.getF16Type()), bits.value)});
  if (format.bias == 15 && format.special == FloatFormat::Ieee)
    return value;
  value = value * std::ldexp(1.0, 15 - format.bias);
  if (format.special == FloatFormat::Finite)
    return value;
  Expr sign = bitsOf(value) & int64_t(0x80000000), code = zext(x, 32);
  if (format.special != FloatFormat::Ieee)
    return asFloat(decodeSpecial(bitsOf(value), code, format));
  return asFloat(decodeSpecial(bitsOf(value), code, format) | sign);
}

Expr decodeByIntegers(Expr x, const FloatFormat &format) {
  ImplicitLocOpBuilder &b = *x.b;
  Expr bits = zext(x, 32);
  if (format.mantissaBits == 0) {
    Expr shifted = select(eq(bits, 0), bits.integer(0x400000), shl(bits, 23));
    return asFloat(select(eq(bits, 0xff), bits.integer(0x7fc00000), shifted));
  }
  unsigned mantissa = format.mantissaBits;
  Expr magnitude = bits & ((1 << (format.width - 1)) - 1);
  Expr sign = shl(bits & (1 << (format.width - 1)), 32 - format.width);
  Expr value = shl(magnitude, 23 - mantissa) + ((127 - format.bias) << 23);
  Expr subnormal = bitsOf(fromSignedInt(magnitude, b.getF32Type()) *
                          std::ldexp(1.0, 1 - format.bias - mantissa));
  value = select(lt(magnitude, 1 << mantissa), subnormal, value);
  return asFloat(decodeSpecial(value, bits, format) | sign);
}

static Expr decode(Expr x, FloatType type) {
  ImplicitLocOpBuilder &b = *x.b;
  if (type.isF16()) {
    if (!x.isFloat())
      x = {&b, arith::BitcastOp::create(b, x.typeOf(type), x.value)};
    return toF32(x);
  }
  if (x.isFloat())
    x = {&b, arith::BitcastOp::create(b, x.intType(x.width()), x.value)};
  if (type.isBF16())
    return asFloat(shl(zext(x, 32), 16));
  FloatFormat format = getFloatFormat(type);
  return format.mantissaBits > 0 && fitsHalf(format) ? decodeByHalf(x, format)
                                                     : decodeByIntegers(x, format);
}

/// Saturating; NaN to 0.
static Expr floatToInt(Expr x, unsigned width, bool isSigned) {
  ImplicitLocOpBuilder &b = *x.b;
  if (width < 32) {
    // Both limits are exact, and a conversion to 32 bits serves all widths.
    double high = std::ldexp(1.0, isSigned ? width - 1 : width) - 1;
    double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
    Expr limited = atMost(atLeast(x, x.real(low)), x.real(high));
    return truncInt(toSignedInt(select(isNan(x), x.real(0), limited), 32), width);
  }
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  Expr limited = atLeast(x, x.real(isSigned ? -end : 0));
  Expr safe = select(lt(x, end), limited, x.real(0));
  Expr converted = isSigned ? toSignedInt(safe, width)
                            : Expr{&b, arith::FPToUIOp::create(b, x.intType(width), safe.value)};
  APInt greatest = isSigned ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width);
  return select(ge(x, end), converted.integer(greatest.getSExtValue()), converted);
}

/// An integer as f64 (f32 if that is exact), or rounded to odd if 53 digits do not hold it.
static Expr intToWideFloat(Expr x, bool isSigned) {
  ImplicitLocOpBuilder &b = *x.b;
  unsigned width = x.width();
  if (width < 32) {
    Expr wide = isSigned ? sext(x, 32) : zext(x, 32);
    return fromSignedInt(wide, b.getF32Type());
  }
  if (width == 64) {
    Expr sticky = select(eq(x & 0x7ff, 0), x.integer(0), x.integer(0x800));
    Expr odd = (x & ~int64_t(0x7ff)) | sticky;
    Expr top = isSigned ? ashr(x, 53) : lshr(x, 53);
    Expr fits = isSigned ? eq(top, 0) | eq(top, -1) : eq(top, 0);
    x = select(fits, x, odd);
  }
  return isSigned ? fromSignedInt(x, b.getF64Type()) : fromUnsignedInt(x, b.getF64Type());
}

static Expr intToFloat(Expr x, bool isSigned, FloatType to) {
  if (to.isBF16() && x.width() <= 8)
    return encodeBrain(intToWideFloat(x, isSigned), BrainSource::Exact);
  if (to.getWidth() < 32)
    return encode(intToWideFloat(x, isSigned), to);
  if (x.width() < 32)
    x = isSigned ? sext(x, 32) : zext(x, 32);
  return isSigned ? fromSignedInt(x, to) : fromUnsignedInt(x, to);
}

Value emitDecodeFloat(ImplicitLocOpBuilder &b, Value bits, FloatType format) {
  return decode({&b, bits}, format);
}
Value emitEncodeFloat(ImplicitLocOpBuilder &b, Value x, FloatType format) {
  return encode({&b, x}, format);
}
Value emitEncodeBrain(ImplicitLocOpBuilder &b, Value x, BrainSource source) {
  return encodeBrain({&b, x}, source).value;
}

Value emitConvert(ImplicitLocOpBuilder &b, Value value, Type from, Type to) {
  Expr x{&b, value};
  if (from == to)
    return value;
  auto toFloat = dyn_cast<FloatType>(to);
  if (auto fromFloat = dyn_cast<FloatType>(from)) {
    if (fromFloat.getWidth() < 32)
      x = decode(x, fromFloat);
    if (hlo::isPred(to))
      return ne(x, 0);
    if (!toFloat)
      return floatToInt(x, to.getIntOrFloatBitWidth(), !to.isUnsignedInteger());
    if (toFloat.isBF16() && fromFloat.getWidth() <= 8)
      return encodeBrain(x, BrainSource::Exact);
    if (toFloat.getWidth() < 32)
      return encode(x, toFloat);
    return toFloat.isF64() ? toF64(x) : toF32(x);
  }
  bool isSigned = !hlo::isZeroExtended(from);
  if (toFloat)
    return intToFloat(x, isSigned, toFloat);
  if (hlo::isPred(to))
    return ne(x, 0);
  unsigned width = to.getIntOrFloatBitWidth();
  if (width <= x.width())
    return truncInt(x, width);
  return isSigned ? sext(x, width) : zext(x, width);
}

Value emitReducePrecision(ImplicitLocOpBuilder &b, Value value, Type element, unsigned exponentBits,
                          unsigned mantissaBits) {
  // Types of eight bits and fewer have no room for infinities, or none for zero: wider ones have.
  if (element.getIntOrFloatBitWidth() <= 8) {
    Type wide = isa<Float8E8M0FNUType>(element) ? Type(b.getF32Type()) : b.getF16Type();
    value = emitConvert(b, value, element, wide);
    return emitConvert(b, emitReducePrecision(b, value, wide, exponentBits, mantissaBits), wide,
                       element);
  }
  Expr x{&b, value};
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  unsigned width = llvm::APFloat::semanticsSizeInBits(semantics);
  unsigned mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
  unsigned exponent = width - mantissa - 1;
  Expr bits = x.isFloat() ? bitsOf(x) : x;
  int64_t exponentMask = ((int64_t(1) << exponent) - 1) << mantissa;
  int64_t signMask = int64_t(uint64_t(1) << (width - 1)), others = int64_t(~uint64_t(signMask));
  Expr result = bits;
  if (mantissaBits < mantissa) {
    unsigned dropped = mantissa - mantissaBits;
    int64_t unit = int64_t(1) << dropped;
    result = (bits + ((unit >> 1) - 1) + (lshr(bits, dropped) & 1)) & -unit;
  }
  if (exponentBits < exponent) {
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1;
    int64_t reducedBias = (int64_t(1) << (exponentBits - 1)) - 1;
    Expr field = lshr(result & exponentMask, mantissa);
    Expr sign = bits & signMask;
    result = select(lt(field.integer(bias + reducedBias), field), sign | exponentMask, result);
    result = select(le(field, bias - reducedBias), sign, result);
  }
  Expr isNan = lt(bits.integer(exponentMask), bits & others);
  result = select(isNan, bits, result);
  return x.isFloat() ? asFloat(result) : result;
}

/// The neighbours of a number in `type`, by their codes, and the one that the random bits choose:
/// that further from zero with the probability of what the other lacks.
static Expr chooseNeighbour(Expr x, Expr bits, FloatType type) {
  bool isNarrow = type.getWidth() < 32;
  Type f64 = x.b->getF64Type();
  auto decodeWide = [&](Expr code) { return toF64(isNarrow ? decode(code, type) : asFloat(code)); };
  Expr wide = toF64(x), size = abs(wide);
  Expr nearest = isNarrow ? encode(size, type) : bitsOf(type.isF64() ? size : toF32(size));
  Expr isAbove = select(le(decodeWide(nearest), size), nearest.integer(0), nearest.integer(1));
  Expr code = nearest - isAbove, next = code + nearest.integer(1);
  Expr below = decodeWide(code), fraction = (size - below) / (decodeWide(next) - below);
  unsigned width = bits.width();
  Expr drawn = fromUnsignedInt(width < 32 ? zext(bits, 32) : bits, f64);
  Expr chosen = select(lt(drawn, floor(fraction * std::ldexp(1.0, width))), next, code);
  Expr result = copysign(decodeWide(chosen), wide);
  return {x.b, emitConvert(*x.b, select(lt(size, infinity(size)), result, wide), f64, type)};
}

Value emitStochasticConvert(ImplicitLocOpBuilder &b, Value value, Value random, Type from,
                            Type to) {
  Expr x{&b, value}, bits{&b, random};
  if (from.getIntOrFloatBitWidth() < 32)
    x = decode(x, cast<FloatType>(from));
  if (auto toFloat = dyn_cast<FloatType>(to))
    return chooseNeighbour(x, bits, toFloat);
  unsigned width = bits.width();
  Expr whole = trunc(x);
  Expr fraction = abs(x - whole) * std::ldexp(1.0, width);
  // Infinities leave no fraction.
  Expr safe = select(lt(fraction, std::ldexp(1.0, width)), fraction, x.real(0));
  Expr fixed{&b, arith::FPToUIOp::create(b, x.intType(width < 32 ? 32 : width), safe.value)};
  Expr away = ult(zext(bits, width < 32 ? 32 : width), fixed);
  Expr rounded = whole + copysign(select(away, x.real(1), x.real(0)), x);
  return floatToInt(rounded, to.getIntOrFloatBitWidth(), !to.isUnsignedInteger());
}

} // namespace hloc
