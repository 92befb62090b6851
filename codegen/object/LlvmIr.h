// SPDX-License-Identifier: Apache-2.0
// Translates the llvm dialect to LLVM IR, and runs LLVM's passes. Test:
// test/codegen/LlvmOptionsTest.cpp.

#ifndef HLOC_CODEGEN_OBJECT_LLVMIR_H
#define HLOC_CODEGEN_OBJECT_LLVMIR_H

#include "codegen/object/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace hloc {

/// Registers the dialects and translations that codegen uses.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Unoptimized LLVM IR of a module of the llvm dialect. Null on failure.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine, const Target &target);

/// Runs LLVM's passes at the target's optimization level.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target);

} // namespace hloc

#endif
