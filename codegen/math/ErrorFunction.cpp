// SPDX-License-Identifier: Apache-2.0
// erf x = -expm1(-x Q(x)), where x Q(x) = -log(1 - erf x) grows smoothly like x^2: one formula for
// all x, with relative accuracy near 0.
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

// From fit.py: Q(x), the first coefficient apart, with its rounding error.
constexpr double erfFirst32 = 1.12837923, erfRest32 = 0;
constexpr double erfCoefficients32[] = {0.636619389,   0.102777839,     -0.0191530958,
                                        -0.000160339347, 0.00166697544, -0.000632811221,
                                        0.000117634758,  -9.25558379e-6};
constexpr double erfFirst64 = 1.1283791670955126, erfRest64 = 0;
constexpr double erfCoefficients64[] = {
    0.6366197723675816,     0.10277260330192353,     -0.019128447008671563,
    -0.0002091946442638016, 0.0016962059533803596,   -0.00059012309578040467,
    2.5868763290733536e-5,  6.4520798265843156e-5,   -2.9788405439385786e-5,
    3.5179513203236865e-6,  2.6854881706642627e-6,   -1.580517733216065e-6,
    1.9724825266550794e-7,  2.3423755506804423e-7,   -1.966102997358733e-7,
    9.0850801925977295e-8,  -3.0260267279964212e-8,  7.7637287338071831e-9,
    -1.5630856007475681e-9, 2.4634382203478759e-10,  -2.9868641098554693e-11,
    2.6936368052323717e-12, -1.7022896702726072e-13, 6.7260030796048338e-15,
    -1.2498257363202907e-16};

static Expr erf(Expr x) {
  bool single = x.isF32();
  // From the limit on, the result rounds to 1.
  Expr a = atMost(abs(x), x.real(single ? 3.95 : 5.95));
  Expr q = single ? horner(a, erfCoefficients32) : horner(a, erfCoefficients64);
  Expr tail = fma(a * a, q, a * (single ? erfRest32 : erfRest64));
  Expr power = fma(a, x.real(single ? erfFirst32 : erfFirst64), tail);
  return copysign(expm1(-power), x);
}

Value emitErf(ImplicitLocOpBuilder &b, Value x) { return erf({&b, x}); }

} // namespace hloc
