// SPDX-License-Identifier: Apache-2.0
// Inverse trigonometric and hyperbolic functions of complex numbers: accurate in each part, cuts as
// in C's Annex G. asin and acos after Hull, Fairgrieve and Tang, "Implementing the complex arcsine
// and arccosine functions using exception handling" (ACM TOMS 23, 1997), atanh after Kahan, "Branch
// cuts for complex elementary functions" (1987).
#include "codegen/math/ComplexNumber.h"

using namespace mlir;

namespace hloc {

/// Beyond this size 1 is nothing beside a number, nor beside its square, which does not overflow.
static Expr isFar(Expr x) { return gt(x, x.isF32() ? 0x1p30 : 0x1p60); }

namespace {
/// The ellipse through x + i y, x, y >= 0, with foci 1 and -1, whose greater half axis is a.
struct Ellipse {
  Expr height; // sqrt(a^2 - x^2)
  Expr grade;  // acosh a
};
} // namespace

static Ellipse ellipseThrough(Expr x, Expr y) {
  Expr far = isFar(x) | isFar(y);
  // Distances from the foci, r and s; far out half the distance from 0, which does not overflow.
  Expr xFromLeft = select(far, x * 0.5, x + 1), xFromRight = abs(1 - x);
  Expr r = hypot(xFromLeft, select(far, y * 0.5, y)), s = hypot(xFromRight, y);
  Expr a = (r + s) * 0.5;
  // Nothing cancels: r - (x + 1) and s - |x - 1| are y^2 over the sums of the same, and (a - 1) and
  // (a - x) are half the sum of the first with either that or s + |x - 1|. Of y^2 one y is taken
  // out of the square roots, which could vanish.
  Expr beyondLeft = r + xFromLeft, beyondRight = s + xFromRight;
  Expr inside = lt(x, 1), outside = gt(x, 1), one = x.real(1);
  Expr perSquare = 1 / beyondLeft + 1 / beyondRight;
  Expr sum = y * (y / beyondLeft) + beyondRight;
  Expr rootA1 = select(inside, y, one) * sqrt(select(inside, perSquare, sum) * ((a + 1) * 0.5));
  Expr height = select(outside, y, one) * sqrt(select(outside, perSquare, sum) * ((a + x) * 0.5));
  Expr aMinus1 = select(inside, y * (y * perSquare), sum) * 0.5;
  // Far out the height is y, and acosh a is log 2a = log r + 2 log 2.
  Expr grade = log1p(select(far, r, aMinus1 + rootA1)) +
               select(far, x.real(0x1.62e42fefa39efp+0), x.real(0));
  // On the imaginary axis the angle is known even if y is not.
  height = select(eq(x, 0) & isNan(y), one, select(far, y, height));
  return {height, grade};
}

static Complex acos(Complex z) {
  Ellipse e = ellipseThrough(abs(z.re), abs(z.im));
  return {atan2(e.height, z.re), copysign(e.grade, -z.im)};
}

static Complex asin(Complex z) {
  Ellipse e = ellipseThrough(abs(z.re), abs(z.im));
  return {atan2(z.re, e.height), copysign(e.grade, z.im)};
}

static Complex acosh(Complex z) {
  Ellipse e = ellipseThrough(abs(z.re), abs(z.im));
  return {e.grade, copysign(atan2(e.height, z.re), z.im)};
}

static Complex asinh(Complex z) {
  Complex turned = asin(timesI(z));
  return {turned.im, -turned.re};
}

static Complex atanh(Complex z) {
  bool single = z.re.isF32();
  Expr x = abs(z.re), y = abs(z.im), zero = x.real(0);
  Expr far = isFar(x) | isFar(y);
  // The real part is a quarter of log |1 + z|^2 / |1 - z|^2 = log (1 + 4x / |1 - z|^2). So near to
  // 1 that the square could vanish it is half of log 2/y, a power of two taken from the argument.
  Expr near = eq(x, 1) & lt(y, single ? 0x1p-55 : 0x1p-130);
  Expr distance = 1 - x;
  Expr ratio = select(near, x.real(single ? 0x1p-22 : 0x1p-60) / y,
                      4 * x / multiplyAdd(distance, distance, y * y));
  Expr logarithm = log1p(ratio);
  Expr power = x.real(single ? 0x1.fe2804e87b348p+3 : 0x1.52417db067f38p+5); // log 2^23, log 2^61
  Expr re = select(near, (logarithm + power) * 0.5, logarithm * 0.25);
  // arg (1 - z^2 + 2iy); a difference that cancels is little beside 2y.
  Expr im = atan2(y + y, multiplyAdd(-y, y, distance * (1 + x))) * 0.5;
  // Far out the function is i pi/2 + 1/z.
  Expr half = hypot(x * 0.5, y * 0.5);
  re = select(far, x / half * 0.25 / half, re);
  im = select(far, x.real(0x1.921fb54442d18p+0), im);
  Expr infinite = isInfinite(x) | isInfinite(y);
  re = select(infinite | eq(x, 0), zero, re);
  im = select(isNan(y) | (isNan(x) & !infinite), nan(im), im);
  return {copysign(re, z.re), copysign(im, z.im)};
}

ComplexValue emitComplexAcos(ImplicitLocOpBuilder &b, ComplexValue z) {
  return acos(complexOf(b, z));
}
ComplexValue emitComplexAcosh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return acosh(complexOf(b, z));
}
ComplexValue emitComplexAsin(ImplicitLocOpBuilder &b, ComplexValue z) {
  return asin(complexOf(b, z));
}
ComplexValue emitComplexAsinh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return asinh(complexOf(b, z));
}
ComplexValue emitComplexAtanh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return atanh(complexOf(b, z));
}

} // namespace hloc
