// SPDX-License-Identifier: Apache-2.0
// Shuffles of the concatenated lanes of several vectors of equal length.

#ifndef HLOC_CODEGEN_EMIT_INTERLEAVE_H
#define HLOC_CODEGEN_EMIT_INTERLEAVE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// A vector whose lane i is lane `from(i)` of the concatenated `sources`.
mlir::Value pickLanes(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> sources,
                      llvm::function_ref<int64_t(int64_t)> from);

/// Lanes `which`, `which` + n, `which` + 2n, ... of the n concatenated `sources`. Works by halving,
/// so that calls for other values of `which` share instructions.
mlir::Value deinterleave(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> sources,
                         int64_t which);

/// A vector whose lane i is lane `column` of rows[i]. The number of rows is a multiple of the lanes
/// of each, a power of two. Calls for other columns share instructions.
mlir::Value takeColumn(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> rows,
                       int64_t column);

/// The inverse: a vector whose lane i is lane `row` of columns[i].
mlir::Value takeRow(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> columns,
                    int64_t row);

/// The vectors that, when concatenated, have the first lanes of all `sources`, then the second
/// lanes, and so on.
llvm::SmallVector<mlir::Value> interleave(mlir::ImplicitLocOpBuilder &b,
                                          llvm::ArrayRef<mlir::Value> sources);

} // namespace hloc

#endif
