// SPDX-License-Identifier: Apache-2.0
// Matrices in the last two dimensions of arrays.

#ifndef HLOC_COMPILER_EVALUATOR_MATRIXOPS_H
#define HLOC_COMPILER_EVALUATOR_MATRIXOPS_H

#include "compiler/evaluator/linalg/Columns.h"
#include "compiler/evaluator/linalg/Matrix.h"

namespace hloc::evaluator {

/// Number of matrices in an array.
inline int64_t countMatrices(const Array &array) {
  return countElements(llvm::ArrayRef<int64_t>(array.shape).drop_back(2));
}

template <class T> Matrix<T> getMatrix(const Array &array, int64_t number) {
  Matrix<T> matrix(array.shape[array.shape.size() - 2], array.shape.back());
  int64_t size = matrix.elements.size();
  std::vector<Scalar> scalars(size);
  load(array.type, array.data() + number * size * getBytes(array.type), size, scalars.data());
  for (int64_t i = 0; i < size; ++i)
    matrix.elements[i] = fromScalar<T>(scalars[i]);
  return matrix;
}

template <class T> void setMatrix(Array &array, int64_t number, const Matrix<T> &matrix) {
  int64_t size = matrix.elements.size();
  std::vector<Scalar> scalars(size);
  for (int64_t i = 0; i < size; ++i)
    scalars[i] = toScalar(matrix.elements[i]);
  wrap(array.type, scalars.data(), size);
  store(array.type, scalars.data(), size,
        array.mutableData() + number * size * getBytes(array.type));
}

/// Calls `visit` with a double or complex<double>, the number type of the array's elements.
template <class Visit> auto withMatrixNumber(const Array &array, Visit visit) {
  return isComplex(array.type) ? visit(std::complex<double>()) : visit(double());
}

/// op(A) X = B, or X op(A) = B unless `leftSide`. `transpose`: 'N', 'T' or 'C'.
template <class T>
Matrix<T> solveTriangular(const Matrix<T> &a, const Matrix<T> &b, bool leftSide, bool lower,
                          bool unitDiagonal, char transpose) {
  Matrix<T> matrix = transpose == 'N' ? a : transpose == 'T' ? a.transposed() : a.adjoint();
  lower ^= transpose != 'N';
  if (leftSide) {
    Matrix<T> x = b;
    solveTriangular(matrix, lower, unitDiagonal, x);
    return x;
  }
  Matrix<T> x = b.transposed(); // X M = B is M^T X^T = B^T
  solveTriangular(matrix.transposed(), !lower, unitDiagonal, x);
  return x.transposed();
}

} // namespace hloc::evaluator

#endif
