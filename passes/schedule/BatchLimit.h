// SPDX-License-Identifier: Apache-2.0
// The limit of batching a computation on elements that has arrays of its own
// (passes/expand/BatchComputation.h). Test: test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_SCHEDULE_BATCHLIMIT_H
#define HLOC_PASSES_SCHEDULE_BATCHLIMIT_H

#include <cstdint>

namespace hloc {

/// The most elements of such an array over all elements of the operation. A larger one would exceed
/// the caches in each step, and take that much memory.
inline constexpr int64_t kMostBatchedElements = int64_t(1) << 22;

} // namespace hloc

#endif
