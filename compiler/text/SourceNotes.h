// SPDX-License-Identifier: Apache-2.0
// Notes that name the line of the user's program that HLO was made from: the metadata of
// instructions contain it, directly or as a number of the module's stack frame tables.
// Test: test/text/source-notes.test.

#ifndef HLOC_COMPILER_TEXT_SOURCENOTES_H
#define HLOC_COMPILER_TEXT_SOURCENOTES_H

#include "compiler/text/SourceFrames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace hloc {

/// The location that an instruction was made from; `tables` are the module's stack frames, or null.
SourcePlace findSourcePlace(mlir::Location location, mlir::StringAttr tables);

/// While it exists, every error at an instruction of `module` gets such a note; handlers registered
/// before print both. The module must outlive it.
class SourceNotes {
public:
  explicit SourceNotes(mlir::ModuleOp module);

private:
  void addNote(mlir::Diagnostic &diagnostic);

  mlir::ModuleOp module;
  mlir::StringAttr tables; // passes may drop them from the module
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hloc

#endif
