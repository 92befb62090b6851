// SPDX-License-Identifier: Apache-2.0
// The layouts of floats narrower than f32. Internal to codegen/math.
#ifndef HLOC_CODEGEN_MATH_FLOATFORMAT_H
#define HLOC_CODEGEN_MATH_FLOATFORMAT_H

#include "codegen/math/Expr.h"

#include "mlir/IR/BuiltinTypes.h"

namespace hloc {

struct FloatFormat {
  enum Special {
    Ieee,              // the greatest exponent is for infinity and NaN
    NanOnly,           // only the code of all ones is NaN
    NegativeZeroIsNan, // and there is neither infinity nor a negative zero
    Finite,            // every code is a number
  };
  unsigned width, mantissaBits;
  int bias;
  Special special;
  /// The code of the greatest number.
  int maxCode;
};

/// f8E8M0FNU, which has only an exponent and no sign, has valid widths here but fits none of the
/// cases.
FloatFormat getFloatFormat(mlir::FloatType type);

/// Rounds an f32 or f64 to the bits of `format`, and converts such bits to f32, with integer
/// instructions only.
Expr encodeByIntegers(Expr x, const FloatFormat &format);
Expr decodeByIntegers(Expr bits, const FloatFormat &format);

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_FLOATFORMAT_H
