// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan and atan2: odd polynomials on an interval around 0, to which symmetries reduce.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

namespace {

// From fit.py: (asin t - t) / t^3 for |t| <= 1/2 in t^2.
constexpr double asinCoefficients32[] = {0.166667536, 0.0749525204, 0.0454761423, 0.0241511073,
                                         0.0422142185};
constexpr double asinCoefficients64[] = {
    0.16666666666665381,  0.075000000003434278, 0.044642856823214991,  0.030381959341066894,
    0.02237175330990479,  0.017359774047144533, 0.013884571834104785,  0.012173440149216589,
    0.006510212360090346, 0.019575524882755626, -0.016296420485627187, 0.031960453601017139};
// (atan t - t) / t^3 in t^2, for |t| <= 1 (f32) and |t| <= tan(pi/8) (f64).
constexpr double atanCoefficients32[] = {-0.333333015, 0.199986264,   -0.142650947,
                                         0.10956692,   -0.0841661617, 0.0581816733,
                                         -0.031398993, 0.0110319061,  -0.00181948417};
constexpr double atanCoefficients64[] = {
    -0.33333333333333326,  0.19999999999997095,  -0.14285714285316423,  0.111111110837483,
    -0.090909079859750649, 0.076922792035234208, -0.066661747112926842, 0.058765166095877737,
    -0.052151810313370225, 0.04490557886375595,  -0.033174649501683591, 0.014893312962519101};

/// pi/2 as the nearest number and the rest, times `factor`.
struct HalfPi {
  Expr hi, lo;
};

} // namespace

static HalfPi halfPi(Expr like, double factor = 1) {
  bool single = like.isF32();
  return {like.real(factor * (single ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0)),
          like.real(factor * (single ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54))};
}

Expr atan2(Expr y, Expr x) {
  bool single = x.isF32();
  Expr ax = abs(x), ay = abs(y);
  Expr steep = gt(ay, ax);
  Expr low = select(steep, ax, ay), high = select(steep, ay, ax);
  // 0/0 is to be 0, inf/inf 1.
  Expr bothInfinite = eq(low, infinity(x));
  high = atLeast(high, x.fromBits(1));
  Expr angle = x, rest = x;
  if (single) {
    Expr t = select(bothInfinite, x.real(1), low / high);
    Expr z = t * t;
    angle = fma(t * z, polynomial(z, atanCoefficients32), t); // within the bound: rounded once
    rest = x.real(0);
  } else {
    // atan t = pi/4 + atan((t - 1) / (t + 1)) brings t below tan(pi/8). The sum must not overflow.
    Expr scale = select(gt(high, 0x1p1000), x.real(0x1p-8), x.real(1));
    low = select(bothInfinite, x.real(1), low * scale);
    high = select(bothInfinite, x.real(1), high * scale);
    Expr middle = gt(low, high * 0.41421356237309503);
    Expr t = select(middle, low - high, low) / select(middle, low + high, high);
    Expr z = t * t;
    HalfPi quarter = halfPi(x, 0.5);
    Expr tail = multiplyAdd(t * z, polynomial(z, atanCoefficients64),
                            select(middle, quarter.lo, x.real(0)));
    Expr base = select(middle, quarter.hi, x.real(0));
    Pair sum = fastTwoSum(base, t);
    angle = sum.hi + (sum.lo + tail);
    rest = x.real(0);
  }
  // angle, pi/2 - angle, pi - angle or pi/2 + angle, by octant.
  Expr left = lt(bitsOf(x), 0);
  HalfPi half = halfPi(x), whole = halfPi(x, 2);
  Expr zero = x.real(0);
  Expr base = select(steep, half.hi, select(left, whole.hi, zero));
  Expr baseRest = select(steep, half.lo, select(left, whole.lo, zero));
  Expr negated = select(steep ^ left, -angle, angle);
  Expr result = base + (negated + baseRest);
  result = copysign(result, y);
  return select(isNan(x) | isNan(y), x + y, result);
}

namespace {
/// asin of a small argument: root + correction. If |x| > 1/2 the argument is sqrt((1 - |x|) / 2),
/// and asin |x| = pi/2 - 2 (root + correction).
struct Arc {
  Expr big, root, correction;
};
} // namespace

static Arc reduceArc(Expr x) {
  Expr a = abs(x);
  Expr big = gt(a, 0.5);
  Expr z = select(big, (1 - a) * 0.5, a * a);
  Expr s = sqrt(z);
  Expr root = select(big, s, a);
  Expr p = z.isF32() ? polynomial(z, asinCoefficients32) : polynomial(z, asinCoefficients64);
  // What the square root lost by rounding.
  Expr lost = fma(-s, s, z) / atLeast(s + s, x.real(0x1p-100));
  return {big, root, multiplyAdd(root * z, p, select(big, lost, x.real(0)))};
}

Expr asin(Expr x) {
  Arc arc = reduceArc(x);
  HalfPi half = halfPi(x);
  Pair lead = fastTwoSum(half.hi, -2 * arc.root);
  Expr big = lead.hi + (lead.lo + multiplyAdd(arc.correction, x.real(-2), half.lo));
  return copysign(select(arc.big, big, arc.root + arc.correction), x);
}

Expr acos(Expr x) {
  Arc arc = reduceArc(x);
  HalfPi half = halfPi(x), whole = halfPi(x, 2);
  Expr negative = lt(x, 0);
  // Near 1: 2 arc; near -1: pi - 2 arc; between: pi/2 - arc, the arc with x's sign.
  Expr scale = select(arc.big, x.real(2), x.real(1));
  Expr subtracted = select(arc.big, negative, !negative);
  Expr root = arc.root * scale, correction = arc.correction * scale;
  root = select(subtracted, -root, root);
  correction = select(subtracted, -correction, correction);
  Expr zero = x.real(0);
  Expr base = select(arc.big, select(negative, whole.hi, zero), half.hi);
  Expr baseRest = select(arc.big, select(negative, whole.lo, zero), half.lo);
  Pair lead = fastTwoSum(base, root);
  return lead.hi + (lead.lo + (correction + baseRest));
}

Value emitAtan2(ImplicitLocOpBuilder &b, Value y, Value x) {
  return atan2(Expr{&b, y}, Expr{&b, x});
}
Value emitAtan(ImplicitLocOpBuilder &b, Value x) {
  Expr y{&b, x};
  return atan2(y, y.real(1));
}

} // namespace hloc
