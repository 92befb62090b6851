// SPDX-License-Identifier: Apache-2.0
// MLIR's standard dialects to LLVM's, and to LLVM IR.

#ifndef HLOC_CODEGEN_LOWERTOLLVM_H
#define HLOC_CODEGEN_LOWERTOLLVM_H

#include "codegen/object/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace hloc {

/// Registers the dialects and translations that codegen uses.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Gives every function and operation inside `module` a place in the .hlo file, from which
/// translateToLLVM makes line tables. Absolute paths; what has no place of its own gets that of the
/// function or the file's first line.
mlir::LogicalResult addLineTables(mlir::ModuleOp module);

/// Converts everything inside `module` to the llvm dialect.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, const Target &target);

/// LLVM IR of a module of the llvm dialect, not optimized. Null on failure.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine, const Target &target);

/// Runs LLVM's passes at the target's level.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target);

} // namespace hloc

#endif
