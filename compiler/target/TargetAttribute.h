// SPDX-License-Identifier: Apache-2.0
// What a module is compiled for, as an attribute of the module, so that every pass can ask and a
// test can say it:
//
//   module attributes {hlo.targets = [{cpu = "x86-64-v3", threads = 1 : i64}]}
//
// Test: test/target/targets.mlir.

#ifndef HLOC_COMPILER_TARGET_TARGETATTRIBUTE_H
#define HLOC_COMPILER_TARGET_TARGETATTRIBUTE_H

#include "compiler/target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Sets `hlo.targets` of the module: an entry for each CPU that `options` names.
void setTargets(mlir::ModuleOp module, const TargetOptions &options);

/// Makes the targets of `from` those of `to`.
void copyTargets(mlir::ModuleOp from, mlir::ModuleOp to);

/// The targets of the module that `op` is or is in. Without the attribute: x86-64-v3, what most
/// machines have, so that passes alone do the same everywhere. Reports an error at the module if
/// there is no such target.
llvm::FailureOr<llvm::SmallVector<Target, 1>> getTargets(mlir::Operation *op);

/// The target of this number. Reports an error if there is none.
llvm::FailureOr<Target> getTarget(mlir::Operation *op, int64_t number);

/// The one by which what all targets share is chosen, as what is fused: the best of them.
llvm::FailureOr<Target> getMainTarget(mlir::Operation *op);

} // namespace hloc

#endif
