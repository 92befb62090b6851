// SPDX-License-Identifier: Apache-2.0
// Functions of a program that may run on threads of the context: hlort_async_start with a table of
// their pointers, hlort_async_wait. Code for one thread calls them where they start.
// Test: test/codegen/async-threads.hlo.

#ifndef HLOC_CODEGEN_ASYNCCALLS_H
#define HLOC_CODEGEN_ASYNCCALLS_H

#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/Trace.h"

namespace hloc {

/// A function of the program: what it is called with and the memory that a call needs, that of the
/// functions that it starts included.
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

  /// From here on code is that of a function that starts others, whose memory lies one after the
  /// other in `arena` from byte `offset` on. In `scope`, eight bytes on its stack, which become
  /// null where `b` stands, it keeps what it has under way; if it fails, it waits for all that
  /// (checkRuntimeCalls).
  void enter(mlir::Value scope, mlir::Value arena, int64_t offset);

  /// Calls of `async_launch` and `async_wait`.
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
