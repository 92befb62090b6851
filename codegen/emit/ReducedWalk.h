// SPDX-License-Identifier: Apache-2.0
// The way over the dimensions of a reduction: all positions of them, at one position of the others.

#ifndef HLOC_CODEGEN_EMIT_REDUCEDWALK_H
#define HLOC_CODEGEN_EMIT_REDUCEDWALK_H

#include "codegen/KernelEmission.h"

namespace hloc {

class ReducedWalk {
public:
  /// Over dimensions of `sizes`; `alongLanes`: the lanes lie along the minor one.
  ReducedWalk(KernelContext &context, llvm::ArrayRef<int64_t> sizes, bool alongLanes);

  /// Folds the next elements, those at an index, into the carried values.
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<LaneIndex> at, Mask mask, mlir::ValueRange carried)>;
  /// Folds what two parts of the walk have given.
  using Join = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>;

  llvm::SmallVector<mlir::Value> fold(mlir::ValueRange values, Step body);
  /// The same, but results over many elements are made of results over blocks, each begun with
  /// `values`, which `join` takes together. If they add up, sums of blocks are compensated: rounding
  /// errors grow with the size of a block alone, which is about `blockSteps` steps.
  llvm::SmallVector<mlir::Value> foldInBlocks(mlir::ValueRange values, bool addsUp, Step body, Join join, int64_t blockSteps = 64);

  /// Whether the few steps are made one after the other; and the position of one of them.
  bool isUnrolled() const;
  ElementIndex getPosition(int64_t step);

private:
  llvm::SmallVector<mlir::Value> foldBelow(llvm::ArrayRef<LaneIndex> prefix, mlir::ValueRange values, Step body);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  llvm::SmallVector<int64_t> sizes;
  int64_t count;
  bool alongLanes;
};

} // namespace hloc

#endif
