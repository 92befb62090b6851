// SPDX-License-Identifier: Apache-2.0
// The cost of library calls compared with specialized code. Test:
// test/passes/expand/small-lapack-calls.hlo.

#ifndef HLOC_COMPILER_TARGET_LIBRARYCALLS_H
#define HLOC_COMPILER_TARGET_LIBRARYCALLS_H

#include <cstdint>

namespace hloc {

/// The most rows of a matrix for which a loop over the rows, with a product per step, is faster
/// than a call of LAPACK, for any number of columns and matrices: libraries gain by blocking, which
/// needs larger matrices.
constexpr int64_t kMaxLoopedRows = 32;

} // namespace hloc

#endif
