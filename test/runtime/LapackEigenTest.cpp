// SPDX-License-Identifier: Apache-2.0
// Custom calls for eigenvalues, singular values and the forms that lead to them.

#include "LapackTest.h"

using namespace hloc::test;

namespace {

template <typename T> class LapackEigen : public Lapack<T> {};
TYPED_TEST_SUITE(LapackEigen, Types);

TYPED_TEST(LapackEigen, HermitianEigenvalues) {
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

TYPED_TEST(LapackEigen, HermitianEigenvaluesByTheirOlderName) {
  using T = TypeParam;
  this->inBothLayouts([&] {
    for (const char *config : {"\"1,1,100,0.000001\"", "0,1,100,0.000001"}) {
      int64_t n = 6;
      Matrices<T> a = positiveMatrices<T>(n, this->columns), v(n, n, this->columns);
      std::vector<Real<T>> w;
      ASSERT_EQ(Frame("Eigh")
                    .operand(a.data, a.dims(), a.order())
                    .result(v.data, a.dims(), a.order())
                    .result(w, {batch, n})
                    .config(config)
                    .call(),
                "");
      Matrices<T> diagonal(n, n, this->columns);
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t j = 0; j < n; ++j)
          diagonal(i, j, j) = w[size_t(i * n + j)];
      expectNear(v * diagonal * v.adjoint(), a);
      EXPECT_NE(Frame("Eigh")
                    .operand(a.data, a.dims(), a.order())
                    .result(v.data, a.dims(), a.order())
                    .result(w, {batch, n})
                    .config("lower")
                    .call(),
                "");
    }
  });
}

TYPED_TEST(LapackEigen, GeneralEigenvalues) {
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

TYPED_TEST(LapackEigen, SchurForm) {
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

TYPED_TEST(LapackEigen, HessenbergForm) {
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

TYPED_TEST(LapackEigen, TridiagonalForm) {
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

TYPED_TEST(LapackEigen, SingularValues) {
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

} // namespace
