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

/// Bits of a row that are loaded at once where several rows are transposed: all processors can
/// transpose pieces of that size within their vectors.
inline constexpr int64_t kTileBits = 128;

/// How many adjacent elements of a row are loaded at once, where each of `lanes` lanes is a row and
/// its elements, of `bits` each, are needed one after the other. 1: each element is loaded alone.
/// That is so for elements narrower than kGatheredBits: a vector has so many of these that the code
/// would be too large.
constexpr int64_t getTileColumns(int64_t bits, int64_t lanes) {
  int64_t columns = kTileBits / bits;
  return bits >= kGatheredBits && columns > 1 && columns <= lanes ? columns : 1;
}

} // namespace hloc

#endif
