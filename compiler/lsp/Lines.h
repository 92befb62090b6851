// SPDX-License-Identifier: Apache-2.0
// Conversion between an editor's positions in a text, in lines and UTF-16 code units from 0, and
// offsets in bytes. Every position has an offset: positions beyond the end of a line mean its end.
// Test: test/lsp/positions.test.

#ifndef HLOC_COMPILER_LSP_LINES_H
#define HLOC_COMPILER_LSP_LINES_H

#include "compiler/lsp/Protocol.h"
#include <vector>

namespace hloc::lsp {

/// Bytes of a text, from `begin` to before `end`.
struct Span {
  size_t begin = 0, end = 0;

  bool empty() const { return begin == end; }
  /// A cursor just after the last byte still touches the word.
  bool touches(size_t offset) const { return begin <= offset && offset <= end; }
  llvm::StringRef in(llvm::StringRef text) const { return text.slice(begin, end); }
};

class Lines {
public:
  /// The text must outlive this.
  explicit Lines(llvm::StringRef text);

  size_t getOffset(Position position) const;
  Position getPosition(size_t offset) const;
  Range getRange(Span span) const { return {getPosition(span.begin), getPosition(span.end)}; }

private:
  llvm::StringRef text;
  bool isAscii;
  std::vector<size_t> starts;
};

} // namespace hloc::lsp

#endif
