// SPDX-License-Identifier: Apache-2.0
// The greatest elements of rows. Test: test/passes/bounded/sorts.hlo.

#ifndef HLOC_PASSES_BOUNDEDSORTS_H
#define HLOC_PASSES_BOUNDEDSORTS_H

#include "passes/bounded/BoundedPatterns.h"

namespace hloc {

/// What `op`, a topk or a custom call that does the same, finds: the first `k` of each row and
/// where they are.
Expanded expandTopkOf(mlir::Operation *op, BoundedArray operand, int64_t k, bool largest,
                      BoundedBuild &build);

} // namespace hloc

#endif
