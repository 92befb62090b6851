// SPDX-License-Identifier: Apache-2.0
// Textbook linear algebra on small dense matrices of double or complex<double>, for cholesky,
// triangular_solve and LAPACK's custom calls. Test: test/evaluator/SpectralTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_MATRIX_H
#define HLOC_COMPILER_EVALUATOR_MATRIX_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace hloc::evaluator {

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
inline double realPart(double x) { return x; }
inline double realPart(std::complex<double> x) { return x.real(); }

/// A row-major matrix.
template <class T> struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> elements;

  Matrix() = default;
  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), elements(rows * columns) {}
  T &operator()(int64_t i, int64_t j) { return elements[i * columns + j]; }
  const T &operator()(int64_t i, int64_t j) const { return elements[i * columns + j]; }

  static Matrix identity(int64_t size) {
    Matrix result(size, size);
    for (int64_t i = 0; i < size; ++i)
      result(i, i) = 1;
    return result;
  }
  Matrix adjoint() const {
    Matrix result(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result(j, i) = conjugate((*this)(i, j));
    return result;
  }
  Matrix transposed() const {
    Matrix result(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result(j, i) = (*this)(i, j);
    return result;
  }
};

template <class T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b) {
  Matrix<T> result(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j)
        result(i, j) += a(i, k) * b(k, j);
  return result;
}

/// The lower factor L of A = L L^H, in the lower triangle of `a`; only that is read, and the upper
/// one is unchanged. Returns 0, or the order of the leading minor that is not positive.
template <class T> int64_t cholesky(Matrix<T> &a) {
  for (int64_t j = 0; j < a.rows; ++j) {
    for (int64_t i = j; i < a.rows; ++i) {
      T sum = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a(i, k) * conjugate(a(j, k));
      if (i == j) {
        if (!(realPart(sum) > 0))
          return j + 1;
        a(j, j) = std::sqrt(realPart(sum));
      } else {
        a(i, j) = sum / realPart(a(j, j));
      }
    }
  }
  return 0;
}

/// Solves A X = B in `b`; only the named triangle of `a` is read.
template <class T>
void solveTriangular(const Matrix<T> &a, bool lower, bool unitDiagonal, Matrix<T> &b) {
  for (int64_t step = 0; step < a.rows; ++step) {
    int64_t i = lower ? step : a.rows - 1 - step;
    for (int64_t j = 0; j < b.columns; ++j) {
      T sum = b(i, j);
      for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : a.rows); ++k)
        sum -= a(i, k) * b(k, j);
      b(i, j) = unitDiagonal ? sum : sum / a(i, i);
    }
  }
}

/// P A = L U in `a` with row exchanges, written as LAPACK's 1-based pivots. Returns 0, or the
/// number of the first pivot that is zero.
template <class T> int64_t luFactor(Matrix<T> &a, std::vector<int64_t> &pivots) {
  int64_t info = 0;
  for (int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    auto size = [&](int64_t i) {
      return std::fabs(realPart(a(i, j))) + std::abs(a(i, j) - T(realPart(a(i, j))));
    };
    int64_t best = j;
    for (int64_t i = j + 1; i < a.rows; ++i)
      if (size(i) > size(best))
        best = i;
    pivots.push_back(best + 1);
    for (int64_t k = 0; k < a.columns; ++k)
      std::swap(a(j, k), a(best, k));
    if (a(j, j) == T(0)) {
      if (!info)
        info = j + 1;
      continue;
    }
    for (int64_t i = j + 1; i < a.rows; ++i) {
      a(i, j) /= a(j, j);
      for (int64_t k = j + 1; k < a.columns; ++k)
        a(i, k) -= a(i, j) * a(j, k);
    }
  }
  return info;
}

/// Eigenvalues in ascending order, and orthonormal eigenvectors as columns of `a`, of a Hermitian
/// matrix with both triangles; by Jacobi rotations.
template <class T> std::vector<double> hermitianEigen(Matrix<T> &a) {
  int64_t n = a.rows;
  Matrix<T> v = Matrix<T>::identity(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, all = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        (i == j ? all : off) += std::norm(std::complex<double>(a(i, j)));
    if (!(off > 1e-34 * all))
      break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double size = std::abs(a(p, q));
        if (size == 0)
          continue;
        T phase = a(p, q) / size;
        double theta = (realPart(a(q, q)) - realPart(a(p, p))) / (2 * size);
        double t = std::copysign(1.0, theta) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        double c = 1 / std::sqrt(t * t + 1), s = t * c;
        // Columns p and q times [c, s phase; -s conj(phase), c], then rows by its adjoint.
        auto rotate = [&](Matrix<T> &m) {
          for (int64_t i = 0; i < n; ++i) {
            T x = m(i, p), y = m(i, q);
            m(i, p) = c * x - s * conjugate(phase) * y;
            m(i, q) = s * phase * x + c * y;
          }
        };
        rotate(a);
        for (int64_t i = 0; i < n; ++i) {
          T x = a(p, i), y = a(q, i);
          a(p, i) = c * x - s * phase * y;
          a(q, i) = s * conjugate(phase) * x + c * y;
        }
        rotate(v);
      }
  }
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) { // insertion sort of the eigenvalues
    int64_t at = i;
    for (; at > 0 && realPart(a(order[at - 1], order[at - 1])) > realPart(a(i, i)); --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  std::vector<double> values(n);
  Matrix<T> vectors(n, n);
  for (int64_t j = 0; j < n; ++j) {
    values[j] = realPart(a(order[j], order[j]));
    for (int64_t i = 0; i < n; ++i)
      vectors(i, j) = v(i, order[j]);
  }
  a = std::move(vectors);
  return values;
}

} // namespace hloc::evaluator

#endif
