// SPDX-License-Identifier: Apache-2.0
// The part of an array that a slice takes, and what of an operation's operands that part of its
// result is made of. Test: test/passes/simplify/slice-producers.mlir.

#ifndef HLOC_PASSES_SLICEWINDOW_H
#define HLOC_PASSES_SLICEWINDOW_H

#include "passes/Build.h"

namespace hloc {

/// Positions `base + factor * clamp(start, 0, last) + i * stride`, i < size, of one dimension; all
/// of them are in the array. Without `start` they are known at compile time.
struct SliceRange {
  int64_t size = 1;
  int64_t base = 0;
  int64_t stride = 1;
  mlir::Value start = {}; ///< a scalar of any integer type
  int64_t factor = 1, last = 0;
};

/// A range for each dimension.
using SliceWindow = llvm::SmallVector<SliceRange>;

/// All of an array.
SliceWindow getWholeWindow(mlir::RankedTensorType type);

/// Whether `range` is all of a dimension of `size`.
bool isWhole(const SliceRange &range, int64_t size);

/// What `op`, a slice or dynamic_slice, takes of its operand; nullopt if it is another operation.
std::optional<SliceWindow> getSliceWindow(mlir::Operation *op);

/// The window of `sizes` at `starts`, clamped into range, of an array of type `type`; nullopt if
/// the starts are not scalars.
std::optional<SliceWindow> getSliceWindow(mlir::RankedTensorType type, mlir::ValueRange starts,
                                          llvm::ArrayRef<int64_t> sizes);

/// For elementwise operations and data movement: the window of each operand from which `window` of
/// the result can be made; nullopt where no window says that.
std::optional<llvm::SmallVector<SliceWindow>> getOperandWindows(mlir::Operation *op,
                                                                const SliceWindow &window);

/// `window` of `value`, as slice or dynamic_slice.
mlir::Value takeWindow(Build build, mlir::Value value, const SliceWindow &window);

/// `value` with `update` at `window`, which has strides of one.
mlir::Value updateWindow(Build build, mlir::Value value, mlir::Value update,
                         const SliceWindow &window);

/// What `op` makes of the windows `operands` of its operands: `window` of its result.
mlir::Value makeWindow(Build build, mlir::Operation *op, mlir::ValueRange operands,
                       const SliceWindow &window);

} // namespace hloc

#endif
