// SPDX-License-Identifier: Apache-2.0
// The greatest elements of rows. Test: test/passes/bounded/sorts.hlo.

#ifndef HLOC_PASSES_BOUNDEDSORTS_H
#define HLOC_PASSES_BOUNDEDSORTS_H

#include "passes/bounded/BoundedPatterns.h"

namespace hloc {

/// The results of `op`, a topk or an equivalent custom call: the first `k` elements of each row and
/// their positions.
Expanded expandTopkOf(mlir::Operation *op, BoundedArray operand, int64_t k, bool largest,
                      BoundedBuild &build);

} // namespace hloc

#endif
