// SPDX-License-Identifier: Apache-2.0
// The description of a module for several participants that the runtime reads: an hlort_program
// (hlort/collective.h). Test: test/codegen/collectives.hlo.

#ifndef HLOC_CODEGEN_PROGRAMRECORD_H
#define HLOC_CODEGEN_PROGRAMRECORD_H

#include "codegen/program/Globals.h"

namespace hloc {

/// True if a program on memory meets other participants or asks for its own number.
bool needsParticipants(mlir::ModuleOp program);

/// The address of the program's record.
mlir::Value getProgramRecord(Globals &globals, mlir::ImplicitLocOpBuilder &b,
                             mlir::ModuleOp program);

/// The runtime's function that ends a run.
constexpr llvm::StringLiteral kProgramEnd = "hlort_program_end";

/// Emits the beginning of a run, the entry function's first call; returns its error code.
mlir::Value emitProgramBegin(mlir::ImplicitLocOpBuilder &b, Globals &globals,
                             mlir::ModuleOp program, mlir::Value context, mlir::Value status);

/// Emits the end of a run whose error code is `code`: the last call on every path, while the memory
/// of everything that was started is still valid. Returns the error code to return.
mlir::Value emitProgramEnd(mlir::ImplicitLocOpBuilder &b, Globals &globals, mlir::ModuleOp program,
                           mlir::Value context, mlir::Value code, mlir::Value status);

/// Attribute of a function that ends its run wherever it returns: the symbol of the record. The
/// function's first argument is the context, its last one the status.
constexpr llvm::StringLiteral kEndsProgram = "hlo.ends_program";

} // namespace hloc

#endif
