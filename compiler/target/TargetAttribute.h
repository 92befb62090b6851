// SPDX-License-Identifier: Apache-2.0
// What a module is compiled for, as an attribute of the module, so that every pass can read it and
// tests can set it:
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

/// Copies the targets of `from` to `to`.
void copyTargets(mlir::ModuleOp from, mlir::ModuleOp to);

/// The targets of the module that is or contains `op`. Without the attribute it is x86-64-v3, which
/// most machines have, so that single passes behave the same everywhere. Reports an error at the
/// module if a target is invalid.
llvm::FailureOr<llvm::SmallVector<Target, 1>> getTargets(mlir::Operation *op);

/// The target with this number. Reports an error if there is none.
llvm::FailureOr<Target> getTarget(mlir::Operation *op, int64_t number);

/// The target for choices that all targets share, such as fusion: the best of them.
llvm::FailureOr<Target> getMainTarget(mlir::Operation *op);

} // namespace hloc

#endif
