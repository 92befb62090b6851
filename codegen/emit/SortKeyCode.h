// SPDX-License-Identifier: Apache-2.0
// Code for the keys that a comparator orders by (passes/schedule/SortKey.h).

#ifndef HLOC_CODEGEN_EMIT_SORTKEYCODE_H
#define HLOC_CODEGEN_EMIT_SORTKEYCODE_H

#include "codegen/emit/Elementwise.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

/// The keys of elements of the key's operand, as i32. Null if its expression cannot be emitted.
mlir::Value emitSortKey(IndexBuilder &index, const SortKey &key, VectorValue element);

/// The whole key of elements, as a signed integer of their width, at least i32. Null as above.
mlir::Value emitWholeKey(IndexBuilder &index, const SortKey &key, VectorValue element);
/// The elements of such keys, which must be reversible. Zeros, and NaNs, that are equal become one.
mlir::Value emitElementOfKey(IndexBuilder &index, const SortKey &key, mlir::Value whole);

} // namespace hloc

#endif
