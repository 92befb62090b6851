// SPDX-License-Identifier: Apache-2.0
// The parts of hlo::verifyModule (Verify.h) that check more than one operation. Each reports all
// errors that it finds and fails if there are any.

#ifndef HLOC_COMPILER_HLO_INFER_MODULECHECKS_H
#define HLOC_COMPILER_HLO_INFER_MODULECHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hloc::hlo {

/// One entry; the header's declarations about it; its aliases.
llvm::LogicalResult checkEntry(mlir::ModuleOp module);

/// No recursion; computations that run asynchronously are called only asynchronously.
llvm::LogicalResult checkCalls(mlir::ModuleOp module, mlir::SymbolTableCollection &tables);

/// Asynchronous operations, and sends and receives, have both halves.
llvm::LogicalResult checkPairs(mlir::ModuleOp module);

/// Replica groups, source-target pairs and channels, given the module's numbers of participants.
llvm::LogicalResult checkCollectives(mlir::ModuleOp module);

} // namespace hloc::hlo

#endif
