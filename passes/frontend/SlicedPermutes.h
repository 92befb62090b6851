// SPDX-License-Identifier: Apache-2.0
// Collective-permutes of slices without tuples. Test: test/evaluator/permute-slices.hlo.

#ifndef HLOC_PASSES_SLICEDPERMUTES_H
#define HLOC_PASSES_SLICEDPERMUTES_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The operands of `permute`, which exchanges slices, without tuples: k inputs, k outputs, then for
/// each input and each output an integer vector with the offsets of its slices. `leavesOf` returns
/// a value's arrays. Fails with an error if the tuples do not match.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
flattenSlicedPermute(hlo::CollectivePermuteOp permute, mlir::OpBuilder &builder,
                     llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> leavesOf);

} // namespace hloc

#endif
