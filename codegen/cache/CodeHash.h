// SPDX-License-Identifier: Apache-2.0
// What a unit's machine code follows from, hashed: its operations before they are lowered to the
// llvm dialect, the target, and how the two are compiled. What is no part of the code is no part of
// the hash: names of kernels and, unless there are line tables, places in the .hlo file. Test:
// test/codegen/CodeHashTest.cpp.

#ifndef HLOC_CODEGEN_CACHE_CODEHASH_H
#define HLOC_CODEGEN_CACHE_CODEHASH_H

#include "codegen/cache/CompileCache.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hloc {

/// Adds everything of the target that code generation asks for after kernels have been emitted.
void addTarget(CacheKeyBuilder &key, const Target &target);

struct CodeHashOptions {
  /// Functions whose names do not count, wherever they stand.
  llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> unnamed;
  /// Places count.
  bool withPlaces = false;
};

/// Adds operations with all that is inside them: what they are, their attributes, types, operands
/// and successors.
void addCode(CacheKeyBuilder &key, llvm::ArrayRef<mlir::Operation *> operations,
             const CodeHashOptions &options);

} // namespace hloc

#endif
