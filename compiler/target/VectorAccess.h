// SPDX-License-Identifier: Apache-2.0
// What holds for vectors of all targets: code generation does it, and schedules are chosen by it.

#ifndef HLOC_COMPILER_TARGET_VECTORACCESS_H
#define HLOC_COMPILER_TARGET_VECTORACCESS_H

#include <cstdint>

namespace hloc {

/// The largest stride for which whole vectors are loaded or stored and shuffled in registers;
/// elements that are farther apart are gathered.
inline constexpr int64_t kMostInterleaved = 8;

/// The most arrays of which a kernel computes the elements together if they are stacked along the
/// minor dimension, as the coordinates of points are.
inline constexpr int64_t kMostStacked = 4;

/// Bits of the narrowest and of the widest elements that targets have instructions to gather.
inline constexpr int64_t kGatheredBits = 32, kMostGatheredBits = 64;

/// How many adjacent elements of `bits` each, in a row of `row`, are gathered as one number with
/// element `which`, because a gather takes the same time for any number. The first of them is a
/// multiple of their count, a power of two.
constexpr int64_t getGatheredGroup(int64_t bits, int64_t row, int64_t which) {
  for (int64_t count = kMostGatheredBits / bits; count > 1 && count * bits >= kGatheredBits;
       count /= 2)
    if (which / count * count + count <= row)
      return count;
  return 1;
}

} // namespace hloc

#endif
