// SPDX-License-Identifier: Apache-2.0
// Arrays of bounded size as --expand-bounded-sizes represents them: an array of the full bound, and
// the run-time sizes of its bounded dimensions. Elements past the sizes are undefined, so an
// operation that would expose them masks them first, with the functions below.
//
// Test: test/passes/bounded.

#ifndef HLOC_PASSES_BOUNDEDARRAY_H
#define HLOC_PASSES_BOUNDEDARRAY_H

#include "passes/Build.h"

namespace hloc {

struct BoundedArray {
  mlir::Value array;
  /// The size of each dimension, an s32 scalar from 0 to the bound; null if the dimension is
  /// static.
  llvm::SmallVector<mlir::Value> sizes;

  /// A static array.
  explicit BoundedArray(mlir::Value array)
      : array(array), sizes(arrayType(array).getRank(), nullptr) {}
  BoundedArray(mlir::Value array, llvm::SmallVector<mlir::Value> sizes)
      : array(array), sizes(std::move(sizes)) {}

  llvm::ArrayRef<int64_t> getBounds() const { return arrayType(array).getShape(); }
  int64_t getBound(int64_t dimension) const { return getBounds()[dimension]; }
  int64_t getRank() const { return sizes.size(); }
  mlir::Type getElement() const { return arrayType(array).getElementType(); }
  bool isBounded() const {
    return llvm::any_of(sizes, [](mlir::Value size) { return bool(size); });
  }
  /// True if one of `dimensions` has a run-time size.
  bool isBoundedIn(llvm::ArrayRef<int64_t> dimensions) const {
    return llvm::any_of(dimensions, [&](int64_t d) { return bool(sizes[d]); });
  }
};

using BoundedArrays = llvm::SmallVector<BoundedArray>;

/// The arrays of all operands.
llvm::SmallVector<mlir::Value> getArrays(llvm::ArrayRef<BoundedArray> operands);

/// The sizes of operands of one shape: a dimension has a run-time size if it does in any of them.
llvm::SmallVector<mlir::Value> mergeSizes(llvm::ArrayRef<BoundedArray> operands);

/// `types` with their bounds as static sizes, and without layouts.
llvm::SmallVector<mlir::Type> getFullTypes(mlir::TypeRange types);

/// Builds operations on bounded arrays.
class BoundedBuild : public Build {
public:
  using Build::Build;

  //===- Sizes: s32 scalars -------------------------------------------------===//

  /// The size of a dimension, a constant if it is static.
  Value getSize(const BoundedArray &array, int64_t dimension);
  Value minimum(Value lhs, Value rhs) { return binary<hlo::MinimumOp>(lhs, rhs); }
  Value maximum(Value lhs, Value rhs) { return binary<hlo::MaximumOp>(lhs, rhs); }
  /// `size` clamped to [0, bound].
  Value clampSize(Value size, int64_t bound);
  /// max(lhs - rhs, 0).
  Value excess(Value lhs, Value rhs) { return maximum(sub(lhs, rhs), index(0)); }

  //===- Masks --------------------------------------------------------------===//

  /// A pred of the array's shape: true if the indices along `dimensions` are below the sizes; null
  /// if all of these dimensions are static.
  Value isInside(const BoundedArray &array, Sizes dimensions);
  Value isInside(const BoundedArray &array) { return isInside(array, iotaVector(array.getRank())); }
  /// The array with the scalar `fill` past the sizes of `dimensions`.
  Value fillPast(const BoundedArray &array, Sizes dimensions, Value fill);
  Value fillPast(const BoundedArray &array, Value fill) {
    return fillPast(array, iotaVector(array.getRank()), fill);
  }
  Value zeroPast(const BoundedArray &array, Sizes dimensions) {
    return array.isBoundedIn(dimensions)
               ? fillPast(array, dimensions, scalar(array.getElement(), 0.0))
               : array.array;
  }

  //===- Others -------------------------------------------------------------===//

  /// `for (i = 0; i < count; ++i) state = step(i, state)`, where `count` is a run-time size.
  llvm::SmallVector<Value> sizedLoop(
      Value count, mlir::ValueRange inits,
      llvm::function_ref<llvm::SmallVector<Value>(BoundedBuild, Value, mlir::ValueRange)> step);
  /// `op` applied to other operands, with results of `types`.
  mlir::Operation *clone(mlir::Operation *op, mlir::ValueRange operands, mlir::TypeRange types);
  llvm::SmallVector<Value> cloneOn(mlir::Operation *op, mlir::ValueRange operands,
                                   mlir::TypeRange types);
  /// Element `position` of a vector, as a scalar.
  Value element(Value vector, int64_t position) {
    return reshape(sliceOf(vector, 0, position, position + 1), {});
  }
  /// An element of a matrix, as a scalar.
  Value element(Value matrix, int64_t row, int64_t column) {
    return reshape(slice(matrix, {row, column}, {row + 1, column + 1}), {});
  }
  /// The arrays concatenated, with as many elements of each as its size says. Sizes in other
  /// dimensions are those of the first array that has some.
  BoundedArray concatenateBounded(llvm::ArrayRef<BoundedArray> arrays, int64_t dimension);
  /// Splits an array into `count` adjacent parts of `size` elements each along `dimension`, in
  /// arrays of the parts' bound.
  BoundedArrays splitParts(const BoundedArray &array, int64_t dimension, int64_t count, Value size);
};

/// `type` with its bounds as static sizes, without layout.
mlir::RankedTensorType getFullType(mlir::Type type);

/// True if a dimension of the type has a bound instead of a size.
bool isBoundedType(mlir::Type type);

} // namespace hloc

#endif
