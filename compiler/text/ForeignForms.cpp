// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/ForeignForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace hloc {

static constexpr StringRef kDialects[] = {"stablehlo", "mhlo", "chlo", "vhlo"};

/// True if MLIR text without strings contains a name of one of the dialects.
static bool namesDialect(StringRef text) {
  // They all end in the same letters, so one search finds all.
  constexpr StringRef common = "hlo.";
  for (size_t at = text.find(common); at != StringRef::npos; at = text.find(common, at + 1))
    for (StringRef dialect : kDialects) {
      StringRef before = text.take_front(at + common.size() - 1);
      if (!before.consume_back(dialect))
        continue;
      char last = before.empty() ? '\n' : before.back();
      if (!isAlnum(last) && !StringRef("_$.-/%@").contains(last))
        return true;
    }
  return false;
}

/// The end of the string that begins before `at`: its closing quote, or the end of the text.
static size_t findEndOfString(StringRef text, size_t at) {
  for (at = text.find_first_of("\"\\", at); at < text.size() && text[at] == '\\';)
    at = text.find_first_of("\"\\", at + 2);
  return std::min(at, text.size());
}

bool isStableHlo(StringRef text) {
  size_t at = 0;
  while (true) {
    size_t quote = text.find('"', at);
    if (namesDialect(text.slice(at, quote)))
      return true;
    if (quote == StringRef::npos)
      return false;
    size_t end = findEndOfString(text, quote + 1);
    // The name of an operation may be in quotes, before its operands.
    auto [dialect, operation] = text.slice(quote + 1, end).split('.');
    if (text.substr(end).starts_with("\"(") && is_contained(kDialects, dialect))
      return true;
    at = std::min(end + 1, text.size());
  }
}

std::string adviseOnStableHlo() {
  return "JAX prints HLO, with the values of large constants, by "
         "`jax.jit(function).lower(*arguments).as_text(\"hlo\")`";
}

std::string describeBinary(StringRef bytes) {
  if (bytes.starts_with("ML\xefR")) {
    bool isStable = bytes.take_front(64).contains("StableHLO");
    return (isStable ? "StableHLO bytecode" : "MLIR bytecode") +
           std::string("; expected HLO text (") + adviseOnStableHlo() +
           ", and of a `jax.export.Exported` by "
           "`jax.jit(exported.call).lower(*exported.in_avals).as_text(\"hlo\")`)";
  }
  if (bytes.take_front(4096).contains('\0'))
    return "a binary file; expected HLO text or an HloModuleProto";
  return "";
}

} // namespace hloc
