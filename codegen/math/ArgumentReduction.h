// SPDX-License-Identifier: Apache-2.0
// Reduction of arguments of any size modulo pi/2. Internal to codegen/math.
#ifndef HLOC_CODEGEN_MATH_ARGUMENTREDUCTION_H
#define HLOC_CODEGEN_MATH_ARGUMENTREDUCTION_H

#include "codegen/math/Expr.h"

namespace hloc {

/// x = quadrant pi/2 + hi + lo, |hi| <= pi/4 (a little more if not from reduceLarge). The quadrant
/// is an integer of x's width, meaningful modulo 4.
struct QuarterPeriods {
  Expr hi, lo;
  Expr quadrant;
};

/// For finite x >= 1e5, exact for all of them: a product with the bits of 2/pi that matter (Payne
/// and Hanek). Other lanes give anything.
QuarterPeriods reduceLarge(Expr x);

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_ARGUMENTREDUCTION_H
