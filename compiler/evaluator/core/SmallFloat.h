// SPDX-License-Identifier: Apache-2.0
// Floats of at most sixteen bits: each value decodes to a double exactly, and a double encodes to
// the nearest value, ties to even, rounding once.
//
// On overflow, formats with infinities give infinity, formats with only NaN give NaN, formats with
// neither give the largest value. f4 and f6, which have no NaN, convert NaN to -0. Test:
// test/evaluator/ScalarTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_SMALLFLOAT_H
#define HLOC_COMPILER_EVALUATOR_SMALLFLOAT_H

#include "compiler/evaluator/core/ElementType.h"

namespace hloc::evaluator {

/// How a format uses its bits.
struct FloatFormat {
  enum Specials : uint8_t {
    Ieee,            // infinities and NaNs in the largest exponent
    NanOnly,         // NaN is all ones, no infinities (fn)
    NegativeZeroNan, // NaN is the code of -0, no infinities (fnuz)
    Finite,          // neither
    Exponent         // e8m0: a power of two, no sign, no zero; NaN is all ones
  };
  int exponentBits, mantissaBits, bias;
  Specials specials;
};

/// The format of a float type; f32 and f64 too.
FloatFormat getFormat(ElementType type);

double decodeFloat(const FloatFormat &format, uint32_t bits);
uint32_t encodeFloat(const FloatFormat &format, double value);

} // namespace hloc::evaluator

#endif
