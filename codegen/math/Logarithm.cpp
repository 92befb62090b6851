// SPDX-License-Identifier: Apache-2.0
// Logarithms and inverse hyperbolic functions: x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

// From fit.py: (log(1 + f) - f + f^2/2) / f^3.
constexpr double logCoefficients32[] = {0.333333313, -0.250008255, 0.200012743, -0.166232094,
                                        0.142001241, -0.131622359, 0.127706379, -0.0762638822};
// From fit.py: 2 atanh(s) / s - 2 over s^2.
constexpr double logCoefficients64[] = {
    0.66666666666667451, 0.39999999999336072, 0.2857142876137696, 0.22222196483989778,
    0.18183679611501824, 0.15310942371373717, 0.14828522164086838};

Expr smallIntToFloat(Expr k) {
  if (k.width() == 32)
    return fromSignedInt(k, k.b->getF32Type());
  // AVX2 has no conversion from 64-bit integers: let the mantissa of a large float hold it.
  return asFloat(k + int64_t(0x4338000000000000)) - 0x1.8p52;
}

Logarithm splitExponent(Expr x) {
  bool single = x.isF32();
  Expr bits = bitsOf(x);
  int mantissaBits = single ? 23 : 52;
  Expr exponent = ashr(bits - (single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd), mantissaBits);
  return {exponent, asFloat(bits - shl(exponent, mantissaBits))};
}

/// e ln 2 + log(1 + f), e a float; accurate near f = 0 if e is 0. The first part of ln 2 is short
/// enough for an exact product with e.
static Expr combine(Expr e, Expr f) {
  Expr square = f * f;
  if (f.isF32()) {
    Expr p = polynomial(f, logCoefficients32);
    Expr tail = multiplyAdd(square * f, p, e * 0x1.7f7d1cp-20);
    tail = multiplyAdd(square, f.real(-0.5), tail);
    return multiplyAdd(e, f.real(0x1.62e4p-1), f + tail);
  }
  Expr s = f / (f + 2);
  Expr z = s * s;
  Expr half = square * 0.5;
  Expr r = z * polynomial(z, logCoefficients64);
  Expr tail = half - multiplyAdd(s, half + r, e * 0x1.ef35793c7673p-45);
  return multiplyAdd(e, f.real(0x1.62e42fefa38p-1), f - tail);
}

/// What log gives outside the finite positive numbers, for an argument already shifted.
static Expr fixLog(Expr x, double zero, Expr result) {
  result = select(lt(x, infinity(x)), result, x);
  Expr outside = select(eq(x, zero), -infinity(x), nan(x));
  return select(gt(x, zero), result, outside);
}

Expr log(Expr x) {
  bool single = x.isF32();
  // Subnormal numbers are scaled to normal ones.
  Expr subnormal = lt(x, single ? 0x1p-126 : 0x1p-1022);
  Expr scaled = select(subnormal, x * (single ? 0x1p23 : 0x1p52), x);
  Logarithm split = splitExponent(scaled);
  Expr e = smallIntToFloat(split.exponent);
  e = select(subnormal, e - (single ? 23 : 52), e);
  return fixLog(x, 0, combine(e, split.mantissa - 1));
}

Expr log1p(Expr x) {
  bool single = x.isF32();
  // f comes from x itself, not from the rounded 1 + x: 2^-e (1 + x) - 1 = 2^-e x + (2^-e - 1).
  Logarithm split = splitExponent(x + 1);
  Expr scale = powerOfTwo(-split.exponent);
  Expr f =
      select(gt(x, single ? 0x1p30 : 0x1p60), split.mantissa - 1, multiplyAdd(x, scale, scale - 1));
  Expr result = copysign(combine(smallIntToFloat(split.exponent), f), x);
  return fixLog(x, -1, result);
}

Expr asinh(Expr x) {
  Expr a = abs(x);
  Expr square = a * a;
  Expr big = gt(a, x.isF32() ? 0x1p30 : 0x1p60);
  Expr t = a + square / (sqrt(square + 1) + 1);
  Expr result = log1p(select(big, a, t)) + select(big, x.real(0x1.62e42fefa39efp-1), x.real(0));
  return copysign(result, x);
}

Expr acosh(Expr x) {
  Expr t = x - 1;
  Expr big = gt(x, x.isF32() ? 0x1p30 : 0x1p60);
  Expr small = t + sqrt(multiplyAdd(t, t, t + t));
  Expr result = log1p(select(big, x, small)) + select(big, x.real(0x1.62e42fefa39efp-1), x.real(0));
  return select(lt(x, 1), nan(x), result);
}

Expr atanh(Expr x) {
  Expr a = abs(x);
  return copysign(log1p((a + a) / (1 - a)) * 0.5, x);
}

} // namespace hloc
