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

/// f8E8M0FNU, all exponent and without a sign, is no case of the above but for its widths.
FloatFormat getFloatFormat(mlir::FloatType type);

/// The bits of `format` nearest to an f32 or f64, and the f32 value of bits, without instructions
/// for the format.
Expr encodeByIntegers(Expr x, const FloatFormat &format);
Expr decodeByIntegers(Expr bits, const FloatFormat &format);

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_FLOATFORMAT_H
