// SPDX-License-Identifier: Apache-2.0
// The rows of a slice that an update kernel writes. What its schedules are chosen by
// (UpdateStrategies.cpp) and its code is made of (codegen/kernels/loop/UpdateKernel.cpp).

#ifndef HLOC_PASSES_SCHEDULE_UPDATEPROBLEM_H
#define HLOC_PASSES_SCHEDULE_UPDATEPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct UpdateProblem {
  /// `op` is the update that `body` gives.
  UpdateProblem(hlo::DynamicUpdateSliceOp op, mlir::Block &body);

  /// Whether the minor dimension is written whole.
  bool writesMinor() const { return shape.back() == whole.back(); }

  llvm::ArrayRef<int64_t> shape, whole; // of the slice, and of what it is written to
  int64_t bits, operations;
  bool packsResults, isComplex;
  /// The walk over the slice: dimensions from `first` to `last` are one, of `length` elements,
  /// behind which are only sizes of one. Elements lie `step` apart. Short rows that lie behind each
  /// other are one, if nothing looks at where in them elements are.
  int64_t first = 0, last = 0, length = 1, step = 1;
};

/// The update that a kernel gives; null if that is something else.
hlo::DynamicUpdateSliceOp findUpdate(mlir::Block &body);
/// The same of a kernel of `kind` that writes the slice alone, in the operand's memory: one of kind
/// `update`, or a product.
hlo::DynamicUpdateSliceOp findUpdateInPlace(hlo::KernelKind kind, mlir::Block &body);

} // namespace hloc

#endif
