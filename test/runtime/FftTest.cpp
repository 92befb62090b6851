// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against the definition in long double, every length to 130 and many beyond.
// HLORT_TEST_FFT_BYTES in the environment restricts the vectors used.

#include "fft/BlockGroup.h"
#include "hlort/hlort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

namespace {

[[maybe_unused]] const bool limited = [] {
  const char *bytes = std::getenv("HLORT_TEST_FFT_BYTES");
  if (bytes)
    hloc::runtime::limitFftVectors(std::atoi(bytes));
  return bytes != nullptr;
}();

using Exact = std::complex<long double>;
template <typename T> using Complexes = std::vector<std::complex<T>>;

template <typename T> constexpr int32_t realType = sizeof(T) == 4 ? HLORT_F32 : HLORT_F64;

/// The relative error in the root of the mean square that a transform of n numbers may have.
template <typename T> double allowed(int64_t n) {
  return std::numeric_limits<T>::epsilon() * (1.0 + 0.5 * std::log2(double(n)));
}

/// Straight from the definition, along the middle one of three dimensions.
std::vector<Exact> slowTransform(const std::vector<Exact> &in, int64_t outer, int64_t n,
                                 int64_t inner, bool inverse) {
  std::vector<Exact> roots(n), out(in.size());
  for (int64_t k = 0; k < n; ++k) {
    long double angle = 2 * std::numbers::pi_v<long double> * k / n;
    roots[k] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
  }
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t k = 0; k < n; ++k) {
        // Written out: the library's product looks after infinities.
        long double re = 0, im = 0;
        for (int64_t j = 0, turn = 0; j < n; ++j) {
          const Exact &a = in[(o * n + j) * inner + i], &b = roots[turn];
          re += a.real() * b.real() - a.imag() * b.imag();
          im += a.real() * b.imag() + a.imag() * b.real();
          turn = turn + k < n ? turn + k : turn + k - n;
        }
        Exact sum(re, im);
        out[(o * n + k) * inner + i] = inverse ? sum / (long double)n : sum;
      }
  return out;
}

template <typename T> std::vector<T> random(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(count);
  for (T &value : values)
    value = uniform(generator);
  return values;
}

template <typename T> Complexes<T> randomComplex(size_t count, unsigned seed) {
  std::vector<T> parts = random<T>(2 * count, seed);
  Complexes<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

/// Root of the mean square of the difference, relative to that of the expected values.
template <typename T>
double distance(const std::vector<T> &got, const std::vector<Exact> &expected) {
  EXPECT_EQ(got.size(), expected.size());
  long double error = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    error += std::norm(Exact(got[i]) - expected[i]);
    size += std::norm(expected[i]);
  }
  return size == 0 ? std::sqrt((double)error) : std::sqrt(double(error / size));
}

template <typename Out, typename In>
std::vector<Out> run(hlort_context *context, int32_t kind, int32_t type,
                     const std::vector<int64_t> &dims, const std::vector<int64_t> &length,
                     const std::vector<In> &in, size_t outputs) {
  std::vector<Out> out(outputs);
  hlort_status status = {};
  EXPECT_EQ(hlort_fft(context, kind, type, int32_t(dims.size()), dims.data(),
                      int32_t(length.size()), length.data(), in.data(), out.data(), &status),
            HLORT_OK)
      << status.message;
  return out;
}

/// All four kinds on `batch` rows of n numbers.
template <typename T> void checkRows(hlort_context *context, int64_t batch, int64_t n) {
  SCOPED_TRACE(testing::Message() << batch << " x " << n << " numbers of " << sizeof(T));
  int64_t half = n / 2 + 1;
  Complexes<T> in = randomComplex<T>(batch * n, unsigned(n));
  std::vector<Exact> exact(in.begin(), in.end());
  for (bool inverse : {false, true}) {
    auto got = run<std::complex<T>>(context, inverse ? HLORT_IFFT : HLORT_FFT, realType<T>,
                                    {batch, n}, {n}, in, in.size());
    EXPECT_LT(distance(got, slowTransform(exact, batch, n, 1, inverse)), allowed<T>(n));
  }

  std::vector<T> real = random<T>(batch * n, unsigned(n) + 1);
  std::vector<Exact> full = slowTransform(std::vector<Exact>(real.begin(), real.end()), batch, n, 1,
                                          false),
                     front;
  for (int64_t row = 0; row < batch; ++row)
    front.insert(front.end(), full.begin() + row * n, full.begin() + row * n + half);
  auto got =
      run<std::complex<T>>(context, HLORT_RFFT, realType<T>, {batch, n}, {n}, real, batch * half);
  EXPECT_LT(distance(got, front), allowed<T>(n));

  // Arbitrary coefficients: imaginary parts that a real array cannot have must not count.
  Complexes<T> coefficients = randomComplex<T>(batch * half, unsigned(n) + 2);
  std::vector<Exact> whole(batch * n);
  for (int64_t row = 0; row < batch; ++row)
    for (int64_t k = 0; k < half; ++k) {
      Exact value = coefficients[row * half + k];
      if (k == 0 || 2 * k == n)
        value = value.real();
      whole[row * n + k] = value;
      whole[row * n + (n - k) % n] = std::conj(value);
    }
  auto reals =
      run<T>(context, HLORT_IRFFT, realType<T>, {batch, half}, {n}, coefficients, batch * n);
  EXPECT_LT(distance(reals, slowTransform(whole, batch, n, 1, true)), allowed<T>(n));
}

TEST(Fft, EveryLengthTo130) {
  for (int64_t n = 1; n <= 130; ++n)
    for (int64_t batch : {1, 5, 17}) {
      checkRows<float>(nullptr, batch, n);
      checkRows<double>(nullptr, batch, n);
    }
}

TEST(Fft, LongerLengths) {
  for (int64_t n : {131, 144, 169, 210, 256, 343, 360, 383, 512, 539, 625, 729, 1000, 1009, 1024,
                    1331, 1458, 2048})
    for (int64_t batch : {1, n < 400 ? 16 : 1}) {
      checkRows<float>(nullptr, batch, n);
      checkRows<double>(nullptr, batch, n);
    }
}

/// A sum of a few waves has few coefficients, known without another transform.
template <typename T> void checkWaves(hlort_context *context, int64_t n) {
  SCOPED_TRACE(testing::Message() << n << " numbers of " << sizeof(T));
  const int64_t frequencies[] = {0, 1, n / 3, n - 2};
  Complexes<T> in(n);
  std::vector<Exact> expected(n), roots(n);
  for (int64_t k = 0; k < n; ++k) {
    double angle = 2 * std::numbers::pi * double(k) / double(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  for (int64_t k = 0; k < n; ++k) {
    Exact sum = 0;
    for (int64_t f : frequencies) {
      sum += roots[size_t(f * k % n)];
    }
    in[k] = std::complex<T>(sum);
  }
  for (int64_t f : frequencies)
    expected[f] += (long double)n;
  auto got = run<std::complex<T>>(context, HLORT_FFT, realType<T>, {n}, {n}, in, n);
  EXPECT_LT(distance(got, expected), allowed<T>(n));

  std::vector<T> real(n);
  for (int64_t k = 0; k < n; ++k)
    real[k] = in[k].real();
  int64_t half = n / 2 + 1;
  auto spectrum = run<std::complex<T>>(context, HLORT_RFFT, realType<T>, {n}, {n}, real, half);
  std::vector<Exact> expectedHalf(half);
  for (int64_t k = 0; k < half; ++k)
    expectedHalf[k] = (expected[k] + expected[(n - k) % n]) / (long double)2;
  EXPECT_LT(distance(spectrum, expectedHalf), allowed<T>(n));
  auto back = run<T>(context, HLORT_IRFFT, realType<T>, {half}, {n}, spectrum, n);
  EXPECT_LT(distance(back, std::vector<Exact>(real.begin(), real.end())), 2 * allowed<T>(n));
}

TEST(Fft, LargeLengths) {
  hlort_context_options options = {3, 0};
  hlort_context *threads = hlort_context_create(&options, nullptr);
  for (int64_t n : {4096, 10007, 30030, 65536, 65537, 99999, 196611, 1 << 20})
    for (hlort_context *context : {(hlort_context *)nullptr, threads}) {
      checkWaves<float>(context, n);
      checkWaves<double>(context, n);
    }
  hlort_context_destroy(threads);
}

template <typename T> void checkDimensions(std::vector<int64_t> dims, int32_t rank) {
  size_t count = 1;
  for (int64_t d : dims)
    count *= d;
  std::vector<int64_t> length(dims.end() - rank, dims.end());
  auto transformAll = [&](std::vector<Exact> values, bool inverse) {
    int64_t inner = 1;
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
      int64_t n = length[axis];
      values = slowTransform(values, int64_t(count) / n / inner, n, inner, inverse);
      inner *= n;
    }
    return values;
  };
  Complexes<T> in = randomComplex<T>(count, 5);
  std::vector<Exact> exact(in.begin(), in.end());
  for (bool inverse : {false, true}) {
    auto got = run<std::complex<T>>(nullptr, inverse ? HLORT_IFFT : HLORT_FFT, realType<T>, dims,
                                    length, in, count);
    EXPECT_LT(distance(got, transformAll(exact, inverse)), allowed<T>(count));
  }
  std::vector<T> real = random<T>(count, 6);
  std::vector<Exact> full = transformAll({real.begin(), real.end()}, false), front;
  int64_t n = dims.back(), half = n / 2 + 1;
  for (size_t row = 0; row < count / n; ++row)
    front.insert(front.end(), full.begin() + row * n, full.begin() + row * n + half);
  auto got =
      run<std::complex<T>>(nullptr, HLORT_RFFT, realType<T>, dims, length, real, front.size());
  EXPECT_LT(distance(got, front), allowed<T>(count));
  std::vector<int64_t> halfDims = dims;
  halfDims.back() = half;
  auto back = run<T>(nullptr, HLORT_IRFFT, realType<T>, halfDims, length, got, count);
  EXPECT_LT(distance(back, std::vector<Exact>(real.begin(), real.end())), 2 * allowed<T>(count));
}

TEST(Fft, SeveralDimensions) {
  for (int32_t rank : {2, 3})
    for (std::vector<int64_t> dims : {std::vector<int64_t>{4, 6, 8},
                                      {1, 1, 1},
                                      {3, 5, 7},
                                      {2, 17, 33},
                                      {16, 16, 16},
                                      {5, 1, 4},
                                      {2, 3, 64, 20},
                                      {3, 8, 550},
                                      {1, 100, 3},
                                      {3, 4, 83, 2}}) {
      checkDimensions<float>(dims, rank);
      checkDimensions<double>(dims, rank);
    }
}

TEST(Fft, ReadsLongRunsOfFarRows) {
  for (int64_t rows : {64, 128}) {
    int64_t bytes = 2 * hloc::runtime::fftKernels<float>().lanes * int64_t(sizeof(float)),
            group = hloc::runtime::groupSize<float>(rows, 1024);
    EXPECT_GE(group * bytes, 128) << rows;
    EXPECT_LE((group + 1) * rows * bytes, hloc::runtime::groupBytes()) << rows;
  }
  // Blocks that fill the cache go one by one.
  EXPECT_EQ(hloc::runtime::groupSize<float>(1 << 20, 1024), 1);
  // So do those of which a page holds several rows.
  EXPECT_EQ(hloc::runtime::groupSize<float>(256, 256), 1);
}

TEST(Fft, WorksInPlace) {
  Complexes<float> values = randomComplex<float>(3000, 8), copy = values;
  int64_t n = 3000;
  auto expected = run<std::complex<float>>(nullptr, HLORT_FFT, HLORT_F32, {n}, {n}, copy, n);
  ASSERT_EQ(
      hlort_fft(nullptr, HLORT_FFT, HLORT_F32, 1, &n, 1, &n, values.data(), values.data(), nullptr),
      HLORT_OK);
  EXPECT_EQ(values, expected);
}

TEST(Fft, GivesTheSameBitsForAnyNumberOfThreads) {
  hlort_context_options options = {4, 0};
  hlort_context *threads = hlort_context_create(&options, nullptr);
  for (std::vector<int64_t> dims : {std::vector<int64_t>{1, 1 << 17}, {300, 500}, {64, 8192}}) {
    auto in = randomComplex<float>(dims[0] * dims[1], 3);
    std::vector<int64_t> length = {dims[1]};
    auto one = run<std::complex<float>>(nullptr, HLORT_FFT, HLORT_F32, dims, length, in, in.size());
    auto many =
        run<std::complex<float>>(threads, HLORT_FFT, HLORT_F32, dims, length, in, in.size());
    EXPECT_EQ(one, many);
  }
  hlort_context_destroy(threads);
}

TEST(Fft, KeepsRowsApart) {
  std::vector<double> in = random<double>(40 * 64, 9);
  in[5] = NAN;
  auto got = run<std::complex<double>>(nullptr, HLORT_RFFT, HLORT_F64, {40, 64}, {64}, in, 40 * 33);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(std::isnan(got[i].real()), i < 33) << i;
}

TEST(Fft, EmptyArraysGiveZeros) {
  std::vector<std::complex<float>> in(1, {3, 4});
  auto got =
      run<std::complex<float>>(nullptr, HLORT_FFT, HLORT_F32, {1, 1, 1, 1}, {1, 0, 1}, in, 1);
  EXPECT_EQ(got[0], (std::complex<float>{0, 0}));
  run<float>(nullptr, HLORT_IRFFT, HLORT_F32, {2, 0}, {0}, in, 0);
  auto zeros = run<float>(nullptr, HLORT_IRFFT, HLORT_F32, {1, 0}, {3}, in, 3);
  EXPECT_EQ(zeros, (std::vector<float>{0, 0, 0}));
}

TEST(Fft, RefusesWrongRequests) {
  int64_t dims[] = {4, 8}, length = 8, wrong = 7;
  float data[128] = {};
  auto code = [&](int32_t kind, int32_t type, int32_t rank, int32_t fftRank, int64_t *n) {
    hlort_status status = {};
    int32_t code = hlort_fft(nullptr, kind, type, rank, dims, fftRank, n, data, data, &status);
    EXPECT_EQ(code, status.code);
    EXPECT_EQ(code == HLORT_OK, status.message[0] == 0);
    return code;
  };
  EXPECT_EQ(code(HLORT_FFT, HLORT_F32, 2, 1, &length), HLORT_OK);
  EXPECT_EQ(code(7, HLORT_F32, 2, 1, &length), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(code(HLORT_FFT, HLORT_BF16, 2, 1, &length), HLORT_UNSUPPORTED);
  EXPECT_EQ(code(HLORT_FFT, HLORT_F32, 2, 1, &wrong), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(code(HLORT_IRFFT, HLORT_F32, 2, 1, &length), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(code(HLORT_FFT, HLORT_F32, 2, 4, &length), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(code(HLORT_FFT, HLORT_F32, 0, 1, &length), HLORT_INVALID_ARGUMENT);
}

} // namespace
