// SPDX-License-Identifier: Apache-2.0
// A limit to what LLVM combines. Test: test/codegen/sort-vectors.hlo.

#ifndef HLOC_CODEGEN_EMIT_FENCE_H
#define HLOC_CODEGEN_EMIT_FENCE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// `value`, a vector, with its origin hidden from LLVM. Emits no instruction. Instruction selection
/// looks through chains of shuffles and comparisons, again from each of their links, for better
/// ones. Where these are the best already, a fence saves that time.
mlir::Value fence(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

} // namespace hloc

#endif
