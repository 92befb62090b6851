// SPDX-License-Identifier: Apache-2.0
// Makes hlo.kernel_function symbols of kernels; equal ones share a function.

#ifndef HLOC_PASSES_OUTLINEKERNELS_H
#define HLOC_PASSES_OUTLINEKERNELS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

class KernelOutliner {
public:
  explicit KernelOutliner(mlir::ModuleOp module) : symbols(module) {}

  /// The function that does what `kernel` does, its outputs lying in the inputs' memory where
  /// `reuse` says so. The kernel's body may move into it.
  mlir::FlatSymbolRefAttr outline(hlo::KernelOp kernel, llvm::ArrayRef<int64_t> reuse);

private:
  mlir::SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<hlo::KernelFunctionOp, 1>> functions;
};

} // namespace hloc

#endif
