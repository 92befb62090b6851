// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime from generated code: what an hlo.runtime_call becomes. Each kind of call has
// an emitter of its own in codegen/calls, which the registry in RuntimeCall.cpp finds by the
// callee's name. Tests: test/codegen/runtime-calls.hlo, test/endtoend.

#ifndef HLOC_CODEGEN_RUNTIMECALL_H
#define HLOC_CODEGEN_RUNTIMECALL_H

#include "codegen/KernelEmission.h"
#include "codegen/program/Globals.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hloc {

class AsyncCalls;

/// A kernel as a function.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  KernelSchedule schedule;
};

/// What a call needs of the function it stands in.
struct RuntimeCallSite {
  mlir::ImplicitLocOpBuilder &b;
  Globals &globals;
  mlir::Value context, status;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  /// Memory on the stack for the whole function.
  llvm::function_ref<mlir::Value(int64_t bytes)> stack;
  /// The code of a kernel of the program.
  llvm::function_ref<KernelCode(llvm::StringRef kernel)> kernel;
  /// The functions of the program.
  AsyncCalls &async;
};

/// What emitters build calls with.
class RuntimeCallBuilder {
public:
  RuntimeCallBuilder(hlo::RuntimeCallOp op, RuntimeCallSite &site)
      : op(op), site(site), b(site.b), pointer(mlir::LLVM::LLVMPointerType::get(op.getContext())) {}

  hlo::RuntimeCallOp op;
  RuntimeCallSite &site;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type pointer;

  mlir::Value constant(mlir::Type type, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  mlir::Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  mlir::Value null() { return mlir::LLVM::ZeroOp::create(b, pointer); }
  mlir::Value numbers(mlir::ArrayRef<int64_t> values) { return site.globals.numbers(values); }
  mlir::Value text(mlir::StringRef string) { return site.globals.text(string); }

  /// FILE:LINE:COLUMN without folders, so that objects do not depend on where they were compiled;
  /// empty if unknown.
  std::string getPlace();
  /// `bytes` after `base`.
  mlir::Value at(mlir::Value base, int64_t bytes);
  void put(mlir::Value base, int64_t offset, mlir::Value value) {
    mlir::LLVM::StoreOp::create(b, value, at(base, offset));
  }
  /// An array of hlort_buffer on the stack, row-major; null if there are none. Arrays of a rank
  /// above 0 take pointers to the sizes of their dimensions from the front of `sizes`, if it has
  /// any.
  mlir::Value buffers(mlir::ValueRange arrays, mlir::ValueRange pointers,
                      llvm::ArrayRef<mlir::Value> *sizes = nullptr);
  /// An array of pointers on the stack; null if there are none.
  mlir::Value table(mlir::ValueRange pointers);

  /// The attribute of the operation that the call stands for; null if it has none.
  template <typename T> T getParameter(mlir::StringRef name) {
    return op.getParameters().getAs<T>(name);
  }

  /// Calls a function of the runtime that returns a code. Where that is not 0, the function that
  /// holds the call returns it (checkRuntimeCalls).
  void call(mlir::StringRef function, mlir::ArrayRef<mlir::Value> arguments);
  /// Has the function that holds `call` return what it gives where that is not 0.
  static void check(mlir::LLVM::CallOp call);
};

/// Emits one kind of call; reports what it cannot emit.
using RuntimeCallEmitter = mlir::LogicalResult (*)(RuntimeCallBuilder &);

/// What a trace calls the kind of call.
mlir::StringRef getTraceCategory(hlo::RuntimeCallOp op);

/// Emits the call by the emitter of its callee.
mlir::LogicalResult emitRuntimeCall(hlo::RuntimeCallOp op, RuntimeCallSite site);

/// Marks the memory where a function keeps what it has under way, and what then waits for it.
inline constexpr llvm::StringLiteral kAsyncScope = "hlo.async_scope";
inline constexpr llvm::StringLiteral kAsyncAbandon = "hlort_async_abandon";

/// After lowering to basic blocks: functions return at once where a runtime call fails, but for the
/// end of what they have under way.
void checkRuntimeCalls(mlir::ModuleOp module);

} // namespace hloc

#endif
