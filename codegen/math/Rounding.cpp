// SPDX-License-Identifier: Apache-2.0
// Exact functions: rounding, signs, remainders.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace hloc {

/// a - b trunc(a / b) in f64 for a quotient below 2^53, a >= 0, b > 0. The rounded quotient may be
/// one too large, never too small; the difference is exact.
static Expr lastRemainder(Expr a, Expr b) {
  Expr r = fma(-trunc(a / b), b, a);
  return select(lt(r, 0), r + b, r);
}

/// Subtracts multiples of b 2^k until a / b < 2^50 in every lane.
static Expr reduceRatio(Expr a, Expr b) {
  ImplicitLocOpBuilder &builder = *a.b;
  auto isLarge = [](Expr a, Expr b) {
    // Neither infinite nor NaN nor divided by 0: those never end.
    return ge(a, b * 0x1p50) & lt(a, infinity(a)) & gt(b, 0);
  };
  auto loop = scf::WhileOp::create(
      builder, TypeRange{a.value.getType()}, ValueRange{a.value},
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        ImplicitLocOpBuilder nested(loc, inner);
        Value more = anyOf(isLarge({&nested, state[0]}, {&nested, b.value}));
        scf::ConditionOp::create(nested, more, state);
      },
      [&](OpBuilder &inner, Location loc, ValueRange state) {
        ImplicitLocOpBuilder nested(loc, inner);
        Expr a{&nested, state[0]}, divisor{&nested, b.value};
        // 2^k with a / (b 2^k) in [2^50, 2^52], by exponents; a subnormal divisor is scaled for
        // its own. The product is exact; 2^k, which may be no number, is applied in halves.
        Expr subnormal = lt(divisor, 0x1p-1022);
        Expr field = lshr(bitsOf(select(subnormal, divisor * 0x1p52, divisor)), 52);
        field = select(subnormal, field - 52, field);
        Expr k = lshr(bitsOf(a), 52) - field - 51;
        k = select(lt(k, 0), k.integer(0), k);
        Expr half = lshr(k, 1);
        Expr step = divisor * powerOfTwo(half) * powerOfTwo(k - half);
        Expr reduced = lastRemainder(a, step);
        Expr next = select(isLarge(a, divisor), reduced, a);
        scf::YieldOp::create(nested, next.value);
      });
  return {&builder, loop.getResult(0)};
}

static Expr remainder(Expr x, Expr y) {
  // f64 holds the quotients of nearly all f32 exactly.
  Expr a = toF64(abs(x)), b = toF64(abs(y));
  a = reduceRatio(a, b);
  Expr r = select(lt(a, b), a, lastRemainder(a, b));
  if (x.isF32())
    r = toF32(r);
  Expr invalid = isNan(x) | isNan(y) | eq(y, 0) | eq(abs(x), infinity(x));
  return select(invalid, nan(x), copysign(r, x));
}

/// The remainder of a division by 2^k >= 1, such as a period of 1: quotient, product and difference
/// are exact. (The quotient may be subnormal and rounded, but is 0 then when truncated.) That of an
/// infinity is NaN.
static Expr remainderOfPowerOfTwo(Expr x, double power) {
  Expr multiple = trunc(x * (1 / power)) * power;
  return copysign(x - multiple, x);
}

Value emitRemainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  APFloat divisor(0.0);
  if (matchPattern(getSplatSource(y), m_ConstantFloat(&divisor)) && divisor.getExactLog2Abs() >= 0)
    return remainderOfPowerOfTwo({&b, x}, std::abs(divisor.convertToDouble()));
  return remainder({&b, x}, {&b, y});
}

Value emitRoundNearestAfz(ImplicitLocOpBuilder &b, Value value) {
  // The number before 1/2, so that the sum with the one before 1/2 stays below 1.
  Expr x{&b, value};
  Expr half = x.fromBits(x.isF32() ? 0x3effffff : 0x3fdfffffffffffff);
  return trunc(x + copysign(half, x));
}

Value emitSign(ImplicitLocOpBuilder &b, Value value) {
  Expr x{&b, value};
  return select(eq(x, 0) | isNan(x), x, copysign(x.real(1), x));
}

Value emitIsFinite(ImplicitLocOpBuilder &b, Value value) {
  Expr x{&b, value};
  return lt(abs(x), infinity(x));
}

} // namespace hloc
