// SPDX-License-Identifier: Apache-2.0
// Rows of a sort's only operand as integers of the same order, of which the elements are made again
// when they are sorted. Test: test/codegen/SortKernelTest.cpp.

#ifndef HLOC_CODEGEN_KERNELS_SORT_WHOLEKEYS_H
#define HLOC_CODEGEN_KERNELS_SORT_WHOLEKEYS_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

class WholeKeys {
public:
  /// Elements of the current row; without a value if they cannot be emitted.
  using Read = std::function<VectorValue(VectorIndex position, Mask mask)>;
  using Write = std::function<void(VectorIndex position, VectorValue value, Mask mask)>;

  /// Of rows of `size` elements, as integers of type `type`.
  WholeKeys(KernelContext &context, const SortKey &key, int64_t size, mlir::IntegerType type,
            Read read, Write write);

  /// Writes the keys of the current row to `buffer`. False if none can be emitted.
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
  mlir::Value isChanged; // whether some element is not what its key gives
};

} // namespace hloc

#endif
