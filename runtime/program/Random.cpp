// SPDX-License-Identifier: Apache-2.0
// Only additions, products, quotients and square roots, which all machines round alike. The build
// compiles this file without contraction of products and sums.

#include "program/Random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace hloc::runtime {

// Without branches, which no processor could predict, and in four independent sums.

/// The sum of factors[i] x^i.
template <size_t count>
static double sumSeries(const std::array<double, count> &factors, double x) {
  double square = x * x, fourth = square * square, sums[4] = {};
  for (size_t i = count; i-- > 0;)
    sums[i % 4] = sums[i % 4] * fourth + factors[i];
  return (sums[0] + sums[1] * x) + (sums[2] + sums[3] * x) * square;
}

/// Coefficients of artanh(x) / x in powers of the square of x.
static constexpr auto artanhFactors = [] {
  std::array<double, 11> factors{};
  for (int i = 0; i < 11; ++i)
    factors[size_t(i)] = 1.0 / (2 * i + 1);
  return factors;
}();

/// Coefficients of sin(x) / x, likewise.
static constexpr auto sineFactors = [] {
  std::array<double, 12> factors{1};
  for (int i = 1; i < 12; ++i)
    factors[size_t(i)] = -factors[size_t(i - 1)] / (2 * i * (2 * i + 1));
  return factors;
}();

/// The natural logarithm of a normal number in (0, 1].
static double logarithm(double x) {
  auto bits = std::bit_cast<uint64_t>(x);
  auto m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3fe0000000000000); // from 1/2 to 1
  int exponent = int(bits >> 52) - 1022;
  bool isSmall = m < 0x1.6a09e667f3bcdp-1; // half of the root of 2
  m *= 1 + int(isSmall);
  exponent -= int(isSmall);
  double s = (m - 1) / (m + 1); // at most 0.172
  return exponent * 0x1.62e42fefa39efp-1 + 2 * s * sumSeries(artanhFactors, s * s);
}

/// The cosine of x turns, for x in [0, 1): the sine of the difference to a quarter turn.
static double cosineOfTurns(double x) {
  double angle = 0x1.921fb54442d18p+2 * (0.25 - std::min(x, 1 - x));
  return angle * sumSeries(sineFactors, angle * angle);
}

double drawNormal(std::mt19937_64 &source) {
  double a = double((source() >> 11) + 1) * 0x1p-53, b = double(source() >> 11) * 0x1p-53;
  return std::sqrt(-2 * logarithm(a)) * cosineOfTurns(b);
}

int64_t drawInteger(std::mt19937_64 &source, bool isUnsigned, int64_t bound) {
  if (bound)
    return int64_t(source() % uint64_t(bound));
  return isUnsigned ? int64_t(source() >> 61) : int64_t(source() >> 60) - 8;
}

} // namespace hloc::runtime
