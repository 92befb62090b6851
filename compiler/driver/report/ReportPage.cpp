// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/ReportPage.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

/// The page, with a mark in the place of the data.
static const unsigned char kPage[] = {
#include "compiler/driver/report/page.inc"
};
static constexpr llvm::StringLiteral kMark("@DATA@");

/// `data` as text that is safe in an element of HTML: JSON contains the characters that could end
/// it, or begin a comment, only in strings, where they can be escaped.
static std::string printEmbedded(const llvm::json::Value &data) {
  std::string text, escaped;
  llvm::raw_string_ostream(text) << data;
  escaped.reserve(text.size());
  for (char c : text) {
    if (c == '<')
      escaped += "\\u003c";
    else if (c == '>')
      escaped += "\\u003e";
    else if (c == '&')
      escaped += "\\u0026";
    else
      escaped += c;
  }
  return escaped;
}

std::string printReport(llvm::StringRef file, const llvm::json::Value &data) {
  if (file.ends_with(".json")) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", data);
    return text;
  }
  llvm::StringRef page(reinterpret_cast<const char *>(kPage), sizeof(kPage));
  auto [before, after] = page.split(kMark);
  return (before + printEmbedded(data) + after).str();
}

} // namespace hloc
