// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs of expressions. Internal to codegen/math.
#ifndef HLOC_CODEGEN_MATH_COMPLEXNUMBER_H
#define HLOC_CODEGEN_MATH_COMPLEXNUMBER_H

#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

namespace hloc {

struct Complex {
  Expr re, im;

  operator ComplexValue() const { return {re.value, im.value}; }
};

inline Complex complexOf(mlir::ImplicitLocOpBuilder &b, ComplexValue z) {
  return {{&b, z.re}, {&b, z.im}};
}
inline Complex operator-(Complex z) { return {-z.re, -z.im}; }
inline Complex timesI(Complex z) { return {-z.im, z.re}; }

Complex multiply(Complex x, Complex y);
Complex divide(Complex x, Complex y);
Complex sqrt(Complex z);
Complex log(Complex z);
Complex exp(Complex z);

/// Two numbers scaled by one power of two, so that the greater is in [1, 2): squares neither
/// overflow nor vanish. Infinities and zeros stay.
struct ScaledPair {
  Expr x, y;
  Expr exponent; // integer: the numbers are these times 2^exponent
};
ScaledPair scalePair(Expr x, Expr y);
/// x * 2^k for |k| up to twice the exponent range and x near 1, rounding at most once.
Expr scaleBack(Expr x, Expr k);

inline Expr isInfinite(Expr x) { return eq(abs(x), infinity(x)); }
inline Expr isFinite(Expr x) { return lt(abs(x), infinity(x)); }

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_COMPLEXNUMBER_H
