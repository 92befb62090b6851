// SPDX-License-Identifier: Apache-2.0
// Rewrites the entry of a partitioned program to that of a single partition. Test:
// test/passes/frontend/localize-entry.test.

#ifndef HLOC_PASSES_LOCALIZEENTRY_H
#define HLOC_PASSES_LOCALIZEENTRY_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// The pass localize-entry, for callers that need the entry's types before any pass runs.
mlir::LogicalResult localizeEntry(mlir::ModuleOp module);

} // namespace hloc

#endif
