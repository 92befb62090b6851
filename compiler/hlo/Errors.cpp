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

std::optional<std::string> explain(StringRef code) {
  if (!code.consume_front("H"))
    code.consume_front("h");
  int number;
  if (code.getAsInteger(10, number))
    return std::nullopt;
  for (const Page &page : kPages)
    if (int(page.error) == number)
      return getCode(page.error) + ": " + page.title.str() + "\n\n" +
             page.explanation.trim("\n").str() + "\n\nExample:\n\n" +
             page.example.trim("\n").str() + "\n";
  return std::nullopt;
}

Report::~Report() {
  if (diagnostic)
    *diagnostic << " [" << getCode(error) << "]";
}

Report report(Location location, Error error) { return Report(emitError(location), error); }

} // namespace hloc::hlo
