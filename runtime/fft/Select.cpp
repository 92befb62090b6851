// SPDX-License-Identifier: Apache-2.0
// Chooses the inner loops for the machine at hand.

#include "fft/Kernels.h"

namespace hloc::runtime {

#define HLORT_FFT_DECLARE(name)                                                                    \
  extern const FftKernels<float> fftKernelsF32##name;                                              \
  extern const FftKernels<double> fftKernelsF64##name;

HLORT_FFT_DECLARE(Baseline)

static int vectorLimit = 64;

void limitFftVectors(int bytes) { vectorLimit = bytes; }

#if defined(__x86_64__)
HLORT_FFT_DECLARE(Avx2)
HLORT_FFT_DECLARE(Avx512)

template <typename T>
static const FftKernels<T> &choose(const FftKernels<T> &baseline, const FftKernels<T> &avx2,
                                   const FftKernels<T> &avx512) {
  __builtin_cpu_init();
  bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool hasAvx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (hasAvx2 && hasAvx512 && vectorLimit >= 64)
    return avx512;
  return hasAvx2 && vectorLimit >= 32 ? avx2 : baseline;
}

template <> const FftKernels<float> &fftKernels<float>() {
  static const FftKernels<float> &best =
      choose(fftKernelsF32Baseline, fftKernelsF32Avx2, fftKernelsF32Avx512);
  return best;
}
template <> const FftKernels<double> &fftKernels<double>() {
  static const FftKernels<double> &best =
      choose(fftKernelsF64Baseline, fftKernelsF64Avx2, fftKernelsF64Avx512);
  return best;
}
#else
template <> const FftKernels<float> &fftKernels<float>() { return fftKernelsF32Baseline; }
template <> const FftKernels<double> &fftKernels<double>() { return fftKernelsF64Baseline; }
#endif

} // namespace hloc::runtime
