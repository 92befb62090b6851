// SPDX-License-Identifier: Apache-2.0
// The way over the dimensions of a reduction: all positions of them, at one position of the others.

#ifndef HLOC_CODEGEN_EMIT_REDUCEDWALK_H
#define HLOC_CODEGEN_EMIT_REDUCEDWALK_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// Results over blocks, taken together as loops carry them. Those that are sums of floats are
/// followed by their errors: rounding errors grow with the size of a block alone.
class BlockTotals {
public:
  using Join =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>;

  BlockTotals(mlir::ImplicitLocOpBuilder &b, bool addsUp) : b(b), addsUp(addsUp) {}

  /// Before the first block, `values` being those that change nothing.
  llvm::SmallVector<mlir::Value> begin(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> add(mlir::ValueRange totals, mlir::ValueRange part, Join join);
  /// After the last one: `count` results.
  llvm::SmallVector<mlir::Value> end(mlir::ValueRange totals, size_t count);

private:
  bool isCompensated(mlir::Value value) const;

  mlir::ImplicitLocOpBuilder &b;
  bool addsUp;
};

class ReducedWalk {
public:
  /// Over dimensions of `sizes`; `alongLanes`: the lanes lie along the minor one.
  ReducedWalk(KernelContext &context, llvm::ArrayRef<int64_t> sizes, bool alongLanes);

  /// Folds the next elements, those at an index, into the carried values.
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<VectorIndex> at, Mask mask, mlir::ValueRange carried)>;
  /// Folds what two parts of the walk have given.
  using Join = BlockTotals::Join;

  llvm::SmallVector<mlir::Value> fold(mlir::ValueRange values, Step body);
  /// How foldInBlocks goes about it.
  struct Blocks {
    /// Steps of a block, about.
    int64_t steps;
    /// Whether the values are sums. Sums of blocks are compensated: rounding errors grow with the
    /// size of a block alone.
    bool addsUp;
    /// Steps along the minor dimension that follow each other without a loop and, if more than one,
    /// are summed apart, so that chains of additions stay short: where many elements are equal,
    /// long ones round to the same side in every block.
    int64_t runSteps = 1;
  };
  /// The same as `fold`, but results over many elements are made of results over blocks, each begun
  /// with `values`, which `join` takes together and must not change anything.
  llvm::SmallVector<mlir::Value> foldInBlocks(mlir::ValueRange values, Blocks blocks, Step body,
                                              Join join);

  /// How elements are folded; `join` and `seeds` are for runs of several steps, and may be left out
  /// where `runSteps` is 1.
  struct Folding {
    Step body;
    Join join;
    mlir::ValueRange seeds;
    int64_t runSteps;
  };
  /// Folds the elements of one block into the given values.
  using FoldBlock = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange values,
                                                                      const Folding &folding)>;
  /// Goes from block to block, carrying `values`: `body` makes the next ones, and says where within
  /// it the elements of the block are folded.
  llvm::SmallVector<mlir::Value>
  overBlocks(mlir::ValueRange values, Blocks blocks,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, FoldBlock)> body);

  /// Whether the few steps are made one after the other; and the position of one of them.
  bool isUnrolled() const;
  ElementIndex getPosition(int64_t step);

private:
  /// Blocks are runs of `size` positions along dimension `along` and all of what is below it;
  /// -1: one block of everything.
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
  /// Elements that a step along the minor dimension goes on.
  int64_t getAdvance() const { return alongLanes ? index.getLanes() : 1; }

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  llvm::SmallVector<int64_t> sizes;
  int64_t count;
  bool alongLanes;
};

} // namespace hloc

#endif
