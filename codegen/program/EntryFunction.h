// SPDX-License-Identifier: Apache-2.0
// The functions that hosts call, NAME_run and NAME_prepare. Tests: test/tools/run-time-errors.test,
// test/tools/prepare.test.

#ifndef HLOC_CODEGEN_ENTRYFUNCTION_H
#define HLOC_CODEGEN_ENTRYFUNCTION_H

#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"

namespace hloc {

/// What a call needs.
struct EntryNeeds {
  /// Bytes of arguments, results, and memory for temporaries. The pointer for 0 bytes may be null.
  llvm::ArrayRef<int64_t> argumentBytes, resultBytes;
  int64_t arenaBytes;
  /// Some kernel uses matrix registers.
  bool usesMatrices;
};

/// True if the body of a program with this many arguments and results takes them as the host's two
/// tables of pointers. Separate pointers tell LLVM that they do not overlap, but take long to
/// compile.
inline bool takesTables(unsigned buffers) { return buffers > 64; }

/// Emits NAME_run into the module `program`: it checks the host's pointers, allocates the arena if
/// the host gives none, and calls `body` with the context, the arguments and results (as pointers
/// or tables), the arena and the status. If `program` meets other participants, this begins its
/// run, and `body` ends it. A prepared block with another tag is an error.
void emitEntryFunction(mlir::ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                       const EntryNeeds &needs, mlir::LLVM::LLVMFuncOp body,
                       mlir::ModuleOp program);

/// Emits NAME_prepare, which fills the block of prepared arrays: it calls `body` with the arguments
/// and, as the only result, the block. The tag is written after everything else.
void emitPrepareFunction(mlir::ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                         const EntryNeeds &needs, mlir::LLVM::LLVMFuncOp body,
                         mlir::ModuleOp program);

} // namespace hloc

#endif
