// SPDX-License-Identifier: Apache-2.0
// Applies a computation on scalars to the elements of vectors, even if it contains loops, arrays or
// effects. Each operation becomes one on arrays with an additional first dimension, and a loop
// continues until it has ended for every element. Where that is impossible, elements are processed
// one after the other. Test: test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_APPLYTOELEMENTS_H
#define HLOC_PASSES_APPLYTOELEMENTS_H

#include "passes/Build.h"

namespace hloc {

/// The results of `computation` for each element of `vectors`, all of one length. `counts` is a
/// pred per element: elements for which it is false have undefined results, and do not keep loops
/// running. Null: all count.
llvm::SmallVector<mlir::Value> applyToElements(Build build, hlo::ComputationOp computation,
                                               mlir::ValueRange vectors, mlir::Value counts);

/// True if running `computation` has no side effects and is sure to end.
bool mayAlwaysRun(hlo::ComputationOp computation);

/// The results of `computation` if the scalar `pred` is true, else `otherwise`. If `pred` is false,
/// loops on the arguments might not end, and effects must not happen.
llvm::SmallVector<mlir::Value> inlineWhere(Build build, mlir::Value pred,
                                           hlo::ComputationOp computation,
                                           mlir::ValueRange arguments, mlir::ValueRange otherwise);

/// Folds into the vectors `state` with `computation`, in `steps` steps, what `elements` returns for
/// each step: arrays with as many elements. An s32 can count the steps. Where `counts` of a step is
/// false (see applyToElements), the state is unchanged.
llvm::SmallVector<mlir::Value>
foldElements(Build build, hlo::ComputationOp computation, int64_t steps, mlir::ValueRange state,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(Build, mlir::Value step)> elements,
             llvm::function_ref<mlir::Value(Build, mlir::Value step)> counts = nullptr);

/// Emits a remark that `op` has become a loop of `steps` steps, and which operation of
/// `computation` is the reason.
void remarkLoop(mlir::Location op, hlo::ComputationOp computation, int64_t steps);

} // namespace hloc

#endif
