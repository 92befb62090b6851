// SPDX-License-Identifier: Apache-2.0
// Shared code of the tests of LAPACK custom calls. Results are checked by their purpose: products
// that give the operand back. Calls run on batches of 3 in all four types, with JAX's layouts and
// row-major.

#ifndef HLOC_TEST_RUNTIME_LAPACKTEST_H
#define HLOC_TEST_RUNTIME_LAPACKTEST_H

#include "Frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace hloc::test {

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

inline constexpr int64_t batch = 3;

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
inline bool lapackIsInstalled() {
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

inline constexpr auto onOrBelow = [](int64_t r, int64_t c) { return r >= c; };
inline constexpr auto onOrAbove = [](int64_t r, int64_t c) { return r <= c; };

template <typename T> Matrices<T> positiveMatrices(int64_t n, bool columns) {
  Matrices<T> a = randomMatrices<T>(n, n, columns), product = a * a.adjoint();
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t r = 0; r < n; ++r)
      product(i, r, r) += T(1);
  return product;
}

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_LAPACKTEST_H
