// SPDX-License-Identifier: Apache-2.0
// Features of this processor. The compiler's __builtin_cpu_supports needs a part of its own library
// that is missing in shared libraries and programs which hloc links.
#ifndef HLOC_RUNTIME_FFT_PROCESSOR_H
#define HLOC_RUNTIME_FFT_PROCESSOR_H

#include <cpuid.h>
#include <cstdint>

namespace hloc::runtime {

/// Bytes of the vectors that the processor and the operating system support, with fused
/// multiply-add: 64 (AVX-512 F, DQ, BW, VL), 32 (AVX2), else 16.
inline int getVectorBytes() {
  unsigned a, b, c, d;
  auto has = [](unsigned word, unsigned mask) { return (word & mask) == mask; };
  constexpr unsigned fma = 1u << 12, keepsState = 1u << 27, avx = 1u << 28;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, fma | keepsState | avx))
    return 16;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned avx2 = 1u << 5;
  if (!has(low, 0x6) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, avx2))
    return 16;
  constexpr unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  return has(low, 0xe6) && has(b, avx512) ? 64 : 32;
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_PROCESSOR_H
