// SPDX-License-Identifier: Apache-2.0
// What stands where in a text: computations, instructions with their parts, and every mention of
// their names. Made by the parser's own lexer alone, so that it is quick and there for texts with
// errors too: an instruction ends where the next one begins, whatever is left open in between.
// Tests: test/lsp/IndexTest.cpp, test/lsp/navigation.test, test/lsp/hostile.test.

#ifndef HLOC_COMPILER_LSP_INDEX_H
#define HLOC_COMPILER_LSP_INDEX_H

#include "compiler/lsp/Lines.h"
#include "llvm/ADT/StringMap.h"

namespace hloc::lsp {

/// A number that stands for nothing.
constexpr unsigned kNone = ~0u;

/// A computation, or the result of an instruction.
struct Symbol {
  llvm::StringRef name;
  /// The computation that a value is in; none for computations, whose names the module shares.
  unsigned scope = kNone;
  /// The instruction or computation that has the name; none if the text lacks it.
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
  /// Where the first token after it begins: what is typed before that is a part of it.
  size_t reach = 0;
};

/// A computation, also one that stands in place of its name and has none.
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
  /// The tables of places in the user's program.
  Span stackFrames;
  std::vector<Symbol> symbols;
  std::vector<Mention> mentions;             // in the order of the text
  std::vector<ComputationText> computations; // those inside after those around them
  std::vector<InstructionText> instructions; // so too
  /// Computations by name, then values by scope and name.
  llvm::StringMap<unsigned> computationNames;
  std::vector<llvm::StringMap<unsigned>> valueNames;

  /// The name at a place, null if there is none.
  const Mention *findMention(size_t offset) const;
  /// The innermost instruction around a place, null if there is none.
  const InstructionText *findInstruction(size_t offset) const;
  /// The innermost computation around a place.
  unsigned findComputation(size_t offset) const;
  /// The instruction that what is typed at a place belongs to, null if there is none.
  const InstructionText *findUnfinished(size_t offset) const;
  /// The symbol called so among computations (scope kNone) or the values of one; kNone if none is.
  unsigned findSymbol(unsigned scope, llvm::StringRef name) const;
  /// The instruction that defines a value, null if none does.
  const InstructionText *getInstruction(const Symbol &symbol) const;
  const ComputationText *getComputation(const Symbol &symbol) const;
};

} // namespace hloc::lsp

#endif
