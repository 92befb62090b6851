// SPDX-License-Identifier: Apache-2.0
// Shuffles of several vectors of as many lanes, seen one behind the other.

#ifndef HLOC_CODEGEN_EMIT_INTERLEAVE_H
#define HLOC_CODEGEN_EMIT_INTERLEAVE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// VectorValue of `sources`, seen one behind the other: result lane i is number `from(i)`.
mlir::Value pickLanes(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> sources,
                      llvm::function_ref<int64_t(int64_t)> from);

/// Of `sources`, seen one behind the other, the lanes that are number `which` of each
/// `sources.size()`. Halves of halves are what other numbers are made of too.
mlir::Value deinterleave(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> sources,
                         int64_t which);

/// The vectors that, one behind the other, have the first lanes of all `sources`, then the second,
/// and so on.
llvm::SmallVector<mlir::Value> interleave(mlir::ImplicitLocOpBuilder &b,
                                          llvm::ArrayRef<mlir::Value> sources);

} // namespace hloc

#endif
