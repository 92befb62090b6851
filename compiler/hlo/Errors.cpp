// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace hloc::hlo {

namespace {
struct Page {
  Error error;
  StringRef title, explanation, example;
};
} // namespace

static const Page kPages[] = {
#define HLO_ERROR(Name, code, title, explanation, example)                                         \
  {Error::Name, title, explanation, example},
#include "compiler/hlo/Errors.def"
};

std::string getCode(Error error) { return llvm::formatv("H{0,0+4}", int(error)).str(); }

static std::string format(const Page &page, bool markdown) {
  StringRef explanation = page.explanation.trim("\n"), example = page.example.trim("\n");
  std::string title = getCode(page.error) + ": " + page.title.str();
  if (markdown)
    return "## " + title + "\n\n" + explanation.str() + "\n\n```\n" + example.str() + "\n```\n";
  return title + "\n\n" + explanation.str() + "\n\nExample:\n\n" + example.str() + "\n";
}

std::optional<std::string> explain(StringRef code) {
  if (!code.consume_front("H"))
    code.consume_front("h");
  int number;
  if (code.getAsInteger(10, number))
    return std::nullopt;
  for (const Page &page : kPages)
    if (int(page.error) == number)
      return format(page, /*markdown=*/false);
  return std::nullopt;
}

std::string getErrorManual() {
  std::string text =
      "# Errors\n\nEvery error about the program given ends in a code. The same page "
      "is printed by `hloc --explain CODE`.\n";
  for (const Page &page : kPages)
    text += "\n" + format(page, /*markdown=*/true);
  return text;
}

Report::~Report() {
  if (diagnostic)
    *diagnostic << " [" << getCode(error) << "]";
}

Report report(Location location, Error error) { return Report(emitError(location), error); }

} // namespace hloc::hlo
