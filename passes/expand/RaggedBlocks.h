// SPDX-License-Identifier: Apache-2.0
// Loops over blocks of a ragged dot's groups. Test: test/passes/expand/expand-ragged-dots.hlo.

#ifndef HLOC_PASSES_RAGGEDBLOCKS_H
#define HLOC_PASSES_RAGGEDBLOCKS_H

#include "passes/Build.h"

namespace hloc {

using Condition = llvm::function_ref<mlir::Value(Build, mlir::ValueRange)>;
using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(Build, mlir::ValueRange)>;

/// `while (condition(state)) state = step(state)`; the condition is a pred scalar.
llvm::SmallVector<mlir::Value> whileLoop(Build build, mlir::ValueRange inits, Condition condition,
                                         Step step);

/// A loop that runs at most once: `if (condition(inits)) step(inits)`. In a plain branch,
/// loop-invariant operations would be hoisted before an enclosing loop even if the condition never
/// holds.
llvm::SmallVector<mlir::Value> doOnce(Build build, mlir::ValueRange inits, Condition condition,
                                      Step step);

} // namespace hloc

#endif
