// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Document.h"

namespace hloc::lsp {

// LLVM's own function for changes uses columns as bytes.
void Document::change(llvm::ArrayRef<TextDocumentContentChangeEvent> changes, int64_t newVersion) {
  std::string changed = *text;
  for (const TextDocumentContentChangeEvent &change : changes) {
    if (!change.range) {
      changed = change.text;
      continue;
    }
    Lines places(changed);
    size_t begin = places.getOffset(change.range->start);
    size_t end = std::max(begin, places.getOffset(change.range->end));
    changed.replace(begin, end - begin, change.text);
  }
  lines.reset();
  index.reset();
  text = std::make_shared<std::string>(std::move(changed));
  version = newVersion;
}

const Lines &Document::getLines() const {
  if (!lines)
    lines.emplace(*text);
  return *lines;
}

const Index &Document::getIndex() const {
  if (!index)
    index.emplace(*text);
  return *index;
}

llvm::StringRef Document::getShape(const InstructionText &instruction) const {
  if (!instruction.shape.empty())
    return instruction.shape.in(*text);
  const Index &all = getIndex();
  unsigned computation = all.computations[instruction.computation].symbol;
  if (!shapes || computation == kNone)
    return {};
  return shapes->find(all.symbols[computation].name, instruction.name.in(*text));
}

} // namespace hloc::lsp
