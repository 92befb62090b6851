// SPDX-License-Identifier: Apache-2.0
// Scans of arrays with run-time sizes in dimensions other than the scanned one. Test:
// test/passes/bounded/scans.hlo.

#ifndef HLOC_PASSES_BOUNDEDSTEPS_H
#define HLOC_PASSES_BOUNDEDSTEPS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Replaces the scans of `module` whose steps take or return arrays of bounded size by loops, and
/// erases their computations.
void lowerBoundedSteps(mlir::ModuleOp module);

} // namespace hloc

#endif
