// SPDX-License-Identifier: Apache-2.0
// power, cbrt and rsqrt. Powers of f32 are computed in f64; powers of f64 with a logarithm of
// about 68 bits, held in pairs.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hloc {

// From fit.py: log2(1 + f) / f, (2^r - 1) / r.
constexpr double log2Coefficients[] = {
    1.4426950408687442,  -0.72134752086859943, 0.48089836137915831, -0.36067367476857154,
    0.2885372947674909,  -0.24045317210638051, 0.20617532515412995, -0.1803003946768664,
    0.15877008198720008, -0.14315906580408896, 0.14474928891616171, -0.14282787011190765,
    0.07735635008137659};
constexpr double exp2Coefficients[] = {0.69314720626688142,   0.24022651339609735,
                                       0.055503277670576924,  0.0096180045362585821,
                                       0.0013400277744557176, 0.00015476142597049266};
// From fit.py: Q of atanh(s) = s + s z (1/3 + z Q(z)), z = s^2.
constexpr double powerCoefficients[] = {
    0.2000000000000004,   0.14285714285604434,  0.11111111160280397, 0.0909090072008545,
    0.076929998252508708, 0.066368289416870091, 0.065239964460061042};

/// |x|^y in f64 for |x| and y that came from f32, neither |x| = 1 nor y = 0.
static Expr singleMagnitude(Expr ax, Expr y) {
  Logarithm split = splitExponent(ax);
  Expr f = split.mantissa - 1;
  Expr log = multiplyAdd(f, polynomial(f, log2Coefficients), smallIntToFloat(split.exponent));
  log = select(eq(ax, 0), -infinity(ax), log);
  log = select(lt(ax, infinity(ax)), log, ax);
  // 2^t for t in the range of f32 and a little more; the conversion to f32 does the rest.
  Expr t = y * log;
  t = atLeast(atMost(t, t.real(200)), t.real(-200));
  Expr magic = t.real(0x1.8p52 + 1023);
  Expr shifted = t + magic;
  Expr r = t - (shifted - magic);
  Expr power = multiplyAdd(r, horner(r, exp2Coefficients), r.real(1));
  return power * asFloat(shl(bitsOf(shifted), 52));
}

/// log |x| for finite |x| > 0 with a relative error below 2^-64.
static Pair preciseLog(Expr ax) {
  Expr subnormal = lt(ax, 0x1p-1022);
  Logarithm split = splitExponent(select(subnormal, ax * 0x1p52, ax));
  Expr e = smallIntToFloat(split.exponent);
  e = select(subnormal, e - 52, e);
  // s = f / (2 + f)
  Expr f = split.mantissa - 1;
  Expr denominator = f + 2;
  Expr denominatorRest = f - (denominator - 2);
  Expr reciprocal = 1 / denominator;
  Expr s = f * reciprocal;
  Expr sRest = (fma(-s, denominator, f) - s * denominatorRest) * reciprocal;
  Expr z = s * s;
  Expr zRest = fma(s, s, -z) + 2 * s * sRest;
  // u = 1/3 + z Q(z), atanh(s) = s + s z u
  Pair u = fastTwoSum(s.real(0x1.5555555555555p-2), z * polynomial(z, powerCoefficients));
  Expr uRest = u.lo + 0x1.5555555555555p-56;
  Pair zu = twoProduct(z, u.hi);
  Expr zuRest = zu.lo + multiplyAdd(z, uRest, zRest * u.hi);
  Pair szu = twoProduct(s, zu.hi);
  Expr szuRest = szu.lo + multiplyAdd(s, zuRest, sRest * zu.hi);
  Pair half = fastTwoSum(s, szu.hi);
  Expr halfRest = half.lo + (sRest + szuRest);
  // e ln 2, the first part of ln 2 short enough for an exact product.
  Pair sum = fastTwoSum(e * 0x1.62e42fefa38p-1, half.hi + half.hi);
  Expr rest = sum.lo + multiplyAdd(e, e.real(0x1.ef35793c7673p-45), halfRest + halfRest);
  return fastTwoSum(sum.hi, rest);
}

static Expr doubleMagnitude(Expr ax, Expr y) {
  Pair log = preciseLog(ax);
  Expr hi = select(eq(ax, 0), -infinity(ax), log.hi);
  hi = select(lt(ax, infinity(ax)), hi, ax);
  Expr product = y * hi;
  Expr rest = fma(y, hi, -product) + y * log.lo;
  // Out of range the rest may be NaN.
  rest = select(lt(abs(product), 800), rest, rest.real(0));
  return expOfSum(product, rest);
}

Expr power(Expr x, Expr y) {
  bool single = x.isF32();
  Expr ax = abs(x);
  Expr magnitude = single ? toF32(singleMagnitude(toF64(ax), toF64(y))) : doubleMagnitude(ax, y);
  magnitude = select(eq(ax, 1) | eq(y, 0), x.real(1), magnitude);
  // Odd exponents keep the sign; finite negative numbers have no power that is not an integer.
  Expr half = y * 0.5;
  Expr isInteger = eq(trunc(y), y);
  Expr isOdd = isInteger & ne(trunc(half), half);
  Expr bits = bitsOf(magnitude);
  Expr result = asFloat(bits | select(isOdd, signBit(x), bits.integer(0)));
  Expr invalid = lt(x, 0) & gt(x, -infinity(x)) & !isInteger;
  return select(invalid, nan(x), result);
}

/// x^(-1/3) within 5%: the bits of a float are about linear in its logarithm.
static Expr roughInverseCbrt(Expr x) {
  Expr bits = bitsOf(x);
  if (x.isF32()) {
    Expr scaled =
        multiplyAdd(fromSignedInt(bits, x.element()), x.real(-1.0 / 3), x.real(1419967116));
    return asFloat(toSignedInt(scaled, 32));
  }
  // The high halves serve as the bits; large floats convert from and to them.
  Expr high = asFloat(lshr(bits, 32) | int64_t(0x4330000000000000)) - 0x1p52;
  Expr scaled = multiplyAdd(high, x.real(-1.0 / 3), x.real(0x1p52 + 1430194017));
  return asFloat(shl(bitsOf(scaled), 32));
}

Expr cbrt(Expr x) {
  bool single = x.isF32();
  Expr a = abs(x);
  // Cubes of powers of two scale small numbers, whose residual below would be subnormal.
  Expr small = lt(a, single ? 0x1p-60 : 0x1p-700);
  Expr m = select(small, a * (single ? 0x1p60 : 0x1p300), a);
  // z = m^(-1/3) by the series of (1 - e)^(-1/3), e = 1 - m z^3.
  Expr z = roughInverseCbrt(m);
  Expr e = fma(-(m * z), z * z, m.real(1));
  Expr series = multiplyAdd(multiplyAdd(e, m.real(14.0 / 81), m.real(2.0 / 9)), e, m.real(1.0 / 3));
  z = multiplyAdd(z * e, series, z);
  if (!single) {
    e = fma(-(m * z), z * z, m.real(1));
    z = multiplyAdd(z * e, multiplyAdd(e, m.real(2.0 / 9), m.real(1.0 / 3)), z);
  }
  // One step of Newton's method with an exact residual.
  Expr square = z * z;
  Expr root = m * square;
  Pair rootSquared = twoProduct(root, root);
  Expr residual = fma(root, rootSquared.hi, -m);
  residual = fma(root, rootSquared.lo, residual);
  root = multiplyAdd(residual * square, m.real(-1.0 / 3), root);
  Expr result = select(small, root * (single ? 0x1p-20 : 0x1p-100), root);
  Expr regular = gt(a, 0) & lt(a, infinity(a));
  return copysign(select(regular, result, a), x);
}

/// Powers with a constant exponent that take few operations, about as accurate as the general one.
static std::optional<Expr> simplePower(Expr x, double exponent) {
  // sqrt(-0) is -0 and sqrt(-inf) NaN, but the powers 0 and inf.
  auto root = [&] { return sqrt(select(eq(x, -infinity(x)), infinity(x), x + 0.0)); };
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return x * x;
  if (exponent == 3)
    return x * x * x;
  if (exponent == -1)
    return 1 / x;
  if (exponent == 0.5)
    return root();
  if (exponent == -0.5)
    return 1 / root();
  return std::nullopt;
}

Value emitPower(ImplicitLocOpBuilder &b, Value x, Value y) {
  APFloat exponent(0.0);
  if (matchPattern(getSplatSource(y), m_ConstantFloat(&exponent)))
    if (std::optional<Expr> result = simplePower({&b, x}, exponent.convertToDouble()))
      return *result;
  return power(Expr{&b, x}, Expr{&b, y});
}

} // namespace hloc
