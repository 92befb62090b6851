// SPDX-License-Identifier: Apache-2.0
// The window of an array that a slice takes, and the windows of an operation's operands that a
// window of its result needs. Test: test/passes/simplify/slice-producers.mlir.

#ifndef HLOC_PASSES_SLICEWINDOW_H
#define HLOC_PASSES_SLICEWINDOW_H

#include "passes/Build.h"

namespace hloc {

/// Positions `base + factor * clamp(start, 0, last) + i * stride` for i < size along one dimension,
/// all of them in bounds. Without `start` they are known at compile time.
struct SliceRange {
  int64_t size = 1;
  int64_t base = 0;
  int64_t stride = 1;
  mlir::Value start = {}; ///< an integer scalar
  int64_t factor = 1, last = 0;

  bool operator==(const SliceRange &other) const {
    return size == other.size && base == other.base && stride == other.stride &&
           start == other.start && (!start || (factor == other.factor && last == other.last));
  }
};

/// A range for each dimension.
using SliceWindow = llvm::SmallVector<SliceRange>;

/// The window of all of an array.
SliceWindow getWholeWindow(mlir::RankedTensorType type);

/// True if `range` is all of a dimension of `size`.
bool isWhole(const SliceRange &range, int64_t size);

/// The window that `op`, a slice or dynamic_slice, takes of its operand; none for other operations.
std::optional<SliceWindow> getSliceWindow(mlir::Operation *op);

/// The window of `sizes` at `starts`, clamped to an array of type `type`; none if the starts are
/// not scalars.
std::optional<SliceWindow> getSliceWindow(mlir::RankedTensorType type, mlir::ValueRange starts,
                                          llvm::ArrayRef<int64_t> sizes);

/// For elementwise operations and data movement: the window of each operand that `window` of the
/// result needs; none if these are not windows.
std::optional<llvm::SmallVector<SliceWindow>> getOperandWindows(mlir::Operation *op,
                                                                const SliceWindow &window);

/// `window` of `value`, as a slice or dynamic_slice.
mlir::Value takeWindow(Build build, mlir::Value value, const SliceWindow &window);

/// `value` with `update` written at `window`, which must have strides of one.
mlir::Value updateWindow(Build build, mlir::Value value, mlir::Value update,
                         const SliceWindow &window);

/// Applies `op` to windows `operands` of its operands, which gives `window` of its result.
mlir::Value makeWindow(Build build, mlir::Operation *op, mlir::ValueRange operands,
                       const SliceWindow &window);

} // namespace hloc

#endif
