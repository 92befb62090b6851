// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/linalg/Reflections.h"
#include "compiler/evaluator/linalg/Spectral.h"

namespace hloc::evaluator {

template <class T> std::vector<T> reduceToHessenberg(Matrix<T> &a, int64_t low, int64_t high) {
  std::vector<T> tau(std::max<int64_t>(a.rows - 1, 0));
  for (int64_t j = low; j < high; ++j) {
    int64_t end = high + 1;
    tau[j] = reflect(a, j, j + 1, end);
    std::vector<T> v = getReflector(a, j, j + 1, end);
    applyRight(a, v, tau[j], j + 1, end);
    applyLeft(a, v, conjugate(tau[j]), j + 1, j + 1);
  }
  return tau;
}

template <class T> Matrix<T> makeQ(const Matrix<T> &a, const std::vector<T> &tau, int64_t below) {
  Matrix<T> q = Matrix<T>::identity(a.rows);
  for (int64_t j = int64_t(tau.size()) - 1; j >= 0; --j)
    applyLeft(q, getReflector(a, j, j + below, a.rows), tau[j], j + below, 0);
  return q;
}

template <class T> std::vector<T> reduceToTridiagonal(Matrix<T> &a) {
  Matrix<T> whole = a;
  for (int64_t i = 0; i < a.rows; ++i) {
    whole(i, i) = realPart(a(i, i));
    for (int64_t j = i + 1; j < a.rows; ++j)
      whole(i, j) = conjugate(a(j, i));
  }
  std::vector<T> tau = reduceToHessenberg(whole, 0, a.rows - 1);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j)
      a(i, j) = i == j ? T(realPart(whole(i, i))) : whole(i, j);
  return tau;
}

template std::vector<double> reduceToHessenberg(Matrix<double> &, int64_t, int64_t);
template std::vector<Complex> reduceToHessenberg(Matrix<Complex> &, int64_t, int64_t);
template Matrix<double> makeQ(const Matrix<double> &, const std::vector<double> &, int64_t);
template Matrix<Complex> makeQ(const Matrix<Complex> &, const std::vector<Complex> &, int64_t);
template std::vector<double> reduceToTridiagonal(Matrix<double> &);
template std::vector<Complex> reduceToTridiagonal(Matrix<Complex> &);

} // namespace hloc::evaluator
