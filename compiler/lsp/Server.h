// SPDX-License-Identifier: Apache-2.0
// The language server: the handlers of all messages. Tests: test/lsp.

#ifndef HLOC_COMPILER_LSP_SERVER_H
#define HLOC_COMPILER_LSP_SERVER_H

#include "compiler/lsp/CheckQueue.h"
#include "compiler/lsp/Document.h"
#include "llvm/Support/LSP/Transport.h"

namespace hloc::lsp {

class Server {
public:
  explicit Server(llvm::lsp::JSONTransport &transport);

  llvm::lsp::MessageHandler &getHandler() { return handler; }
  /// Waits until all diagnostics are sent.
  void waitForChecks() { checks.wait(); }
  /// True if the client requested a shutdown before it sent `exit`.
  bool isShutDown() const { return shutDown; }

private:
  template <typename T> using Callback = llvm::lsp::Callback<T>;
  using Place = llvm::lsp::TextDocumentPositionParams;

  void initialize(const llvm::lsp::InitializeParams &, Callback<llvm::json::Value> reply);
  void initialized(const llvm::lsp::NoParams &) {}
  void shutdown(const llvm::lsp::NoParams &, Callback<std::nullptr_t> reply);
  void open(const llvm::lsp::DidOpenTextDocumentParams &params);
  void change(const llvm::lsp::DidChangeTextDocumentParams &params);
  void close(const llvm::lsp::DidCloseTextDocumentParams &params);
  void hover(const Place &place, Callback<std::optional<Hover>> reply);
  void define(const Place &place, Callback<std::vector<llvm::lsp::Location>> reply);
  void refer(const llvm::lsp::ReferenceParams &params,
             Callback<std::vector<llvm::lsp::Location>> reply);
  void highlight(const Place &place, Callback<std::vector<DocumentHighlight>> reply);
  void prepareRename(const Place &place, Callback<std::optional<Range>> reply);
  void rename(const RenameParams &params, Callback<WorkspaceEdit> reply);
  void complete(const llvm::lsp::CompletionParams &params, Callback<CompletionList> reply);
  void listSymbols(const llvm::lsp::DocumentSymbolParams &params,
                   Callback<std::vector<DocumentSymbol>> reply);
  void listFoldingRanges(const llvm::lsp::DocumentSymbolParams &params,
                         Callback<std::vector<FoldingRange>> reply);

  /// Null if it is not open.
  const Document *find(const URIForFile &file);
  void check(const Document &document);
  /// Called on the thread of the queue.
  bool publish(const CheckQueue::Request &request, CheckResult result);

  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<llvm::lsp::PublishDiagnosticsParams> publishDiagnostics;
  std::mutex mutex; // of these two, which the queue's thread accesses
  std::map<URIForFile, Document> documents;
  /// Shapes that were found but not yet passed to the documents.
  std::map<URIForFile, std::shared_ptr<const Shapes>> newShapes;
  bool shutDown = false;
  CheckQueue checks; // the last: its thread uses the others
};

} // namespace hloc::lsp

#endif
