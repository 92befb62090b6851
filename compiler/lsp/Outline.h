// SPDX-License-Identifier: Apache-2.0
// The structure of a document: its computations and instructions, and folding ranges.
// Test: test/lsp/outline.test.

#ifndef HLOC_COMPILER_LSP_OUTLINE_H
#define HLOC_COMPILER_LSP_OUTLINE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

/// The module, which contains the computations, which contain the instructions, unless there are
/// too many of these for an editor.
std::vector<DocumentSymbol> listSymbols(const Document &document);

/// The bodies of computations.
std::vector<FoldingRange> listFoldingRanges(const Document &document);

} // namespace hloc::lsp

#endif
