// SPDX-License-Identifier: Apache-2.0
// Magnitude, product, quotient, square root and sign of complex numbers, scaled so that no step
// overflows where the result does not; special values follow C's Annex G.
#include "codegen/math/ComplexNumber.h"

using namespace mlir;

namespace hloc {

ScaledPair scalePair(Expr x, Expr y) {
  bool single = x.isF32();
  int mantissaBits = single ? 23 : 52, bias = single ? 127 : 1023;
  Expr ax = abs(x), ay = abs(y);
  Expr greater = select(gt(ax, ay), ax, ay);
  // Subnormal numbers move by 2 * bias, which makes them normal at least.
  Expr small = lt(greater, single ? 0x1p-100 : 0x1p-900);
  Expr lift = select(small, x.real(single ? 0x1p60 : 0x1p200), x.real(1));
  Expr field = lshr(bitsOf(greater * lift), mantissaBits);
  // Zero has no exponent; an infinity takes the greatest.
  Expr least = field.integer(1), most = field.integer(2 * bias - 1);
  field = select(lt(field, least), least, select(lt(most, field), most, field));
  Expr factor = asFloat(shl(2 * bias - field, mantissaBits));
  Expr exponent = field - bias;
  exponent = exponent - select(small, exponent.integer(single ? 60 : 200), exponent.integer(0));
  return {x * lift * factor, y * lift * factor, exponent};
}

Expr scaleBack(Expr x, Expr k) {
  Expr half = ashr(k, 1);
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

Expr hypot(Expr x, Expr y) {
  ScaledPair scaled = scalePair(x, y);
  Expr root = sqrt(multiplyAdd(scaled.x, scaled.x, scaled.y * scaled.y));
  Expr result = scaleBack(root, scaled.exponent);
  return select(isInfinite(x) | isInfinite(y), infinity(x), result);
}

Complex multiply(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/// a b + c d, with what the second product loses by rounding.
static Expr sumOfProducts(Expr a, Expr b, Expr c, Expr d) {
  Expr product = c * d;
  Expr lost = select(isFinite(product), fma(c, d, -product), product.real(0));
  return fma(a, b, product) + lost;
}

Complex divide(Complex x, Complex y) {
  ScaledPair p = scalePair(x.re, x.im), q = scalePair(y.re, y.im);
  Expr norm = multiplyAdd(q.x, q.x, q.y * q.y);
  Expr k = p.exponent - q.exponent;
  // Beyond that everything is 0 or infinite.
  int limit = x.re.isF32() ? 250 : 2040;
  k = select(lt(k, -limit), k.integer(-limit), select(gt(k, limit), k.integer(limit), k));
  Expr re = scaleBack(sumOfProducts(p.x, q.x, p.y, q.y) / norm, k);
  Expr im = scaleBack(sumOfProducts(p.y, q.x, -p.x, q.y) / norm, k);
  auto results = ifAny(isNan(re) & isNan(im), {re, im}, [&] {
    Expr inf = infinity(re), zero = re.real(0);
    Expr invalid = isNan(re) & isNan(im);
    // By zero; infinite by finite; finite by infinite.
    Expr byZero = eq(y.re, 0) & eq(y.im, 0) & !(isNan(x.re) & isNan(x.im));
    Expr signedInf = copysign(inf, y.re);
    Expr zeroRe = signedInf * x.re, zeroIm = signedInf * x.im;
    auto unit = [](Expr v) { return copysign(select(isInfinite(v), v.real(1), v.real(0)), v); };
    Expr tooGreat = (isInfinite(x.re) | isInfinite(x.im)) & isFinite(y.re) & isFinite(y.im);
    Expr a = unit(x.re), b = unit(x.im);
    Expr greatRe = inf * (a * y.re + b * y.im), greatIm = inf * (b * y.re - a * y.im);
    Expr tooSmall = (isInfinite(y.re) | isInfinite(y.im)) & isFinite(x.re) & isFinite(x.im);
    Expr c = unit(y.re), d = unit(y.im);
    Expr smallRe = zero * (x.re * c + x.im * d), smallIm = zero * (x.im * c - x.re * d);
    auto choose = [&](Expr plain, Expr ofZero, Expr great, Expr small) {
      Expr special =
          select(byZero, ofZero, select(tooGreat, great, select(tooSmall, small, plain)));
      return select(invalid, special, plain);
    };
    return SmallVector<Expr>{choose(re, zeroRe, greatRe, smallRe),
                             choose(im, zeroIm, greatIm, smallIm)};
  });
  return {results[0], results[1]};
}

Complex sqrt(Complex z) {
  Expr x = z.re, y = z.im;
  ScaledPair s = scalePair(x, y);
  // An even exponent has a square root; an odd one moves to the numbers.
  Expr odd = ne(s.exponent & 1, 0);
  Expr factor = select(odd, x.real(2), x.real(1));
  Expr sx = s.x * factor, sy = s.y * factor;
  Expr halfExponent = ashr(s.exponent, 1);
  Expr magnitude = sqrt(multiplyAdd(sx, sx, sy * sy));
  Expr root = sqrt((magnitude + abs(sx)) * 0.5);
  Expr other = select(eq(root, 0), abs(sy), abs(sy) / (root + root));
  Expr great = root * powerOfTwo(halfExponent), small = other * powerOfTwo(halfExponent);
  Expr left = lt(x, 0);
  Expr re = select(left, small, great);
  Expr im = copysign(select(left, great, small), y);
  // Infinite imaginary parts win over everything, then infinite real ones.
  Expr inf = infinity(x), zero = x.real(0);
  Expr infiniteX = isInfinite(x);
  Expr yOrNan = select(isNan(y), y, zero);
  re = select(infiniteX, select(left, yOrNan, inf), re);
  im = select(infiniteX, copysign(select(left, inf, yOrNan), y), im);
  Expr infiniteY = isInfinite(y);
  return {select(infiniteY, inf, re), select(infiniteY, y, im)};
}

static Complex sign(Complex z) {
  ScaledPair s = scalePair(z.re, z.im);
  Expr magnitude = sqrt(multiplyAdd(s.x, s.x, s.y * s.y));
  Expr zero = eq(magnitude, 0);
  // inf/inf and finite/inf as the division has them.
  Expr infinite = isInfinite(z.re) | isInfinite(z.im);
  magnitude = select(infinite, infinity(magnitude), magnitude);
  return {select(zero, z.re, s.x / magnitude), select(zero, z.im, s.y / magnitude)};
}

Value emitComplexAbs(ImplicitLocOpBuilder &b, ComplexValue z) {
  return hypot({&b, z.re}, {&b, z.im});
}
ComplexValue emitComplexMultiply(ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y) {
  return multiply(complexOf(b, x), complexOf(b, y));
}
ComplexValue emitComplexDivide(ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y) {
  return divide(complexOf(b, x), complexOf(b, y));
}
ComplexValue emitComplexSqrt(ImplicitLocOpBuilder &b, ComplexValue z) {
  return sqrt(complexOf(b, z));
}
ComplexValue emitComplexRsqrt(ImplicitLocOpBuilder &b, ComplexValue z) {
  Expr one = Expr{&b, z.re}.real(1), zero = one.real(0);
  return divide({one, zero}, sqrt(complexOf(b, z)));
}
ComplexValue emitComplexSign(ImplicitLocOpBuilder &b, ComplexValue z) {
  return sign(complexOf(b, z));
}

} // namespace hloc
