// SPDX-License-Identifier: Apache-2.0
// Whether every transfer between two participants has both its sides.
// Test: test/passes/collectives/match-transfers.test.

#ifndef HLOC_PASSES_MATCHTRANSFERS_H
#define HLOC_PASSES_MATCHTRANSFERS_H

#include "passes/collectives/Sameness.h"

namespace hloc {

/// The values on which it depends whether, and how often, `op` runs its regions.
llvm::SmallVector<mlir::Value> getDecisions(mlir::Operation *op);

/// 'name' of the text, or what kind of operation it is.
std::string quoteName(mlir::Operation *op);

/// For each channel, source and target in `function`: that the target receives as often as the
/// source sends, and arrays of the same types. What is known to be otherwise is an error, what may
/// be a warning.
mlir::LogicalResult matchTransfers(mlir::func::FuncOp function, const Sameness &sameness);

} // namespace hloc

#endif
