// SPDX-License-Identifier: Apache-2.0
// Definitions and uses of names, and renaming. Tests: test/lsp/navigation.test,
// test/lsp/rename.test.

#ifndef HLOC_COMPILER_LSP_NAVIGATE_H
#define HLOC_COMPILER_LSP_NAVIGATE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

/// The definition of the name at a position; nothing if there is no name, or no definition.
std::optional<Range> findDefinition(const Document &document, Position position);

/// All mentions of the name at a position, in the order of the text.
std::vector<DocumentHighlight> findMentions(const Document &document, Position position);

/// The range of the name at a position, if it can be renamed.
std::optional<Range> findRenamed(const Document &document, Position position);

/// The edits that rename the symbol at a position; an error says why it cannot be renamed.
llvm::Expected<std::vector<TextEdit>> renameSymbol(const Document &document, Position position,
                                                   llvm::StringRef newName);

} // namespace hloc::lsp

#endif
