// SPDX-License-Identifier: Apache-2.0
// A computation of scalars done for many elements at once: each operation becomes one on arrays
// that have a first dimension more; a loop goes on until it has ended for every element, and of
// branches that not all take, each is done for those that do. Values that are the same for all
// elements stay as they are. Test: test/passes/expand/element-computations.mlir.

#ifndef HLOC_PASSES_BATCHCOMPUTATION_H
#define HLOC_PASSES_BATCHCOMPUTATION_H

#include "passes/Build.h"

namespace hloc {

/// The results of `computation` for each place of `vectors`, of its parameters' types and of one
/// length. `counts`: pred for each place whether it counts, as in applyToElements. Nothing if an
/// operation has no such form.
std::optional<llvm::SmallVector<mlir::Value>> batchComputation(Build build,
                                                               hlo::ComputationOp computation,
                                                               mlir::ValueRange vectors,
                                                               mlir::Value counts);

} // namespace hloc

#endif
