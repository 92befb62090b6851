// SPDX-License-Identifier: Apache-2.0
// LAPACK custom calls, judged by what their results are for: products that give the operand back.
// Every call runs on batches of 3 in all four types, once with JAX's layouts and once row-major.

#include "Frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace hloc::test;

namespace {

template <typename T> struct RealOf {
  using Type = T;
};
template <typename T> struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T> using Real = typename RealOf<T>::Type;
template <typename T> constexpr bool isComplex = !std::is_same_v<T, Real<T>>;
template <typename T>
constexpr const char *prefix = elementType<T> == HLORT_F32   ? "s"
                               : elementType<T> == HLORT_F64 ? "d"
                               : elementType<T> == HLORT_C64 ? "c"
                                                             : "z";
template <typename T> T conjugate(T value) {
  if constexpr (isComplex<T>)
    return std::conj(value);
  else
    return value;
}

constexpr int64_t batch = 3;

/// Matrices [batch, rows, cols] in one of the two layouts.
template <typename T> struct Matrices {
  int64_t rows, cols;
  bool columns;
  std::vector<T> data;

  Matrices(int64_t rows, int64_t cols, bool columns)
      : rows(rows), cols(cols), columns(columns), data(size_t(batch * rows * cols)) {}

  T &operator()(int64_t i, int64_t r, int64_t c) {
    return data[size_t(i * rows * cols + (columns ? c * rows + r : r * cols + c))];
  }
  std::vector<int64_t> dims() const { return {batch, rows, cols}; }
  std::vector<int64_t> order() const { return columns ? columnMajor(3) : std::vector<int64_t>{}; }

  Matrices operator*(Matrices other) {
    Matrices product(rows, other.cols, columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < other.cols; ++c)
          for (int64_t k = 0; k < cols; ++k)
            product(i, r, c) += (*this)(i, r, k) * other(i, k, c);
    return product;
  }
  Matrices adjoint() {
    Matrices result(cols, rows, columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          result(i, c, r) = conjugate((*this)(i, r, c));
    return result;
  }
  /// Keeps the elements for which keep(r, c) holds.
  template <typename Keep> Matrices where(Keep keep) {
    Matrices result = *this;
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          if (!keep(r, c))
            result(i, r, c) = T(0);
    return result;
  }
  static Matrices identity(int64_t n, bool columns) {
    Matrices result(n, n, columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < n; ++r)
        result(i, r, r) = T(1);
    return result;
  }
};

template <typename T> Matrices<T> randomMatrices(int64_t rows, int64_t cols, bool columns) {
  std::mt19937 generator(unsigned(rows * 100 + cols));
  std::uniform_real_distribution<Real<T>> uniform(-1, 1);
  Matrices<T> result(rows, cols, columns);
  for (T &value : result.data)
    if constexpr (isComplex<T>)
      value = T(uniform(generator), uniform(generator));
    else
      value = uniform(generator);
  return result;
}

template <typename T> void expectNear(Matrices<T> a, Matrices<T> b) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.cols, b.cols);
  double worst = 0;
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t r = 0; r < a.rows; ++r)
      for (int64_t c = 0; c < a.cols; ++c)
        worst = std::max(worst, double(std::abs(a(i, r, c) - b(i, r, c))));
  EXPECT_LT(worst, 200 * double(std::numeric_limits<Real<T>>::epsilon()));
}

/// Whether the machine has a LAPACK to test with: the runtime itself does not need one.
bool lapackIsInstalled() {
  std::vector<float> a = {1}, out;
  std::vector<int32_t> info;
  std::string message = Frame("lapack_spotrf_ffi")
                            .operand(a, {1, 1})
                            .result(out, {1, 1})
                            .result(info, {})
                            .integer("uplo", 'L')
                            .call();
  return message.find("needs LAPACK") == std::string::npos;
}

template <typename T> class Lapack : public testing::Test {
protected:
  void SetUp() override {
    if (!lapackIsInstalled())
      GTEST_SKIP() << "no LAPACK installed";
  }

  using Type = T;
  bool columns = true;

  std::string target(const char *routine) {
    name = std::string("lapack_") + prefix<T> + routine + "_ffi";
    return name;
  }
  std::string target(const char *real, const char *complex) {
    return target(isComplex<T> ? complex : real);
  }
  Frame frame(const std::string &target) { return Frame(target.c_str()); }

  /// Runs a check in both layouts.
  template <typename Check> void inBothLayouts(Check check) {
    for (bool layout : {true, false}) {
      columns = layout;
      SCOPED_TRACE(layout ? "column-major" : "row-major");
      check();
    }
  }

  /// The reflectors in a, with their factors, multiplied out by orgqr: m x n.
  Matrices<T> makeQ(Matrices<T> a, std::vector<T> &tau, int64_t k) {
    Matrices<T> q(a.rows, a.cols, columns);
    std::string name = target("orgqr", "ungqr");
    EXPECT_EQ(frame(name)
                  .operand(a.data, a.dims(), a.order())
                  .operand(tau, {batch, k})
                  .result(q.data, q.dims(), q.order())
                  .call(),
              "");
    return q;
  }

private:
  std::string name;
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Lapack, Types);

constexpr auto onOrBelow = [](int64_t r, int64_t c) { return r >= c; };
constexpr auto onOrAbove = [](int64_t r, int64_t c) { return r <= c; };

template <typename T> Matrices<T> positiveMatrices(int64_t n, bool columns) {
  Matrices<T> a = randomMatrices<T>(n, n, columns), product = a * a.adjoint();
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t r = 0; r < n; ++r)
      product(i, r, r) += T(1);
  return product;
}

TYPED_TEST(Lapack, Cholesky) {
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

TYPED_TEST(Lapack, CholeskySaysWhichMatrixIsNotPositive) {
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

TYPED_TEST(Lapack, LuOfTallAndWideMatrices) {
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

TYPED_TEST(Lapack, QrWithAndWithoutPivots) {
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

TYPED_TEST(Lapack, TriangularSolve) {
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

TYPED_TEST(Lapack, SingularValues) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (const char *routine : {"gesdd", "gesvd"})
      for (char mode : {'A', 'S', 'N'})
        for (auto [m, n] : {std::pair<int64_t, int64_t>{7, 4}, {4, 7}}) {
          int64_t k = std::min(m, n);
          Matrices<T> a = randomMatrices<T>(m, n, this->columns), scratch(m, n, this->columns);
          Matrices<T> u(m, mode == 'A' ? m : k, this->columns);
          Matrices<T> vt(mode == 'A' ? n : k, n, this->columns);
          std::vector<Real<T>> s;
          std::vector<int32_t> info;
          std::string target = this->target(routine);
          ASSERT_EQ(this->frame(target)
                        .operand(a.data, a.dims(), a.order())
                        .result(scratch.data, a.dims(), a.order())
                        .result(s, {batch, k})
                        .result(u.data, u.dims(), u.order())
                        .result(vt.data, vt.dims(), vt.order())
                        .result(info, {batch})
                        .integer("mode", mode)
                        .call(),
                    "");
          EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
          for (int64_t i = 0; i < batch; ++i) {
            // The squares of the values are those of the elements.
            Real<T> sum = 0, squares = 0;
            for (int64_t j = 0; j < k; ++j)
              sum += s[size_t(i * k + j)] * s[size_t(i * k + j)];
            for (int64_t r = 0; r < m; ++r)
              for (int64_t c = 0; c < n; ++c)
                squares += std::norm(a(i, r, c));
            EXPECT_NEAR(sum, squares, 1e-4);
          }
          if (mode == 'N')
            continue;
          Matrices<T> diagonal(u.cols, vt.rows, this->columns);
          for (int64_t i = 0; i < batch; ++i)
            for (int64_t j = 0; j < k; ++j)
              diagonal(i, j, j) = s[size_t(i * k + j)];
          expectNear(u * diagonal * vt, a);
          expectNear(u.adjoint() * u, Matrices<T>::identity(u.cols, this->columns));
        }
  });
}

TYPED_TEST(Lapack, HermitianEigenvalues) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (char uplo : {'L', 'U'}) {
      int64_t n = 6;
      Matrices<T> a = positiveMatrices<T>(n, this->columns), v(n, n, this->columns);
      std::vector<Real<T>> w;
      std::vector<int32_t> info;
      std::string target = this->target("syevd", "heevd");
      ASSERT_EQ(this->frame(target)
                    .operand(a.data, a.dims(), a.order())
                    .result(v.data, a.dims(), a.order())
                    .result(w, {batch, n})
                    .result(info, {batch})
                    .integer("mode", 'V')
                    .integer("uplo", uplo)
                    .call(),
                "");
      EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
      Matrices<T> diagonal(n, n, this->columns);
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t j = 0; j < n; ++j)
          diagonal(i, j, j) = w[size_t(i * n + j)];
      expectNear(v * diagonal * v.adjoint(), a);
    }
  });
}

TYPED_TEST(Lapack, GeneralEigenvalues) {
  using T = TypeParam;
  using Complex = std::complex<Real<T>>;
  this->inBothLayouts([&] {
    int64_t n = 6;
    Matrices<T> a = randomMatrices<T>(n, n, this->columns);
    a(2, 1, 1) = T(std::numeric_limits<Real<T>>::infinity());
    Matrices<Complex> left(n, n, this->columns), right(n, n, this->columns);
    std::vector<T> w, imaginary;
    std::vector<int32_t> info;
    std::string target = this->target("geev");
    Frame frame = this->frame(target);
    frame.operand(a.data, a.dims(), a.order()).result(w, {batch, n});
    if (!isComplex<T>)
      frame.result(imaginary, {batch, n});
    ASSERT_EQ(frame.result(left.data, left.dims(), left.order())
                  .result(right.data, right.dims(), right.order())
                  .result(info, {batch})
                  .integer("compute_left", 'V')
                  .integer("compute_right", 'V')
                  .call(),
              "");
    EXPECT_EQ(info, (std::vector<int32_t>{0, 0, -4}));
    EXPECT_TRUE(std::isnan(std::real(right(2, 0, 0))));
    for (int64_t j = 0; j < n; ++j) // Not finite: left out of the comparison.
      for (int64_t r = 0; r < n; ++r)
        a(2, r, j) = T(0), left(2, r, j) = right(2, r, j) = Complex(0);
    Matrices<Complex> full(n, n, this->columns), values(n, n, this->columns);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t r = 0; r < n; ++r)
          full(i, r, j) = a(i, r, j);
        size_t at = size_t(i * n + j);
        if constexpr (isComplex<T>)
          values(i, j, j) = w[at];
        else
          values(i, j, j) = Complex(w[at], imaginary[at]);
      }
    expectNear(full * right, right * values);
    expectNear(left.adjoint() * full, values * left.adjoint());
  });
}

TYPED_TEST(Lapack, SchurForm) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    int64_t n = 6;
    Matrices<T> a = randomMatrices<T>(n, n, this->columns), form(n, n, this->columns),
                vectors(n, n, this->columns);
    std::vector<T> w, imaginary;
    std::vector<int32_t> selected, info;
    std::string target = this->target("gees");
    Frame frame = this->frame(target);
    frame.operand(a.data, a.dims(), a.order())
        .result(form.data, a.dims(), a.order())
        .result(vectors.data, a.dims(), a.order())
        .result(w, {batch, n});
    if (!isComplex<T>)
      frame.result(imaginary, {batch, n});
    ASSERT_EQ(frame.result(selected, {batch})
                  .result(info, {batch})
                  .integer("mode", 'V')
                  .integer("sort", 'N')
                  .call(),
              "");
    EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
    expectNear(vectors * form * vectors.adjoint(), a);
  });
}

TYPED_TEST(Lapack, HessenbergForm) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    int64_t n = 6;
    Matrices<T> a = randomMatrices<T>(n, n, this->columns), packed(n, n, this->columns);
    std::vector<T> tau;
    std::vector<int32_t> info;
    std::string target = this->target("gehrd");
    ASSERT_EQ(this->frame(target)
                  .operand(a.data, a.dims(), a.order())
                  .result(packed.data, a.dims(), a.order())
                  .result(tau, {batch, n - 1})
                  .result(info, {batch})
                  .integer("low", 1)
                  .integer("high", n)
                  .call(),
              "");
    EXPECT_EQ(info, std::vector<int32_t>(batch, 0));
    // The reflectors stand below the subdiagonal: those of a QR of the last n - 1 rows.
    Matrices<T> reflectors(n - 1, n - 1, this->columns), q(n, n, this->columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < n - 1; ++r)
        for (int64_t c = 0; c < n - 1; ++c)
          reflectors(i, r, c) = packed(i, r + 1, c);
    Matrices<T> small = this->makeQ(reflectors, tau, n - 1);
    for (int64_t i = 0; i < batch; ++i) {
      q(i, 0, 0) = T(1);
      for (int64_t r = 0; r < n - 1; ++r)
        for (int64_t c = 0; c < n - 1; ++c)
          q(i, r + 1, c + 1) = small(i, r, c);
    }
    Matrices<T> form = packed.where([](int64_t r, int64_t c) { return r <= c + 1; });
    expectNear(q * form * q.adjoint(), a);
  });
}

TYPED_TEST(Lapack, TridiagonalForm) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    int64_t n = 6;
    Matrices<T> a = positiveMatrices<T>(n, this->columns), packed(n, n, this->columns);
    std::vector<Real<T>> diagonal, offDiagonal;
    std::vector<T> tau;
    std::vector<int32_t> info;
    std::string target = this->target("sytrd", "hetrd");
    ASSERT_EQ(this->frame(target)
                  .operand(a.data, a.dims(), a.order())
                  .result(packed.data, a.dims(), a.order())
                  .result(diagonal, {batch, n})
                  .result(offDiagonal, {batch, n - 1})
                  .result(tau, {batch, n - 1})
                  .result(info, {batch})
                  .integer("uplo", 'L')
                  .call(),
              "");
    Matrices<T> reflectors(n - 1, n - 1, this->columns), q(n, n, this->columns),
        form(n, n, this->columns);
    for (int64_t i = 0; i < batch; ++i)
      for (int64_t r = 0; r < n - 1; ++r)
        for (int64_t c = 0; c < n - 1; ++c)
          reflectors(i, r, c) = packed(i, r + 1, c);
    Matrices<T> small = this->makeQ(reflectors, tau, n - 1);
    for (int64_t i = 0; i < batch; ++i) {
      EXPECT_EQ(info[size_t(i)], 0);
      q(i, 0, 0) = T(1);
      for (int64_t r = 0; r < n; ++r)
        form(i, r, r) = diagonal[size_t(i * n + r)];
      for (int64_t r = 0; r < n - 1; ++r) {
        form(i, r, r + 1) = form(i, r + 1, r) = offDiagonal[size_t(i * (n - 1) + r)];
        for (int64_t c = 0; c < n - 1; ++c)
          q(i, r + 1, c + 1) = small(i, r, c);
      }
    }
    expectNear(q * form * q.adjoint(), a);
  });
}

TYPED_TEST(Lapack, TridiagonalSolve) {
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

TYPED_TEST(Lapack, QrByItsOlderName) {
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

TEST(LapackCall, PerturbsSingularTridiagonalMatrices) {
  if (!lapackIsInstalled())
    GTEST_SKIP() << "no LAPACK installed";
  // The first is regular; the second has the null vector (1, -1, 1), which a solution must follow.
  std::vector<double> lower = {9, 1, 1, 9, 1, 1}, diagonal = {4, 4, 4, 1, 2, 1},
                      upper = {1, 1, 9, 1, 1, 9}, b = {5, 6, 5, 1, 0.5, 0.25}, x;
  ASSERT_EQ(Frame("tridiagonal_solve_perturbed_ffi")
                .operand(lower, {2, 3})
                .operand(diagonal, {2, 3})
                .operand(upper, {2, 3})
                .operand(b, {2, 3, 1})
                .result(x, {2, 3, 1})
                .call(),
            "");
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(x[size_t(i)], 1, 1e-12);
  EXPECT_TRUE(std::isfinite(x[3]));
  EXPECT_GT(std::abs(x[3]), 1e10);
  EXPECT_NEAR(x[4] / x[3], -1, 1e-9);
  EXPECT_NEAR(x[5] / x[3], 1, 1e-9);
  std::vector<std::complex<double>> complex(3), result(3);
  EXPECT_EQ(Frame("tridiagonal_solve_perturbed_ffi")
                .operand(complex, {3})
                .operand(complex, {3})
                .operand(complex, {3})
                .operand(complex, {3, 1})
                .result(result, {3, 1})
                .call(),
            "unsupported: tridiagonal_solve_perturbed_ffi: not for element type 18");
}

TEST(LapackCall, RunsBatchesOnThreads) {
  if (!lapackIsInstalled())
    GTEST_SKIP() << "no LAPACK installed";
  hlort_context_options options = {3, 0};
  hlort_context *context = hlort_context_create(&options, nullptr);
  int64_t count = 64, n = 50;
  std::vector<double> a(size_t(count * n * n)), one, many;
  std::mt19937 generator(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < n; ++c)
        a[size_t((i * n + r) * n + c)] = r == c ? 100 + double(i) : uniform(generator);
  std::vector<int32_t> info, moreInfo;
  EXPECT_EQ(Frame("lapack_dpotrf_ffi")
                .operand(a, {count, n, n}, columnMajor(3))
                .result(one, {count, n, n}, columnMajor(3))
                .result(info, {count})
                .integer("uplo", 'L')
                .call(),
            "");
  EXPECT_EQ(Frame("lapack_dpotrf_ffi")
                .operand(a, {count, n, n}, columnMajor(3))
                .result(many, {count, n, n}, columnMajor(3))
                .result(moreInfo, {count})
                .integer("uplo", 'L')
                .call(context),
            "");
  EXPECT_EQ(one, many);
  EXPECT_EQ(info, moreInfo);
  hlort_context_destroy(context);
}

TEST(LapackCall, TakesEmptyBatchesAndMatrices) {
  if (!lapackIsInstalled())
    GTEST_SKIP() << "no LAPACK installed";
  std::vector<float> a(1), out(1), tau(1);
  std::vector<int32_t> info(1, 7);
  EXPECT_EQ(Frame("lapack_spotrf_ffi")
                .operand(a, {0, 4, 4}, columnMajor(3))
                .result(out, {0, 4, 4}, columnMajor(3))
                .result(info, {0})
                .integer("uplo", 'L')
                .call(),
            "");
  EXPECT_EQ(info[0], 7);
  EXPECT_EQ(Frame("lapack_spotrf_ffi")
                .operand(a, {0, 0}, columnMajor(2))
                .result(out, {0, 0}, columnMajor(2))
                .result(info, {})
                .integer("uplo", 'L')
                .call(),
            "");
  EXPECT_EQ(info[0], 0);
}

TEST(LapackCall, RefusesWrongFrames) {
  if (!lapackIsInstalled())
    GTEST_SKIP() << "no LAPACK installed";
  std::vector<float> a(6), out;
  std::vector<double> wrong;
  std::vector<int32_t> info;
  EXPECT_EQ(Frame("lapack_sgeqrf_ffi").operand(a, {2, 3}).result(out, {2, 3}).call(),
            "invalid argument: lapack_sgeqrf_ffi: expected 1 operands and 2 results, got 1 and 1");
  EXPECT_EQ(
      Frame("lapack_sgeqrf_ffi").operand(a, {2, 3}).result(out, {2, 3}).result(wrong, {2}).call(),
      "invalid argument: lapack_sgeqrf_ffi: expected element type 11 and at least 1 "
      "dimensions, got type 12 and 1");
  EXPECT_EQ(
      Frame("lapack_spotrf_ffi").operand(a, {2, 2}).result(out, {2, 2}).result(info, {}).call(),
      "invalid argument: lapack_spotrf_ffi: expected an integer attribute 'uplo', got none");
  EXPECT_EQ(Frame("lapack_spotrf_ffi")
                .operand(a, {2, 2})
                .result(out, {2, 2})
                .result(info, {})
                .integer("uplo", 'X')
                .call(),
            "invalid argument: lapack_spotrf_ffi: expected attribute 'uplo' to be the code of one "
            "of \"LU\", got 88");
  EXPECT_EQ(hlort_has_custom_call(nullptr, "lapack_sungqr_ffi"), 0);
  EXPECT_EQ(hlort_has_custom_call(nullptr, "lapack_zungqr_ffi"), 1);
}

} // namespace
