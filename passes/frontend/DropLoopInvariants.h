// SPDX-License-Identifier: Apache-2.0
// A step of LowerControlFlow that makes loops carry only what they change. Test:
// test/passes/frontend/lower-control-flow.mlir.

#ifndef HLOC_PASSES_DROPLOOPINVARIANTS_H
#define HLOC_PASSES_DROPLOOPINVARIANTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hloc {

/// Removes loop-carried values that the loop never changes; their users take the initial values.
/// Replaces `loop` by the returned one, and sets `results` to the replacements of its results.
mlir::scf::WhileOp dropInvariants(mlir::scf::WhileOp loop,
                                  llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace hloc

#endif
