// SPDX-License-Identifier: Apache-2.0
// Stable sorting that terminates with any comparison, and selection of the k first elements.

#ifndef HLOC_COMPILER_EVALUATOR_SORT_H
#define HLOC_COMPILER_EVALUATOR_SORT_H

#include "compiler/evaluator/core/Value.h"

namespace hloc::evaluator {

/// Sorts stably; terminates even if `less` is not an order.
void mergeSort(llvm::MutableArrayRef<int64_t> items,
               llvm::function_ref<bool(int64_t, int64_t)> less);

/// The k largest (or smallest) elements of each row of the last dimension in order, lower index
/// first among equals, and their s32 indices.
std::pair<Array, Array> topK(const Array &operand, int64_t k, bool largest);

} // namespace hloc::evaluator

#endif
