// SPDX-License-Identifier: Apache-2.0
// Whole arrays as C++ numbers, for operations with many multiplications and additions: integers in
// 64 bits, floats in double, complex numbers in pairs of double. Sums are rounded once, at the end.

#ifndef HLOC_COMPILER_EVALUATOR_COLUMNS_H
#define HLOC_COMPILER_EVALUATOR_COLUMNS_H

#include "compiler/evaluator/core/Value.h"

namespace hloc::evaluator {

template <class T> T fromScalar(Scalar scalar);
template <> inline uint64_t fromScalar(Scalar s) { return s.u; }
template <> inline uint8_t fromScalar(Scalar s) { return uint8_t(s.i); }
template <> inline double fromScalar(Scalar s) { return s.f; }
template <> inline std::complex<double> fromScalar(Scalar s) { return {s.c.re, s.c.im}; }

inline Scalar toScalar(uint64_t value) { return Scalar::ofInt(int64_t(value)); }
inline Scalar toScalar(uint8_t value) { return Scalar::ofInt(value); }
inline Scalar toScalar(double value) { return Scalar::ofFloat(value); }
inline Scalar toScalar(std::complex<double> value) {
  return Scalar::ofComplex(value.real(), value.imag());
}

/// All elements, converted to `as` first if that is another kind of number.
template <class T> std::vector<T> toNumbers(const Array &array, ElementType as) {
  std::vector<T> numbers(array.getCount());
  Scalar column[kColumn];
  bool sameDomain =
      getDomain(array.type) == getDomain(as) || (isInteger(array.type) && isInteger(as));
  for (int64_t first = 0, total = array.getCount(); first < total; first += kColumn) {
    int64_t size = std::min(kColumn, total - first);
    load(array.type, array.data() + first * getBytes(array.type), size, column);
    for (int64_t i = 0; i < size; ++i)
      numbers[first + i] =
          fromScalar<T>(sameDomain ? column[i] : convert(array.type, as, column[i]));
  }
  return numbers;
}

/// An array of numbers, each rounded to the type.
template <class T>
Array fromNumbers(const std::vector<T> &numbers, ElementType type, llvm::ArrayRef<int64_t> shape) {
  Array array(type, shape);
  char *data = array.mutableData();
  Scalar column[kColumn];
  for (int64_t first = 0, total = array.getCount(); first < total; first += kColumn) {
    int64_t size = std::min(kColumn, total - first);
    for (int64_t i = 0; i < size; ++i)
      column[i] = toScalar(T(numbers[first + i]));
    wrap(type, column, size);
    store(type, column, size, data + first * getBytes(type));
  }
  return array;
}

/// A sum of products; for pred, an or of ands.
template <class T> void multiplyAdd(T &sum, T a, T b) { sum += a * b; }
inline void multiplyAdd(std::complex<double> &sum, std::complex<double> a, std::complex<double> b) {
  sum += std::complex<double>(a.real() * b.real() - a.imag() * b.imag(),
                              a.real() * b.imag() + a.imag() * b.real());
}
inline void multiplyAdd(uint8_t &sum, uint8_t a, uint8_t b) { sum |= a & b; }

/// The type in which products are summed: an operand's if its kind of number is wider than the
/// result's, as for floats with an integer result, otherwise the result's.
inline ElementType getSumType(ElementType lhs, ElementType rhs, ElementType result) {
  auto isMore = [](ElementType type, ElementType than) {
    return std::max(getDomain(type), Domain::Unsigned) >
           std::max(getDomain(than), Domain::Unsigned);
  };
  ElementType sum = isMore(rhs, lhs) ? rhs : lhs;
  // the result is whether the sum is not zero
  if (result == ElementType::PRED && !isMore(sum, result))
    return getBits(lhs) > getBits(rhs) ? lhs : rhs;
  return isMore(sum, result) ? sum : result;
}

/// Calls `visit` with a value of the C++ type in which values of the element type are computed.
template <class Visit> auto withNumber(ElementType type, Visit visit) {
  switch (getDomain(type)) {
  case Domain::Pred:
    return visit(uint8_t());
  case Domain::Float:
    return visit(double());
  case Domain::Complex:
    return visit(std::complex<double>());
  default:
    return visit(uint64_t());
  }
}

} // namespace hloc::evaluator

#endif
