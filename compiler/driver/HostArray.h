// SPDX-License-Identifier: Apache-2.0
// Arrays on the host's side of a compiled module: what tools read, make, compare and print.
//
// Elements are row-major in the form that compiler/hlo/Literal.h describes, at least a byte each.
// Compiled modules keep arrays in the layout of their interface, with types of fewer than eight
// bits packed, the first element in the low bits; toMemory and fromMemory convert between the two.
// Test: test/driver/HostArrayTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_HOSTARRAY_H
#define HLOC_COMPILER_DRIVER_HOSTARRAY_H

#include "mlir/IR/BuiltinTypes.h"
#include "runtime/program/Element.h"
#include <string>
#include <vector>

namespace hloc {

using runtime::ElementValue;

/// The runtime's description of an element type.
const runtime::Element &findElement(mlir::Type type);

struct HostArray {
  mlir::RankedTensorType type;
  std::vector<char> bytes;

  /// All zeros. The encoding of `type` is dropped.
  explicit HostArray(mlir::RankedTensorType type);
  HostArray(mlir::RankedTensorType type, std::vector<char> bytes);

  mlir::Type getElementType() const { return type.getElementType(); }
  int64_t getCount() const { return type.getNumElements(); }

  /// The element at a row-major position.
  ElementValue get(int64_t position) const;
  /// Sets the element: integers wrap, floats are rounded to nearest even.
  void set(int64_t position, ElementValue value);
  /// The element as text.
  std::string getText(int64_t position) const;
};

/// The array in another shape of the same rank: elements keep their indices, those out of bounds
/// are dropped, and new ones are zero.
HostArray withShape(const HostArray &array, llvm::ArrayRef<int64_t> shape);

/// Bytes of an array of this type in a compiled module's memory.
int64_t getMemoryBytes(mlir::RankedTensorType type);

/// Writes the array to a compiled module's memory. `minorToMajor` lists the dimensions, minor
/// first.
void toMemory(const HostArray &array, llvm::ArrayRef<int64_t> minorToMajor, char *memory);

/// Reads an array from it.
HostArray fromMemory(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> minorToMajor,
                     const char *memory);

} // namespace hloc

#endif
