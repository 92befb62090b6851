// SPDX-License-Identifier: Apache-2.0
#include "compiler/library/Result.h"
#include "compiler/hlo/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

const char *hloc_result::keep(StringRef text) { return strings.emplace_back(text).c_str(); }

static hloc_severity toSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return HLOC_ERROR;
  case DiagnosticSeverity::Warning:
    return HLOC_WARNING;
  case DiagnosticSeverity::Remark:
    return HLOC_REMARK;
  case DiagnosticSeverity::Note:
    return HLOC_NOTE;
  }
  llvm_unreachable("a severity of another kind");
}

/// Removes the code, ` [H0123]`, from the end of a message.
static StringRef takeCode(StringRef &text) {
  constexpr size_t length = 8;
  StringRef end = text.take_back(length);
  StringRef code = end.drop_front(std::min<size_t>(2, end.size()));
  bool isCode = end.starts_with(" [H") && code.consume_back("]") &&
                llvm::all_of(code.drop_front(), llvm::isDigit);
  if (!isCode)
    return "";
  text = text.drop_back(length);
  return code;
}

void hloc_result::addOne(const Diagnostic &diagnostic) {
  std::string whole = const_cast<Diagnostic &>(diagnostic).str();
  StringRef text = whole;
  StringRef code = takeCode(text);
  hloc_message message = {toSeverity(diagnostic.getSeverity()), 0, 0, "", keep(code), keep(text)};
  FileLineColLoc place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!place)
    place = hloc::hlo::getFilePosition(diagnostic.getLocation());
  if (place) {
    message.line = int32_t(place.getLine());
    message.column = int32_t(place.getColumn());
    message.file = keep(place.getFilename());
  }
  messages.push_back(message);
}

void hloc_result::add(const Diagnostic &diagnostic) {
  addOne(diagnostic);
  for (const Diagnostic &note : const_cast<Diagnostic &>(diagnostic).getNotes())
    addOne(note);
}

void hloc_result::addRemark(StringRef text) {
  messages.push_back({HLOC_REMARK, 0, 0, "", "", keep(text)});
  printed += ("remark: " + text + "\n").str();
}

void hloc_result::addError(StringRef file, StringRef text) {
  messages.push_back({HLOC_ERROR, 0, 0, keep(file), "", keep(text)});
  printed += (file + (file.empty() ? "" : ": ") + "error: " + text + "\n").str();
}
