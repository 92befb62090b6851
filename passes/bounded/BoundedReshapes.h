// SPDX-License-Identifier: Apache-2.0
// Elements within the sizes one after the other, and back. Test: test/passes/bounded/reshapes.hlo.

#ifndef HLOC_PASSES_BOUNDEDRESHAPES_H
#define HLOC_PASSES_BOUNDEDRESHAPES_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// The array with the elements that count at its beginning, in row-major order: as an array of its
/// sizes has them in memory. An error at `op` if they cannot be counted.
mlir::FailureOr<mlir::Value> moveTogether(mlir::Operation *op, BoundedBuild &build,
                                          const BoundedArray &array);

/// The reverse, of an array that begins with them.
mlir::FailureOr<mlir::Value> moveApart(mlir::Operation *op, BoundedBuild &build,
                                       const BoundedArray &array);

} // namespace hloc

#endif
