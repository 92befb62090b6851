// SPDX-License-Identifier: Apache-2.0
// Factors, tables and the lane-wise transforms that use them.

#include "fft/Plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hloc::runtime {

//===----------------------------------------------------------------------===//
// Roots of unity
//===----------------------------------------------------------------------===//

/// exp(-2 pi i k / n), with the angle reduced to an eighth of the circle first, where sine and
/// cosine are exact to the last bit or two.
template <typename Exact> static void exactRoot(int64_t k, int64_t n, Exact &re, Exact &im) {
  // Eighths of the circle are counted on 8 k / n.
  int64_t scaled = 8 * k, octant = scaled / n, rest = scaled - octant * n;
  bool mirrored = octant & 1;
  Exact angle = std::numbers::pi_v<Exact> / 4 * Exact(mirrored ? n - rest : rest) / Exact(n);
  Exact c = std::cos(angle), s = std::sin(angle);
  if (mirrored)
    std::swap(c, s);
  // Here (c, s) is the point turned back by whole quarters.
  switch (octant / 2) {
  case 0:
    re = c, im = -s;
    break;
  case 1:
    re = -s, im = -c;
    break;
  case 2:
    re = -c, im = s;
    break;
  default:
    re = s, im = c;
    break;
  }
}

template <typename T> RootsOfUnity<T>::RootsOfUnity(int64_t n) : shift(0) {
  // k = (k >> shift) << shift plus the rest: two tables of about sqrt(n) entries.
  while ((int64_t(1) << (2 * shift)) < n)
    ++shift;
  low.resize(std::min<int64_t>(int64_t(1) << shift, n));
  for (size_t k = 0; k < low.size(); ++k)
    exactRoot(int64_t(k), n, low[k].re, low[k].im);
  high.resize((n >> shift) + 1);
  for (size_t k = 0; k < high.size(); ++k)
    exactRoot((int64_t(k) << shift) % n, n, high[k].re, high[k].im);
}

template <typename T> void RootsOfUnity<T>::write(int64_t k, T *pair) const {
  const Pair &a = high[k >> shift], &b = low[k & ((int64_t(1) << shift) - 1)];
  pair[0] = T(a.re * b.re - a.im * b.im);
  pair[1] = T(a.re * b.im + a.im * b.re);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static bool isPassRadix(int radix) { return radix <= 5 || radix == 7 || radix == 8 || radix == 11; }

/// The radices of the passes for n, or a last one above maxRadix if there is such a factor.
static std::vector<int64_t> factorize(int64_t n) {
  std::vector<int64_t> factors;
  while (n % 8 == 0 && n != 16) {
    factors.push_back(8);
    n /= 8;
  }
  while (n % 4 == 0) {
    factors.push_back(4);
    n /= 4;
  }
  if (n % 2 == 0) {
    factors.push_back(2);
    n /= 2;
  }
  for (int64_t p = 3; p <= maxRadix && n > 1; p += 2)
    while (n % p == 0) {
      factors.push_back(p);
      n /= p;
    }
  if (n > 1)
    factors.push_back(n);
  return factors;
}

/// True if passes can transform n without Bluestein's algorithm.
static bool hasSmallFactors(int64_t n) {
  std::vector<int64_t> factors = factorize(n);
  return factors.empty() || factors.back() <= maxRadix;
}

/// The cheapest length of at least n with factors 2, 3 and 5 only.
static int64_t convolutionLength(int64_t n) {
  int64_t best = INT64_MAX;
  for (int64_t fives = 1; fives < 2 * n; fives *= 5)
    for (int64_t threes = fives; threes < 2 * n; threes *= 3) {
      int64_t length = threes;
      while (length < n)
        length *= 2;
      best = std::min(best, length);
    }
  return best;
}

/// The divisor a of n for which the matrix a x b has the fewest rows to transform in whole blocks.
static int64_t columnLength(int64_t n, int64_t lanes) {
  double best = INFINITY;
  int64_t chosen = 1;
  for (int64_t i = 1; i <= n / i; ++i) {
    if (n % i != 0)
      continue;
    for (int64_t a : {i, n / i}) {
      int64_t b = n / a;
      double work =
          double((b + lanes - 1) / lanes * a) + double((a + lanes - 1) / lanes * b) + double(a + b);
      if (work < best) {
        best = work;
        chosen = a;
      }
    }
  }
  return chosen;
}

static double laneCost(int64_t n) {
  if (!hasSmallFactors(n)) {
    int64_t m = convolutionLength(2 * n - 1);
    return 2 * laneCost(m) + 4 * double(m);
  }
  // Loads, stores and arithmetic of every pass; a row has two vectors.
  double perRow = 8;
  for (int64_t factor : factorize(n))
    perRow += isPassRadix(int(factor)) ? 4 + 2 * std::log2(double(factor)) : 4 + double(factor);
  return perRow * double(n);
}

static double singleCost(int64_t n, int lanes) {
  if (!hasSmallFactors(n)) {
    int64_t m = convolutionLength(2 * n - 1);
    return 2 * singleCost(m, lanes) + 12 * double(m) / lanes;
  }
  int64_t a = columnLength(n, lanes), b = n / a;
  return double((b + lanes - 1) / lanes) * laneCost(a) +
         double((a + lanes - 1) / lanes) * laneCost(b);
}

PlanCosts estimateCosts(int64_t n, int lanes) { return {laneCost(n), singleCost(n, lanes)}; }

/// Bluestein's chirp exp(-pi i k^2 / n), k < n, and the array of length m to convolve with, its
/// conjugate centered at 0 and divided by m.
template <typename T>
static void makeChirp(int64_t n, int64_t m, Table<T> &chirp, Table<T> &filter) {
  RootsOfUnity<T> roots(2 * n);
  chirp.resize(2 * n);
  filter.assign(2 * m, T(0));
  int64_t square = 0; // k^2 modulo 2 n
  for (int64_t k = 0; k < n; ++k) {
    roots.write(square, &chirp[2 * k]);
    for (int64_t at : {k, (m - k) % m}) {
      filter[2 * at] = chirp[2 * k] / T(m);
      filter[2 * at + 1] = -chirp[2 * k + 1] / T(m);
    }
    square = (square + 2 * k + 1) % (2 * n);
  }
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

template <typename T> LanePlan<T>::LanePlan(int64_t n) : n(n) {
  if (hasSmallFactors(n)) {
    RootsOfUnity<T> roots(n);
    int64_t s = 1, rest = n;
    for (int64_t factor : factorize(n)) {
      Pass pass = {int(factor), rest / factor, s, twiddles.size(), 0};
      twiddles.resize(twiddles.size() + 2 * pass.m * (factor - 1));
      for (int64_t p = 0; p < pass.m; ++p)
        for (int64_t j = 1; j < factor; ++j)
          roots.write(p * j * s, &twiddles[pass.twiddles + 2 * (p * (factor - 1) + j - 1)]);
      if (!isPassRadix(pass.radix)) {
        pass.roots = twiddles.size();
        twiddles.resize(twiddles.size() + 2 * factor);
        for (int64_t j = 0; j < factor; ++j)
          roots.write(j * (n / factor), &twiddles[pass.roots + 2 * j]);
      }
      passes.push_back(pass);
      s *= factor;
      rest /= factor;
    }
    return;
  }
  int64_t m = convolutionLength(2 * n - 1);
  convolution = std::make_unique<LanePlan>(m);
  Table<T> filter;
  makeChirp(n, m, chirp, filter);
  // The filter's spectrum, computed in one lane.
  const FftKernels<T> &kernels = fftKernels<T>();
  Table<T> block(2 * m * kernels.lanes), other(2 * m * kernels.lanes);
  int64_t offset = 0;
  kernels.loadAny(filter.data(), &offset, 1, 1, m, block.data(), false);
  T *result = convolution->run(kernels, block.data(), other.data());
  spectrum.resize(2 * m);
  kernels.storeAny(spectrum.data(), &offset, 1, 1, m, result, false, T(1));
}

template <typename T> T *LanePlan<T>::run(const FftKernels<T> &kernels, T *a, T *b) const {
  if (!convolution) {
    for (const Pass &pass : passes) {
      const T *factors = twiddles.data() + pass.twiddles;
      if (pass.roots)
        kernels.passOfAnyRadix(pass.radix, pass.m, pass.s, factors, twiddles.data() + pass.roots, a,
                               b);
      else
        kernels.pass(pass.radix, pass.m, pass.s, factors, a, b);
      std::swap(a, b);
    }
    return a;
  }
  int64_t m = convolution->n, row = 2 * kernels.lanes;
  kernels.multiplyRows(a, n, chirp.data());
  std::fill(a + n * row, a + m * row, T(0));
  T *forward = convolution->run(kernels, a, b);
  T *free = forward == a ? b : a;
  kernels.multiplyRows(forward, m, spectrum.data());
  // The inverse transform is the forward one of the numbers with exchanged parts.
  kernels.exchangeParts(forward, m);
  T *result = convolution->run(kernels, forward, free);
  kernels.exchangeParts(result, n);
  kernels.multiplyRows(result, n, chirp.data());
  return result;
}

//===----------------------------------------------------------------------===//
// One long array
//===----------------------------------------------------------------------===//

template <typename T> SinglePlan<T>::SinglePlan(int64_t n) : n(n) {
  const int64_t lanes = fftKernels<T>().lanes;
  if (!hasSmallFactors(n)) {
    int64_t m = convolutionLength(2 * n - 1);
    convolution = singlePlan<T>(m);
    makeChirp(n, m, chirp, spectrum);
    convolution->run(nullptr, spectrum.data(), spectrum.data(), false, T(1));
    return;
  }
  a = columnLength(n, lanes);
  b = n / a;
  columns = lanePlan<T>(a);
  rows = lanePlan<T>(b);
  blocks = (b + lanes - 1) / lanes;

  RootsOfUnity<T> roots(n);
  int64_t row = 2 * lanes;
  auto writeLane = [&](int64_t product, T *at) {
    T pair[2];
    roots.write(product % n, pair);
    at[0] = pair[0];
    at[lanes] = pair[1];
  };
  constexpr int64_t wholeTable = 1 << 15;
  if (n <= wholeTable) {
    laneFactors.resize(blocks * a * row);
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t k = 0; k < a; ++k)
        for (int64_t lane = 0; lane < lanes; ++lane)
          writeLane(k * (block * lanes + lane), &laneFactors[(block * a + k) * row + lane]);
    return;
  }
  laneFactors.resize(a * row);
  for (int64_t k = 0; k < a; ++k)
    for (int64_t lane = 0; lane < lanes; ++lane)
      writeLane(k * lane, &laneFactors[k * row + lane]);
  rowFactors.resize(blocks * a * 2);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t k = 0; k < a; ++k)
      roots.write(k * block * lanes % n, &rowFactors[2 * (block * a + k)]);
}

template class RootsOfUnity<float>;
template class RootsOfUnity<double>;
template class LanePlan<float>;
template class LanePlan<double>;
template SinglePlan<float>::SinglePlan(int64_t);
template SinglePlan<double>::SinglePlan(int64_t);

} // namespace hloc::runtime
