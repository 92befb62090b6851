// SPDX-License-Identifier: Apache-2.0
// Sorting networks on the contents of a few vector registers. Test:
// test/codegen/SortKernelTest.cpp.

#ifndef HLOC_CODEGEN_EMIT_REGISTERSORT_H
#define HLOC_CODEGEN_EMIT_REGISTERSORT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// Sorts the signed integers in `rows`, a power of two of equal vectors, in ascending order of the
/// concatenated lanes. Not stable.
void emitRegisterSort(mlir::ImplicitLocOpBuilder &b, llvm::MutableArrayRef<mlir::Value> rows);

} // namespace hloc

#endif
