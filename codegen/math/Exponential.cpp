// SPDX-License-Identifier: Apache-2.0
// Exponential and hyperbolic functions: x = n ln 2 + r, |r| <= ln 2 / 2, and a polynomial in r.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

namespace {

// From fit.py: (e^r - 1 - r) / r^2.
constexpr double expCoefficients32[] = {0.5, 0.166664869, 0.0416655466, 0.00837240927,
                                        0.00140340254};
constexpr double expCoefficients64[] = {0.5,
                                        0.16666666666666691,
                                        0.041666666666666859,
                                        0.0083333333333117012,
                                        0.0013888888888745165,
                                        0.00019841269909323919,
                                        2.4801587655716354e-5,
                                        2.7557223897050651e-6,
                                        2.7557061629614515e-7,
                                        2.5114899692175513e-8,
                                        2.0932456289108895e-9};
// The same, with the error relative to e^r - 1.
constexpr double expm1Coefficients32[] = {0.5, 0.166665301, 0.0416661538, 0.00836813543,
                                          0.00139720365};
constexpr double expm1Coefficients64[] = {0.5,
                                          0.16666666666666669,
                                          0.041666666666666678,
                                          0.0083333333333316401,
                                          0.0013888888888875972,
                                          0.00019841269846251991,
                                          2.4801587350139854e-5,
                                          2.7557312774342166e-6,
                                          2.7557219264836982e-7,
                                          2.50550718161972e-8,
                                          2.0946683951193321e-9,
                                          1.5927758513794321e-10};

/// x = n ln 2 + r; the low bits of the integer `biased` are n plus the bias asked for.
struct Reduction {
  Expr biased;
  Expr r;
};

} // namespace

/// The exponent bias of x's type.
static int biasOf(Expr x) { return x.width() == 32 ? 127 : 1023; }

static Reduction reduce(Expr x, int bias) {
  // Adding 1.5 * 2^mantissa bits rounds to an integer and leaves it in the low bits.
  Expr magic = x.real((x.isF32() ? 0x1.8p23 : 0x1.8p52) + bias);
  Expr shifted = multiplyAdd(x, x.real(0x1.71547652b82fep0), magic);
  Expr n = shifted - magic;
  // ln 2 in two parts, the first short enough for an exact product.
  Expr r = multiplyAdd(n, x.real(x.isF32() ? -0x1.62e4p-1 : -0x1.62e42fefa38p-1), x);
  r = multiplyAdd(n, x.real(x.isF32() ? -0x1.7f7d1cp-20 : -0x1.ef35793c7673p-45), r);
  return {bitsOf(shifted), r};
}

/// The float with exponent field `biased`: 2^(biased - bias).
static Expr powerOfField(Expr biased) {
  return asFloat(shl(biased, biased.width() == 32 ? 23 : 52));
}

/// e^r - 1 of a reduced argument, accurate near 0.
static Expr reducedExpm1(Expr r) {
  Expr q = r.isF32() ? polynomial(r, expm1Coefficients32) : polynomial(r, expm1Coefficients64);
  return multiplyAdd(r * r, q, r);
}

Expr powerOfTwo(Expr k) {
  bool single = k.width() == 32;
  return asFloat(shl(k + (single ? 127 : 1023), single ? 23 : 52));
}

/// e^x, for a `rest` that is absent or is to be added to x.
static Expr expWithRest(Expr x, const Expr *rest) {
  bool single = x.isF32();
  // Beyond these limits the result is 0 or infinite, and n would not fit. At the lower one, where
  // masked values end up, one of the factors is zero.
  x = atLeast(atMost(x, x.real(single ? 89 : 710)), x.real(single ? -105.3 : -1418.2));
  Reduction reduction = reduce(x, single ? expBias32 : expBias64);
  Expr r = rest ? reduction.r + *rest : reduction.r, power;
  if (single) {
    auto scaled = llvm::map_to_vector(expCoefficients32, [](double c) { return c * expScale32; });
    Expr tail = multiplyAdd(horner(r, scaled), r, r.real(expScale32));
    power = multiplyAdd(tail, r, r.real(expScale32));
  } else {
    power = multiplyAdd(r * r, polynomial(r, expCoefficients64), r) + 1;
  }
  // 2^n / scale in two factors, each in range, so that subnormal results round once.
  Expr field = shl(reduction.biased, single ? 23 : 52);
  Expr half = lshr(field, 1) & (single ? 0x7f800000 : int64_t(0x7ff) << 52);
  return power * asFloat(half) * asFloat(field - half);
}

Expr exp(Expr x) { return expWithRest(x, nullptr); }
Expr expOfSum(Expr x, Expr rest) { return expWithRest(x, &rest); }

Expr expm1(Expr x) {
  bool single = x.isF32();
  Expr limited = atLeast(atMost(x, x.real(single ? 89 : 710)), x.real(single ? -20 : -40));
  // Half the result first: 2^n itself may overflow.
  Reduction reduction = reduce(limited, biasOf(x) - 1);
  Expr half = powerOfField(reduction.biased);
  Expr result = multiplyAdd(half, reducedExpm1(reduction.r), half - 0.5) * 2;
  return select(lt(abs(x), single ? 0x1p-60 : 0x1p-120), x, result);
}

Expr oneMinusExp(Expr x) {
  Reduction reduction = reduce(-x, biasOf(x));
  Expr scale = powerOfField(reduction.biased);
  return multiplyAdd(-scale, reducedExpm1(reduction.r), 1 - scale);
}

Expr tanh(Expr x) {
  bool single = x.isF32();
  Expr magnitude = abs(x);
  Reduction reduction = reduce(atMost(magnitude + magnitude, x.real(single ? 20 : 40)), biasOf(x));
  Expr scale = powerOfField(reduction.biased);
  Expr e = multiplyAdd(scale, reducedExpm1(reduction.r), scale - 1);
  return copysign(e / (e + 2), x);
}

Expr logistic(Expr x) {
  // The exponential never overflows, and small results keep their digits.
  Expr e = exp(-abs(x));
  return select(lt(x, 0), e, x.real(1)) / (e + 1);
}

namespace {
/// Half of sinh and cosh of |x|.
struct Hyperbolic {
  Expr sinh, cosh;
};
} // namespace

// From fit.py: (sinh r - r) / r^3 and (cosh r - 1 - r^2/2) / r^4 in r^2.
constexpr double sinhCoefficients32[] = {0.166666672, 0.00833317637, 0.000199730028};
constexpr double sinhCoefficients64[] = {0.16666666666666666,    0.0083333333333344192,
                                         0.00019841269837131824, 2.7557326110201983e-6,
                                         2.5046896257650835e-8,  1.7538238679496153e-10};
constexpr double coshCoefficients32[] = {0.0416664556, 0.00139358465};
constexpr double coshCoefficients64[] = {0.041666666666666664,  0.0013888888888891283,
                                         2.4801587293392427e-5, 2.7557331712160152e-7,
                                         2.0867971944169798e-9, 1.3805931688100413e-11};

static Hyperbolic hyperbolic(Expr x) {
  bool single = x.isF32();
  int bias = biasOf(x);
  Reduction reduction = reduce(atMost(abs(x), x.real(single ? 89.5 : 710.6)), bias - 2);
  // With s = 2^n / 4 and t = 2^-n / 4: sinh = 2 ((s - t) cosh r + (s + t) sinh r).
  Expr field = reduction.biased & (single ? 0xff : 0x7ff);
  Expr s = powerOfField(field);
  Expr opposite = 2 * bias - 4 - field;
  Expr t = powerOfField(select(lt(opposite, 0), opposite.integer(0), opposite));
  Expr sum = s + t, difference = s - t;
  Expr r = reduction.r, z = r * r;
  Expr p = single ? horner(z, sinhCoefficients32) : horner(z, sinhCoefficients64);
  Expr q = single ? horner(z, coshCoefficients32) : horner(z, coshCoefficients64);
  Expr sinhR = multiplyAdd(r * z, p, r);
  Expr coshMinus1 = z * multiplyAdd(z, q, x.real(0.5));
  return {difference + multiplyAdd(difference, coshMinus1, sum * sinhR),
          sum + multiplyAdd(sum, coshMinus1, difference * sinhR)};
}

Expr sinh(Expr x) {
  Expr result = copysign(hyperbolic(x).sinh * 2, x);
  return select(lt(abs(x), x.isF32() ? 0x1p-60 : 0x1p-120), x, result);
}
Expr cosh(Expr x) { return hyperbolic(x).cosh * 2; }

} // namespace hloc
