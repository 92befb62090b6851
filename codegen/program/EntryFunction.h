// SPDX-License-Identifier: Apache-2.0
// The function that hosts call, NAME_run. Test: test/tools/run-time-errors.test.

#ifndef HLOC_CODEGEN_ENTRYFUNCTION_H
#define HLOC_CODEGEN_ENTRYFUNCTION_H

#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"

namespace hloc {

/// Bytes of the memory that a call has: arguments, results, temporaries.
struct EntryBuffers {
  llvm::ArrayRef<int64_t> argumentBytes, resultBytes;
  int64_t arenaBytes;
};

/// Whether the body of a program with so many arguments and results takes them as the host's two
/// tables of addresses. With an address each it is known that they do not overlap.
inline bool takesTables(unsigned buffers) { return buffers > 64; }

/// Emits it into the module of `program`: it checks the host's pointers, allocates the arena if the
/// host brings none, and calls `body` with the context, the arguments and results (each, or in
/// tables), the arena and the status. The run of a `program` that meets other participants begins
/// here first; `body` ends it.
void emitEntryFunction(mlir::ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                       const EntryBuffers &buffers, mlir::LLVM::LLVMFuncOp body,
                       mlir::ModuleOp program);

} // namespace hloc

#endif
