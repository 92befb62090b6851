// SPDX-License-Identifier: Apache-2.0
// Systems of equations with tridiagonal matrices. The three diagonals have as many elements as the
// matrix has rows; the first element of the lower and the last of the upper one are ignored. Test:
// test/evaluator/SpectralTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_TRIDIAGONAL_H
#define HLOC_COMPILER_EVALUATOR_TRIDIAGONAL_H

#include "compiler/evaluator/linalg/Matrix.h"
#include <algorithm>

namespace hloc::evaluator {

/// Solves A X = B in `b`. The diagonals are overwritten by those of the triangular factor; its
/// second superdiagonal is in `lower` from element 1. Returns 0, or the number of the first pivot
/// that is zero, where it stops.
template <class T>
int64_t solveTridiagonal(std::vector<T> &lower, std::vector<T> &diagonal, std::vector<T> &upper,
                         Matrix<T> &b) {
  auto size = [](T x) {
    std::complex<double> c(x);
    return std::fabs(c.real()) + std::fabs(c.imag());
  };
  int64_t n = b.rows;
  for (int64_t k = 0; k + 1 < n; ++k) {
    T below = lower[k + 1], second = 0;
    if (below != T(0)) {
      if (size(diagonal[k]) < size(below)) {
        std::swap(diagonal[k], below);
        std::swap(upper[k], diagonal[k + 1]);
        if (k + 2 < n) {
          second = upper[k + 1];
          upper[k + 1] = 0;
        }
        for (int64_t j = 0; j < b.columns; ++j)
          std::swap(b(k, j), b(k + 1, j));
      }
      T multiple = below / diagonal[k];
      diagonal[k + 1] -= multiple * upper[k];
      if (k + 2 < n)
        upper[k + 1] -= multiple * second;
      for (int64_t j = 0; j < b.columns; ++j)
        b(k + 1, j) -= multiple * b(k, j);
    } else if (diagonal[k] == T(0)) {
      return k + 1;
    }
    lower[k + 1] = second;
  }
  if (n > 0 && diagonal[n - 1] == T(0))
    return n;
  for (int64_t k = n - 1; k >= 0; --k)
    for (int64_t j = 0; j < b.columns; ++j) {
      T sum = b(k, j);
      if (k + 1 < n)
        sum -= upper[k] * b(k + 1, j);
      if (k + 2 < n)
        sum -= lower[k + 1] * b(k + 2, j);
      b(k, j) = sum / diagonal[k];
    }
  return 0;
}

/// Limits of the caller's number type.
struct NumberLimits {
  double epsilon;  // half the distance from 1 to the next number
  double smallest; // whose reciprocal does not overflow
};

/// Solves A X = B in `b` even if A is singular: a pivot that is so small that the division would
/// overflow is moved away from zero, by `epsilon` times the largest element of the factors, then by
/// twice as much, and so on. Rows are exchanged by size relative to their own (LAPACK's lagtf and
/// lagts).
template <class T>
void solvePerturbed(std::vector<T> lower, std::vector<T> diagonal, std::vector<T> upper,
                    Matrix<T> &b, NumberLimits limits) {
  int64_t n = b.rows;
  std::vector<T> second(n); // above `upper`
  auto upperSize = [&](int64_t row) { return row + 1 < n ? std::abs(upper[row]) : 0.0; };
  double scale = n ? std::abs(diagonal[0]) + upperSize(0) : 0;
  for (int64_t k = 0; k + 1 < n; ++k) {
    T &below = lower[k + 1];
    double nextScale = std::abs(below) + std::abs(diagonal[k + 1]) + upperSize(k + 1);
    double own = diagonal[k] == T(0) ? 0 : std::abs(diagonal[k]) / scale;
    if (below == T(0)) {
      scale = nextScale;
      continue;
    }
    if (std::abs(below) / nextScale > own) {
      std::swap(diagonal[k], below);
      std::swap(upper[k], diagonal[k + 1]);
      if (k + 2 < n)
        std::swap(second[k], upper[k + 1]);
      for (int64_t j = 0; j < b.columns; ++j)
        std::swap(b(k, j), b(k + 1, j));
    } else {
      scale = nextScale;
    }
    T multiple = below / diagonal[k];
    diagonal[k + 1] -= multiple * upper[k];
    if (k + 2 < n)
      upper[k + 1] -= multiple * second[k];
    for (int64_t j = 0; j < b.columns; ++j)
      b(k + 1, j) -= multiple * b(k, j);
  }
  double largest = 0;
  for (int64_t k = 0; k < n; ++k)
    largest = std::max({largest, std::abs(diagonal[k]), upperSize(k), std::abs(second[k])});
  double step = largest > 0 ? largest * limits.epsilon : limits.epsilon;
  for (int64_t j = 0; j < b.columns; ++j)
    for (int64_t k = n - 1; k >= 0; --k) {
      T sum = b(k, j), pivot = diagonal[k];
      T move = pivot == T(0) ? T(step) : pivot / std::abs(pivot) * step;
      if (k + 1 < n)
        sum -= upper[k] * b(k + 1, j);
      if (k + 2 < n)
        sum -= second[k] * b(k + 2, j);
      // The quotient's size must stay below 1 / smallest.
      while (std::abs(pivot) < 1 &&
             (pivot == T(0) || std::abs(sum) * limits.smallest > std::abs(pivot))) {
        pivot += move;
        move *= 2.0;
      }
      b(k, j) = sum / pivot;
    }
}

} // namespace hloc::evaluator

#endif
