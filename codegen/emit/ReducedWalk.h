// SPDX-License-Identifier: Apache-2.0
// Iteration over the reduced dimensions of a reduction, at one position of the others.

#ifndef HLOC_CODEGEN_EMIT_REDUCEDWALK_H
#define HLOC_CODEGEN_EMIT_REDUCEDWALK_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// Results accumulated over blocks, in the form that loops carry. Sums of floats are followed by
/// their error terms, so that rounding errors grow only with the size of a block.
class BlockTotals {
public:
  using Join =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>;

  BlockTotals(mlir::ImplicitLocOpBuilder &b, bool addsUp) : b(b), addsUp(addsUp) {}

  /// The totals before the first block, where `values` are identity elements.
  llvm::SmallVector<mlir::Value> begin(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> add(mlir::ValueRange totals, mlir::ValueRange part, Join join);
  /// The `count` results after the last block.
  llvm::SmallVector<mlir::Value> end(mlir::ValueRange totals, size_t count);

private:
  bool isCompensated(mlir::Value value) const;

  mlir::ImplicitLocOpBuilder &b;
  bool addsUp;
};

class ReducedWalk {
public:
  /// Iterates over dimensions of `sizes`. With `alongLanes`, lanes lie along the minor one.
  /// Otherwise `loadedTogether` steps along it are unrolled: their elements are loaded together.
  ReducedWalk(KernelContext &context, llvm::ArrayRef<int64_t> sizes, bool alongLanes,
              int64_t loadedTogether = 1);

  /// Folds the next elements, those at index `at`, into the carried values.
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<VectorIndex> at, Mask mask, mlir::ValueRange carried)>;
  /// Combines the results of two parts of the iteration.
  using Join = BlockTotals::Join;

  llvm::SmallVector<mlir::Value> fold(mlir::ValueRange values, Step body);
  /// How foldInBlocks cuts the iteration.
  struct Blocks {
    /// About how many steps a block has.
    int64_t steps;
    /// True if the values are sums. Sums of blocks are compensated, so that rounding errors grow
    /// only with the size of a block.
    bool addsUp;
    /// Steps along the minor dimension that are unrolled as one run. If there are several, each run
    /// is summed separately, so that chains of additions stay short: with many equal elements, long
    /// chains round in the same direction in every block.
    int64_t runSteps = 1;
  };
  /// Like `fold`, but combines the results of blocks with `join`, each of which begins with the
  /// identity elements `values`.
  llvm::SmallVector<mlir::Value> foldInBlocks(mlir::ValueRange values, Blocks blocks, Step body,
                                              Join join);

  /// How elements are folded. `join` and `seeds` are needed only for runs of several steps.
  struct Folding {
    Step body;
    Join join;
    mlir::ValueRange seeds;
    int64_t runSteps;
  };
  /// Folds the elements of one block into the given values.
  using FoldBlock = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange values,
                                                                      const Folding &folding)>;
  /// Iterates over the blocks, carrying `values`. `body` computes the next values, and calls its
  /// FoldBlock where the elements of the block are to be folded.
  llvm::SmallVector<mlir::Value>
  overBlocks(mlir::ValueRange values, Blocks blocks,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, FoldBlock)> body);

  /// True if all steps are unrolled; and the position of step `step` in that case.
  bool isUnrolled() const;
  ElementIndex getPosition(int64_t step);

private:
  /// A block is `size` positions along dimension `along` together with everything in the inner
  /// dimensions. -1: one block of everything.
  struct Cut {
    int64_t along, size;
  };
  Cut cutIntoBlocks(Blocks blocks);
  bool isOneBlock(Cut cut) const;

  llvm::SmallVector<mlir::Value> foldBelow(llvm::ArrayRef<VectorIndex> prefix,
                                           mlir::ValueRange values, const Folding &folding);
  llvm::SmallVector<mlir::Value> foldMinor(llvm::ArrayRef<VectorIndex> prefix, mlir::Value start,
                                           int64_t size, mlir::ValueRange values,
                                           const Folding &folding);
  ElementIndex at(llvm::ArrayRef<VectorIndex> prefix, mlir::Value position);
  /// Elements along the minor dimension per step.
  int64_t getAdvance() const { return alongLanes ? index.getLanes() : 1; }

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  llvm::SmallVector<int64_t> sizes;
  int64_t count;
  bool alongLanes;
  int64_t loadedTogether;
};

} // namespace hloc

#endif
