// SPDX-License-Identifier: Apache-2.0
// How a launch runs an emitted kernel, as the attribute `hlo.launch` of its function, so that later
// passes need only the module:
//
//   llvm.func @k(...) attributes {hlo.launch = {tasks = 2 : i64, time = 9000 : i64, units = 8 :
//   i64}}
//
// Passes.td (emit-kernels) documents its entries. Test: test/codegen/passes/emit-kernels.mlir.

#ifndef HLOC_CODEGEN_LAUNCHATTRIBUTE_H
#define HLOC_CODEGEN_LAUNCHATTRIBUTE_H

#include "codegen/KernelEmission.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// Marks `function` as that of a kernel with this launch.
void setLaunch(mlir::LLVM::LLVMFuncOp function, const KernelSchedule &schedule);

/// How `function` is launched; none if it is not a kernel's.
std::optional<KernelSchedule> getLaunch(mlir::LLVM::LLVMFuncOp function);

/// How the kernels of `module` are launched, by the names of their functions.
llvm::StringMap<KernelSchedule> getLaunches(mlir::ModuleOp module);

/// Marks launches, and copies, that are divided into tasks (divide-launches).
inline constexpr llvm::StringLiteral kDivided = "hlo.divided";

/// Marks `function` as a part of the kernel whose function comes next, its only caller.
void setPart(mlir::LLVM::LLVMFuncOp function);
bool isPart(mlir::LLVM::LLVMFuncOp function);

} // namespace hloc

#endif
