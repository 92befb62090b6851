// SPDX-License-Identifier: Apache-2.0
// Arrays whose sizes are known at run time. In a module's memory their elements have the positions
// that they have in an array of the bounds; to the host they are arrays of their current sizes.
// `bounds` describes the first, `sizes` has a number per dimension. Test:
// test/runtime/TransferSizesTest.cpp.
#ifndef HLOC_RUNTIME_TRANSFER_SIZES_H
#define HLOC_RUNTIME_TRANSFER_SIZES_H

#include "hlort/transfer.h"

namespace hloc::runtime {

/// The sizes of array `i`; null if its `dims` are its sizes.
inline int64_t *getSizes(int64_t *const *sizes, int64_t i) { return sizes ? sizes[i] : nullptr; }

/// The array as the host sees it, in memory that begins where the module's does.
hlort_buffer withSizes(const hlort_buffer &bounds, const int64_t *sizes);

/// True if the elements have the same positions in both memories.
bool liesAlike(const hlort_buffer &bounds, const int64_t *sizes);

/// Copies the elements within the sizes to the host's memory, which has `getBytes(withSizes(...))`.
void copyToHost(const hlort_buffer &bounds, const int64_t *sizes, void *host);

/// Copies the host's memory, possibly the module's own, to the positions of the elements in the
/// module.
void copyFromHost(const hlort_buffer &bounds, const int64_t *sizes, const void *host);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRANSFER_SIZES_H
