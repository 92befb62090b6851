// SPDX-License-Identifier: Apache-2.0
// Transcendental functions of complex numbers in terms of real ones.
#include "codegen/math/ComplexNumber.h"

using namespace mlir;

namespace hloc {

/// Where an exponential overflows, e^53 or e^373 is split off once or twice: the product with a
/// small sine may still be representable.
namespace {
struct Split {
  Expr shifted, first, second;

  /// trig * (what comes of `shifted`), with the factors back; no step overflows or loses digits
  /// where the whole does not.
  Expr product(Expr trig, Expr hyper) const { return trig * first * hyper * second; }
};
} // namespace
static Split splitLarge(Expr x) {
  bool single = x.isF32();
  double shift = single ? 53 : 373, power = single ? 0x1.60d4f6p+76 : 0x1.1737e9a5911fep+538;
  Expr large = gt(x, single ? 88 : 709), huge = gt(x, (single ? 88 : 709) + shift);
  Expr zero = x.real(0), one = x.real(1);
  Expr shifted = x - select(large, x.real(shift), zero) - select(huge, x.real(shift), zero);
  return {shifted, select(large, x.real(power), one), select(huge, x.real(power), one)};
}

/// trig * hyper, where a zero of either wins over what the other lacks.
static Expr timesZero(Expr trig, Expr hyper, const Split &split) {
  Expr zero = eq(trig, 0) | eq(hyper, 0);
  return select(zero, copysign(trig.real(0), asFloat(bitsOf(trig) ^ signBit(hyper))),
                split.product(trig, hyper));
}

Complex exp(Complex z) {
  Split split = splitLarge(z.re);
  SinCos angle = sinCos(z.im);
  Expr magnitude = exp(split.shifted);
  Expr re = split.product(angle.cos, magnitude);
  Expr im = select(eq(z.im, 0), z.im, split.product(angle.sin, magnitude));
  // e^-inf is 0 and e^inf infinite for any angle.
  Expr zero = eq(z.re, -infinity(z.re)) & !isFinite(z.im);
  re = select(zero, z.re.real(0), re);
  im = select(zero, z.re.real(0), im);
  Expr infinite = eq(z.re, infinity(z.re)) & !isFinite(z.im);
  return {select(infinite, infinity(re), re), im};
}

static Complex expm1(Complex z) {
  // e^x cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2
  Split split = splitLarge(z.re);
  SinCos angle = sinCos(z.im);
  Expr half = sinCos(z.im * 0.5).sin;
  Expr em1 = expm1(split.shifted);
  Expr large = ne(split.first, 1);
  Expr re =
      select(large, split.product(angle.cos, em1), multiplyAdd(em1, angle.cos, -2 * half * half));
  Expr im = split.product(angle.sin, em1 + 1);
  Expr small = lt(abs(z.re), 0.25);
  im = select(small, multiplyAdd(em1, angle.sin, angle.sin), im);
  im = select(eq(z.im, 0), z.im, im);
  Expr zero = eq(z.re, -infinity(z.re)) & !isFinite(z.im);
  re = select(zero, z.re.real(-1), re);
  im = select(zero, z.re.real(0), im);
  Expr infinite = eq(z.re, infinity(z.re)) & !isFinite(z.im);
  return {select(infinite, infinity(re), re), im};
}

/// log |z| for z = (x, y), or (1 + x, y) if `offset`.
static Expr logMagnitude(Expr x, Expr y, bool offset) {
  Expr ax = abs(offset ? x + 1 : x), ay = abs(y);
  Expr steep = gt(ay, ax);
  Expr high = select(steep, ay, ax), low = select(steep, ax, ay);
  // Near the unit circle |z|^2 - 1 is computed to twice the precision.
  Expr near = gt(high, 0.5) & lt(high, 2);
  Pair xx = twoProduct(x, x), yy = twoProduct(y, y);
  Pair first = offset ? twoSum(x + x, xx.hi) : twoSum(xx.hi, x.real(-1));
  Pair second = twoSum(first.hi, yy.hi);
  Expr excess = second.hi + (((first.lo + second.lo) + xx.lo) + yy.lo);
  Expr ratio = low / atLeast(high, high.fromBits(1));
  Expr argument = select(near, excess, ratio * ratio);
  Expr whole = log(select(near, x.real(1), high));
  Expr result = multiplyAdd(log1p(argument), x.real(0.5), whole);
  result = select(isNan(x) | isNan(y), nan(x), result);
  return select(isInfinite(x) | isInfinite(y), infinity(x), result);
}

Complex log(Complex z) { return {logMagnitude(z.re, z.im, false), atan2(z.im, z.re)}; }

static Complex log1p(Complex z) { return {logMagnitude(z.re, z.im, true), atan2(z.im, z.re + 1)}; }

namespace {
/// The products of sin x and cos x with sinh y and cosh y, the hyperbolic function's name last.
struct Products {
  Expr sinCosh, cosSinh, cosCosh, sinSinh;
};
} // namespace

static Products multiplyOut(Expr x, Expr y) {
  Split split = splitLarge(abs(y));
  SinCos angle = sinCos(x);
  Expr sinhY = copysign(sinh(split.shifted), y), coshY = cosh(split.shifted);
  // Of an infinite y and no angle the greater product is infinite.
  Expr noAngle = isInfinite(y) & !isFinite(x);
  auto orInfinite = [&](Expr product, Expr hyper) { return select(noAngle, hyper, product); };
  return {timesZero(angle.sin, coshY, split), orInfinite(timesZero(angle.cos, sinhY, split), sinhY),
          orInfinite(timesZero(angle.cos, coshY, split), coshY),
          timesZero(angle.sin, sinhY, split)};
}

static Complex sin(Complex z) {
  Products p = multiplyOut(z.re, z.im);
  return {p.sinCosh, p.cosSinh};
}
static Complex cos(Complex z) {
  Products p = multiplyOut(z.re, z.im);
  return {p.cosCosh, -p.sinSinh};
}
static Complex sinh(Complex z) {
  Products p = multiplyOut(z.im, z.re);
  return {p.cosSinh, p.sinCosh};
}
static Complex cosh(Complex z) {
  Products p = multiplyOut(z.im, z.re);
  return {p.cosCosh, p.sinSinh};
}

static Complex tanh(Complex z) {
  bool single = z.re.isF32();
  // (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y)
  Expr x = z.re, y = z.im;
  Expr limit = x.real(single ? 20 : 40);
  Expr bounded = atMost(abs(x), limit);
  Expr s = sinh(bounded), c = sqrt(multiplyAdd(s, s, x.real(1)));
  SinCos angle = sinCos(y);
  Expr denominator = multiplyAdd(s, s, angle.cos * angle.cos);
  Expr re = s * c / denominator;
  Expr im = angle.sin * angle.cos / denominator;
  // Far out the real part is 1, and the imaginary one vanishes as 4 sin y cos y e^-2|x|.
  Expr far = ge(abs(x), limit);
  Expr decay = exp(-abs(x));
  Expr farIm = angle.sin * angle.cos * 4 * decay * decay;
  farIm = select(isFinite(y), farIm, copysign(x.real(0), y));
  re = select(far, x.real(1), re);
  im = select(far, farIm, im);
  return {copysign(re, x), select(eq(y, 0), y, im)};
}

static Complex power(Complex z, Complex w) {
  // |z|^c e^(-d arg z), at the angle d log|z| + c arg z, for w = c + d i.
  Expr magnitude = hypot(z.re, z.im), angle = atan2(z.im, z.re);
  Expr real = eq(w.im, 0);
  Expr zero = w.re.real(0), one = w.re.real(1);
  Expr logarithm = logMagnitude(z.re, z.im, false);
  Expr turned = select(real, zero, w.im * logarithm);
  Expr damping = select(real, one, exp(-(w.im * angle)));
  Expr length = power(magnitude, w.re) * damping;
  SinCos direction = sinCos(multiplyAdd(w.re, angle, turned));
  Expr re = length * direction.cos, im = length * direction.sin;
  // Powers of zero have no direction.
  Expr ofZero = eq(z.re, 0) & eq(z.im, 0);
  re = select(ofZero, select(real, power(zero, w.re), nan(re)), re);
  im = select(ofZero, select(real, zero, nan(im)), im);
  Expr toZero = real & eq(w.re, 0);
  return {select(toZero, one, re), select(toZero, zero, im)};
}

static Complex cbrt(Complex z) {
  Expr length = cbrt(hypot(z.re, z.im));
  SinCos third = sinCos(atan2(z.im, z.re) * (1.0 / 3));
  return {length * third.cos, length * third.sin};
}

static Complex logistic(Complex z) {
  Complex e = exp(-z);
  return divide({e.re.real(1), e.re.real(0)}, {e.re + 1, e.im});
}

static Complex atan2(Complex y, Complex x) {
  // -i log((x + i y) / sqrt(x^2 + y^2))
  Complex iy = timesI(y);
  Complex xx = multiply(x, x), yy = multiply(y, y);
  Complex length = sqrt(Complex{xx.re + yy.re, xx.im + yy.im});
  Complex l = log(divide({x.re + iy.re, x.im + iy.im}, length));
  return {l.im, -l.re};
}

ComplexValue emitComplexExp(ImplicitLocOpBuilder &b, ComplexValue z) {
  return exp(complexOf(b, z));
}
ComplexValue emitComplexExpm1(ImplicitLocOpBuilder &b, ComplexValue z) {
  return expm1(complexOf(b, z));
}
ComplexValue emitComplexLog(ImplicitLocOpBuilder &b, ComplexValue z) {
  return log(complexOf(b, z));
}
ComplexValue emitComplexLog1p(ImplicitLocOpBuilder &b, ComplexValue z) {
  return log1p(complexOf(b, z));
}
ComplexValue emitComplexSin(ImplicitLocOpBuilder &b, ComplexValue z) {
  return sin(complexOf(b, z));
}
ComplexValue emitComplexCos(ImplicitLocOpBuilder &b, ComplexValue z) {
  return cos(complexOf(b, z));
}
ComplexValue emitComplexSinh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return sinh(complexOf(b, z));
}
ComplexValue emitComplexCosh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return cosh(complexOf(b, z));
}
ComplexValue emitComplexTanh(ImplicitLocOpBuilder &b, ComplexValue z) {
  return tanh(complexOf(b, z));
}
ComplexValue emitComplexTan(ImplicitLocOpBuilder &b, ComplexValue z) {
  Complex t = tanh(timesI(complexOf(b, z)));
  return Complex{t.im, -t.re};
}
ComplexValue emitComplexPower(ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y) {
  return power(complexOf(b, x), complexOf(b, y));
}
ComplexValue emitComplexCbrt(ImplicitLocOpBuilder &b, ComplexValue z) {
  return cbrt(complexOf(b, z));
}
ComplexValue emitComplexLogistic(ImplicitLocOpBuilder &b, ComplexValue z) {
  return logistic(complexOf(b, z));
}
ComplexValue emitComplexAtan2(ImplicitLocOpBuilder &b, ComplexValue y, ComplexValue x) {
  return atan2(complexOf(b, y), complexOf(b, x));
}

} // namespace hloc
