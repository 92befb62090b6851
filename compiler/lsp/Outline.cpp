// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Outline.h"
#include "compiler/text/Quote.h"

using llvm::StringRef;

namespace hloc::lsp {

/// The maximum number of instructions in a list of symbols; editors ask for the list after every
/// change.
constexpr size_t kMaxInstructions = 5000;

static SymbolKind getKind(StringRef opcode) {
  return opcode == "constant"    ? SymbolKind::Constant
         : opcode == "parameter" ? SymbolKind::Property
                                 : SymbolKind::Variable;
}

static DocumentSymbol describe(const Document &document, const InstructionText &instruction) {
  const Lines &lines = document.getLines();
  StringRef text = *document.getText(), opcode = instruction.opcode.in(text);
  DocumentSymbol symbol(instruction.name.in(text), getKind(opcode),
                        lines.getRange(instruction.whole), lines.getRange(instruction.name));
  StringRef stated = instruction.shape.in(text);
  std::string shape = text::squeeze(stated.take_front(kMaxListedShape));
  symbol.detail =
      llvm::json::fixUTF8((llvm::Twine(shape) + (shape.empty() ? "" : " ") + opcode).str());
  return symbol;
}

std::vector<DocumentSymbol> listSymbols(const Document &document) {
  const Index &index = document.getIndex();
  const Lines &lines = document.getLines();
  std::vector<DocumentSymbol> computations;
  for (const ComputationText &computation : index.computations) {
    // A computation without a name is listed under its position.
    bool isNamed = !computation.name.empty();
    StringRef name = isNamed ? computation.name.in(index.text) : "{...}";
    Span shown = isNamed ? computation.name : computation.whole;
    DocumentSymbol &symbol = computations.emplace_back(
        name, SymbolKind::Function, lines.getRange(computation.whole), lines.getRange(shown));
    symbol.detail = computation.isEntry ? "ENTRY" : "";
  }
  if (index.instructions.size() <= kMaxInstructions)
    for (const InstructionText &instruction : index.instructions)
      if (!instruction.name.empty())
        computations[instruction.computation].children.push_back(describe(document, instruction));
  if (index.moduleName.empty())
    return computations;
  std::vector<DocumentSymbol> modules;
  DocumentSymbol &module = modules.emplace_back(index.moduleName.in(index.text), SymbolKind::Module,
                                                lines.getRange({0, index.text.size()}),
                                                lines.getRange(index.moduleName));
  module.children = std::move(computations);
  return modules;
}

std::vector<FoldingRange> listFoldingRanges(const Document &document) {
  std::vector<FoldingRange> ranges;
  for (const ComputationText &computation : document.getIndex().computations) {
    Range body = document.getLines().getRange(computation.body);
    if (body.end.line > body.start.line + 1) // the line of the `}` stays visible
      ranges.push_back({body.start.line, body.end.line - 1});
  }
  return ranges;
}

} // namespace hloc::lsp
