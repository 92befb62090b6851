// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of elements between arrays, with any strides.

#ifndef HLOC_COMPILER_EVALUATOR_STRIDED_H
#define HLOC_COMPILER_EVALUATOR_STRIDED_H

#include "compiler/evaluator/core/Value.h"

namespace hloc::evaluator {

/// One side of a copy: its first element, and the stride of each dimension in elements.
template <class Char> struct Side {
  Char *first;
  llvm::ArrayRef<int64_t> strides;
};

/// Copies a box of `sizes` elements of `bytes` bytes each.
void copyBox(Side<const char> from, Side<char> to, llvm::ArrayRef<int64_t> sizes, int bytes);

/// Copies the box of `sizes` at `start` in `from` to `target` in `to`, which has the same element
/// type.
void copyBox(const Array &from, llvm::ArrayRef<int64_t> start, Array &to,
             llvm::ArrayRef<int64_t> target, llvm::ArrayRef<int64_t> sizes);

/// Sets all elements to a value.
/// The elements whose indices are less than `shape`, which is no larger in any dimension.
Array cut(const Array &array, llvm::ArrayRef<int64_t> shape);

void fill(Array &array, Scalar value);

/// All elements converted to a type.
Array convertArray(const Array &array, ElementType type);

/// The dimensions permuted: dimension i of the result is `permutation[i]` of the operand.
Array transpose(const Array &operand, llvm::ArrayRef<int64_t> permutation);

/// The position of an index in an array with these strides.
int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides);

} // namespace hloc::evaluator

#endif
