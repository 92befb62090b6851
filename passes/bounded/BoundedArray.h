// SPDX-License-Identifier: Apache-2.0
// Arrays of bounded size as they are inside of --expand-bounded-sizes: an array of the full bound,
// and the run-time sizes of its bounded dimensions. Elements past the sizes hold anything, so an
// operation that lets them be seen hides them first, by the functions below.
//
// Test: test/passes/bounded.

#ifndef HLOC_PASSES_BOUNDEDARRAY_H
#define HLOC_PASSES_BOUNDEDARRAY_H

#include "passes/Build.h"

namespace hloc {

struct BoundedArray {
  mlir::Value array;
  /// The size of each dimension, an s32 scalar from 0 to the bound; null where it is the array's.
  llvm::SmallVector<mlir::Value> sizes;

  /// An array all of which counts.
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
  /// Whether one of `dimensions` has a size.
  bool isBoundedIn(llvm::ArrayRef<int64_t> dimensions) const {
    return llvm::any_of(dimensions, [&](int64_t d) { return bool(sizes[d]); });
  }
};

using BoundedArrays = llvm::SmallVector<BoundedArray>;

/// The arrays of all operands.
llvm::SmallVector<mlir::Value> getArrays(llvm::ArrayRef<BoundedArray> operands);

/// The sizes of operands that are of one shape: one that is bounded makes all of them so.
llvm::SmallVector<mlir::Value> mergeSizes(llvm::ArrayRef<BoundedArray> operands);

/// `types` with bounded dimensions at their bounds, without layouts.
llvm::SmallVector<mlir::Type> getFullTypes(mlir::TypeRange types);

/// Makes operations on the parts of bounded arrays.
class BoundedBuild : public Build {
public:
  using Build::Build;

  //===- Sizes: s32 scalars -------------------------------------------------===//

  /// The size of a dimension, a constant where it is the array's.
  Value getSize(const BoundedArray &array, int64_t dimension);
  Value minimum(Value lhs, Value rhs) { return binary<hlo::MinimumOp>(lhs, rhs); }
  Value maximum(Value lhs, Value rhs) { return binary<hlo::MaximumOp>(lhs, rhs); }
  /// `size` in [0, bound].
  Value clampSize(Value size, int64_t bound);
  /// max(lhs - rhs, 0).
  Value excess(Value lhs, Value rhs) { return maximum(sub(lhs, rhs), index(0)); }

  //===- What lies within the sizes -----------------------------------------===//

  /// pred of the array's shape: whether the indices along `dimensions` are below the sizes; null
  /// if none of them has a size.
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

  /// `for (i = 0; i < count; ++i) state = step(i, state)`, where `count` is a size.
  llvm::SmallVector<Value> sizedLoop(
      Value count, mlir::ValueRange inits,
      llvm::function_ref<llvm::SmallVector<Value>(BoundedBuild, Value, mlir::ValueRange)> step);
  /// `op` applied to other operands, giving arrays of `types`.
  mlir::Operation *clone(mlir::Operation *op, mlir::ValueRange operands, mlir::TypeRange types);
  llvm::SmallVector<Value> cloneOn(mlir::Operation *op, mlir::ValueRange operands,
                                   mlir::TypeRange types);
  /// `dimension` cut out of a vector, as a scalar.
  Value element(Value vector, int64_t position) {
    return reshape(sliceOf(vector, 0, position, position + 1), {});
  }
  /// An element of a matrix, as a scalar.
  Value element(Value matrix, int64_t row, int64_t column) {
    return reshape(slice(matrix, {row, column}, {row + 1, column + 1}), {});
  }
  /// The arrays one after the other, as many elements of each as its size says. Sizes in other
  /// dimensions are those of the first that has some.
  BoundedArray concatenateBounded(llvm::ArrayRef<BoundedArray> arrays, int64_t dimension);
  /// The `count` parts of `size` elements each that lie one after the other along `dimension`, in
  /// arrays of the bound that parts have.
  BoundedArrays splitParts(const BoundedArray &array, int64_t dimension, int64_t count, Value size);
};

/// `type` with bounded dimensions at their bounds, without layout.
mlir::RankedTensorType getFullType(mlir::Type type);

/// Whether a dimension of the type has a bound instead of a size.
bool isBoundedType(mlir::Type type);

} // namespace hloc

#endif
