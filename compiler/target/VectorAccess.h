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

/// Bits of the narrowest elements that targets have instructions to gather.
inline constexpr int64_t kGatheredBits = 32;

} // namespace hloc

#endif
