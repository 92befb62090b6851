// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Messages.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Lexer.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using llvm::lsp::DiagnosticRelatedInformation;
using Severity = llvm::lsp::DiagnosticSeverity;

namespace hloc::lsp {

Messages::Messages(StringRef text, const URIForFile &file, MLIRContext &context)
    : text(text), file(file), lines(text), handler(&context, [this](mlir::Diagnostic &message) {
        add(message);
        return success();
      }) {}

void Messages::add(mlir::Diagnostic &message) {
  bool isError = message.getSeverity() == DiagnosticSeverity::Error;
  if ((isError ? errors : others)++ < kMaxMessages)
    diagnostics.push_back(convert(message));
}

Range Messages::getRange(FileLineColLoc place) const {
  size_t begin = 0; // locations count only '\n' as line ends, and bytes as columns
  for (unsigned line = 1; line < place.getLine() && begin < text.size(); ++line)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  begin = std::min<size_t>(begin + std::max(1u, place.getColumn()) - 1, text.size());
  text::Lexer lexer(text);
  lexer.reset(text.data() + begin);
  size_t end = begin;
  if (lexer.begin() == text.data() + begin)
    end = lexer.end() - text.data();
  if (lexer.is(text::Token::Error)) // no further than its line
    end = std::min(end, text.find('\n', begin));
  return lines.getRange({begin, end});
}

std::optional<DiagnosticRelatedInformation> Messages::relate(mlir::Diagnostic &note) const {
  FileLineColLoc at = hlo::getFilePosition(note.getLocation());
  if (!at)
    return std::nullopt;
  std::string text = llvm::json::fixUTF8(note.str());
  if (at.getFilename() == file.file())
    return DiagnosticRelatedInformation(llvm::lsp::Location(file, getRange(at)), text);
  if (!llvm::sys::path::is_absolute(at.getFilename().getValue()))
    return std::nullopt;
  llvm::Expected<URIForFile> other = URIForFile::fromFile(at.getFilename());
  if (!other) {
    llvm::consumeError(other.takeError());
    return std::nullopt;
  }
  Position line(std::max(1u, at.getLine()) - 1);
  return DiagnosticRelatedInformation(llvm::lsp::Location(*other, Range(line)), text);
}

llvm::lsp::Diagnostic Messages::convert(mlir::Diagnostic &message) const {
  llvm::lsp::Diagnostic result;
  result.source = "hloc";
  result.message = message.str();
  switch (message.getSeverity()) {
  case DiagnosticSeverity::Error: // the module is valid where only hloc cannot compile it
    result.severity = isNotSupported(message) ? Severity::Warning : Severity::Error;
    break;
  case DiagnosticSeverity::Warning:
    result.severity = Severity::Warning;
    break;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    result.severity = Severity::Information;
    break;
  }
  FileLineColLoc place = hlo::getFilePosition(message.getLocation());
  if (place)
    result.range = getRange(place);
  std::vector<DiagnosticRelatedInformation> related;
  for (mlir::Diagnostic &note : message.getNotes()) {
    if (auto relation = relate(note)) {
      related.push_back(std::move(*relation));
      continue;
    }
    result.message += "\n" + note.str();
    if (FileLineColLoc at = hlo::getFilePosition(note.getLocation()))
      result.message += (": " + at.getFilename().getValue() + ":" + Twine(at.getLine())).str();
  }
  result.message = llvm::json::fixUTF8(result.message); // it may quote a part of a character
  if (!related.empty())
    result.relatedInformation = std::move(related);
  return result;
}

} // namespace hloc::lsp
