// SPDX-License-Identifier: Apache-2.0
// The random inputs of hlo-run and stand-alone programs: the same for the same seed on every
// machine, to the last bit, which the standard library's distributions and logarithms do not
// guarantee. Test: test/driver/RandomInputsTest.cpp.
#ifndef HLOC_RUNTIME_PROGRAM_RANDOM_H
#define HLOC_RUNTIME_PROGRAM_RANDOM_H

#include <cstdint>
#include <random>

namespace hloc::runtime {

/// Normally distributed, by Box and Muller.
double drawNormal(std::mt19937_64 &source);

/// In [0, bound); with a bound of 0 in [-8, 8), unsigned ones in [0, 8).
int64_t drawInteger(std::mt19937_64 &source, bool isUnsigned, int64_t bound);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_RANDOM_H
