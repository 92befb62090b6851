// SPDX-License-Identifier: Apache-2.0
// Reinterprets the memory of an array as another array, of any element type and number of elements:
// the meaning of `bitcast`. Test: test/passes/frontend/bitcasts.hlo.

#ifndef HLOC_PASSES_FRONTEND_REINTERPRET_H
#define HLOC_PASSES_FRONTEND_REINTERPRET_H

#include "passes/Build.h"

namespace hloc {

/// A row-major array of `shape` and `element` with the bits of the row-major `value`; bits past its
/// end are 0.
mlir::Value reinterpret(Build build, mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        mlir::Type element);

} // namespace hloc

#endif
