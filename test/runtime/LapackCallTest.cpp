// SPDX-License-Identifier: Apache-2.0
// Common behaviour of all LAPACK custom calls: batches on threads, empty arrays, wrong frames.

#include "LapackTest.h"

using namespace hloc::test;

namespace {

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
