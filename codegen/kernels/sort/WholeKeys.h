// SPDX-License-Identifier: Apache-2.0
// Sorts the rows of a single operand as integers of the same order, from which the elements are
// recovered. Test: test/codegen/SortKernelTest.cpp.

#ifndef HLOC_CODEGEN_KERNELS_SORT_WHOLEKEYS_H
#define HLOC_CODEGEN_KERNELS_SORT_WHOLEKEYS_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

class WholeKeys {
public:
  /// Reads elements of the current row; returns a null value if they cannot be emitted.
  using Read = std::function<VectorValue(VectorIndex position, Mask mask)>;
  using Write = std::function<void(VectorIndex position, VectorValue value, Mask mask)>;

  /// For rows of `size` elements, as integers of type `type`.
  WholeKeys(KernelContext &context, const SortKey &key, int64_t size, mlir::IntegerType type,
            Read read, Write write);

  /// Builds a loop over all elements of a row or over a part of them.
  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(VectorIndex, Mask, mlir::ValueRange)>;
  using Loop = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange values, Body)>;

  /// True if elements may differ from what their keys give.
  bool mayChange() const { return key.isFloat && !key.isFaithful(); }

  // The steps of a sort, in this order, between the first two of which the keys are sorted.

  /// Writes the keys of some elements of the current row to `buffer`. Returns whether one of these
  /// elements differs from what its key gives; null if keys cannot be emitted.
  mlir::Value make(mlir::Value buffer, Loop loop);
  /// Returns where zeros and NaNs begin among the sorted keys in `buffer`; any positions unless
  /// `isChanged`, that is, some element of the row differs from what its key gives.
  llvm::SmallVector<mlir::Value> findAlike(mlir::Value buffer, mlir::Value isChanged);
  /// Writes the elements of some of the sorted keys in `buffer` to the row, which may be the
  /// buffer.
  void write(mlir::Value buffer, Loop loop);
  /// Writes zeros and NaNs from those places on as they were, in their original order.
  void writeAlike(mlir::Value isChanged, mlir::ValueRange places);

private:
  mlir::Value emitKeyOf(llvm::APFloat number);
  mlir::Value findFirst(mlir::Value buffer, mlir::Value key);
  MemoryArray keysAt(mlir::Value buffer);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  const SortKey &key;
  int64_t size;
  mlir::IntegerType type;
  Read read;
  Write put;
};

} // namespace hloc

#endif
