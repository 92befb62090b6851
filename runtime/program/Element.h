// SPDX-License-Identifier: Apache-2.0
// Elements of arrays: their types by name and number, their values, their text, the distance
// between two. The compiler's tools use this too. Elements here have the form of files and
// literals: at least a byte each, little-endian, those of fewer than eight bits in the low bits,
// signed ones sign-extended. Test: test/driver/ElementTest.cpp.
#ifndef HLOC_RUNTIME_PROGRAM_ELEMENT_H
#define HLOC_RUNTIME_PROGRAM_ELEMENT_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace hloc::runtime {

/// The value of one element: `integer` for integers and pred, `real` for floats, both parts for
/// complex numbers.
struct ElementValue {
  int64_t integer = 0;
  double real = 0, imaginary = 0;
};

/// The permitted distance between an element and the expected one: within rtol * |expected| + atol,
/// or within `ulp` representable values. All zero: equal, and with `sameBits` zeros must also have
/// the same sign. NaN always matches NaN, and an infinity itself.
struct Tolerance {
  double rtol = 0, atol = 0;
  int64_t ulp = 0;
  bool sameBits = false;
};

/// An element type.
struct Element {
  enum Kind : uint8_t { Pred, Signed, Unsigned, Float, Complex };
  /// The meaning of the bits of a float that are not an ordinary number: infinities and NaN as in
  /// IEEE 754; only NaN, all ones; only NaN, instead of -0; none; or there are no sign and no
  /// fraction, and all ones are NaN.
  enum Specials : uint8_t { Ieee, OnesAreNan, MinusZeroIsNan, None, ExponentOnly };

  /// Bytes of the largest type.
  static constexpr size_t mostBytes = 16;

  const char *name; // HLO's
  int32_t number;   // its hlort_element_type
  Kind kind;
  uint8_t bits; // including both parts of a complex number
  /// Of floats, and of each part of complex numbers.
  uint8_t mantissa = 0;
  int16_t bias = 0;
  Specials specials = Ieee;

  int getBytes() const { return (bits + 7) / 8; }
  bool isFloating() const { return kind == Float || kind == Complex; }
  /// NumPy's name of the type that it is stored as, such as "f4".
  std::string getNpyType() const;

  ElementValue read(const char *bytes) const;
  /// Writes a random number, normally distributed, positive if the type has no sign; integers are
  /// in [0, bound), with a bound of 0 in [-8, 8), unsigned ones in [0, 8). The same on every
  /// machine.
  void draw(std::mt19937_64 &source, int64_t bound, char *bytes) const;
  /// The element as text: with enough digits to distinguish it from other values if `allDigits`,
  /// otherwise with six.
  std::string getText(const char *bytes, bool allDigits) const;

  /// |got - expected|; 0 if both are the same infinity or both NaN, infinite if only one is.
  double getDistance(const char *got, const char *expected) const;
  /// The number of representable values between them, the larger of two parts; infinite if only one
  /// is NaN. Only for floats and complex numbers.
  double getUlpsApart(const char *got, const char *expected) const;
  bool isWithin(const Tolerance &tolerance, const char *got, const char *expected) const;
  /// True if the tolerance is so large that zeros would be accepted for all of these elements,
  /// though they are not all zeros: then a comparison with them tells nothing.
  bool admitsZeros(const Tolerance &tolerance, const char *expected, int64_t count) const;
};

/// By its hlort_element_type, or by HLO's name; null if arrays cannot have such elements.
const Element *findElement(int32_t number);
const Element *findElement(std::string_view name);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_ELEMENT_H
