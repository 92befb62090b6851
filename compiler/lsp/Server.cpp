// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Server.h"
#include "compiler/lsp/Complete.h"
#include "compiler/lsp/Describe.h"
#include "compiler/lsp/Navigate.h"
#include "compiler/lsp/Outline.h"
#include "compiler/text/Version.h"

using namespace llvm;
using llvm::lsp::Location;

namespace hloc::lsp {

Server::Server(llvm::lsp::JSONTransport &transport)
    : handler(transport),
      publishDiagnostics(handler.outgoingNotification<llvm::lsp::PublishDiagnosticsParams>(
          "textDocument/publishDiagnostics")),
      checks([this](const CheckQueue::Request &request, CheckResult result) {
        return publish(request, std::move(result));
      }) {
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::initialized);
  handler.method("shutdown", this, &Server::shutdown);
  handler.notification("textDocument/didOpen", this, &Server::open);
  handler.notification("textDocument/didChange", this, &Server::change);
  handler.notification("textDocument/didClose", this, &Server::close);
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/definition", this, &Server::define);
  handler.method("textDocument/references", this, &Server::refer);
  handler.method("textDocument/documentHighlight", this, &Server::highlight);
  handler.method("textDocument/prepareRename", this, &Server::prepareRename);
  handler.method("textDocument/rename", this, &Server::rename);
  handler.method("textDocument/completion", this, &Server::complete);
  handler.method("textDocument/documentSymbol", this, &Server::listSymbols);
  handler.method("textDocument/foldingRange", this, &Server::listFoldingRanges);
}

//===- Initialization and shutdown -----------------------------------------===//

void Server::initialize(const llvm::lsp::InitializeParams &, Callback<json::Value> reply) {
  using llvm::lsp::TextDocumentSyncKind;
  reply(json::Object{
      {"capabilities",
       json::Object{
           {"textDocumentSync",
            json::Object{{"openClose", true}, {"change", int(TextDocumentSyncKind::Incremental)}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"referencesProvider", true},
           {"documentHighlightProvider", true},
           {"renameProvider", json::Object{{"prepareProvider", true}}},
           {"completionProvider", json::Object{{"triggerCharacters", json::Array{"%", "="}}}},
           {"documentSymbolProvider", true},
           {"foldingRangeProvider", true},
       }},
      {"serverInfo", json::Object{{"name", "hlo-lsp"}, {"version", getVersion()}}}});
}

void Server::shutdown(const llvm::lsp::NoParams &, Callback<std::nullptr_t> reply) {
  shutDown = true;
  reply(nullptr);
}

//===- Documents -----------------------------------------------------------===//

const Document *Server::find(const URIForFile &file) {
  std::lock_guard lock(mutex);
  auto found = documents.find(file);
  if (found == documents.end())
    return nullptr;
  if (auto shapes = newShapes.find(file); shapes != newShapes.end())
    found->second.setShapes(std::move(newShapes.extract(shapes).mapped()));
  return &found->second;
}

void Server::check(const Document &document) {
  checks.add({document.getFile(), document.getVersion(), document.getText()});
}

bool Server::publish(const CheckQueue::Request &request, CheckResult result) {
  std::lock_guard lock(mutex);
  auto found = documents.find(request.file);
  if (found == documents.end() || found->second.getVersion() != request.version)
    return false;
  if (result.shapes)
    newShapes.insert_or_assign(request.file, result.shapes);
  llvm::lsp::PublishDiagnosticsParams params(request.file, request.version);
  params.diagnostics = std::move(result.diagnostics);
  publishDiagnostics(params);
  return true;
}

void Server::open(const llvm::lsp::DidOpenTextDocumentParams &params) {
  const auto &[uri, language, text, version] = params.textDocument;
  {
    std::lock_guard lock(mutex);
    documents.insert_or_assign(uri, Document(uri, text, version));
  }
  check(*find(uri));
}

void Server::change(const llvm::lsp::DidChangeTextDocumentParams &params) {
  {
    std::lock_guard lock(mutex);
    auto found = documents.find(params.textDocument.uri);
    if (found == documents.end())
      return;
    found->second.change(params.contentChanges, params.textDocument.version);
  }
  check(*find(params.textDocument.uri));
}

void Server::close(const llvm::lsp::DidCloseTextDocumentParams &params) {
  std::lock_guard lock(mutex);
  newShapes.erase(params.textDocument.uri);
  if (documents.erase(params.textDocument.uri)) // closing an unknown document is no error
    publishDiagnostics({params.textDocument.uri, 0});
}

//===- Requests ------------------------------------------------------------===//

void Server::hover(const Place &place, Callback<std::optional<Hover>> reply) {
  const Document *document = find(place.textDocument.uri);
  reply(document ? describePlace(*document, place.position) : std::nullopt);
}

void Server::define(const Place &place, Callback<std::vector<Location>> reply) {
  std::vector<Location> locations;
  if (const Document *document = find(place.textDocument.uri))
    if (std::optional<Range> range = findDefinition(*document, place.position))
      locations.emplace_back(document->getFile(), *range);
  reply(std::move(locations));
}

void Server::refer(const llvm::lsp::ReferenceParams &params,
                   Callback<std::vector<Location>> reply) {
  std::vector<Location> locations;
  if (const Document *document = find(params.textDocument.uri))
    for (const DocumentHighlight &mention : findMentions(*document, params.position))
      if (params.context.includeDeclaration || !mention.isDefinition)
        locations.emplace_back(document->getFile(), mention.range);
  reply(std::move(locations));
}

void Server::highlight(const Place &place, Callback<std::vector<DocumentHighlight>> reply) {
  const Document *document = find(place.textDocument.uri);
  reply(document ? findMentions(*document, place.position) : std::vector<DocumentHighlight>());
}

void Server::prepareRename(const Place &place, Callback<std::optional<Range>> reply) {
  const Document *document = find(place.textDocument.uri);
  reply(document ? findRenamed(*document, place.position) : std::nullopt);
}

void Server::rename(const RenameParams &params, Callback<WorkspaceEdit> reply) {
  WorkspaceEdit edit;
  if (const Document *document = find(params.textDocument.uri)) {
    auto edits = renameSymbol(*document, params.position, params.newName);
    if (!edits)
      return reply(edits.takeError());
    edit.changes[document->getFile().uri().str()] = std::move(*edits);
  }
  reply(std::move(edit));
}

void Server::complete(const llvm::lsp::CompletionParams &params, Callback<CompletionList> reply) {
  const Document *document = find(params.textDocument.uri);
  reply(document ? lsp::complete(*document, params.position) : CompletionList());
}

void Server::listSymbols(const llvm::lsp::DocumentSymbolParams &params,
                         Callback<std::vector<DocumentSymbol>> reply) {
  const Document *document = find(params.textDocument.uri);
  reply(document ? lsp::listSymbols(*document) : std::vector<DocumentSymbol>());
}

void Server::listFoldingRanges(const llvm::lsp::DocumentSymbolParams &params,
                               Callback<std::vector<FoldingRange>> reply) {
  const Document *document = find(params.textDocument.uri);
  reply(document ? lsp::listFoldingRanges(*document) : std::vector<FoldingRange>());
}

} // namespace hloc::lsp
