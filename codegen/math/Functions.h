// SPDX-License-Identifier: Apache-2.0
// The functions of Math.h on expressions, and what they share. Internal to codegen/math.
// Functions.def maps operations to them.
#ifndef HLOC_CODEGEN_MATH_FUNCTIONS_H
#define HLOC_CODEGEN_MATH_FUNCTIONS_H

#include "codegen/math/Expr.h"

namespace hloc {

Expr acos(Expr x);
Expr acosh(Expr x);
Expr asin(Expr x);
Expr asinh(Expr x);
Expr atanh(Expr x);
Expr erf(Expr x);
Expr exp(Expr x);
/// e^(x + rest), where a small `rest` extends the precision of `x`.
Expr expOfSum(Expr x, Expr rest);
Expr power(Expr x, Expr y);
Expr expm1(Expr x);
/// 1 - e^-x for 0 <= x <= 40.
Expr oneMinusExp(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr logistic(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);
Expr atan2(Expr y, Expr x);
Expr cbrt(Expr x);
Expr hypot(Expr x, Expr y);
/// sin and cos of one argument, which share most of their code.
struct SinCos {
  Expr sin, cos;
};
SinCos sinCos(Expr x);
Expr tan(Expr x);

/// exp multiplies its polynomial by two factors, which are 2^n together: the sum of their exponent
/// fields is n + expBias. In f32, the polynomial has a scale that the factors divide by. So one of
/// them is zero, and the product exact, where the result is less than half of the smallest
/// subnormal number. Products of other factors that are too small for their type are slow on many
/// processors.
inline constexpr int expBias32 = 152, expBias64 = 2 * 1023;
inline constexpr double expScale32 = 0x1p102; // 2 * 127 - expBias32

/// 2^k as a float of k's width; the exponent must be that of a normal number.
Expr powerOfTwo(Expr k);

/// log(x) for finite x > 0 as the exponent e and m in [sqrt(1/2), sqrt(2)) with x = m 2^e.
struct Logarithm {
  Expr exponent; // integer
  Expr mantissa;
};
Logarithm splitExponent(Expr x);
/// A small integer (|k| < 2^22) as a float of its width.
Expr smallIntToFloat(Expr k);

inline Expr infinity(Expr like) {
  return like.fromBits(like.isF32() ? 0x7f800000u : 0x7ff0000000000000u);
}
inline Expr nan(Expr like) {
  return like.fromBits(like.isF32() ? 0x7fc00000u : 0x7ff8000000000000u);
}
/// The sign bit alone.
inline Expr signBit(Expr x) {
  Expr bits = bitsOf(x);
  return bits & bits.integer(int64_t(1) << 63 >> (64 - x.width()));
}

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_FUNCTIONS_H
