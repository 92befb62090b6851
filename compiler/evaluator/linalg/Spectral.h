// SPDX-License-Identifier: Apache-2.0
// Eigenvalues, Schur forms and singular values of small dense matrices, by textbook methods (Golub
// and Van Loan, Matrix Computations), for LAPACK's custom calls. Reflectors and factors are stored
// like LAPACK's. Test: test/evaluator/SpectralTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_SPECTRAL_H
#define HLOC_COMPILER_EVALUATOR_SPECTRAL_H

#include "compiler/evaluator/linalg/Matrix.h"
#include <limits>

namespace hloc::evaluator {

using Complex = std::complex<double>;

/// Relative to the size of a matrix, smaller values are noise.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// H = Q^H A Q in Hessenberg form: H in and above the subdiagonal of `a`, the reflectors of Q below
/// it. Only rows and columns from `low` to `high` are reduced. Returns the factors of the n - 1
/// reflectors.
template <class T> std::vector<T> reduceToHessenberg(Matrix<T> &a, int64_t low, int64_t high);

/// The Q of reflectors that start `below` the diagonal: column j's begins in row j + below.
template <class T> Matrix<T> makeQ(const Matrix<T> &a, const std::vector<T> &tau, int64_t below);

/// T = Q^H A Q tridiagonal for a Hermitian matrix of which only the lower triangle is read:
/// diagonal and subdiagonal in place in `a`, reflectors below.
template <class T> std::vector<T> reduceToTridiagonal(Matrix<T> &a);

/// A = Z T Z^H: T upper triangular. `a` becomes T. False if the iteration does not end.
bool schur(Matrix<Complex> &a, Matrix<Complex> &z);
/// The same for a real matrix: T has 2x2 blocks with equal diagonal elements for conjugate pairs.
bool schur(Matrix<double> &a, Matrix<double> &z);

/// The eigenvalues on the diagonal of a Schur form.
std::vector<Complex> eigenvaluesOf(const Matrix<Complex> &t);
std::vector<Complex> eigenvaluesOf(const Matrix<double> &t);

/// Eigenvectors of A = Z T Z^H as columns of length 1 whose largest component is real: A v = v w,
/// or, if `left`, v^H A = w v^H.
Matrix<Complex> eigenvectorsOf(const Matrix<Complex> &t, const Matrix<Complex> &z, bool left);
Matrix<Complex> eigenvectorsOf(const Matrix<double> &t, const Matrix<double> &z, bool left);

/// A = U diag(values) V^H, the values descending, U and V square.
template <class T> struct SingularValues {
  Matrix<T> u, v;
  std::vector<double> values;
};
template <class T> SingularValues<T> singularValues(const Matrix<T> &a);

} // namespace hloc::evaluator

#endif
