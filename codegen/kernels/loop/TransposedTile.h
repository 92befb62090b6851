// SPDX-License-Identifier: Apache-2.0
// What loops that transpose tiles in registers have in common (TransposeLoop.cpp, StagedLoop.cpp).

#ifndef HLOC_CODEGEN_KERNELS_LOOP_TRANSPOSEDTILE_H
#define HLOC_CODEGEN_KERNELS_LOOP_TRANSPOSEDTILE_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/LoopProblem.h"

namespace hloc {

/// The iteration space of such a loop: rows along the dimension `across`, columns along the minor
/// one, for each index in the other dimensions.
struct TransposedSpace {
  explicit TransposedSpace(KernelContext &context)
      : problem(context.getBody()), shape(problem.shape), minor(int64_t(shape.size()) - 1),
        across(problem.across) {}

  /// The sizes of the other dimensions.
  llvm::SmallVector<int64_t> getOuterSizes() const;
  /// The index of the results at a row and a column of the present index in the other dimensions.
  ElementIndex getPosition(VectorIndex row, VectorIndex column) const;

  LoopProblem problem;
  llvm::ArrayRef<int64_t> shape;
  int64_t minor, across;
  /// The present index in the other dimensions.
  ElementIndex outerAt;
};

/// Transposes a square tile: line i of the result has lane i of all `lines`.
llvm::SmallVector<VectorValue> transposeTile(mlir::ImplicitLocOpBuilder &b,
                                             llvm::ArrayRef<VectorValue> lines);

/// At `place`, in the lanes of `placeMask`, the result of `op` is `value`; elsewhere it is
/// computed.
void bindTransposed(KernelContext &context, hlo::TransposeOp op, const ElementIndex &place,
                    Mask placeMask, VectorValue value);

} // namespace hloc

#endif
