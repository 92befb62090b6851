// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime from generated code, one for each hlo.runtime_call. Each kind of call has
// its own emitter in codegen/calls, which the registry in RuntimeCall.cpp finds by the callee's
// name. Tests: test/codegen/custom-call-sizes.test, test/endtoend.

#ifndef HLOC_CODEGEN_RUNTIMECALL_H
#define HLOC_CODEGEN_RUNTIMECALL_H

#include "codegen/KernelEmission.h"
#include "codegen/program/Globals.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hloc {

class AsyncCalls;

/// A kernel's function and schedule.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  KernelSchedule schedule;
};

/// The surroundings of a call in the function that contains it.
struct RuntimeCallSite {
  mlir::ImplicitLocOpBuilder &b;
  Globals &globals;
  mlir::Value context, status;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  /// Allocates memory on the stack that lasts for the whole function.
  llvm::function_ref<mlir::Value(int64_t bytes)> stack;
  /// Looks up the code of a kernel of the program.
  llvm::function_ref<KernelCode(llvm::StringRef kernel)> kernel;
  /// The functions of the program.
  AsyncCalls &async;
};

/// Helpers with which emitters build calls.
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
  /// The address `bytes` after `base`.
  mlir::Value at(mlir::Value base, int64_t bytes);
  void put(mlir::Value base, int64_t offset, mlir::Value value) {
    mlir::LLVM::StoreOp::create(b, value, at(base, offset));
  }
  /// An array of row-major hlort_buffer on the stack; null if there are none. If `sizes` is given
  /// and not empty, arrays of rank above 0 take pointers to the sizes of their dimensions from its
  /// front.
  mlir::Value buffers(mlir::ValueRange arrays, mlir::ValueRange pointers,
                      llvm::ArrayRef<mlir::Value> *sizes = nullptr);
  /// An array of pointers on the stack; null if there are none.
  mlir::Value table(mlir::ValueRange pointers);

  /// An attribute of the operation that the call stands for; null if it has none.
  template <typename T> T getParameter(mlir::StringRef name) {
    return op.getParameters().getAs<T>(name);
  }

  /// Calls a function of the runtime that returns an error code. If that is not 0, the containing
  /// function returns it (checkRuntimeCalls).
  void call(mlir::StringRef function, mlir::ArrayRef<mlir::Value> arguments);
  /// Makes the containing function return the result of `call` if that is not 0.
  static void check(mlir::LLVM::CallOp call);
};

/// Emits one kind of call; reports what it cannot emit.
using RuntimeCallEmitter = mlir::LogicalResult (*)(RuntimeCallBuilder &);

/// The category of the call in traces.
mlir::StringRef getTraceCategory(hlo::RuntimeCallOp op);

/// Emits the call with the emitter of its callee.
mlir::LogicalResult emitRuntimeCall(hlo::RuntimeCallOp op, RuntimeCallSite site);

/// Attribute of the memory in which a function records what it has started, and the function that
/// waits for all of that.
inline constexpr llvm::StringLiteral kAsyncScope = "hlo.async_scope";
inline constexpr llvm::StringLiteral kAsyncAbandon = "hlort_async_abandon";

/// To be called after lowering to basic blocks: makes functions return at once when a runtime call
/// fails, after waiting for what they have started.
void checkRuntimeCalls(mlir::ModuleOp module);

} // namespace hloc

#endif
