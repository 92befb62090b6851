// SPDX-License-Identifier: Apache-2.0
// Reads messages and hands them to their handlers, whatever comes: what is no message is noted in
// the log and passed. Test: test/lsp/hostile.test.

#ifndef HLOC_COMPILER_LSP_MESSAGELOOP_H
#define HLOC_COMPILER_LSP_MESSAGELOOP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LSP/Transport.h"

namespace hloc::lsp {

/// Until the client says `exit`, which is true, or the input ends. Calls `afterEach` after each
/// message.
bool serveMessages(llvm::lsp::JSONTransportInput &input, llvm::lsp::MessageHandler &handler,
                   llvm::function_ref<void()> afterEach);

} // namespace hloc::lsp

#endif
