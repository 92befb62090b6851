// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime from generated code: custom calls and Fourier transforms.

#ifndef HLOC_CODEGEN_RUNTIMECALL_H
#define HLOC_CODEGEN_RUNTIMECALL_H

#include "codegen/program/Globals.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hloc {

/// What a call needs of the function it stands in.
struct RuntimeCallSite {
  mlir::ImplicitLocOpBuilder &b;
  Globals &globals;
  mlir::Value context, status;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  /// Memory on the stack for the whole function.
  llvm::function_ref<mlir::Value(int64_t bytes)> stack;
};

/// Emits the call. The status code that it gives is checked by checkRuntimeCalls.
mlir::LogicalResult emitRuntimeCall(hlo::RuntimeCallOp op, RuntimeCallSite site);

/// After lowering to basic blocks: functions return at once where a runtime call fails.
void checkRuntimeCalls(mlir::ModuleOp module);

} // namespace hloc

#endif
