// SPDX-License-Identifier: Apache-2.0
// An index of a text: computations, instructions with their parts, and every mention of their
// names. It uses only the parser's lexer, so it is fast and also works for texts with errors: an
// instruction ends where the next one begins, even if brackets are left open. Tests:
// test/lsp/IndexTest.cpp, test/lsp/navigation.test, test/lsp/hostile.test.

#ifndef HLOC_COMPILER_LSP_INDEX_H
#define HLOC_COMPILER_LSP_INDEX_H

#include "compiler/lsp/Lines.h"
#include "llvm/ADT/StringMap.h"

namespace hloc::lsp {

/// An invalid index.
constexpr unsigned kNone = ~0u;

/// A computation, or the result of an instruction.
struct Symbol {
  llvm::StringRef name;
  /// The computation that contains a value; none for computations, whose names are global.
  unsigned scope = kNone;
  /// The instruction or computation with the name; none if the text has no definition.
  unsigned definition = kNone;
  /// Numbers of mentions, in the order of the text.
  std::vector<unsigned> mentions;

  bool isComputation() const { return scope == kNone; }
};

/// A name in the text, without `%`.
struct Mention {
  Span span;
  unsigned symbol;
  bool isDefinition;
};

/// `name=value` of an instruction.
struct AttributeText {
  Span name, value;
};

/// `ROOT name = shape opcode(operands), attributes`; parts that the text lacks are empty.
struct InstructionText {
  Span whole, name, shape, opcode, operands;
  std::vector<AttributeText> attributes;
  unsigned symbol = kNone, computation = kNone;
  bool isRoot = false;
  /// The start of the next token: text that is typed before that is a part of it.
  size_t reach = 0;
};

/// A computation, possibly an inline one without a name.
struct ComputationText {
  Span whole, name, signature, body;
  unsigned symbol = kNone;
  bool isEntry = false;
};

class Index {
public:
  /// The text must outlive this and end in a NUL byte.
  explicit Index(llvm::StringRef text);

  llvm::StringRef text;
  Span moduleName;
  /// The tables of locations in the user's program.
  Span stackFrames;
  std::vector<Symbol> symbols;
  std::vector<Mention> mentions;             // in the order of the text
  std::vector<ComputationText> computations; // inner ones after those around them
  std::vector<InstructionText> instructions; // likewise
  /// Computations by name, then values by scope and name.
  llvm::StringMap<unsigned> computationNames;
  std::vector<llvm::StringMap<unsigned>> valueNames;

  /// The name at a position, null if there is none.
  const Mention *findMention(size_t offset) const;
  /// The innermost instruction around a position, null if there is none.
  const InstructionText *findInstruction(size_t offset) const;
  /// The innermost computation around a position.
  unsigned findComputation(size_t offset) const;
  /// The instruction that text typed at a position belongs to, null if there is none.
  const InstructionText *findUnfinished(size_t offset) const;
  /// The symbol with this name among computations (scope kNone) or the values of one; kNone if
  /// there is none.
  unsigned findSymbol(unsigned scope, llvm::StringRef name) const;
  /// The instruction that defines a value, null if none does.
  const InstructionText *getInstruction(const Symbol &symbol) const;
  const ComputationText *getComputation(const Symbol &symbol) const;
};

} // namespace hloc::lsp

#endif
