// SPDX-License-Identifier: Apache-2.0
// Hover text in Markdown: shape and size of a value, its origin in the user's program,
// documentation of opcodes and attributes.
// Test: test/lsp/hover.test.

#ifndef HLOC_COMPILER_LSP_DESCRIBE_H
#define HLOC_COMPILER_LSP_DESCRIBE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

/// Nothing if there is nothing to describe at the position.
std::optional<Hover> describePlace(const Document &document, Position position);

} // namespace hloc::lsp

#endif
