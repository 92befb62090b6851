// SPDX-License-Identifier: Apache-2.0
// The memory of an array taken for that of another one, of any element type and any number of
// elements: what `bitcast` means. Test: test/passes/frontend/bitcasts.hlo.

#ifndef HLOC_PASSES_FRONTEND_REINTERPRET_H
#define HLOC_PASSES_FRONTEND_REINTERPRET_H

#include "passes/Build.h"

namespace hloc {

/// A row-major array of `shape` and `element` with the bits of the row-major `value`; what lies
/// past these is 0.
mlir::Value reinterpret(Build build, mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        mlir::Type element);

} // namespace hloc

#endif
