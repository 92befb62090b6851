// SPDX-License-Identifier: Apache-2.0
// Code for the keys that a comparator orders by (passes/schedule/SortKey.h).

#ifndef HLOC_CODEGEN_EMIT_SORTKEYCODE_H
#define HLOC_CODEGEN_EMIT_SORTKEYCODE_H

#include "codegen/emit/Elementwise.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

/// Keys of elements of the key's operand, as i32. Null if its expression cannot be emitted.
mlir::Value emitSortKey(IndexBuilder &index, const SortKey &key, VectorValue element);

} // namespace hloc

#endif
