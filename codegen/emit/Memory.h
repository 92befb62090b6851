// SPDX-License-Identifier: Apache-2.0
// Loads and stores of array elements, whatever their type and however the lanes lie in memory.
//
// Arrays are row-major behind a plain pointer. In memory a pred is a byte, a complex number two
// floats, integers and floats of fewer than eight bits are packed from the low bits up; in
// registers they have the types of math/Math.h.

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

/// Bytes that an array takes in memory.
int64_t getByteSize(mlir::RankedTensorType type);
using hlo::getStorageBits;

/// The elements at `at`; lanes outside `mask` are not read and hold zero or anything.
VectorValue loadElements(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at,
                         Mask mask);
/// Stores `value` at `at`, a uniform value to every lane. Uniform indices store once.
/// Elements of fewer than eight bits: lanes must be consecutive and start at a whole byte, or the
/// whole byte must belong to the calling task.
void storeElements(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at,
                   VectorValue value, Mask mask);

/// Asks for what is at the uniform index `at`, in bounds or not, to be brought to the second cache.
void prefetchElement(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> at);

/// Stores all of the few elements beside each other from `first` on, whose lanes lie along the
/// dimension before, in the lanes of `mask`: `values` in their order. False, and nothing stored, if
/// they do not lie so.
bool storeInterleaved(IndexBuilder &index, MemoryArray array, llvm::ArrayRef<VectorIndex> first,
                      llvm::ArrayRef<VectorValue> values, Mask mask);

/// Row-major position of the element at `at`.
VectorIndex linearize(IndexBuilder &index, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<VectorIndex> at);

/// Whether integers are not zero: the pred that their bits are.
mlir::Value emitNonZero(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// `value` as vectors.
VectorValue broadcastLanes(IndexBuilder &index, VectorValue value);

} // namespace hloc

#endif
