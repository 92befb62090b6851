// SPDX-License-Identifier: Apache-2.0
// How a Fourier transform of one length is computed: factors and tables, made once and shared.
//
// A LanePlan transforms the lanes of a block independently. A SinglePlan transforms one long array:
// as the lanes of many short transforms (first along the columns of an a x b matrix, then along its
// rows), or by Bluestein's convolution when the length has a large prime factor.
#ifndef HLOC_RUNTIME_FFT_PLAN_H
#define HLOC_RUNTIME_FFT_PLAN_H

#include "fft/Kernels.h"
#include "hlort/hlort.h"

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace hloc::runtime {

template <typename T> struct VectorAligned {
  using value_type = T;
  VectorAligned() = default;
  template <typename U> VectorAligned(const VectorAligned<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *memory, size_t) { ::operator delete(memory, std::align_val_t(64)); }
  bool operator==(const VectorAligned &) const { return true; }
};
/// A table of numbers that is aligned to a vector.
template <typename T> using Table = std::vector<T, VectorAligned<T>>;

/// The exact numbers exp(-2 pi i k / n), rounded once.
template <typename T> class RootsOfUnity {
public:
  explicit RootsOfUnity(int64_t n);
  /// Writes number k (0 <= k < n) as a pair.
  void write(int64_t k, T *pair) const;

private:
  // The type to compute in has enough additional bits for one product.
  using Exact = std::conditional_t<sizeof(T) == 4, double, long double>;
  struct Pair {
    Exact re, im;
  };
  int shift;
  std::vector<Pair> low, high;
};

/// Estimated work for transforms of one length, in vector operations.
struct PlanCosts {
  double lanes;  // a LanePlan for one block
  double single; // a SinglePlan for one array
};
PlanCosts estimateCosts(int64_t n, int lanes);

template <typename T> class LanePlan {
public:
  explicit LanePlan(int64_t n);

  /// Rows that each of the two blocks passed to run must have.
  int64_t rows() const { return convolution ? convolution->n : n; }
  /// Transforms the n rows of block a. Returns the block, a or b, that holds the result.
  T *run(const FftKernels<T> &kernels, T *a, T *b) const;
  const int64_t n;

private:
  struct Pass {
    int radix;
    int64_t m, s;    // as FftKernels::pass
    size_t twiddles; // offset of the first
    size_t roots;    // offset of those of the radix, if passOfAnyRadix does it
  };
  std::vector<Pass> passes;
  Table<T> twiddles;
  // Bluestein: chirp[k] = exp(-pi i k^2 / n), spectrum of its inverse, transforms of that length.
  std::unique_ptr<LanePlan> convolution;
  Table<T> chirp, spectrum;
};

template <typename T> class SinglePlan {
public:
  explicit SinglePlan(int64_t n);

  /// Transforms n pairs from in to out (the same or disjoint) and multiplies them by scale. Loops
  /// run on the context's threads.
  void run(hlort_context *context, const T *in, T *out, bool inverse, T scale) const;
  const int64_t n;

private:
  void runSplit(hlort_context *context, const T *in, T *out, bool inverse, T scale) const;
  void runConvolution(hlort_context *context, const T *in, T *out, bool inverse, T scale) const;

  // The matrix: element (i, j) is number i * b + j of the input. laneFactors and rowFactors
  // multiply to exp(-2 pi i i j / n); for short arrays laneFactors alone do.
  int64_t a = 0, b = 0, blocks = 0;
  std::shared_ptr<const LanePlan<T>> columns, rows;
  Table<T> laneFactors, rowFactors;
  // Bluestein, as above.
  std::shared_ptr<const SinglePlan> convolution;
  Table<T> chirp, spectrum;
};

/// The plans of a length, made when first requested; the most recent ones are kept.
template <typename T> std::shared_ptr<const LanePlan<T>> lanePlan(int64_t n);
template <typename T> std::shared_ptr<const SinglePlan<T>> singlePlan(int64_t n);
template <typename T> PlanCosts planCosts(int64_t n);
/// exp(-2 pi i k / n) for k <= n / 4: additional factors of real transforms of even length n.
template <typename T> std::shared_ptr<const Table<T>> realTwiddles(int64_t n);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_PLAN_H
