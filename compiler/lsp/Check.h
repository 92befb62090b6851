// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a text: the parser's and the verifiers' messages, then those of the
// passes that say what hloc does not compile.
// Test: test/lsp/diagnostics.test.

#ifndef HLOC_COMPILER_LSP_CHECK_H
#define HLOC_COMPILER_LSP_CHECK_H

#include "compiler/lsp/Protocol.h"
#include "compiler/lsp/Shapes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hloc::lsp {

struct CheckResult {
  std::vector<llvm::lsp::Diagnostic> diagnostics;
  /// Null if the text cannot be read.
  std::shared_ptr<const Shapes> shapes;
};

/// Checks the text of a file, and gives `publish` what is known after reading and verifying, and
/// again after the passes, which is false if nobody wants to know any more.
void checkText(const std::string &text, const URIForFile &file,
               llvm::function_ref<bool(CheckResult)> publish);

} // namespace hloc::lsp

#endif
