// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/linalg/Spectral.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace hloc::evaluator {

/// Extends the first `count` orthonormal columns of `q` to a basis.
template <class T> static void completeBasis(Matrix<T> &q, int64_t count) {
  for (int64_t unit = 0; count < q.columns && unit < q.rows; ++unit) {
    std::vector<T> v(q.rows);
    v[unit] = 1;
    double length = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < count; ++j) {
        T sum = 0;
        for (int64_t i = 0; i < q.rows; ++i)
          sum += conjugate(q(i, j)) * v[i];
        for (int64_t i = 0; i < q.rows; ++i)
          v[i] -= sum * q(i, j);
      }
      length = 0;
      for (const T &element : v)
        length += std::norm(Complex(element));
      length = std::sqrt(length);
    }
    // At least one of n unit vectors has a remainder of this length.
    if (length * length * double(q.rows) < 0.5)
      continue;
    for (int64_t i = 0; i < q.rows; ++i)
      q(i, count) = v[i] / length;
    ++count;
  }
}

template <class T> SingularValues<T> singularValues(const Matrix<T> &a) {
  if (a.rows < a.columns) {
    SingularValues<T> turned = singularValues(a.adjoint());
    std::swap(turned.u, turned.v);
    return turned;
  }
  // One-sided Jacobi (Hestenes): rotate columns until they are orthogonal; their lengths are the
  // singular values.
  int64_t m = a.rows, n = a.columns;
  Matrix<T> w = a, v = Matrix<T>::identity(n);
  bool turning = true;
  for (int sweep = 0; sweep < 60 && turning; ++sweep) {
    turning = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double first = 0, second = 0;
        T inner = 0;
        for (int64_t i = 0; i < m; ++i) {
          first += std::norm(Complex(w(i, p)));
          second += std::norm(Complex(w(i, q)));
          inner += conjugate(w(i, p)) * w(i, q);
        }
        double size = std::abs(inner);
        if (!(size > kEpsilon * std::sqrt(first) * std::sqrt(second)))
          continue;
        turning = true;
        T phase = inner / size;
        double zeta = (second - first) / (2 * size);
        double t = std::copysign(1.0, zeta) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (Matrix<T> *matrix : {&w, &v})
          for (int64_t i = 0; i < matrix->rows; ++i) {
            T x = (*matrix)(i, p), y = (*matrix)(i, q);
            (*matrix)(i, p) = c * x - s * conjugate(phase) * y;
            (*matrix)(i, q) = s * phase * x + c * y;
          }
      }
  }
  std::vector<double> lengths(n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i)
      lengths[j] += std::norm(Complex(w(i, j)));
    lengths[j] = std::sqrt(lengths[j]);
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return lengths[x] > lengths[y]; });
  SingularValues<T> result{Matrix<T>(m, m), Matrix<T>(n, n), std::vector<double>(n)};
  int64_t rank = 0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t j = order[k];
    result.values[k] = lengths[j];
    for (int64_t i = 0; i < n; ++i)
      result.v(i, k) = v(i, j);
    // Negligible columns have no direction.
    if (!(lengths[j] > kEpsilon * double(m) * lengths[order[0]]))
      continue;
    for (int64_t i = 0; i < m; ++i)
      result.u(i, k) = w(i, j) / lengths[j];
    rank = k + 1;
  }
  completeBasis(result.u, rank);
  return result;
}

template SingularValues<double> singularValues(const Matrix<double> &);
template SingularValues<Complex> singularValues(const Matrix<Complex> &);

} // namespace hloc::evaluator
