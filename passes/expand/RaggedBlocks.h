// SPDX-License-Identifier: Apache-2.0
// How the positions of a ragged dot's groups are cut into blocks, and loops over these.
// Test: test/passes/expand/expand-ragged-dots.hlo.

#ifndef HLOC_PASSES_RAGGEDBLOCKS_H
#define HLOC_PASSES_RAGGEDBLOCKS_H

#include "passes/Build.h"

namespace hloc {

/// Positions of the largest block, how many the last, masked one has at least and at most, and how
/// much smaller each is than the one before. Blocks of rows are about what the code of a dot works
/// on at a time; those of the contracting dimension amortize adding to the sums, which are read and
/// written again for each.
struct BlockSizes {
  int64_t largest, leastLast, mostLast, factor;
};
/// Falling block sizes for `positions` in `groups`. The largest is the average group, up to
/// `limits.largest`, so that groups of equal sizes need no smaller ones.
llvm::SmallVector<int64_t> chooseBlocks(int64_t positions, int64_t groups, BlockSizes limits);

using Condition = llvm::function_ref<mlir::Value(Build, mlir::ValueRange)>;
using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(Build, mlir::ValueRange)>;

/// `while (condition(state)) state = step(state)`; the condition is a pred scalar.
llvm::SmallVector<mlir::Value> whileLoop(Build build, mlir::ValueRange inits, Condition condition,
                                         Step step);

/// The same for a condition that holds once at most. What a loop's body makes of nothing that
/// changes would be made before the loop, even if the condition never holds.
llvm::SmallVector<mlir::Value> doOnce(Build build, mlir::ValueRange inits, Condition condition,
                                      Step step);

/// The positions [row, limit) of each group, s32 vectors; `sizes` are theirs as s64. Groups follow
/// each other, and none goes past the end.
std::pair<mlir::Value, mlir::Value> findGroups(Build build, mlir::Value sizes, int64_t positions);

} // namespace hloc

#endif
