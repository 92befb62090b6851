// SPDX-License-Identifier: Apache-2.0
// Runs a computation on scalars for many elements at once: each operation becomes one on arrays
// with an additional first dimension. A loop continues until it has ended for every element;
// branches that elements take differently are all computed, each for the elements that take it.
// Values that are the same for all elements stay scalars. Test:
// test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_BATCHCOMPUTATION_H
#define HLOC_PASSES_BATCHCOMPUTATION_H

#include "passes/Build.h"

namespace hloc {

/// The results of `computation` for each element of `vectors`, which have the parameters' types and
/// one length. `counts` is as in applyToElements. None if an operation has no batched form.
std::optional<llvm::SmallVector<mlir::Value>> batchComputation(Build build,
                                                               hlo::ComputationOp computation,
                                                               mlir::ValueRange vectors,
                                                               mlir::Value counts);

} // namespace hloc

#endif
