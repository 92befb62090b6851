// SPDX-License-Identifier: Apache-2.0
// Householder reflections H = I - factor v v^H, where the first element of v is 1, stored like
// LAPACK's: the rest of v in the column that the reflection made zero. Test:
// test/evaluator/SpectralTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_REFLECTIONS_H
#define HLOC_COMPILER_EVALUATOR_REFLECTIONS_H

#include "compiler/evaluator/linalg/Matrix.h"
#include <algorithm>

namespace hloc::evaluator {

/// v and factor of H = I - factor v v^H, v(first) = 1, whose adjoint maps column j of `a` from row
/// `first` to `end` to a multiple of the first unit vector. The column then contains that multiple
/// and the rest of v.
template <class T> T reflect(Matrix<T> &a, int64_t j, int64_t first, int64_t end) {
  double below = 0;
  for (int64_t i = first + 1; i < end; ++i)
    below += std::norm(std::complex<double>(a(i, j)));
  T alpha = a(first, j);
  if (below == 0 && alpha == T(realPart(alpha)))
    return 0;
  double length = std::sqrt(std::norm(std::complex<double>(alpha)) + below);
  double beta = -std::copysign(length, realPart(alpha));
  for (int64_t i = first + 1; i < end; ++i)
    a(i, j) /= alpha - T(beta);
  a(first, j) = beta;
  return (T(beta) - alpha) / beta;
}

/// Column j's reflector from row `first` to `end` with its leading 1.
template <class T>
std::vector<T> getReflector(const Matrix<T> &a, int64_t j, int64_t first, int64_t end) {
  std::vector<T> v(std::max<int64_t>(end - first, 0));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = i ? a(first + int64_t(i), j) : T(1);
  return v;
}

/// (I - factor v v^H) M on rows from `first`, for columns from `begin`.
template <class T>
void applyLeft(Matrix<T> &m, const std::vector<T> &v, T factor, int64_t first, int64_t begin) {
  for (int64_t k = begin; k < m.columns; ++k) {
    T sum = 0;
    for (size_t i = 0; i < v.size(); ++i)
      sum += conjugate(v[i]) * m(first + int64_t(i), k);
    for (size_t i = 0; i < v.size(); ++i)
      m(first + int64_t(i), k) -= factor * v[i] * sum;
  }
}

/// M (I - factor v v^H) on columns from `first`, for rows before `end`.
template <class T>
void applyRight(Matrix<T> &m, const std::vector<T> &v, T factor, int64_t first, int64_t end) {
  for (int64_t k = 0; k < end; ++k) {
    T sum = 0;
    for (size_t i = 0; i < v.size(); ++i)
      sum += m(k, first + int64_t(i)) * v[i];
    for (size_t i = 0; i < v.size(); ++i)
      m(k, first + int64_t(i)) -= factor * sum * conjugate(v[i]);
  }
}

/// Step j of `qrFactor`: makes column j's elements below the diagonal zero. Returns tau.
template <class T> T qrStep(Matrix<T> &a, int64_t j) {
  T factor = reflect(a, j, j, a.rows);
  applyLeft(a, getReflector(a, j, j, a.rows), conjugate(factor), j, j + 1);
  return factor;
}

/// A = Q R: R in and above the diagonal, the reflectors below it, and the factors tau.
template <class T> std::vector<T> qrFactor(Matrix<T> &a) {
  std::vector<T> tau;
  for (int64_t j = 0; j < std::min(a.rows, a.columns); ++j)
    tau.push_back(qrStep(a, j));
  return tau;
}

/// Applies H_0 H_1 ... (or its adjoint) of `qrFactor`'s reflectors to `c` from the left.
template <class T>
void applyReflectors(const Matrix<T> &a, const std::vector<T> &tau, bool adjoint, Matrix<T> &c) {
  int64_t count = tau.size();
  for (int64_t step = 0; step < count; ++step) {
    int64_t j = adjoint ? step : count - 1 - step;
    applyLeft(c, getReflector(a, j, j, c.rows), adjoint ? conjugate(tau[j]) : tau[j], j, 0);
  }
}

} // namespace hloc::evaluator

#endif
