// SPDX-License-Identifier: Apache-2.0
// Functions of a program that may run on threads of the context, by hlort_async_start (with a table
// of pointers) and hlort_async_wait. Single-threaded code calls them where they would start. Test:
// test/codegen/async-threads.hlo.

#ifndef HLOC_CODEGEN_ASYNCCALLS_H
#define HLOC_CODEGEN_ASYNCCALLS_H

#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/Trace.h"

namespace hloc {

/// A function of the program: its numbers of arguments and results, and the memory that a call
/// needs, including that of the functions that it starts.
struct FunctionInfo {
  mlir::LLVM::LLVMFuncOp body;
  unsigned arguments = 0, results = 0;
  int64_t arenaBytes = 0;
};

class AsyncCalls {
public:
  AsyncCalls(mlir::ImplicitLocOpBuilder &b, Globals &globals, Tracer &tracer, mlir::ModuleOp module,
             const ProgramNames &names, bool singleThreaded)
      : b(b), globals(globals), tracer(tracer), module(module), names(names),
        singleThreaded(singleThreaded), pointer(mlir::LLVM::LLVMPointerType::get(b.getContext())) {}

  /// By name.
  llvm::StringMap<FunctionInfo> functions;

  /// Begins the code of a function that starts others, whose memory is in `arena` from byte
  /// `offset` on, one after the other. `scope` is eight bytes on the function's stack, which are
  /// set to null here. There it records what it has started; if it fails, it waits for all of that
  /// (checkRuntimeCalls).
  void enter(mlir::Value scope, mlir::Value arena, int64_t offset);

  /// Emit calls of `async_launch` and `async_wait`.
  mlir::LogicalResult emitLaunch(RuntimeCallBuilder &call);
  mlir::LogicalResult emitWait(RuntimeCallBuilder &call);

private:
  mlir::LLVM::LLVMFuncOp makeTask(hlo::RuntimeCallOp call, const FunctionInfo &callee);

  mlir::ImplicitLocOpBuilder &b;
  Globals &globals;
  Tracer &tracer;
  mlir::ModuleOp module;
  const ProgramNames &names;
  bool singleThreaded;
  mlir::Type pointer;
  mlir::Value scope, arena;
  int64_t offset = 0;
  unsigned tasks = 0;
};

} // namespace hloc

#endif
