// SPDX-License-Identifier: Apache-2.0
// Scans of arrays that have sizes in other dimensions than the one along which they go.
// Test: test/passes/bounded/scans.hlo.

#ifndef HLOC_PASSES_BOUNDEDSTEPS_H
#define HLOC_PASSES_BOUNDEDSTEPS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Makes loops of the scans of `module` whose steps take or give arrays of bounded size, and erases
/// their computations.
void lowerBoundedSteps(mlir::ModuleOp module);

} // namespace hloc

#endif
