// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/AssemblyLines.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace hloc {

/// The symbol that a label defines; empty for other lines.
static StringRef readLabel(StringRef line) {
  StringRef label = line.take_until([](char c) { return c == '#' || c == '/'; }).rtrim();
  if (label.empty() || llvm::isSpace(label.front()) || !label.consume_back(":"))
    return "";
  if (label.size() >= 2 && label.front() == '"')
    label = label.drop_front().drop_back();
  return label;
}

/// The symbol of a line `.type symbol,@function`; empty for other lines.
static StringRef readFunctionType(StringRef line) {
  if (!line.consume_front(".type") || line.empty() || !llvm::isSpace(line.front()))
    return "";
  auto [symbol, kind] = line.rsplit(',');
  symbol = symbol.trim();
  if (symbol.size() >= 2 && symbol.front() == '"')
    symbol = symbol.drop_front().drop_back();
  return kind.trim().drop_front() == "function" ? symbol : "";
}

/// The line of the file in `.loc file line column ...`; nothing for other lines.
static std::optional<int64_t> readPlace(StringRef line) {
  if (!line.consume_front(".loc") || line.empty() || !llvm::isSpace(line.front()))
    return std::nullopt;
  unsigned file = 0, number = 0;
  line = line.ltrim();
  if (line.consumeInteger(10, file))
    return 0;
  line = line.ltrim();
  return line.consumeInteger(10, number) ? 0 : number;
}

std::vector<AssemblyFunction> readAssembly(StringRef assembly) {
  std::vector<AssemblyFunction> functions;
  StringRef next; // the function that begins with its label
  bool isInside = false;
  int64_t hloLine = 0;
  for (StringRef line : llvm::split(assembly, '\n')) {
    StringRef label = readLabel(line), text = line.trim();
    if (!label.empty()) {
      if (label == next) {
        functions.push_back({label, {}});
        isInside = true;
        hloLine = 0;
      } else if (label.starts_with(".Lfunc_end")) {
        isInside = false;
      } else if (isInside && !label.starts_with(".Ltmp") && !label.starts_with(".Lfunc_begin")) {
        functions.back().lines.push_back({text, hloLine});
      }
    } else if (StringRef symbol = readFunctionType(text); !symbol.empty()) {
      next = symbol;
    } else if (std::optional<int64_t> place = readPlace(text)) {
      hloLine = *place;
    } else if (isInside && !text.empty() && !StringRef(".#/").contains(text.front())) {
      functions.back().lines.push_back({text, hloLine});
    }
  }
  return functions;
}

} // namespace hloc
