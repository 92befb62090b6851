// SPDX-License-Identifier: Apache-2.0
// The inner loops of the Fourier transforms, as tables of functions: one table for each element
// type and instruction set, all compiled from Kernels.cpp.
//
// The loops work on blocks: `lanes` independent transforms, one in each lane of the vectors. A
// block of n rows contains for every row the real parts of all lanes, then the imaginary parts: 2 *
// lanes numbers, aligned to a vector. Arrays outside blocks contain complex numbers as pairs (re,
// im); distances between them are counted in complex numbers.
//
// `inverse` exchanges the real and imaginary parts on the way in and on the way out, which turns
// the forward transform inside into the inverse one.
#ifndef HLOC_RUNTIME_FFT_KERNELS_H
#define HLOC_RUNTIME_FFT_KERNELS_H

#include <cstdint>

namespace hloc::runtime {

/// The maximum number of lanes of any table.
inline constexpr int maxLanes = 16;
/// The largest prime factor that passOfAnyRadix takes.
inline constexpr int maxRadix = 79;

template <typename T> struct FftKernels {
  int lanes;

  /// One pass of Stockham's algorithm: the s transforms of length radix * m that are interleaved
  /// in `in` become s * radix transforms of length m in `out`. twiddles holds, for each 0 <= p < m,
  /// the radix - 1 numbers exp(-2 pi i p j / (radix m)), 0 < j < radix.
  /// radix is 2, 3, 4, 5, 7, 8 or 11.
  void (*pass)(int radix, int64_t m, int64_t s, const T *twiddles, const T *in, T *out);
  /// The same for any odd radix up to maxRadix; roots holds exp(-2 pi i j / radix), j < radix.
  void (*passOfAnyRadix)(int radix, int64_t m, int64_t s, const T *twiddles, const T *roots,
                         const T *in, T *out);

  /// Copies `count` blocks from and to arrays in which adjacent lanes, and adjacent blocks, are
  /// adjacent in memory, rows `stride` apart.
  void (*loadColumns)(const T *in, int64_t stride, int64_t n, T *const *blocks, int count,
                      bool inverse);
  void (*storeColumns)(T *out, int64_t stride, int64_t n, const T *const *blocks, int count,
                       bool inverse, T scale);
  /// Copies a block from and to arrays in which adjacent rows are adjacent in memory, lanes
  /// `stride` apart.
  void (*loadRows)(const T *in, int64_t stride, int64_t n, T *block, bool inverse);
  void (*storeRows)(T *out, int64_t stride, int64_t n, const T *block, bool inverse, T scale);
  /// Copies a block from and to anywhere: lane l < count starts at offsets[l]; the other lanes are
  /// 0.
  void (*loadAny)(const T *in, const int64_t *offsets, int count, int64_t stride, int64_t n,
                  T *block, bool inverse);
  void (*storeAny)(T *out, const int64_t *offsets, int count, int64_t stride, int64_t n,
                   const T *block, bool inverse, T scale);

  /// The same for real arrays: imaginary parts become 0, or are dropped.
  void (*loadReal)(const T *in, const int64_t *offsets, int count, int64_t n, T *block);
  void (*storeReal)(T *out, const int64_t *offsets, int count, int64_t n, const T *block, T scale);

  /// Multiplies row k of a block by laneFactors[k] (a row for each) and, unless null, by
  /// rowFactors[k] (a complex number), then writes it to row k of `packed`.
  void (*storePacked)(T *packed, int64_t n, const T *block, const T *laneFactors,
                      const T *rowFactors);
  /// Reads the first `count` rows of packed blocks, `stride` numbers apart, into the lanes of one
  /// block of n rows.
  void (*loadPacked)(const T *packed, int64_t stride, int count, int64_t n, T *block);

  /// Multiplies row k of a block by the complex number factors[k].
  void (*multiplyRows)(T *block, int64_t n, const T *factors);
  /// Exchanges the real and imaginary parts of a block of n rows.
  void (*exchangeParts)(T *block, int64_t n);
  /// out[k] = a[k] * b[k] * scale; swapIn and swapOut exchange the parts of a and of out.
  void (*multiply)(const T *a, const T *b, int64_t n, T *out, bool swapIn, bool swapOut, T scale);

  /// From the transform of h = n / 2 complex numbers, made of n real ones, to the first h + 1
  /// coefficients of these, in place; and back. twiddles: exp(-2 pi i k / n), k <= h / 2.
  void (*realFromHalf)(T *block, int64_t h, const T *twiddles);
  void (*halfFromReal)(T *block, int64_t h, const T *twiddles);
  /// The same for one array outside of blocks, from one array to another.
  void (*realFromHalfArray)(const T *half, int64_t h, const T *twiddles, T *out);
  void (*halfFromRealArray)(const T *in, int64_t h, const T *twiddles, T *half);
};

/// The table for the widest vectors that this machine supports.
template <typename T> const FftKernels<T> &fftKernels();

/// Restricts the choice to vectors of at most that many bytes. For tests, before any transform.
void limitFftVectors(int bytes);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_KERNELS_H
