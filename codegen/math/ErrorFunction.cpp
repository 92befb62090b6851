// SPDX-License-Identifier: Apache-2.0
// erf x = -expm1(-x Q(x)), where x Q(x) = -log(1 - erf x) grows smoothly like x^2: one formula for
// all x, with relative accuracy near 0.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

// From fit.py: Q(x) without its first coefficient, which is 2 / sqrt(pi).
constexpr double erfCoefficients32[] = {0.636619508,    0.102776885,   -0.0191500559,
                                        -0.00016525088, 0.00167131284, -0.000634934171,
                                        0.000118175689, -9.31112481e-6};
constexpr double erfCoefficients64[] = {
    0.63661977236758149,     0.10277260330192889,     -0.019128447008761998,
    -0.00020919464351834894, 0.0016962059504551728,   -0.00059012309421211469,
    2.5868801913476978e-5,   6.4520591238985625e-5,   -2.9787808858071218e-5,
    3.5167908159593688e-6,   2.6871356317859227e-6,   -1.5822956075007686e-6,
    1.9874584577769302e-7,   2.3323338705721314e-7,   -1.9606583624859492e-7,
    9.0609047612835192e-8,   -3.0171590955715065e-8,  7.7367877121503222e-9,
    -1.55634699545092e-9,    2.4497925385753428e-10,  -2.9651316454492797e-11,
    2.6675882557303997e-12,  -1.6803392294443822e-13, 6.6107158659808825e-15,
    -1.2215590334565529e-16};

Expr erf(Expr x) {
  bool single = x.isF32();
  // From the limit on, the result rounds to 1.
  Expr a = atMost(abs(x), x.real(single ? 3.95 : 5.95));
  // The first coefficient in two parts: in f32 its rounding would show.
  Expr tail = single ? multiplyAdd(a * a, polynomial(a, erfCoefficients32), a * -5.8635383e-08)
                     : a * a * polynomial(a, erfCoefficients64);
  Expr power = multiplyAdd(a, x.real(1.1283791670955126), tail);
  return copysign(oneMinusExp(power), x);
}

} // namespace hloc
