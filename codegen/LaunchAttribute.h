// SPDX-License-Identifier: Apache-2.0
// How a launch runs an emitted kernel, as the attribute `hlo.launch` of its function, so that what
// follows needs the module alone:
//
//   llvm.func @k(...) attributes {hlo.launch = {grain = 2 : i64, units = 8 : i64}}
//
// Passes.td says what it holds (emit-kernels). Test: test/codegen/passes/emit-kernels.mlir.

#ifndef HLOC_CODEGEN_LAUNCHATTRIBUTE_H
#define HLOC_CODEGEN_LAUNCHATTRIBUTE_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// Makes `function` that of a kernel, which is launched so.
void setLaunch(mlir::LLVM::LLVMFuncOp function, const KernelSchedule &schedule);

/// How `function` is launched; nullopt if it is no kernel's.
std::optional<KernelSchedule> getLaunch(mlir::LLVM::LLVMFuncOp function);

/// Makes `function` a part of the kernel whose function comes next, which alone calls it.
void setPart(mlir::LLVM::LLVMFuncOp function);
bool isPart(mlir::LLVM::LLVMFuncOp function);

} // namespace hloc

#endif
