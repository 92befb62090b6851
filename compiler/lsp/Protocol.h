// SPDX-License-Identifier: Apache-2.0
// The messages of the language server protocol: LLVM's, and others that LLVM lacks.

#ifndef HLOC_COMPILER_LSP_PROTOCOL_H
#define HLOC_COMPILER_LSP_PROTOCOL_H

#include "llvm/Support/LSP/Protocol.h"

namespace hloc::lsp {

using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;
using llvm::lsp::CompletionList;
using llvm::lsp::DocumentSymbol;
using llvm::lsp::Hover;
using llvm::lsp::Position;
using llvm::lsp::Range;
using llvm::lsp::SymbolKind;
using llvm::lsp::TextDocumentContentChangeEvent;
using llvm::lsp::TextEdit;
using llvm::lsp::URIForFile;
using llvm::lsp::WorkspaceEdit;

struct RenameParams : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};
bool fromJSON(const llvm::json::Value &value, RenameParams &result, llvm::json::Path path);

/// A use of a symbol; the definition counts as a write.
struct DocumentHighlight {
  Range range;
  bool isDefinition;
};
llvm::json::Value toJSON(const DocumentHighlight &highlight);

/// The first and the last line of a range that an editor may fold.
struct FoldingRange {
  int startLine, endLine;
};
llvm::json::Value toJSON(const FoldingRange &range);

} // namespace hloc::lsp

#endif
