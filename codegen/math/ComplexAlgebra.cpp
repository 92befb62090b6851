// SPDX-License-Identifier: Apache-2.0
// Magnitude, product, quotient, square root and sign of complex numbers. Numbers of ordinary size
// go by the plain formulas. The others are scaled, so that no step overflows where the result does
// not; special values follow C's Annex G. Scaling is by powers of two and exact, so both ways give
// ordinary numbers the same bits.
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

/// Whether one of the numbers is infinite or NaN, too great for the plain formulas, or too small
/// for them and not zero. Of all others the squares, the products of two, and what is lost when
/// these are rounded, are far from overflow and from subnormal numbers.
static Expr isExtreme(ArrayRef<Expr> numbers) {
  double range = numbers.front().isF32() ? 0x1p40 : 0x1p300;
  Expr most = numbers.front().real(range), least = numbers.front().real(1 / range);
  Expr sum = abs(numbers.front()), smallest = least;
  for (auto [i, x] : llvm::enumerate(numbers)) {
    Expr magnitude = abs(x);
    if (i)
      sum = sum + magnitude;
    // One unit less makes zero a NaN, which is not less than anything.
    Expr less = asFloat(bitsOf(magnitude) - 1);
    smallest = select(lt(less, smallest), less, smallest);
  }
  return !lt(sum, most) | lt(smallest, least);
}

/// The plain results, and in lanes that are extreme those that `scaled` computes.
static SmallVector<Expr> orScaled(Expr extreme, ArrayRef<Expr> plain,
                                  function_ref<SmallVector<Expr>()> scaled) {
  return ifAny(extreme, plain, [&] {
    SmallVector<Expr> results = scaled();
    for (auto [result, ordinary] : llvm::zip_equal(results, plain))
      result = select(extreme, result, ordinary);
    return results;
  });
}

static Expr hypotScaled(Expr x, Expr y) {
  ScaledPair scaled = scalePair(x, y);
  Expr root = sqrt(multiplyAdd(scaled.x, scaled.x, scaled.y * scaled.y));
  Expr result = scaleBack(root, scaled.exponent);
  return select(isInfinite(x) | isInfinite(y), infinity(x), result);
}

Expr hypot(Expr x, Expr y) {
  Expr plain = sqrt(multiplyAdd(x, x, y * y));
  return orScaled(isExtreme({x, y}), plain,
                  [&] { return SmallVector<Expr>{hypotScaled(x, y)}; })[0];
}

Complex multiply(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/// a b + c d, with what the second product loses by rounding; infinite where c d is.
static Expr sumOfProducts(Expr a, Expr b, Expr c, Expr d, bool mayBeInfinite) {
  Pair product = twoProduct(c, d);
  if (mayBeInfinite)
    product.lo = select(isFinite(product.hi), product.lo, product.hi.real(0));
  return fma(a, b, product.hi) + product.lo;
}

static SmallVector<Expr> divideScaled(Complex x, Complex y) {
  ScaledPair p = scalePair(x.re, x.im), q = scalePair(y.re, y.im);
  Expr norm = multiplyAdd(q.x, q.x, q.y * q.y);
  Expr k = p.exponent - q.exponent;
  // Beyond that everything is 0 or infinite.
  int limit = x.re.isF32() ? 250 : 2040;
  k = select(lt(k, -limit), k.integer(-limit), select(gt(k, limit), k.integer(limit), k));
  Expr re = scaleBack(sumOfProducts(p.x, q.x, p.y, q.y, /*mayBeInfinite=*/true) / norm, k);
  Expr im = scaleBack(sumOfProducts(p.y, q.x, -p.x, q.y, /*mayBeInfinite=*/true) / norm, k);
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
  return results;
}

Complex divide(Complex x, Complex y) {
  Expr norm = multiplyAdd(y.re, y.re, y.im * y.im);
  Expr extreme = isExtreme({x.re, x.im, y.re, y.im}) | eq(norm, 0);
  Expr re = sumOfProducts(x.re, y.re, x.im, y.im, /*mayBeInfinite=*/false) / norm;
  Expr im = sumOfProducts(x.im, y.re, -x.re, y.im, /*mayBeInfinite=*/false) / norm;
  auto results = orScaled(extreme, {re, im}, [&] { return divideScaled(x, y); });
  return {results[0], results[1]};
}

/// Real and imaginary part of sqrt(|x| + |y| i).
static Pair squareRoot(Expr x, Expr y) {
  Expr magnitude = sqrt(multiplyAdd(x, x, y * y));
  Expr root = sqrt((magnitude + abs(x)) * 0.5);
  return {root, select(eq(root, 0), abs(y), abs(y) / (root + root))};
}

/// sqrt(z), from that of |x| + |y| i.
static Complex fromFirstQuadrant(Complex z, Pair root) {
  Expr left = lt(z.re, 0);
  return {select(left, root.lo, root.hi), copysign(select(left, root.hi, root.lo), z.im)};
}

static Complex sqrtScaled(Complex z) {
  Expr x = z.re, y = z.im;
  ScaledPair s = scalePair(x, y);
  // An even exponent has a square root; an odd one moves to the numbers.
  Expr odd = ne(s.exponent & 1, 0);
  Expr factor = select(odd, x.real(2), x.real(1));
  Pair root = squareRoot(s.x * factor, s.y * factor);
  Expr scale = powerOfTwo(ashr(s.exponent, 1));
  auto [re, im] = fromFirstQuadrant(z, {root.hi * scale, root.lo * scale});
  // Infinite imaginary parts win over everything, then infinite real ones.
  Expr left = lt(x, 0), inf = infinity(x);
  Expr infiniteX = isInfinite(x);
  Expr yOrNan = select(isNan(y), y, x.real(0));
  re = select(infiniteX, select(left, yOrNan, inf), re);
  im = select(infiniteX, copysign(select(left, inf, yOrNan), y), im);
  Expr infiniteY = isInfinite(y);
  return {select(infiniteY, inf, re), select(infiniteY, y, im)};
}

Complex sqrt(Complex z) {
  Complex plain = fromFirstQuadrant(z, squareRoot(z.re, z.im));
  auto results = orScaled(isExtreme({z.re, z.im}), {plain.re, plain.im}, [&] {
    Complex scaled = sqrtScaled(z);
    return SmallVector<Expr>{scaled.re, scaled.im};
  });
  return {results[0], results[1]};
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
