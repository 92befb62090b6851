// SPDX-License-Identifier: Apache-2.0
// Integer operations with HLO's results where C's are undefined.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hloc {

namespace {
enum class Sign { Signed, Unsigned };
} // namespace

/// True if LLVM divides by the vector `y` without division instructions: it is a constant. Not
/// vectors of less than 16 bytes: with AVX2, LLVM 22 makes zeros of their quotients where these are
/// reversed, widened and masked.
static bool isDividedByLlvm(Value y) {
  auto type = cast<VectorType>(y.getType());
  bool isShort = type.getElementType().isInteger(8) && type.getNumElements() < 16;
  return !isShort && matchPattern(getSplatSource(y), m_Constant());
}

/// Quotient of integers of up to 32 bits in vectors, which have no division instruction: that of
/// floats with enough digits, cut off, is exact. `y` is not 0; MIN / -1 wraps.
static Expr divideAsFloats(Expr x, Expr y, Sign sign) {
  ImplicitLocOpBuilder &b = *x.b;
  unsigned width = x.width();
  if (width <= 16) {
    // Both fit in 17 bits, the quotient too.
    Expr wideX = sign == Sign::Signed ? sext(x, 32) : zext(x, 32);
    Expr wideY = sign == Sign::Signed ? sext(y, 32) : zext(y, 32);
    Expr quotient = fromSignedInt(wideX, b.getF32Type()) / fromSignedInt(wideY, b.getF32Type());
    return truncInt(toSignedInt(quotient, 32), width);
  }
  auto convert = [&](Expr v) {
    if (sign == Sign::Signed)
      return fromSignedInt(v, b.getF64Type());
    return asFloat(zext(v, 64) | int64_t(0x4330000000000000)) - 0x1p52;
  };
  Expr quotient = trunc(convert(x) / convert(y)) + 0x1.8p52;
  return truncInt(bitsOf(quotient), width);
}

static Expr divide(Expr x, Expr y, Sign sign) {
  ImplicitLocOpBuilder &b = *x.b;
  bool inVector = isa<VectorType>(x.value.getType());
  unsigned width = x.width();
  Expr zero = eq(y, 0);
  Expr replaced =
      sign == Sign::Signed ? zero | (eq(y, -1) & eq(x, int64_t(1) << (width - 1))) : zero;
  // MIN / 1 is what MIN / -1 is to give.
  Expr divisor = select(replaced, y.integer(1), y);
  if (width == 1)
    return select(zero, y.integer(-1), x);
  Expr quotient = [&]() -> Expr {
    if (inVector && width <= 32 && (width == 8 || width >= 16) && !isDividedByLlvm(y.value))
      return divideAsFloats(x, divisor, sign);
    if (sign == Sign::Signed)
      return {&b, arith::DivSIOp::create(b, x.value, divisor.value)};
    return {&b, arith::DivUIOp::create(b, x.value, divisor.value)};
  }();
  return select(zero, y.integer(-1), quotient);
}

static Expr remainder(Expr x, Expr y, Sign sign) {
  ImplicitLocOpBuilder &b = *x.b;
  if (x.width() == 1) // by 0 or by 1 of whichever sign
    return select(eq(y, 0), x, x.integer(0));
  // By 0 the product vanishes, which leaves x.
  if (isa<VectorType>(x.value.getType()) && !isDividedByLlvm(y.value))
    return x - divide(x, y, sign) * y;
  Expr zero = eq(y, 0);
  Expr replaced = sign == Sign::Signed ? zero | eq(y, -1) : zero;
  Expr divisor = select(replaced, y.integer(1), y);
  Expr result = sign == Sign::Signed ? Expr{&b, arith::RemSIOp::create(b, x.value, divisor.value)}
                                     : Expr{&b, arith::RemUIOp::create(b, x.value, divisor.value)};
  return select(zero, x, result);
}

/// Shifts by less than the width as they are, else gives `past`.
template <typename Op> static Expr shift(Expr x, Expr amount) {
  Expr shifted{x.b, Op::create(*x.b, x.value, amount.value)};
  return select(ult(amount, int64_t(x.width())), shifted, x.integer(0));
}

/// The power with a constant exponent, or nothing for a negative one.
static std::optional<Expr> constantPower(Expr x, Expr y, bool isSigned) {
  APInt exponent;
  if (!matchPattern(getSplatSource(y.value), m_ConstantInt(&exponent)))
    return std::nullopt;
  if (isSigned && exponent.isNegative())
    return std::nullopt;
  std::optional<Expr> result;
  for (unsigned bits = exponent.getActiveBits(), i = 0; i < bits; ++i) {
    if (exponent[i])
      result = result ? *result * x : x;
    if (i + 1 < bits)
      x = x * x;
  }
  return result ? *result : x.integer(1);
}

static Expr power(Expr x, Expr y, bool isSigned) {
  if (std::optional<Expr> result = constantPower(x, y, isSigned))
    return *result;
  ImplicitLocOpBuilder &b = *x.b;
  Type type = x.value.getType();
  // Squaring, one bit of the exponent each time, until no lane has bits left.
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type}, ValueRange{x.integer(1).value, x.value, y.value},
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        ImplicitLocOpBuilder nested(loc, inner);
        Value more = anyOf(ne(Expr{&nested, state[2]}, 0));
        scf::ConditionOp::create(nested, more, state);
      },
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        ImplicitLocOpBuilder nested(loc, inner);
        Expr result{&nested, state[0]}, base{&nested, state[1]}, exponent{&nested, state[2]};
        Expr factor = select(ne(exponent & 1, 0), base, base.integer(1));
        Expr rest = exponent.width() == 1 ? exponent.integer(0) : lshr(exponent, 1);
        scf::YieldOp::create(nested,
                             ValueRange{(result * factor).value, (base * base).value, rest.value});
      });
  Expr result{&b, loop.getResult(0)};
  if (!isSigned)
    return result;
  Expr negative = select(eq(x, 1), x.integer(1), x.integer(0));
  return select(lt(y, 0), negative, result);
}

/// The high 64 bits of a 128-bit product by 32-bit halves.
static Expr unsignedMulhi64(Expr x, Expr y) {
  auto low = [](Expr v) { return v & int64_t(0xffffffff); };
  Expr x0 = low(x), x1 = lshr(x, 32), y0 = low(y), y1 = lshr(y, 32);
  Expr cross = x1 * y0 + lshr(x0 * y0, 32);
  Expr middle = x0 * y1 + low(cross);
  return x1 * y1 + lshr(cross, 32) + lshr(middle, 32);
}

static Expr mulhi(Expr x, Expr y, Sign sign) {
  unsigned width = x.width();
  if (width < 64) {
    bool isSigned = sign == Sign::Signed;
    Expr product = isSigned ? sext(x, 2 * width) * sext(y, 2 * width)
                            : zext(x, 2 * width) * zext(y, 2 * width);
    return truncInt(lshr(product, width), width);
  }
  Expr high = unsignedMulhi64(x, y);
  if (sign == Sign::Unsigned)
    return high;
  return high - (ashr(x, 63) & y) - (ashr(y, 63) & x);
}

Value emitSignedDivide(ImplicitLocOpBuilder &b, Value x, Value y) {
  return divide({&b, x}, {&b, y}, Sign::Signed);
}
Value emitUnsignedDivide(ImplicitLocOpBuilder &b, Value x, Value y) {
  return divide({&b, x}, {&b, y}, Sign::Unsigned);
}
Value emitSignedRemainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  return remainder({&b, x}, {&b, y}, Sign::Signed);
}
Value emitUnsignedRemainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  return remainder({&b, x}, {&b, y}, Sign::Unsigned);
}
Value emitShiftLeft(ImplicitLocOpBuilder &b, Value x, Value amount) {
  return shift<arith::ShLIOp>({&b, x}, {&b, amount});
}
Value emitShiftRightLogical(ImplicitLocOpBuilder &b, Value x, Value amount) {
  return shift<arith::ShRUIOp>({&b, x}, {&b, amount});
}
Value emitShiftRightArithmetic(ImplicitLocOpBuilder &b, Value x, Value amount) {
  Expr n{&b, amount};
  Expr last = n.integer(n.width() - 1);
  return ashr(Expr{&b, x}, select(ult(n, last), n, last));
}
Value emitIntegerPower(ImplicitLocOpBuilder &b, Value x, Value y, bool isSigned) {
  return power({&b, x}, {&b, y}, isSigned);
}
Value emitSignedMulhi(ImplicitLocOpBuilder &b, Value x, Value y) {
  return mulhi({&b, x}, {&b, y}, Sign::Signed);
}
Value emitUnsignedMulhi(ImplicitLocOpBuilder &b, Value x, Value y) {
  return mulhi({&b, x}, {&b, y}, Sign::Unsigned);
}
Value emitPopcnt(ImplicitLocOpBuilder &b, Value x) { return math::CtPopOp::create(b, x); }
Value emitCountLeadingZeros(ImplicitLocOpBuilder &b, Value x) {
  return math::CountLeadingZerosOp::create(b, x);
}
Value emitIntegerAbs(ImplicitLocOpBuilder &b, Value value) {
  Expr x{&b, value};
  return select(lt(x, 0), -x, x);
}
Value emitIntegerSign(ImplicitLocOpBuilder &b, Value value) {
  Expr x{&b, value};
  return select(lt(x, 0), x.integer(-1), select(eq(x, 0), x.integer(0), x.integer(1)));
}

} // namespace hloc
