// SPDX-License-Identifier: Apache-2.0
// What calls of libraries take, against code for the shape. Test:
// test/passes/expand/small-lapack-calls.hlo.

#ifndef HLOC_COMPILER_TARGET_LIBRARYCALLS_H
#define HLOC_COMPILER_TARGET_LIBRARYCALLS_H

#include <cstdint>

namespace hloc {

/// Rows of a matrix up to which a loop over them, each step a product, takes less than a call of
/// LAPACK, whatever the number of columns and matrices: libraries gain by blocks, of larger ones.
constexpr int64_t kMaxLoopedRows = 32;

} // namespace hloc

#endif
