// SPDX-License-Identifier: Apache-2.0
// The compiler's diagnostics for a text: those of the parser and the verifiers, then those of the
// passes that report what hloc does not support.
// Test: test/lsp/diagnostics.test.

#ifndef HLOC_COMPILER_LSP_CHECK_H
#define HLOC_COMPILER_LSP_CHECK_H

#include "compiler/lsp/Protocol.h"
#include "compiler/lsp/Shapes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hloc::lsp {

struct CheckResult {
  std::vector<llvm::lsp::Diagnostic> diagnostics;
  /// Null if the text cannot be parsed.
  std::shared_ptr<const Shapes> shapes;
};

/// Checks the text of a file, and calls `publish` with the results after parsing and verifying, and
/// again after the passes. `publish` returns false if the results are no longer needed.
void checkText(const std::string &text, const URIForFile &file,
               llvm::function_ref<bool(CheckResult)> publish);

} // namespace hloc::lsp

#endif
