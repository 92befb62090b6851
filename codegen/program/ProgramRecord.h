// SPDX-License-Identifier: Apache-2.0
// What a module for several participants says of itself to the runtime: an hlort_program
// (hlort/collective.h). Test: test/codegen/collectives.hlo.

#ifndef HLOC_CODEGEN_PROGRAMRECORD_H
#define HLOC_CODEGEN_PROGRAMRECORD_H

#include "codegen/program/Globals.h"

namespace hloc {

/// Whether a program on memory meets other participants or asks which one it is.
bool needsParticipants(mlir::ModuleOp program);

/// The address of the program's record.
mlir::Value getProgramRecord(Globals &globals, mlir::ImplicitLocOpBuilder &b,
                             mlir::ModuleOp program);

/// The runtime's function that ends a run.
constexpr llvm::StringLiteral kProgramEnd = "hlort_program_end";

/// Emits the beginning of a run, the entry function's first call. Gives its code.
mlir::Value emitProgramBegin(mlir::ImplicitLocOpBuilder &b, Globals &globals,
                             mlir::ModuleOp program, mlir::Value context, mlir::Value status);

/// Emits the end of a run that came to `code`: what every path calls last, while the memory of what
/// was started still stands. Gives the code to return.
mlir::Value emitProgramEnd(mlir::ImplicitLocOpBuilder &b, Globals &globals, mlir::ModuleOp program,
                           mlir::Value context, mlir::Value code, mlir::Value status);

/// Name of the attribute of a function that ends its run wherever it returns: the record's symbol.
/// Its first argument is the context, its last one the status.
constexpr llvm::StringLiteral kEndsProgram = "hlo.ends_program";

} // namespace hloc

#endif
