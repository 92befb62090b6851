// SPDX-License-Identifier: Apache-2.0
// The windows that a scatter combines into its operands. What its schedules are chosen by
// (ScatterStrategies.cpp) and its code is made of (codegen/kernels/scatter).

#ifndef HLOC_PASSES_SCHEDULE_SCATTERPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SCATTERPROBLEM_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

struct ScatterProblem {
  explicit ScatterProblem(hlo::ScatterOp op);

  /// The size of the window dimension that units may split; 1 if there is none.
  int64_t getSplitSize() const { return splitDim < 0 ? 1 : windowSizes[splitDim]; }
  bool splitsMinor() const { return splitDim + 1 == int64_t(windowSizes.size()); }
  double countWindows() const;
  /// Bytes of what is computed of a window.
  double getComputedBytes(hlo::ScatterOp op) const;

  mlir::RankedTensorType operandType, indicesType, updateType;
  llvm::SmallVector<int64_t> scatterDims, windowDims; // of the updates
  llvm::SmallVector<int64_t> scatterSizes, windowSizes;
  llvm::SmallVector<int64_t> operandDims; // of the operand, for each window dimension
  /// The largest window dimension that no index moves, -1 for none: each of its positions sees all
  /// windows in order, whatever happens at the others.
  int64_t splitDim = -1;
  /// Whether a window's minor dimension is the operand's.
  bool isAlongMinor = false;
  /// Whether an operand has elements of less than a byte.
  bool sharesBytes = false;
  /// Windows are single elements, and of their indices or updates these are computed: they take
  /// more than a load.
  llvm::SmallVector<mlir::Value> computed;
};

} // namespace hloc

#endif
