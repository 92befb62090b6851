// SPDX-License-Identifier: Apache-2.0
// Long sums of products in blocks. Each block is summed from zero, in registers; sums of blocks are
// compensated, so that rounding errors grow with the size of a block alone.

#ifndef HLOC_CODEGEN_EMIT_BLOCKEDSUM_H
#define HLOC_CODEGEN_EMIT_BLOCKEDSUM_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/SumBlocks.h"

namespace hloc {

/// Totals of several sums as loops carry them: floats or vectors of them, followed by their errors.
llvm::SmallVector<mlir::Value> beginTotals(mlir::ValueRange zeros);
llvm::SmallVector<mlir::Value> addToTotals(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange totals,
                                           mlir::ValueRange sums);
llvm::SmallVector<mlir::Value> settleTotals(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange totals);

/// Adds to totals what `sumOf` gives for blocks of [0, size), those from `first` on where a block
/// begins.
llvm::SmallVector<mlir::Value> addBlocks(
    KernelContext &context, mlir::Value size, int64_t block, mlir::ValueRange totals,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value start, mlir::Value end)> sumOf,
    mlir::Value first = {});

} // namespace hloc

#endif
