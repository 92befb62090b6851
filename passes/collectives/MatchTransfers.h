// SPDX-License-Identifier: Apache-2.0
// Checks that every transfer between two participants has both sides. Test:
// test/passes/collectives/match-transfers.test.

#ifndef HLOC_PASSES_MATCHTRANSFERS_H
#define HLOC_PASSES_MATCHTRANSFERS_H

#include "passes/collectives/Sameness.h"

namespace hloc {

/// The values that determine whether, and how often, `op` runs its regions.
llvm::SmallVector<mlir::Value> getDecisions(mlir::Operation *op);

/// The quoted name of the instruction in the text, or the kind of operation.
std::string quoteName(mlir::Operation *op);

/// Checks, for each channel, source and target in `function`, that the target receives as often as
/// the source sends, and arrays of the same types. A known mismatch is an error, a possible one a
/// warning.
mlir::LogicalResult matchTransfers(mlir::func::FuncOp function, const Sameness &sameness);

} // namespace hloc

#endif
