// SPDX-License-Identifier: Apache-2.0
// Selects the inner loops for this machine.

#include "fft/Kernels.h"

#if defined(__x86_64__)
#include "fft/Processor.h"
#endif

#include <algorithm>

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
  int bytes = std::min(getVectorBytes(), vectorLimit);
  return bytes >= 64 ? avx512 : bytes >= 32 ? avx2 : baseline;
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
