// SPDX-License-Identifier: Apache-2.0
// The compiler's messages about a text as editors take them: at tokens, with what they refer to.
// Test: test/lsp/diagnostics.test.

#ifndef HLOC_COMPILER_LSP_MESSAGES_H
#define HLOC_COMPILER_LSP_MESSAGES_H

#include "compiler/lsp/Lines.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace hloc::lsp {

/// Errors, and as many other messages, that editors get of one text.
constexpr unsigned kMaxMessages = 100;

/// While it lives, collects the diagnostics of a context.
class Messages {
public:
  /// The text must end in a NUL byte. It and the name of its file must outlive this.
  Messages(llvm::StringRef text, const URIForFile &file, mlir::MLIRContext &context);

  std::vector<llvm::lsp::Diagnostic> diagnostics;

private:
  void add(mlir::Diagnostic &message);
  /// The token at a place of the text.
  Range getRange(mlir::FileLineColLoc place) const;
  /// A note about a place of the text, or of the user's program in another file; nothing if only
  /// words can tell of its place.
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
