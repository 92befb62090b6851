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

  /// Writes the keys of the current row to `buffer`. Returns false if they cannot be emitted.
  bool make(mlir::Value buffer);
  /// Writes the elements of the sorted keys in `buffer` to the row, which may be the buffer.
  void write(mlir::Value buffer);

private:
  mlir::Value emitKeyOf(llvm::APFloat number);
  mlir::Value findFirst(mlir::Value buffer, mlir::Value key);
  llvm::SmallVector<mlir::Value> findAlike(mlir::Value buffer);
  void writeAlikeInOrder(mlir::ValueRange places);
  MemoryArray keysAt(mlir::Value buffer);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  const SortKey &key;
  int64_t size;
  mlir::IntegerType type;
  Read read;
  Write put;
  mlir::Value isChanged; // true if some element differs from what its key gives
};

} // namespace hloc

#endif
