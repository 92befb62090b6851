// SPDX-License-Identifier: Apache-2.0
// The numbers that hlo-run and stand-alone programs run on where the user gives none: the same for
// the same seed on every machine, which the standard library's distributions are not.
#ifndef HLOC_RUNTIME_PROGRAM_RANDOM_H
#define HLOC_RUNTIME_PROGRAM_RANDOM_H

#include <cmath>
#include <cstdint>
#include <random>

namespace hloc::runtime {

/// Normally distributed, by Box and Muller.
inline double drawNormal(std::mt19937_64 &bits) {
  double a = double((bits() >> 11) + 1) * 0x1p-53, b = double(bits() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(a)) * std::cos(6.283185307179586 * b);
}

/// In [0, bound); with a bound of 0 in [-8, 8), unsigned ones in [0, 8).
inline int64_t drawInteger(std::mt19937_64 &bits, bool isUnsigned, int64_t bound) {
  if (bound)
    return int64_t(bits() % uint64_t(bound));
  return isUnsigned ? int64_t(bits() >> 61) : int64_t(bits() >> 60) - 8;
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_RANDOM_H
