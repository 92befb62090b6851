// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Lines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace hloc::lsp {

Lines::Lines(StringRef text) : text(text), isAscii(llvm::isASCII(text)), starts{0} {
  for (size_t at = 0; (at = text.find_first_of("\r\n", at)) != StringRef::npos;) {
    at += text.substr(at).starts_with("\r\n") ? 2 : 1;
    starts.push_back(at);
  }
}

/// Bytes of the character at the start of `text`, at least one and none past its end.
static size_t getBytes(StringRef text) {
  return std::min<size_t>(text.size(), std::max(1u, getNumBytesForUTF8(text.front())));
}

/// UTF-16 code units of a character with this number of bytes.
static int getUnits(size_t bytes) { return bytes == 4 ? 2 : 1; }

size_t Lines::getOffset(Position position) const {
  if (position.line < 0)
    return 0;
  if (size_t(position.line) >= starts.size())
    return text.size();
  size_t begin = starts[position.line];
  bool isLast = size_t(position.line) + 1 == starts.size();
  size_t end = isLast ? text.size() : starts[position.line + 1];
  StringRef line = text.slice(begin, end);
  if (!isLast)
    line = line.rtrim("\r\n");
  size_t units = std::max(0, position.character);
  if (isAscii)
    return begin + std::min(units, line.size());
  size_t offset = 0;
  for (size_t at = 0; offset < line.size() && at < units;) {
    size_t bytes = getBytes(line.drop_front(offset));
    at += getUnits(bytes);
    offset += bytes;
  }
  return begin + offset;
}

Position Lines::getPosition(size_t offset) const {
  offset = std::min(offset, text.size());
  size_t line = llvm::upper_bound(starts, offset) - starts.begin() - 1;
  StringRef before = text.slice(starts[line], offset);
  if (isAscii)
    return {int(line), int(before.size())};
  int units = 0;
  while (!before.empty()) {
    size_t bytes = getBytes(before);
    units += getUnits(bytes);
    before = before.drop_front(bytes);
  }
  return {int(line), units};
}

} // namespace hloc::lsp
