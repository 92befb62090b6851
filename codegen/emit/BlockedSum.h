// SPDX-License-Identifier: Apache-2.0
// Long sums of products, computed in blocks. Each block is summed from zero in registers; the sums
// of blocks are added with compensation, so that rounding errors grow only with the size of a
// block.

#ifndef HLOC_CODEGEN_EMIT_BLOCKEDSUM_H
#define HLOC_CODEGEN_EMIT_BLOCKEDSUM_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/SumBlocks.h"

namespace hloc {

/// Totals of several sums as loops carry them: floats or vectors of floats, followed by their error
/// terms.
llvm::SmallVector<mlir::Value> beginTotals(mlir::ValueRange zeros);
llvm::SmallVector<mlir::Value> addToTotals(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange totals,
                                           mlir::ValueRange sums);
llvm::SmallVector<mlir::Value> settleTotals(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange totals);

/// Adds the results of `sumOf` for the blocks of [0, size) to the totals, beginning with the block
/// at `first`, if given.
llvm::SmallVector<mlir::Value> addBlocks(
    KernelContext &context, mlir::Value size, int64_t block, mlir::ValueRange totals,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value start, mlir::Value end)> sumOf,
    mlir::Value first = {});

} // namespace hloc

#endif
