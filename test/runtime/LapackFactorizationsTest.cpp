// SPDX-License-Identifier: Apache-2.0
// Custom calls that factorize and solve: Cholesky, LU, QR, triangular and tridiagonal systems.

#include "LapackTest.h"

using namespace hloc::test;

namespace {

template <typename T> class LapackFactorizations : public Lapack<T> {};
TYPED_TEST_SUITE(LapackFactorizations, Types);

TYPED_TEST(LapackFactorizations, Cholesky) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (char uplo : {'L', 'U'}) {
      Matrices<T> a = positiveMatrices<T>(7, this->columns), factor(7, 7, this->columns);
      std::vector<int32_t> info;
      std::string target = this->target("potrf");
      ASSERT_EQ(this->frame(target)
                    .operand(a.data, a.dims(), a.order())
                    .result(factor.data, a.dims(), a.order())
                    .result(info, {batch})
                    .integer("uplo", uplo)
                    .call(),
                "");
      EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
      Matrices<T> half = uplo == 'L' ? factor.where(onOrBelow) : factor.where(onOrAbove);
      expectNear(uplo == 'L' ? half * half.adjoint() : half.adjoint() * half, a);
    }
  });
}

TYPED_TEST(LapackFactorizations, CholeskySaysWhichMatrixIsNotPositive) {
  using T = TypeParam;
  Matrices<T> a = positiveMatrices<T>(5, true);
  a(1, 2, 2) = T(-100);
  std::vector<int32_t> info;
  std::string target = this->target("potrf");
  // In place, as JAX asks for.
  ASSERT_EQ(this->frame(target)
                .operand(a.data, a.dims(), a.order())
                .result(a.data, a.dims(), a.order())
                .result(info, {batch})
                .integer("uplo", 'L')
                .call(),
            "");
  EXPECT_EQ(info, (std::vector<int32_t>{0, 3, 0}));
}

TYPED_TEST(LapackFactorizations, LuOfTallAndWideMatrices) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{6, 6}, {8, 5}, {4, 9}}) {
      int64_t k = std::min(m, n);
      Matrices<T> a = randomMatrices<T>(m, n, this->columns), lu(m, n, this->columns);
      std::vector<int32_t> pivots, info;
      std::string target = this->target("getrf");
      ASSERT_EQ(this->frame(target)
                    .operand(a.data, a.dims(), a.order())
                    .result(lu.data, a.dims(), a.order())
                    .result(pivots, {batch, k})
                    .result(info, {batch})
                    .call(),
                "");
      Matrices<T> lower(m, k, this->columns), upper(k, n, this->columns), permuted = a;
      for (int64_t i = 0; i < batch; ++i) {
        EXPECT_EQ(info[i], 0);
        for (int64_t r = 0; r < m; ++r)
          for (int64_t c = 0; c < n; ++c) {
            if (r > c && c < k)
              lower(i, r, c) = lu(i, r, c);
            if (r <= c && r < k)
              upper(i, r, c) = lu(i, r, c);
          }
        for (int64_t r = 0; r < k; ++r) {
          lower(i, r, r) = T(1);
          for (int64_t c = 0; c < n; ++c)
            std::swap(permuted(i, r, c), permuted(i, pivots[size_t(i * k + r)] - 1, c));
        }
      }
      expectNear(lower * upper, permuted);
    }
  });
}

TYPED_TEST(LapackFactorizations, QrWithAndWithoutPivots) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    int64_t m = 8, n = 5;
    Matrices<T> a = randomMatrices<T>(m, n, this->columns), qr(m, n, this->columns);
    std::vector<T> tau;
    std::string target = this->target("geqrf");
    ASSERT_EQ(this->frame(target)
                  .operand(a.data, a.dims(), a.order())
                  .result(qr.data, a.dims(), a.order())
                  .result(tau, {batch, n})
                  .call(),
              "");
    auto upper = [&](Matrices<T> factors) {
      Matrices<T> r(n, n, this->columns);
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t row = 0; row < n; ++row)
          for (int64_t c = row; c < n; ++c)
            r(i, row, c) = factors(i, row, c);
      return r;
    };
    Matrices<T> q = this->makeQ(qr, tau, n);
    expectNear(q.adjoint() * q, Matrices<T>::identity(n, this->columns));
    expectNear(q * upper(qr), a);

    // The same product without forming q: reflectors applied to r above zeros.
    Matrices<T> padded(m, n, this->columns), product(m, n, this->columns), r = upper(qr);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t row = 0; row < n; ++row)
        for (int64_t c = 0; c < n; ++c)
          padded(i, row, c) = r(i, row, c);
    std::string apply = this->target("ormqr", "unmqr");
    ASSERT_EQ(this->frame(apply)
                  .operand(qr.data, qr.dims(), qr.order())
                  .operand(tau, {batch, n})
                  .operand(padded.data, padded.dims(), padded.order())
                  .result(product.data, product.dims(), product.order())
                  .boolean("left", true)
                  .boolean("transpose", false)
                  .call(),
              "");
    expectNear(product, a);
    // And back.
    ASSERT_EQ(this->frame(apply)
                  .operand(qr.data, qr.dims(), qr.order())
                  .operand(tau, {batch, n})
                  .operand(a.data, a.dims(), a.order())
                  .result(product.data, product.dims(), product.order())
                  .boolean("left", true)
                  .boolean("transpose", true)
                  .call(),
              "");
    expectNear(product, padded);

    std::vector<int32_t> pivotsIn(batch * n, 0), pivots;
    std::vector<T> pivotTau;
    std::string pivoting = this->target("geqp3");
    ASSERT_EQ(this->frame(pivoting)
                  .operand(a.data, a.dims(), a.order())
                  .operand(pivotsIn, {batch, n})
                  .result(qr.data, a.dims(), a.order())
                  .result(pivots, {batch, n})
                  .result(pivotTau, {batch, n})
                  .call(),
              "");
    Matrices<T> permuted(m, n, this->columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t row = 0; row < m; ++row)
        for (int64_t c = 0; c < n; ++c)
          permuted(i, row, c) = a(i, row, pivots[size_t(i * n + c)] - 1);
    expectNear(this->makeQ(qr, pivotTau, n) * upper(qr), permuted);
  });
}

TYPED_TEST(LapackFactorizations, QrByItsOlderName) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    Matrices<T> a = randomMatrices<T>(5, 3, this->columns), qr = a, q = a, r(3, 3, this->columns);
    std::vector<T> tau;
    ASSERT_EQ(Frame("Qr")
                  .operand(a.data, a.dims(), a.order())
                  .result(qr.data, a.dims(), a.order())
                  .result(tau, {batch, 3})
                  .call(),
              "");
    ASSERT_EQ(Frame("ProductOfElementaryHouseholderReflectors")
                  .operand(qr.data, a.dims(), a.order())
                  .operand(tau, {batch, 3})
                  .result(q.data, a.dims(), a.order())
                  .call(),
              "");
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t row = 0; row < 3; ++row)
        for (int64_t c = row; c < 3; ++c)
          r(i, row, c) = qr(i, row, c);
    expectNear(q * r, a);
  });
}

TYPED_TEST(LapackFactorizations, TriangularSolve) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (char side : {'L', 'R'})
      for (char uplo : {'L', 'U'})
        for (char trans : {'N', 'C'})
          for (char diag : {'N', 'U'}) {
            int64_t order = 5;
            Matrices<T> a = randomMatrices<T>(order, order, this->columns);
            for (int64_t i = 0; i < batch; ++i)
              for (int64_t r = 0; r < order; ++r)
                a(i, r, r) += T(4);
            Matrices<T> b = side == 'L' ? randomMatrices<T>(order, 3, this->columns)
                                        : randomMatrices<T>(3, order, this->columns);
            Matrices<T> x = b;
            std::string target = this->target("trsm");
            ASSERT_EQ(this->frame(target)
                          .operand(a.data, a.dims(), a.order())
                          .operand(b.data, b.dims(), b.order())
                          .result(x.data, b.dims(), b.order())
                          .integer("side", side)
                          .integer("uplo", uplo)
                          .integer("trans_x", trans)
                          .integer("diag", diag)
                          .call(),
                      "");
            Matrices<T> triangle = uplo == 'L' ? a.where(onOrBelow) : a.where(onOrAbove);
            for (int64_t i = 0; diag == 'U' && i < batch; ++i)
              for (int64_t r = 0; r < order; ++r)
                triangle(i, r, r) = T(1);
            if (trans == 'C')
              triangle = triangle.adjoint();
            expectNear(side == 'L' ? triangle * x : x * triangle, b);
          }
  });
}

TYPED_TEST(LapackFactorizations, TridiagonalSolve) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    int64_t n = 7, k = 2;
    Matrices<T> diagonals = randomMatrices<T>(3, batch * n, true),
                b = randomMatrices<T>(n, k, this->columns), x = b, full(n, n, this->columns);
    std::vector<T> lower(diagonals.data.begin(), diagonals.data.begin() + batch * n),
        diagonal(diagonals.data.begin() + batch * n, diagonals.data.begin() + 2 * batch * n),
        upper(diagonals.data.begin() + 2 * batch * n, diagonals.data.begin() + 3 * batch * n);
    for (T &value : diagonal)
      value += T(4);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < n; ++r) {
        full(i, r, r) = diagonal[size_t(i * n + r)];
        if (r > 0)
          full(i, r, r - 1) = lower[size_t(i * n + r)];
        if (r + 1 < n)
          full(i, r, r + 1) = upper[size_t(i * n + r)];
      }
    std::vector<T> outLower, outDiagonal, outUpper;
    std::vector<int32_t> info;
    std::string target = this->target("gtsv");
    ASSERT_EQ(this->frame(target)
                  .operand(lower, {batch, n})
                  .operand(diagonal, {batch, n})
                  .operand(upper, {batch, n})
                  .operand(b.data, b.dims(), b.order())
                  .result(outLower, {batch, n})
                  .result(outDiagonal, {batch, n})
                  .result(outUpper, {batch, n})
                  .result(x.data, x.dims(), x.order())
                  .result(info, {batch})
                  .call(),
              "");
    EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
    expectNear(full * x, b);
  });
}

/// Needs no LAPACK.
template <typename T> class PerturbedSolve : public testing::Test {};
TYPED_TEST_SUITE(PerturbedSolve, Types);

TYPED_TEST(PerturbedSolve, FollowsTheNullVectorOfASingularMatrix) {
  using T = TypeParam;
  double eps = double(std::numeric_limits<Real<T>>::epsilon());
  // The first is regular; the second has the null vector (1, -1, 1), which a solution must follow.
  std::vector<T> lower = {9, 1, 1, 9, 1, 1}, diagonal = {4, 4, 4, 1, 2, 1},
                 upper = {1, 1, 9, 1, 1, 9}, b = {5, 6, 5, 1, 0.5, 0.25}, x;
  // Times a number of length 1, so that complex ones meet all directions.
  T turn = T(1);
  if constexpr (isComplex<T>)
    turn = T(Real<T>(0.6), Real<T>(-0.8));
  for (std::vector<T> *line : {&lower, &diagonal, &upper})
    for (T &element : *line)
      element *= turn;
  ASSERT_EQ(Frame("tridiagonal_solve_perturbed_ffi")
                .operand(lower, {2, 3})
                .operand(diagonal, {2, 3})
                .operand(upper, {2, 3})
                .operand(b, {2, 3, 1})
                .result(x, {2, 3, 1})
                .call(),
            "");
  for (int i = 0; i < 3; ++i)
    EXPECT_LT(double(std::abs(x[size_t(i)] * turn - T(1))), 20 * eps);
  EXPECT_TRUE(std::isfinite(std::abs(x[3])));
  EXPECT_GT(double(std::abs(x[3])), 0.01 / eps);
  EXPECT_LT(double(std::abs(x[4] / x[3] + T(1))), 100 * eps);
  EXPECT_LT(double(std::abs(x[5] / x[3] - T(1))), 100 * eps);
}

TYPED_TEST(PerturbedSolve, ExchangesRowsOfLargerPivots) {
  using T = TypeParam;
  // Small pivots, of which each step takes the row below instead.
  int64_t n = 7, k = 2;
  for (bool columns : {true, false}) {
    Matrices<T> lines = randomMatrices<T>(3, batch * n, true), x = randomMatrices<T>(n, k, columns),
                full(n, n, columns), solution(n, k, columns);
    std::vector<T> lower(lines.data.begin(), lines.data.begin() + batch * n),
        diagonal(lines.data.begin() + batch * n, lines.data.begin() + 2 * batch * n),
        upper(lines.data.begin() + 2 * batch * n, lines.data.begin() + 3 * batch * n);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < n; ++r) {
        size_t at = size_t(i * n + r);
        // The last one is large: else the matrix is nearly singular, as n is odd.
        diagonal[at] = Real<T>(0.1) * diagonal[at] + T(r + 1 == n ? 2 : 0);
        full(i, r, r) = diagonal[at];
        if (r > 0)
          full(i, r, r - 1) = lower[at] += T(3);
        if (r + 1 < n)
          full(i, r, r + 1) = upper[at] -= T(3);
      }
    Matrices<T> b = full * x;
    ASSERT_EQ(Frame("tridiagonal_solve_perturbed_ffi")
                  .operand(lower, {batch, n})
                  .operand(diagonal, {batch, n})
                  .operand(upper, {batch, n})
                  .operand(b.data, b.dims(), b.order())
                  .result(solution.data, solution.dims(), solution.order())
                  .call(),
              "");
    expectNear(full * solution, b);
  }
}

TEST(LapackCall, PerturbedSolveWantsFloats) {
  std::vector<int32_t> diagonal(3), b(3), x;
  EXPECT_EQ(Frame("tridiagonal_solve_perturbed_ffi")
                .operand(diagonal, {3})
                .operand(diagonal, {3})
                .operand(diagonal, {3})
                .operand(b, {3, 1})
                .result(x, {3, 1})
                .call(),
            "unsupported: tridiagonal_solve_perturbed_ffi: not for element type " +
                std::to_string(int(HLORT_S32)));
}

} // namespace
