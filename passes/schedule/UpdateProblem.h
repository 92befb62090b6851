// SPDX-License-Identifier: Apache-2.0
// The rows of a slice that an update kernel writes. Schedules are chosen from this description
// (UpdateStrategies.cpp), and code is generated from it (codegen/kernels/loop/UpdateKernel.cpp).

#ifndef HLOC_PASSES_SCHEDULE_UPDATEPROBLEM_H
#define HLOC_PASSES_SCHEDULE_UPDATEPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct UpdateProblem {
  /// `op` is the update that `body` returns.
  UpdateProblem(hlo::DynamicUpdateSliceOp op, mlir::Block &body);

  /// True if the slice spans the whole minor dimension.
  bool writesMinor() const { return shape.back() == whole.back(); }

  llvm::ArrayRef<int64_t> shape, whole; // of the slice, and of what it is written to
  int64_t bits, operations;
  bool packsResults, isComplex;
  /// How the slice is traversed: dimensions `first` to `last` are one of `length` elements that are
  /// `step` apart, and all that follow have size one. Short rows that are contiguous are one if the
  /// position within them does not matter.
  int64_t first = 0, last = 0, length = 1, step = 1;
};

/// The update that a kernel returns; null if it returns something else.
hlo::DynamicUpdateSliceOp findUpdate(mlir::Block &body);
/// Likewise for a kernel of `kind` that writes only the slice, in the operand's memory: one of kind
/// `update`, or a dot.
hlo::DynamicUpdateSliceOp findUpdateInPlace(hlo::KernelKind kind, mlir::Block &body);

} // namespace hloc

#endif
