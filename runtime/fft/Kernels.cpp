// SPDX-License-Identifier: Apache-2.0
// The inner loops of the Fourier transforms. Compiled once for each instruction set, with
// HLORT_FFT_BYTES (of a vector) and HLORT_FFT_NAME (suffix of the table) defined on the command
// line. Calls no library function, so that no code for one instruction set can be linked into
// another's.

#include "fft/Kernels.h"

#include "fft/Butterflies.h"

namespace {

template <typename T, int R>
void passOfRadix(int64_t m, int64_t s, const T *twiddles, const T *in, T *out) {
  Complex<T> a[R];
  // The twiddles of p = 0 are 1.
  for (int64_t q = 0; q < s; ++q) {
    for (int i = 0; i < R; ++i)
      a[i] = loadRow(in, q + s * m * i);
    Butterfly<T, R>::apply(a);
    for (int i = 0; i < R; ++i)
      storeRow(out, q + s * i, a[i]);
  }
  for (int64_t p = 1; p < m; ++p) {
    const T *factors = twiddles + p * 2 * (R - 1);
    const T *from = in + p * s * 2 * Wide<T>::lanes;
    T *to = out + p * R * s * 2 * Wide<T>::lanes;
    for (int64_t q = 0; q < s; ++q) {
      for (int i = 0; i < R; ++i)
        a[i] = loadRow(from, q + s * m * i);
      Butterfly<T, R>::apply(a);
      storeRow(to, q, a[0]);
      for (int i = 1; i < R; ++i)
        storeRow(to, q + s * i, a[i].times(factors[2 * i - 2], factors[2 * i - 1]));
    }
  }
}

template <typename T>
void pass(int radix, int64_t m, int64_t s, const T *twiddles, const T *in, T *out) {
  switch (radix) {
  case 2:
    return passOfRadix<T, 2>(m, s, twiddles, in, out);
  case 3:
    return passOfRadix<T, 3>(m, s, twiddles, in, out);
  case 4:
    return passOfRadix<T, 4>(m, s, twiddles, in, out);
  case 5:
    return passOfRadix<T, 5>(m, s, twiddles, in, out);
  case 7:
    return passOfRadix<T, 7>(m, s, twiddles, in, out);
  case 8:
    return passOfRadix<T, 8>(m, s, twiddles, in, out);
  case 11:
    return passOfRadix<T, 11>(m, s, twiddles, in, out);
  default:
    __builtin_unreachable(); // the planner uses no other
  }
}

template <typename T>
void passOfAnyRadix(int radix, int64_t m, int64_t s, const T *twiddles, const T *roots, const T *in,
                    T *out) {
  constexpr int mostPairs = hloc::runtime::maxRadix / 2;
  int pairs = radix / 2;
  Complex<T> sum[mostPairs], difference[mostPairs];
  for (int64_t p = 0; p < m; ++p)
    for (int64_t q = 0; q < s; ++q) {
      const T *factors = twiddles + p * 2 * (radix - 1);
      Complex<T> first = loadRow(in, q + s * p), total = first;
      for (int j = 0; j < pairs; ++j) {
        Complex<T> a = loadRow(in, q + s * (p + m * (1 + j)));
        Complex<T> b = loadRow(in, q + s * (p + m * (radix - 1 - j)));
        sum[j] = a + b;
        difference[j] = a - b;
        total = total + sum[j];
      }
      storeRow(out, q + s * radix * p, total);
      for (int k = 1; k <= pairs; ++k) {
        Complex<T> even = first, odd = {};
        for (int j = 0, angle = k; j < pairs; ++j) {
          even = even + sum[j].scaled(roots[2 * angle]);
          odd = odd + difference[j].scaled(-roots[2 * angle + 1]);
          angle = angle + k < radix ? angle + k : angle + k - radix;
        }
        odd = odd.timesMinusI();
        const T *low = factors + 2 * (k - 1), *high = factors + 2 * (radix - k - 1);
        storeRow(out, q + s * (radix * p + k), (even + odd).times(low[0], low[1]));
        storeRow(out, q + s * (radix * p + radix - k), (even - odd).times(high[0], high[1]));
      }
    }
}

template <typename T>
void loadColumns(const T *in, int64_t stride, int64_t n, T *const *blocks, int count,
                 bool inverse) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; ++k)
    for (int i = 0; i < count; ++i) {
      Complex<T> value = loadPairs(in + 2 * (k * stride + i * lanes));
      storeRow(blocks[i], k, inverse ? value.swapped() : value);
    }
}

template <typename T>
void storeColumns(T *out, int64_t stride, int64_t n, const T *const *blocks, int count,
                  bool inverse, T scale) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; ++k)
    for (int i = 0; i < count; ++i) {
      Complex<T> value = loadRow(blocks[i], k).scaled(scale);
      storePairs(out + 2 * (k * stride + i * lanes), inverse ? value.swapped() : value);
    }
}

template <typename T>
void loadAny(const T *in, const int64_t *offsets, int count, int64_t stride, int64_t n, T *block,
             bool inverse) {
  constexpr int lanes = Wide<T>::lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    T *to = block + lane;
    for (int64_t k = 0; k < n; ++k, to += 2 * lanes) {
      const T *from = lane < count ? in + 2 * (offsets[lane] + k * stride) : nullptr;
      to[inverse ? lanes : 0] = from ? from[0] : T(0);
      to[inverse ? 0 : lanes] = from ? from[1] : T(0);
    }
  }
}

template <typename T>
void storeAny(T *out, const int64_t *offsets, int count, int64_t stride, int64_t n, const T *block,
              bool inverse, T scale) {
  constexpr int lanes = Wide<T>::lanes;
  for (int lane = 0; lane < count; ++lane) {
    const T *from = block + lane;
    for (int64_t k = 0; k < n; ++k, from += 2 * lanes) {
      T *to = out + 2 * (offsets[lane] + k * stride);
      to[0] = from[inverse ? lanes : 0] * scale;
      to[1] = from[inverse ? 0 : lanes] * scale;
    }
  }
}

/// Calls tile(k) so that tiles of `lanes` rows cover n >= lanes rows; the last may overlap.
template <typename T, typename Tile> inline void forTiles(int64_t n, Tile tile) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; k += lanes)
    tile(k + lanes <= n ? k : n - lanes);
}

template <typename T>
void loadRows(const T *in, int64_t stride, int64_t n, T *block, bool inverse) {
  constexpr int lanes = Wide<T>::lanes;
  if (n < lanes) {
    int64_t offsets[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      offsets[lane] = lane * stride;
    return loadAny(in, offsets, lanes, 1, n, block, inverse);
  }
  forTiles<T>(n, [&](int64_t k) {
    Vector<T> re[lanes], im[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      Complex<T> value = loadPairs(in + 2 * (lane * stride + k));
      re[lane] = value.re;
      im[lane] = value.im;
    }
    transpose<T>(re);
    transpose<T>(im);
    for (int i = 0; i < lanes; ++i)
      storeRow<T>(block, k + i, inverse ? Complex<T>{im[i], re[i]} : Complex<T>{re[i], im[i]});
  });
}

template <typename T>
void storeRows(T *out, int64_t stride, int64_t n, const T *block, bool inverse, T scale) {
  constexpr int lanes = Wide<T>::lanes;
  if (n < lanes) {
    int64_t offsets[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      offsets[lane] = lane * stride;
    return storeAny(out, offsets, lanes, 1, n, block, inverse, scale);
  }
  forTiles<T>(n, [&](int64_t k) {
    Vector<T> re[lanes], im[lanes];
    for (int i = 0; i < lanes; ++i) {
      Complex<T> value = loadRow(block, k + i).scaled(scale);
      re[i] = inverse ? value.im : value.re;
      im[i] = inverse ? value.re : value.im;
    }
    transpose<T>(re);
    transpose<T>(im);
    for (int lane = 0; lane < lanes; ++lane)
      storePairs<T>(out + 2 * (lane * stride + k), {re[lane], im[lane]});
  });
}

template <typename T>
void loadReal(const T *in, const int64_t *offsets, int count, int64_t n, T *block) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; ++k)
    for (int lane = 0; lane < lanes; ++lane) {
      block[k * 2 * lanes + lane] = lane < count ? in[offsets[lane] + k] : T(0);
      block[k * 2 * lanes + lanes + lane] = T(0);
    }
}

template <typename T>
void storeReal(T *out, const int64_t *offsets, int count, int64_t n, const T *block, T scale) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; ++k)
    for (int lane = 0; lane < count; ++lane)
      out[offsets[lane] + k] = block[k * 2 * lanes + lane] * scale;
}

template <typename T>
void storePacked(T *packed, int64_t n, const T *block, const T *laneFactors, const T *rowFactors) {
  for (int64_t k = 0; k < n; ++k) {
    Complex<T> factor = loadRow(laneFactors, k);
    if (rowFactors)
      factor = factor.times(rowFactors[2 * k], rowFactors[2 * k + 1]);
    storeRow(packed, k, loadRow(block, k) * factor);
  }
}

template <typename T>
void loadPacked(const T *packed, int64_t stride, int count, int64_t n, T *block) {
  constexpr int lanes = Wide<T>::lanes;
  for (int64_t k = 0; k < n; k += lanes, packed += stride) {
    int rows = n - k < lanes ? int(n - k) : lanes;
    for (int part = 0; part < 2 * lanes; part += lanes) {
      Vector<T> tile[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        tile[lane] = lane < count ? load(packed + 2 * lane * lanes + part) : Vector<T>{};
      transpose<T>(tile);
      for (int i = 0; i < rows; ++i)
        store<T>(block + 2 * (k + i) * lanes + part, tile[i]);
    }
  }
}

template <typename T> void multiplyRows(T *block, int64_t n, const T *factors) {
  for (int64_t k = 0; k < n; ++k)
    storeRow(block, k, loadRow(block, k).times(factors[2 * k], factors[2 * k + 1]));
}

template <typename T> void exchangeParts(T *block, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    storeRow(block, k, loadRow(block, k).swapped());
}

template <typename T>
void multiply(const T *a, const T *b, int64_t n, T *out, bool swapIn, bool swapOut, T scale) {
  constexpr int lanes = Wide<T>::lanes;
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    Complex<T> left = loadPairs(a + 2 * k);
    Complex<T> product = ((swapIn ? left.swapped() : left) * loadPairs(b + 2 * k)).scaled(scale);
    storePairs(out + 2 * k, swapOut ? product.swapped() : product);
  }
  for (; k < n; ++k) {
    T re = a[2 * k + swapIn], im = a[2 * k + !swapIn];
    T productRe = (re * b[2 * k] - im * b[2 * k + 1]) * scale;
    T productIm = (re * b[2 * k + 1] + im * b[2 * k]) * scale;
    out[2 * k + swapOut] = productRe;
    out[2 * k + !swapOut] = productIm;
  }
}

// With z the transform of the pairs (x[2 j], x[2 j + 1]) and w = exp(-2 pi i / n), coefficient k
// of x is  (z[k] + conj z[h-k]) / 2  -  i w^k (z[k] - conj z[h-k]) / 2,  and coefficient h - k has
// the conjugates of the same two terms, subtracted.
template <typename C, typename W> inline void realPair(C low, C high, W w, C &atK, C &atHMinusK) {
  C even = (low + high.conjugate()).scaled(0.5f);
  C odd = ((low - high.conjugate()).scaled(0.5f) * w).timesMinusI();
  atK = even + odd;
  atHMinusK = (even - odd).conjugate();
}
// The way back, times 2: e = x[k] + conj x[h-k], o = (x[k] - conj x[h-k]) / w^k, z[k] = e + i o.
template <typename C, typename W> inline void halfPair(C low, C high, W w, C &atK, C &atHMinusK) {
  C even = low + high.conjugate();
  C odd = ((low - high.conjugate()) * w.conjugate()).timesMinusI();
  atK = even - odd;
  atHMinusK = (even + odd).conjugate();
}

template <typename T> inline Complex<T> broadcast(const T *pair) {
  return {Vector<T>{} + pair[0], Vector<T>{} + pair[1]};
}

template <typename T> void realFromHalf(T *block, int64_t h, const T *twiddles) {
  Complex<T> first = loadRow(block, 0), zero = {};
  for (int64_t k = 1; k <= h / 2; ++k) {
    Complex<T> low, high;
    realPair(loadRow(block, k), loadRow(block, h - k), broadcast(twiddles + 2 * k), low, high);
    storeRow(block, k, low);
    storeRow(block, h - k, high);
  }
  storeRow<T>(block, 0, {first.re + first.im, zero.im});
  storeRow<T>(block, h, {first.re - first.im, zero.im});
}

template <typename T> void halfFromReal(T *block, int64_t h, const T *twiddles) {
  Vector<T> first = loadRow(block, 0).re, last = loadRow(block, h).re;
  for (int64_t k = 1; k <= h / 2; ++k) {
    Complex<T> low, high;
    halfPair(loadRow(block, k), loadRow(block, h - k), broadcast(twiddles + 2 * k), low, high);
    storeRow(block, k, low);
    storeRow(block, h - k, high);
  }
  storeRow<T>(block, 0, {first + last, first - last});
}

/// One complex number, with the operations that realPair and halfPair need.
template <typename T> struct Single {
  T re, im;
  Single operator+(const Single &other) const { return {re + other.re, im + other.im}; }
  Single operator-(const Single &other) const { return {re - other.re, im - other.im}; }
  Single operator*(const Single &other) const {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }
  Single scaled(T factor) const { return {re * factor, im * factor}; }
  Single timesMinusI() const { return {im, -re}; }
  Single conjugate() const { return {re, -im}; }
};

/// Applies a pair function to in[k] and in[h - k] for 0 < k <= h / 2.
template <typename T, typename OnVectors, typename OnSingles>
inline void forPairs(const T *in, int64_t h, const T *twiddles, T *out, OnVectors onVectors,
                     OnSingles onSingles) {
  constexpr int lanes = Wide<T>::lanes;
  int64_t k = 1;
  // The two sides must not overlap.
  for (; 2 * (k + lanes) <= h; k += lanes) {
    Complex<T> low, high;
    int64_t mirror = h - k - lanes + 1;
    onVectors(loadPairs(in + 2 * k), reversed<T>(loadPairs(in + 2 * mirror)),
              loadPairs(twiddles + 2 * k), low, high);
    storePairs(out + 2 * k, low);
    storePairs(out + 2 * mirror, reversed<T>(high));
  }
  for (; k <= h / 2; ++k) {
    Single<T> low, high;
    onSingles(Single<T>{in[2 * k], in[2 * k + 1]}, Single<T>{in[2 * (h - k)], in[2 * (h - k) + 1]},
              Single<T>{twiddles[2 * k], twiddles[2 * k + 1]}, low, high);
    out[2 * k] = low.re;
    out[2 * k + 1] = low.im;
    out[2 * (h - k)] = high.re;
    out[2 * (h - k) + 1] = high.im;
  }
}

template <typename T> void realFromHalfArray(const T *half, int64_t h, const T *twiddles, T *out) {
  forPairs(
      half, h, twiddles, out,
      [](auto a, auto b, auto w, auto &c, auto &d) { realPair(a, b, w, c, d); },
      [](auto a, auto b, auto w, auto &c, auto &d) { realPair(a, b, w, c, d); });
  T re = half[0], im = half[1];
  out[0] = re + im;
  out[2 * h] = re - im;
  out[1] = out[2 * h + 1] = T(0);
}

template <typename T> void halfFromRealArray(const T *in, int64_t h, const T *twiddles, T *half) {
  T first = in[0], last = in[2 * h];
  forPairs(
      in, h, twiddles, half,
      [](auto a, auto b, auto w, auto &c, auto &d) { halfPair(a, b, w, c, d); },
      [](auto a, auto b, auto w, auto &c, auto &d) { halfPair(a, b, w, c, d); });
  half[0] = first + last;
  half[1] = first - last;
}

template <typename T> constexpr hloc::runtime::FftKernels<T> makeTable() {
  return {Wide<T>::lanes,  pass<T>,         passOfAnyRadix<T>,    loadColumns<T>,
          storeColumns<T>, loadRows<T>,     storeRows<T>,         loadAny<T>,
          storeAny<T>,     loadReal<T>,     storeReal<T>,         storePacked<T>,
          loadPacked<T>,   multiplyRows<T>, exchangeParts<T>,     multiply<T>,
          realFromHalf<T>, halfFromReal<T>, realFromHalfArray<T>, halfFromRealArray<T>};
}

} // namespace

#define HLORT_FFT_JOIN(a, b) a##b
#define HLORT_FFT_TABLE(type, name) HLORT_FFT_JOIN(type, name)

namespace hloc::runtime {
extern const FftKernels<float> HLORT_FFT_TABLE(fftKernelsF32, HLORT_FFT_NAME);
extern const FftKernels<double> HLORT_FFT_TABLE(fftKernelsF64, HLORT_FFT_NAME);
const FftKernels<float> HLORT_FFT_TABLE(fftKernelsF32, HLORT_FFT_NAME) = makeTable<float>();
const FftKernels<double> HLORT_FFT_TABLE(fftKernelsF64, HLORT_FFT_NAME) = makeTable<double>();
} // namespace hloc::runtime
