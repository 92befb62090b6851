// SPDX-License-Identifier: Apache-2.0
// Completion: opcodes, values that are defined before, attributes of the opcode that are not there
// yet, computations, values of attributes.
// Test: test/lsp/completion.test.

#ifndef HLOC_COMPILER_LSP_COMPLETE_H
#define HLOC_COMPILER_LSP_COMPLETE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

CompletionList complete(const Document &document, Position position);

} // namespace hloc::lsp

#endif
