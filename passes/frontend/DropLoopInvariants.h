// SPDX-License-Identifier: Apache-2.0
// A step of LowerControlFlow: loops carry only what they change. Test:
// test/passes/frontend/lower-control-flow.mlir.

#ifndef HLOC_PASSES_DROPLOOPINVARIANTS_H
#define HLOC_PASSES_DROPLOOPINVARIANTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hloc {

/// Drops what a loop carries but never changes; its users then take the initial value. Gives the
/// loop that is left, and in `results` what stands for each result of `loop`, which is gone.
mlir::scf::WhileOp dropInvariants(mlir::scf::WhileOp loop,
                                  llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace hloc

#endif
