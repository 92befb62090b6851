// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Protocol.h"

using namespace llvm;

namespace hloc::lsp {

bool fromJSON(const json::Value &value, RenameParams &result, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return fromJSON(value, static_cast<llvm::lsp::TextDocumentPositionParams &>(result), path) &&
         mapper && mapper.map("newName", result.newName);
}

json::Value toJSON(const DocumentHighlight &highlight) {
  enum Kind { Read = 2, Write = 3 };
  return json::Object{{"range", highlight.range},
                      {"kind", int(highlight.isDefinition ? Write : Read)}};
}

json::Value toJSON(const FoldingRange &range) {
  return json::Object{
      {"startLine", range.startLine}, {"endLine", range.endLine}, {"kind", "region"}};
}

} // namespace hloc::lsp
