// SPDX-License-Identifier: Apache-2.0
// What editors show of the thing under the pointer, in Markdown: shape and size of a value, where
// it comes from in the user's program, documentation of opcodes and attributes.
// Test: test/lsp/hover.test.

#ifndef HLOC_COMPILER_LSP_DESCRIBE_H
#define HLOC_COMPILER_LSP_DESCRIBE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

/// Nothing if there is nothing to say of what is at the place.
std::optional<Hover> describePlace(const Document &document, Position position);

} // namespace hloc::lsp

#endif
