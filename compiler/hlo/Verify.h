// SPDX-License-Identifier: Apache-2.0
// Checks of a whole module of HLO before any pass: tools run them after reading one.
//
// Tests: test/hlo/errors/.

#ifndef HLOC_COMPILER_HLO_VERIFY_H
#define HLOC_COMPILER_HLO_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc::hlo {

/// Checks every operation, the computations that they call, and the module as a whole; reports the
/// errors of all of them, but not many more than twenty.
llvm::LogicalResult verifyModule(mlir::ModuleOp module);

} // namespace hloc::hlo

#endif
