// SPDX-License-Identifier: Apache-2.0
// One scalar type for all element types, and conversion between scalars and the bytes of arrays.
//
// Integers have 64 bits, wrapped to their width (sign-extended if signed); floats are doubles,
// which represent every float type exactly; complex numbers are two doubles. Operations compute on
// columns of scalars and end with `wrap`, which rounds each result to its type once. For f32 and
// smaller types, +, -, *, / and sqrt in double followed by one rounding give the same result as in
// the type itself. Test: test/evaluator/ScalarTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_SCALAR_H
#define HLOC_COMPILER_EVALUATOR_SCALAR_H

#include "compiler/evaluator/core/ElementType.h"
#include <complex>

namespace hloc::evaluator {

union Scalar {
  int64_t i;
  uint64_t u;
  double f;
  struct {
    double re, im;
  } c;

  Scalar() : c{0, 0} {}
  static Scalar ofInt(int64_t value) {
    Scalar s;
    s.i = value;
    return s;
  }
  static Scalar ofFloat(double value) {
    Scalar s;
    s.f = value;
    return s;
  }
  static Scalar ofComplex(double re, double im) {
    Scalar s;
    s.c = {re, im};
    return s;
  }
};

/// Columns are processed in chunks of this many scalars.
constexpr int64_t kColumn = 256;

/// Reads `count` contiguous elements.
void load(ElementType type, const char *bytes, int64_t count, Scalar *out);

/// Reads the elements at `offsets` (counted in elements) from `bytes`.
void loadAt(ElementType type, const char *bytes, const int64_t *offsets, int64_t count,
            Scalar *out);

/// Writes `count` contiguous elements. They must fit the type, as after `wrap`.
void store(ElementType type, const Scalar *in, int64_t count, char *bytes);

/// Converts each scalar to a value of the type: wraps integers, rounds floats to nearest even.
void wrap(ElementType type, Scalar *scalars, int64_t count);

/// Reads one element.
inline Scalar loadOne(ElementType type, const char *bytes, int64_t index) {
  Scalar result;
  load(type, bytes + index * getBytes(type), 1, &result);
  return result;
}

/// Writes one element, which must fit the type.
inline void storeOne(ElementType type, Scalar scalar, char *bytes, int64_t index) {
  store(type, &scalar, 1, bytes + index * getBytes(type));
}

/// HLO's convert of one value: saturating to integers (NaN gives 0), wrapping between integers,
/// rounding to floats once.
Scalar convert(ElementType from, ElementType to, Scalar value);

/// An integer index of any type; the large u64 are clamped to the largest s64.
int64_t asIndex(ElementType type, Scalar value);

/// Order of values as integers: -NaN < -inf < ... < -0 < +0 < ... < +NaN. For floats only.
int64_t totalOrderKey(double value);

/// The value as text, in the form of HLO's literals.
std::string toString(ElementType type, Scalar value);

} // namespace hloc::evaluator

#endif
