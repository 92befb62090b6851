// SPDX-License-Identifier: Apache-2.0
// Turns kernels into hlo.kernel_function symbols; equal kernels share a function.

#ifndef HLOC_PASSES_OUTLINEKERNELS_H
#define HLOC_PASSES_OUTLINEKERNELS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

class KernelOutliner {
public:
  explicit KernelOutliner(mlir::ModuleOp module) : symbols(module) {}

  /// The function that computes `kernel` with outputs in the memory of the inputs that `reuse`
  /// names. May move the kernel's body into the function.
  mlir::FlatSymbolRefAttr outline(hlo::KernelOp kernel, llvm::ArrayRef<int64_t> reuse);

private:
  mlir::SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<hlo::KernelFunctionOp, 1>> functions;
};

} // namespace hloc

#endif
