// SPDX-License-Identifier: Apache-2.0
// The defining equations of each decomposition, on random matrices and on difficult ones.
#include "compiler/evaluator/linalg/Spectral.h"
#include "compiler/evaluator/linalg/Tridiagonal.h"
#include <gtest/gtest.h>
#include <random>

using namespace hloc::evaluator;

namespace {

template <class T> class Spectral : public ::testing::Test {
protected:
  Matrix<T> draw(int64_t rows, int64_t columns) {
    Matrix<T> a(rows, columns);
    for (T &element : a.elements)
      if constexpr (std::is_same_v<T, Complex>)
        element = {normal(random), normal(random)};
      else
        element = normal(random);
    return a;
  }

  std::mt19937 random{7};
  std::normal_distribution<double> normal;
};

using Numbers = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(Spectral, Numbers);

template <class T> Matrix<Complex> widen(const Matrix<T> &a) {
  Matrix<Complex> wide(a.rows, a.columns);
  std::copy(a.elements.begin(), a.elements.end(), wide.elements.begin());
  return wide;
}

template <class A, class B> double distance(const Matrix<A> &a, const Matrix<B> &b) {
  EXPECT_EQ(a.elements.size(), b.elements.size());
  double most = 0;
  for (size_t i = 0; i < a.elements.size(); ++i)
    most = std::max(most, std::abs(Complex(a.elements[i]) - Complex(b.elements[i])));
  return most;
}

template <class T> void expectUnitary(const Matrix<T> &q) {
  EXPECT_LT(distance(q.adjoint() * q, Matrix<T>::identity(q.columns)), 1e-13);
}

TYPED_TEST(Spectral, Hessenberg) {
  using T = TypeParam;
  for (int64_t n : {1, 2, 3, 8}) {
    Matrix<T> a = this->draw(n, n), h = a;
    Matrix<T> q = makeQ(h, reduceToHessenberg(h, 0, n - 1), 1);
    for (int64_t i = 2; i < n; ++i)
      for (int64_t j = 0; j + 1 < i; ++j)
        h(i, j) = 0;
    expectUnitary(q);
    EXPECT_LT(distance(q * h * q.adjoint(), a), 1e-12) << n;
  }
}

TYPED_TEST(Spectral, Tridiagonal) {
  using T = TypeParam;
  for (int64_t n : {1, 2, 7}) {
    Matrix<T> b = this->draw(n, n), a = b * b.adjoint(), reduced = a;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        reduced(i, j) = 99; // not read
    Matrix<T> q = makeQ(reduced, reduceToTridiagonal(reduced), 1), t(n, n);
    for (int64_t i = 0; i < n; ++i) {
      t(i, i) = reduced(i, i);
      if (i + 1 < n)
        t(i + 1, i) = t(i, i + 1) = realPart(reduced(i + 1, i));
    }
    EXPECT_LT(distance(q * t * q.adjoint(), a), 1e-12) << n;
  }
}

TYPED_TEST(Spectral, SchurAndEigenvectors) {
  using T = TypeParam;
  Matrix<T> rotations(4, 4); // eigenvalues i, -i twice
  rotations(0, 1) = rotations(2, 3) = -1;
  rotations(1, 0) = rotations(3, 2) = 1;
  Matrix<T> cycle(3, 3); // the roots of one: shifts from the last rows alone would never end
  cycle(0, 2) = cycle(1, 0) = cycle(2, 1) = 1;
  for (const Matrix<T> &a : {this->draw(1, 1), this->draw(2, 2), this->draw(5, 5),
                             this->draw(12, 12), rotations, cycle, Matrix<T>(3, 3)}) {
    Matrix<T> t = a, z;
    ASSERT_TRUE(schur(t, z));
    expectUnitary(z);
    EXPECT_LT(distance(z * t * z.adjoint(), a), 1e-12);
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t j = 0; j + 1 < i; ++j)
        EXPECT_EQ(t(i, j), T(0));

    std::vector<Complex> values = eigenvaluesOf(t);
    Matrix<Complex> w(a.rows, a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
      w(i, i) = values[i];
    Matrix<Complex> v = eigenvectorsOf(t, z, false), u = eigenvectorsOf(t, z, true);
    EXPECT_LT(distance(widen(a) * v, v * w), 1e-11);
    EXPECT_LT(distance(u.adjoint() * widen(a), w * u.adjoint()), 1e-11);
    for (int64_t j = 0; j < a.rows; ++j) {
      double length = 0;
      for (int64_t i = 0; i < a.rows; ++i)
        length += std::norm(v(i, j));
      EXPECT_NEAR(length, 1, 1e-14);
    }
  }
}

TEST(SpectralPairs, ConjugatesStandTogetherPositiveFirst) {
  Matrix<double> t(3, 3), z;
  t(0, 1) = -2;
  t(1, 0) = 2;
  t(2, 2) = 5;
  ASSERT_TRUE(schur(t, z));
  std::vector<Complex> values = eigenvaluesOf(t);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].imag() > 0) {
      EXPECT_EQ(values[i + 1], std::conj(values[i]));
    }
}

TYPED_TEST(Spectral, SingularValues) {
  using T = TypeParam;
  Matrix<T> poor = this->draw(6, 4); // of rank 2
  for (int64_t i = 0; i < 6; ++i) {
    poor(i, 1) = 2.0 * poor(i, 0);
    poor(i, 3) = poor(i, 0) - poor(i, 2);
  }
  for (const Matrix<T> &a : {this->draw(1, 1), this->draw(7, 3), this->draw(3, 7), this->draw(5, 5),
                             poor, Matrix<T>(3, 2), Matrix<T>(2, 0)}) {
    SingularValues<T> parts = singularValues(a);
    expectUnitary(parts.u);
    expectUnitary(parts.v);
    Matrix<T> s(a.rows, a.columns);
    for (size_t i = 0; i < parts.values.size(); ++i) {
      s(i, i) = parts.values[i];
      EXPECT_GE(parts.values[i], 0);
      if (i) {
        EXPECT_LE(parts.values[i], parts.values[i - 1]);
      }
    }
    EXPECT_LT(distance(parts.u * s * parts.v.adjoint(), a), 1e-12);
  }
}

TYPED_TEST(Spectral, TridiagonalSolve) {
  using T = TypeParam;
  for (int64_t n : {1, 2, 3, 9}) {
    Matrix<T> lines = this->draw(3, n), x = this->draw(n, 2), b(n, 2);
    std::vector<T> lower(n), diagonal(n), upper(n);
    for (int64_t i = 0; i < n; ++i) {
      lower[i] = lines(0, i);
      diagonal[i] = 0.1 * lines(1, i); // small: rows are exchanged
      upper[i] = lines(2, i);
      for (int64_t j = 0; j < 2; ++j)
        b(i, j) = diagonal[i] * x(i, j) + (i ? lower[i] * x(i - 1, j) : T(0)) +
                  (i + 1 < n ? upper[i] * x(i + 1, j) : T(0));
    }
    EXPECT_EQ(solveTridiagonal(lower, diagonal, upper, b), 0);
    EXPECT_LT(distance(b, x), 1e-9) << n;
  }
  std::vector<T> none(2), upper(2, T(1));
  Matrix<T> b(2, 1);
  EXPECT_EQ(solveTridiagonal(none, none, upper, b), 1);
}

TEST(Tridiagonal, SolvesSingularSystems) {
  NumberLimits limits{0x1p-53, 0x1p-1022};
  // Regular: the solution. The second equation has the larger element, relative to its own.
  Matrix<double> b(2, 1);
  b.elements = {5, 4};
  solvePerturbed({0, 3}, {1, 1}, {4, 0}, b, limits); // x + 4 y = 5, 3 x + y = 4
  EXPECT_NEAR(b.elements[0], 1, 1e-14);
  EXPECT_NEAR(b.elements[1], 1, 1e-14);
  // Singular: large but finite, and along the null space.
  b.elements = {1, 2};
  solvePerturbed({0, 1}, {1, 1}, {1, 0}, b, limits);
  EXPECT_GT(std::fabs(b.elements[0]), 1e14);
  EXPECT_TRUE(std::isfinite(b.elements[0]));
  EXPECT_NEAR(b.elements[0] / b.elements[1], -1, 1e-14);
}

} // namespace
