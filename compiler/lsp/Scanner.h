// SPDX-License-Identifier: Apache-2.0
// Fills an Index from the tokens of its text.

#ifndef HLOC_COMPILER_LSP_SCANNER_H
#define HLOC_COMPILER_LSP_SCANNER_H

#include "compiler/lsp/Index.h"
#include "compiler/text/Lexer.h"

namespace hloc::lsp {

class Scanner {
public:
  explicit Scanner(Index &index) : index(index), lexer(index.text) {}
  void scan();

private:
  using Token = text::Token;
  /// What the names in an attribute's value refer to.
  enum class Names { Nothing, Computations, Values };

  // Tokens.
  size_t offsetOf(const char *place) const { return place - index.text.data(); }
  size_t here() const { return offsetOf(lexer.begin()); }
  size_t behind() const { return offsetOf(lexer.previousEnd()); }
  /// The name of the current token, without `%` or `:`.
  Span nameHere() const;
  bool atName() const { return lexer.is(Token::Name) || lexer.is(Token::Ident); }
  bool isFollowedBy(Token token) const;
  void next();
  /// Counts an opening or closing bracket.
  void count(int &depth) const;

  // Structure.
  bool atInstruction() const;
  /// True if the current instruction ends: another one or a computation begins, or the text ends.
  bool atEndOfInstruction() const;
  void scanComputation();
  void scanBody(ComputationText computationText);
  void scanSignature(unsigned computation);
  void scanInstruction(unsigned computation);
  void scanShape(InstructionText &instruction);
  void scanOperands(InstructionText &instruction);
  void scanAttributes(InstructionText &instruction);
  void scanValue(Names names, unsigned computation);

  unsigned mention(unsigned scope, bool isDefinition = false);
  unsigned openComputation(ComputationText computation);

  Index &index;
  text::Lexer lexer;
  /// Computations inside of others, at most kMaxNesting.
  unsigned nesting = 0;
  unsigned unclosed = 0;
};

} // namespace hloc::lsp

#endif
