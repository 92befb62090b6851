// SPDX-License-Identifier: Apache-2.0
// Converts the compiler's diagnostics for a text to those of editors: at tokens, with related
// locations. Test: test/lsp/diagnostics.test.

#ifndef HLOC_COMPILER_LSP_MESSAGES_H
#define HLOC_COMPILER_LSP_MESSAGES_H

#include "compiler/lsp/Lines.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace hloc::lsp {

/// The maximum number of errors, and of other messages, for one text.
constexpr unsigned kMaxMessages = 100;

/// While it exists, collects the diagnostics of a context.
class Messages {
public:
  /// The text must end in a NUL byte. It and the name of its file must outlive this.
  Messages(llvm::StringRef text, const URIForFile &file, mlir::MLIRContext &context);

  std::vector<llvm::lsp::Diagnostic> diagnostics;

private:
  void add(mlir::Diagnostic &message);
  /// The range of the token at a location in the text.
  Range getRange(mlir::FileLineColLoc place) const;
  /// A note about a location in the text, or in the user's program in another file; nothing if it
  /// has no location that can be shown.
  std::optional<llvm::lsp::DiagnosticRelatedInformation> relate(mlir::Diagnostic &note) const;
  llvm::lsp::Diagnostic convert(mlir::Diagnostic &message) const;

  llvm::StringRef text;
  const URIForFile &file;
  Lines lines;
  unsigned errors = 0, others = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hloc::lsp

#endif
