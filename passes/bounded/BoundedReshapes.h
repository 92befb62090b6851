// SPDX-License-Identifier: Apache-2.0
// Compacts the elements within the sizes, and spreads them again. Test:
// test/passes/bounded/reshapes.hlo.

#ifndef HLOC_PASSES_BOUNDEDRESHAPES_H
#define HLOC_PASSES_BOUNDEDRESHAPES_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// The array with its valid elements compacted at the beginning, in row-major order: the memory of
/// an array of these sizes. Emits an error at `op` if there are too many elements to be numbered.
mlir::FailureOr<mlir::Value> moveTogether(mlir::Operation *op, BoundedBuild &build,
                                          const BoundedArray &array);

/// The reverse: `array` begins with the compacted elements.
mlir::FailureOr<mlir::Value> moveApart(mlir::Operation *op, BoundedBuild &build,
                                       const BoundedArray &array);

} // namespace hloc

#endif
