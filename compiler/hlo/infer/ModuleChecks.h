// SPDX-License-Identifier: Apache-2.0
// The parts of hlo::verifyModule (Verify.h) that look at more than one operation. Each reports all
// that it finds and fails if that is anything.

#ifndef HLOC_COMPILER_HLO_INFER_MODULECHECKS_H
#define HLOC_COMPILER_HLO_INFER_MODULECHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hloc::hlo {

/// One entry; what the header says of it; its aliases.
llvm::LogicalResult checkEntry(mlir::ModuleOp module);

/// No recursion; computations that run asynchronously are called only so.
llvm::LogicalResult checkCalls(mlir::ModuleOp module, mlir::SymbolTableCollection &tables);

/// Both halves of asynchronous operations, and of sends and receives, find each other.
llvm::LogicalResult checkPairs(mlir::ModuleOp module);

/// Replica groups, source-target pairs and channels, with the module's counts of participants.
llvm::LogicalResult checkCollectives(mlir::ModuleOp module);

} // namespace hloc::hlo

#endif
