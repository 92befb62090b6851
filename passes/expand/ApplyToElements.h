// SPDX-License-Identifier: Apache-2.0
// A computation of scalars applied to the elements of vectors, whatever it has in it: loops,
// arrays, effects. Each operation becomes one on arrays that have a first dimension more, a loop
// goes on until it has ended for every element; what has no such form is done for one element after
// the other. Test: test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_APPLYTOELEMENTS_H
#define HLOC_PASSES_APPLYTOELEMENTS_H

#include "passes/Build.h"

namespace hloc {

/// The results of `computation` for each place of `vectors`, all of one length. `counts`: pred for
/// each place whether it counts; others get any result, and no loop goes on because of them. Null:
/// all do.
llvm::SmallVector<mlir::Value> applyToElements(Build build, hlo::ComputationOp computation,
                                               mlir::ValueRange vectors, mlir::Value counts);

/// Whether nothing tells that `computation` was done, and it surely ends.
bool mayAlwaysRun(hlo::ComputationOp computation);

/// The results of `computation` where the scalar `pred` holds, `otherwise` else. Of
/// arguments for which it does not hold, no loop may end and nothing may be seen.
llvm::SmallVector<mlir::Value> inlineWhere(Build build, mlir::Value pred,
                                           hlo::ComputationOp computation,
                                           mlir::ValueRange arguments, mlir::ValueRange otherwise);

/// The vectors `state` after `steps` steps, each of which folds what `elements` gives for it,
/// arrays of as many elements, into them with `computation`. There are no more steps than an s32
/// counts. Where `counts` of a step, as in applyToElements, is false the state stays what it is.
llvm::SmallVector<mlir::Value>
foldElements(Build build, hlo::ComputationOp computation, int64_t steps, mlir::ValueRange state,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(Build, mlir::Value step)> elements,
             llvm::function_ref<mlir::Value(Build, mlir::Value step)> counts = nullptr);

/// Says that `op` has become a loop of `steps` steps, and which operation of `computation` is why.
void remarkLoop(mlir::Location op, hlo::ComputationOp computation, int64_t steps);

} // namespace hloc

#endif
