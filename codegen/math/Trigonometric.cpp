// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan: x = q pi/2 + r, |r| <= pi/4, and polynomials in r. The reduction subtracts pi/2 in
// three parts (Cody and Waite); arguments too large for that go through ArgumentReduction.cpp.
#include "codegen/math/ArgumentReduction.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

namespace {

// From fit.py: (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in r^2.
constexpr double sinCoefficients32[] = {-0.166666672, 0.00833337754, -0.00019852008, 2.81911389e-6};
constexpr double sinCoefficients64[] = {
    -0.16666666666666666,   0.0083333333333330505, -0.00019841269840981232, 2.7557319087754983e-6,
    -2.5052075422756449e-8, 1.605498538506381e-10, -7.4271710383122951e-13};
constexpr double cosCoefficients32[] = {-0.5, 0.0416666418, -0.00138871197, 2.44100611e-5};
constexpr double cosCoefficients64[] = {
    0.041666666666666664,  -0.0013888888888888399,  2.4801587301199821e-5, -2.7557319072661186e-7,
    2.0876725493730658e-9, -1.1467337836961777e-11, 4.6174097619004998e-14};

/// sin and cos of the reduced |x|, and the quadrant it was in.
struct Quadrant {
  Expr sin, cos;
  Expr quadrant; // integer modulo 4
};

} // namespace

static QuarterPeriods reduce(Expr x) {
  bool single = x.isF32();
  Expr magic = x.real(single ? 0x1.8p23 : 0x1.8p52);
  Expr shifted = multiplyAdd(x, x.real(0x1.45f306dc9c883p-1), magic);
  Expr n = shifted - magic;
  Expr pi1 = x.real(single ? -0x1.921fb6p+0 : -0x1.921fb54442d18p+0);
  Expr pi2 = x.real(single ? 0x1.777a5cp-25 : -0x1.1a62633145c07p-54);
  Expr pi3 = x.real(single ? 0x1.ee59dap-50 : 0x1.f1976b7ed8fbcp-110);
  Expr first = fma(n, pi1, x); // exact
  Expr second = n * pi2;
  Pair r = fastTwoSum(first, second);
  Expr lo = r.lo + multiplyAdd(n, pi3, fma(n, pi2, -second));
  return {r.hi, lo, bitsOf(shifted)};
}

static Quadrant evaluate(Expr magnitude) {
  bool single = magnitude.isF32();
  QuarterPeriods fast = reduce(magnitude);
  Expr large = gt(magnitude, single ? 1e5 : 0x1p30) & lt(magnitude, infinity(magnitude));
  auto merged = ifAny(large, {fast.hi, fast.lo, fast.quadrant}, [&] {
    QuarterPeriods slow = reduceLarge(magnitude);
    return SmallVector<Expr>{select(large, slow.hi, fast.hi), select(large, slow.lo, fast.lo),
                             select(large, slow.quadrant, fast.quadrant)};
  });
  Expr hi = merged[0], lo = merged[1];
  Expr z = hi * hi;
  Expr p = single ? horner(z, sinCoefficients32) : polynomial(z, sinCoefficients64);
  if (single) // the last steps round once, to stay within the bound
    return {hi + fma(hi * z, p, lo), fma(z, horner(z, cosCoefficients32), z.real(1)), merged[2]};
  Expr half = z * 0.5;
  Expr leading = 1 - half; // times lo, what lo adds to the sine
  Expr sin = hi + multiplyAdd(hi * z, p, lo * leading);
  Expr rest = multiplyAdd(z * z, polynomial(z, cosCoefficients64), -(hi * lo));
  return {sin, leading + (((1 - leading) - half) + rest), merged[2]};
}

/// Flips the sign of `x` where bit 1 of `quadrant` is set.
static Expr flipSign(Expr x, Expr quadrant) {
  return asFloat(bitsOf(x) ^ shl(quadrant & 2, int64_t(x.width()) - 2));
}

SinCos sinCos(Expr x) {
  Quadrant q = evaluate(abs(x));
  Expr swapped = ne(q.quadrant & 1, 0);
  Expr sin = flipSign(select(swapped, q.cos, q.sin), q.quadrant);
  Expr cos = flipSign(select(swapped, q.sin, q.cos), q.quadrant + 1);
  return {asFloat(bitsOf(sin) ^ signBit(x)), cos};
}

Expr tan(Expr x) {
  Quadrant q = evaluate(abs(x));
  Expr swapped = ne(q.quadrant & 1, 0);
  Expr ratio = select(swapped, -q.cos, q.sin) / select(swapped, q.sin, q.cos);
  return asFloat(bitsOf(ratio) ^ signBit(x));
}

} // namespace hloc
