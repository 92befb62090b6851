// SPDX-License-Identifier: Apache-2.0
// Reads messages and dispatches them to their handlers; invalid messages are logged and skipped.
// Test: test/lsp/hostile.test.

#ifndef HLOC_COMPILER_LSP_MESSAGELOOP_H
#define HLOC_COMPILER_LSP_MESSAGELOOP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LSP/Transport.h"

namespace hloc::lsp {

/// Runs until the client sends `exit`, which returns true, or the input ends. Calls `afterEach`
/// after each message.
bool serveMessages(llvm::lsp::JSONTransportInput &input, llvm::lsp::MessageHandler &handler,
                   llvm::function_ref<void()> afterEach);

} // namespace hloc::lsp

#endif
