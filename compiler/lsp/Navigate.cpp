// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Navigate.h"
#include "compiler/text/Lexer.h"

using llvm::StringRef;

namespace hloc::lsp {

static const Mention *findMention(const Document &document, Position position) {
  return document.getIndex().findMention(document.getLines().getOffset(position));
}

std::optional<Range> findDefinition(const Document &document, Position position) {
  const Index &index = document.getIndex();
  if (const Mention *mention = findMention(document, position))
    for (unsigned number : index.symbols[mention->symbol].mentions)
      if (index.mentions[number].isDefinition)
        return document.getLines().getRange(index.mentions[number].span);
  return std::nullopt;
}

std::vector<DocumentHighlight> findMentions(const Document &document, Position position) {
  const Index &index = document.getIndex();
  std::vector<DocumentHighlight> mentions;
  if (const Mention *mention = findMention(document, position))
    for (unsigned number : index.symbols[mention->symbol].mentions) {
      const Mention &each = index.mentions[number];
      mentions.push_back({document.getLines().getRange(each.span), each.isDefinition});
    }
  return mentions;
}

std::optional<Range> findRenamed(const Document &document, Position position) {
  const Mention *mention = findMention(document, position);
  return mention ? std::optional(document.getLines().getRange(mention->span)) : std::nullopt;
}

/// True if the parser accepts this as a name everywhere, with and without `%`.
static bool isName(const std::string &name) {
  text::Lexer lexer(name);
  return lexer.is(text::Token::Ident) && lexer.spelling() == name && text::isInstructionName(name);
}

static llvm::Error refuse(const llvm::Twine &why) {
  return llvm::make_error<llvm::lsp::LSPError>(why.str(), llvm::lsp::ErrorCode::RequestFailed);
}

llvm::Expected<std::vector<TextEdit>> renameSymbol(const Document &document, Position position,
                                                   StringRef newName) {
  const Index &index = document.getIndex();
  const Mention *mention = findMention(document, position);
  if (!mention)
    return refuse("there is no name of a value or a computation here");
  newName.consume_front("%");
  if (!isName(newName.str()))
    return refuse("`" + newName + "` is not a name in HLO text");
  const Symbol &symbol = index.symbols[mention->symbol];
  std::vector<TextEdit> edits;
  if (newName == symbol.name)
    return edits;
  if (index.findSymbol(symbol.scope, newName) != kNone)
    return refuse(llvm::Twine(symbol.isComputation() ? "a computation" : "a value") + " called `" +
                  newName + "` already exists");
  for (unsigned number : symbol.mentions)
    edits.push_back({document.getLines().getRange(index.mentions[number].span), newName.str()});
  return edits;
}

} // namespace hloc::lsp
