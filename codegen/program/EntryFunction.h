// SPDX-License-Identifier: Apache-2.0
// The functions that hosts call, NAME_run and NAME_prepare. Tests: test/tools/run-time-errors.test,
// test/tools/prepare.test.

#ifndef HLOC_CODEGEN_ENTRYFUNCTION_H
#define HLOC_CODEGEN_ENTRYFUNCTION_H

#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"

namespace hloc {

/// Bytes of the memory that a call has: arguments, results, temporaries. What has none may be null.
struct EntryBuffers {
  llvm::ArrayRef<int64_t> argumentBytes, resultBytes;
  int64_t arenaBytes;
};

/// True if the body of a program with this many arguments and results takes them as the host's two
/// tables of pointers. Separate pointers tell LLVM that they do not overlap, but take long to
/// compile.
inline bool takesTables(unsigned buffers) { return buffers > 64; }

/// Emits it into the module of `program`: it checks the host's pointers, allocates the arena if the
/// host brings none, and calls `body` with the context, the arguments and results (each, or in
/// tables), the arena and the status. The run of a `program` that meets other participants begins
/// here first; `body` ends it. A block of what is prepared is refused that has another tag.
void emitEntryFunction(mlir::ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                       const EntryBuffers &buffers, mlir::LLVM::LLVMFuncOp body,
                       mlir::ModuleOp program);

/// Emits the function that fills the block of what is prepared, with `body`, which takes the
/// arguments and as its only result the block. The block has its tag once all of it is written.
void emitPrepareFunction(mlir::ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                         const EntryBuffers &buffers, mlir::LLVM::LLVMFuncOp body,
                         mlir::ModuleOp program);

} // namespace hloc

#endif
