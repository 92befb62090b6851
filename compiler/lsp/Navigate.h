// SPDX-License-Identifier: Apache-2.0
// Where names are defined and used, and giving them others. Tests: test/lsp/navigation.test,
// test/lsp/rename.test.

#ifndef HLOC_COMPILER_LSP_NAVIGATE_H
#define HLOC_COMPILER_LSP_NAVIGATE_H

#include "compiler/lsp/Document.h"

namespace hloc::lsp {

/// The place where the name at a place is defined; nothing if there is no name, or no definition.
std::optional<Range> findDefinition(const Document &document, Position position);

/// All mentions of the name at a place, in the order of the text.
std::vector<DocumentHighlight> findMentions(const Document &document, Position position);

/// The name at a place, which may have another one.
std::optional<Range> findRenamed(const Document &document, Position position);

/// The edits that give the name at a place another one; an error says why it cannot have it.
llvm::Expected<std::vector<TextEdit>> renameSymbol(const Document &document, Position position,
                                                   llvm::StringRef newName);

} // namespace hloc::lsp

#endif
