// SPDX-License-Identifier: Apache-2.0
// Hashes everything that a unit's machine code depends on: its operations before they are lowered
// to the llvm dialect, the target, and the options. What does not affect the code is left out:
// names of kernels and, unless there are line tables, locations in the .hlo file. Test:
// test/codegen/CodeHashTest.cpp.

#ifndef HLOC_CODEGEN_CACHE_CODEHASH_H
#define HLOC_CODEGEN_CACHE_CODEHASH_H

#include "codegen/cache/CompileCache.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hloc {

/// Adds every property of the target that code generation uses after kernels have been emitted.
void addTarget(CacheKeyBuilder &key, const Target &target);

struct CodeHashOptions {
  /// Functions whose names are ignored wherever they occur.
  llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> unnamed;
  /// True to include locations.
  bool withPlaces = false;
};

/// Adds operations with everything inside them: names, attributes, types, operands and successors.
void addCode(CacheKeyBuilder &key, llvm::ArrayRef<mlir::Operation *> operations,
             const CodeHashOptions &options);

} // namespace hloc

#endif
