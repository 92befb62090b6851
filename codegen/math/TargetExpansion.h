// SPDX-License-Identifier: Apache-2.0
// What the expansions for targets (TargetExpansion.cpp, ExponentialScaling.cpp) share.

#ifndef HLOC_CODEGEN_MATH_TARGETEXPANSION_H
#define HLOC_CODEGEN_MATH_TARGETEXPANSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// All operations of a kind under `root`, so that they may be replaced.
template <typename Op> llvm::SmallVector<Op> collect(mlir::Operation *root) {
  llvm::SmallVector<Op> operations;
  root->walk([&](Op op) { operations.push_back(op); });
  return operations;
}

/// f(x, y), computed in parts of 512 bits; the number of elements is a power of two.
mlir::Value emitInParts(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y,
                        llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> f);

} // namespace hloc

#endif
