// SPDX-License-Identifier: Apache-2.0
// Vectors of the width that HLORT_FFT_BYTES gives and the small transforms on them. Only for
// Kernels.cpp, which is compiled once for each instruction set: nothing here has a name that the
// linker could merge between them.
#ifndef HLOC_RUNTIME_FFT_BUTTERFLIES_H
#define HLOC_RUNTIME_FFT_BUTTERFLIES_H

#include <cstdint>
#include <utility>

namespace {

template <typename T> struct Wide {
  typedef T Vector __attribute__((vector_size(HLORT_FFT_BYTES)));
  static constexpr int lanes = HLORT_FFT_BYTES / int(sizeof(T));
};
template <typename T> using Vector = typename Wide<T>::Vector;

template <typename T> inline Vector<T> load(const T *from) {
  Vector<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename T> inline void store(T *to, Vector<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// One complex number in every lane.
template <typename T> struct Complex {
  Vector<T> re, im;

  Complex operator+(const Complex &other) const { return {re + other.re, im + other.im}; }
  Complex operator-(const Complex &other) const { return {re - other.re, im - other.im}; }
  Complex operator*(const Complex &other) const {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }
  Complex scaled(T factor) const { return {re * factor, im * factor}; }
  Complex times(T factorRe, T factorIm) const {
    return {re * factorRe - im * factorIm, re * factorIm + im * factorRe};
  }
  Complex timesMinusI() const { return {im, -re}; }
  Complex conjugate() const { return {re, -im}; }
  Complex swapped() const { return {im, re}; }
};

/// Rows of blocks.
template <typename T> inline Complex<T> loadRow(const T *block, int64_t row) {
  constexpr int lanes = Wide<T>::lanes;
  const T *at = block + row * 2 * lanes;
  return {load(at), load(at + lanes)};
}
template <typename T> inline void storeRow(T *block, int64_t row, const Complex<T> &value) {
  constexpr int lanes = Wide<T>::lanes;
  T *at = block + row * 2 * lanes;
  store<T>(at, value.re);
  store<T>(at + lanes, value.im);
}

/// Pairs (re, im) in memory, one for each lane.
template <typename T, int... I>
inline Complex<T> loadPairs(const T *from, std::integer_sequence<int, I...>) {
  Vector<T> low = load(from), high = load(from + sizeof...(I));
  return {__builtin_shufflevector(low, high, (2 * I)...),
          __builtin_shufflevector(low, high, (2 * I + 1)...)};
}
template <typename T, int... I>
inline void storePairs(T *to, const Complex<T> &value, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  store<T>(to, __builtin_shufflevector(value.re, value.im, ((I & 1) * n + I / 2)...));
  store<T>(to + n, __builtin_shufflevector(value.re, value.im, ((I & 1) * n + n / 2 + I / 2)...));
}
template <typename T> using Lanes = std::make_integer_sequence<int, Wide<T>::lanes>;
template <typename T> inline Complex<T> loadPairs(const T *from) {
  return loadPairs<T>(from, Lanes<T>());
}
template <typename T> inline void storePairs(T *to, const Complex<T> &value) {
  storePairs<T>(to, value, Lanes<T>());
}

template <typename T, int... I>
inline Vector<T> reversed(Vector<T> value, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(value, value, (int(sizeof...(I)) - 1 - I)...);
}
template <typename T> inline Complex<T> reversed(const Complex<T> &value) {
  return {reversed<T>(value.re, Lanes<T>()), reversed<T>(value.im, Lanes<T>())};
}

/// Exchanges the off-diagonal squares of side D in every square of side 2 D.
template <typename T, int D, int... I>
inline void exchangeSquares(Vector<T> *rows, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  for (int i = 0; i < n; ++i)
    if (!(i & D)) {
      Vector<T> a = rows[i], b = rows[i + D];
      rows[i] = __builtin_shufflevector(a, b, ((I & D) ? n + I - D : I)...);
      rows[i + D] = __builtin_shufflevector(a, b, ((I & D) ? n + I : I + D)...);
    }
}
/// Transposes a square of `lanes` vectors.
template <typename T, int D = Wide<T>::lanes / 2> inline void transpose(Vector<T> *rows) {
  if constexpr (D > 0) {
    exchangeSquares<T, D>(rows, Lanes<T>());
    transpose<T, D / 2>(rows);
  }
}

/// cos and sin of 2 pi k / R for 0 < k <= R / 2.
template <int R> struct Roots;
template <> struct Roots<3> {
  static constexpr double cos[] = {-0.5};
  static constexpr double sin[] = {0.86602540378443864676};
};
template <> struct Roots<5> {
  static constexpr double cos[] = {0.30901699437494742410, -0.80901699437494742410};
  static constexpr double sin[] = {0.95105651629515357212, 0.58778525229247312917};
};
template <> struct Roots<7> {
  static constexpr double cos[] = {0.62348980185873353053, -0.22252093395631440429,
                                   -0.90096886790241912624};
  static constexpr double sin[] = {0.78183148246802980871, 0.97492791218182360702,
                                   0.43388373911755812048};
};
template <> struct Roots<11> {
  static constexpr double cos[] = {0.84125353283118116886, 0.41541501300188642553,
                                   -0.14231483827328514044, -0.65486073394528506406,
                                   -0.95949297361449738989};
  static constexpr double sin[] = {0.54064081745559758211, 0.90963199535451837141,
                                   0.98982144188093273238, 0.75574957435425828377,
                                   0.28173255684142969771};
};

/// In-place transforms of R numbers, forward, R odd: the terms j and R - j share their products.
template <typename T, int R> struct Butterfly {
  static inline void apply(Complex<T> *a) {
    constexpr int half = (R - 1) / 2;
    Complex<T> sum[half], difference[half], total = a[0];
    for (int j = 0; j < half; ++j) {
      sum[j] = a[1 + j] + a[R - 1 - j];
      difference[j] = a[1 + j] - a[R - 1 - j];
      total = total + sum[j];
    }
    for (int k = 1; k <= half; ++k) {
      Complex<T> even = a[0], odd = {};
      for (int j = 1; j <= half; ++j) {
        int angle = j * k % R;
        bool mirrored = angle > half;
        int index = (mirrored ? R - angle : angle) - 1;
        even = even + sum[j - 1].scaled(T(Roots<R>::cos[index]));
        T sine = T(Roots<R>::sin[index]);
        odd = odd + difference[j - 1].scaled(mirrored ? -sine : sine);
      }
      a[k] = even + odd.timesMinusI();
      a[R - k] = even - odd.timesMinusI();
    }
    a[0] = total;
  }
};

template <typename T> struct Butterfly<T, 2> {
  static inline void apply(Complex<T> *a) {
    Complex<T> difference = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = difference;
  }
};

template <typename T> struct Butterfly<T, 4> {
  static inline void apply(Complex<T> *a) {
    Complex<T> evenSum = a[0] + a[2], evenDifference = a[0] - a[2];
    Complex<T> oddSum = a[1] + a[3], oddDifference = (a[1] - a[3]).timesMinusI();
    a[0] = evenSum + oddSum;
    a[1] = evenDifference + oddDifference;
    a[2] = evenSum - oddSum;
    a[3] = evenDifference - oddDifference;
  }
};

template <typename T> struct Butterfly<T, 8> {
  static inline void apply(Complex<T> *a) {
    constexpr T diagonal = T(0.70710678118654752440);
    Complex<T> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
    Butterfly<T, 4>::apply(even);
    Butterfly<T, 4>::apply(odd);
    // Times exp(-pi i j / 4).
    odd[1] = Complex<T>{odd[1].re + odd[1].im, odd[1].im - odd[1].re}.scaled(diagonal);
    odd[2] = odd[2].timesMinusI();
    odd[3] = Complex<T>{odd[3].im - odd[3].re, -odd[3].re - odd[3].im}.scaled(diagonal);
    for (int k = 0; k < 4; ++k) {
      a[k] = even[k] + odd[k];
      a[k + 4] = even[k] - odd[k];
    }
  }
};

} // namespace

#endif // HLOC_RUNTIME_FFT_BUTTERFLIES_H
