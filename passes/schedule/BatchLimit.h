// SPDX-License-Identifier: Apache-2.0
// How much is computed for many elements at once where a computation of elements has arrays of its
// own (passes/expand/BatchComputation.h). Test: test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_SCHEDULE_BATCHLIMIT_H
#define HLOC_PASSES_SCHEDULE_BATCHLIMIT_H

#include <cstdint>

namespace hloc {

/// Elements of such an array, for all elements of the operation together. Beyond, they would come
/// from memory in each step, and memory would have to hold them.
inline constexpr int64_t kMostBatchedElements = int64_t(1) << 22;

} // namespace hloc

#endif
