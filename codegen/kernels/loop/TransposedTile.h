// SPDX-License-Identifier: Apache-2.0
// What loops that transpose tiles in registers have in common (TransposeLoop.cpp, StagedLoop.cpp).

#ifndef HLOC_CODEGEN_KERNELS_LOOP_TRANSPOSEDTILE_H
#define HLOC_CODEGEN_KERNELS_LOOP_TRANSPOSEDTILE_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// Transposes a square tile: line i of the result has lane i of all `lines`.
llvm::SmallVector<VectorValue> transposeTile(mlir::ImplicitLocOpBuilder &b,
                                             llvm::ArrayRef<VectorValue> lines);

/// At `place`, in the lanes of `placeMask`, the result of `op` is `value`; elsewhere it is
/// computed.
void bindTransposed(KernelContext &context, hlo::TransposeOp op, const ElementIndex &place,
                    Mask placeMask, VectorValue value);

} // namespace hloc

#endif
