// SPDX-License-Identifier: Apache-2.0
// Loads and stores of array elements of any type, however the lanes are laid out in memory.
//
// Arrays are row-major behind a plain pointer. In memory a pred is a byte and a complex number two
// floats; integers and floats of fewer than eight bits are packed, lowest bits first. In registers
// they have the types of math/Math.h.

#ifndef HLOC_CODEGEN_EMIT_MEMORY_H
#define HLOC_CODEGEN_EMIT_MEMORY_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hloc {

/// An array in memory: `pointer` is an !llvm.ptr to its first element.
struct MemoryArray {
  mlir::Value pointer;
  mlir::RankedTensorType type;
};

/// `pointer` plus a number of bytes.
mlir::Value movePointer(IndexBuilder &index, mlir::Value pointer, mlir::Value bytes);

/// Bytes of an array in memory.
int64_t getByteSize(mlir::RankedTensorType type);
using hlo::getStorageBits;

/// Loads the elements at `at`. Lanes outside `mask` are not read and have an arbitrary value.
VectorValue loadElements(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at,
                         Mask mask);
/// Stores `value` at `at`; a uniform value is stored in every lane, and a uniform index stores
/// once. For elements of fewer than eight bits, either the lanes must be consecutive and begin at a
/// whole byte, or the whole byte must belong to the calling task.
void storeElements(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at,
                   VectorValue value, Mask mask);

/// Prefetches what is at the uniform index `at` into L2; the index may be out of bounds.
void prefetchElement(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at);

/// Stores `values`, in order, in adjacent places of each active lane from `first` on, as whole
/// vectors. Returns false and stores nothing where that is not possible. It is possible for
/// - all elements of a short minor dimension, if lanes lie along the dimension before it;
/// - getTileColumns elements of each row, if lanes are rows and all of them are active.
bool storeTogether(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> first,
                   llvm::ArrayRef<VectorValue> values, Mask mask);

/// The row-major position of the element at `at`.
VectorIndex linearize(IndexBuilder &index, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<VectorIndex> at);

/// True where integers are not zero: converts bits to pred.
mlir::Value emitNonZero(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// `value` as vectors.
VectorValue broadcastLanes(IndexBuilder &index, VectorValue value);

} // namespace hloc

#endif
