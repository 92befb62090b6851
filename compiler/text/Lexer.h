// SPDX-License-Identifier: Apache-2.0
// The lexer of HLO text. It only points into the text and copies nothing, so the text must outlive
// it, and must end in a NUL byte. Tests: test/text/errors/.

#ifndef HLOC_COMPILER_TEXT_LEXER_H
#define HLOC_COMPILER_TEXT_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace hloc::text {

enum class Token : uint8_t {
  Eof,
  Error, // see Lexer::getError
  Equal,
  Comma,
  Colon,
  Star,
  Hash,
  Plus,
  Tilde,
  Question,
  LSquare,
  RSquare,
  LBrace,
  RBrace,
  LParen,
  RParen,
  Arrow,
  LessEqual,
  Ellipsis,
  Ident,
  Attribute, // `name=`
  Name,      // `%name` or `name:`
  Type,      // f32, pred, ...
  Keyword,   // ENTRY, ROOT, true, inf, ...
  Int,
  Decimal, // also nan
  NegativeInf,
  DimLabels, // b01f_01io->b01f
  DxD,       // 3x3
  Pad,       // 0_1x2_3
  String,
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text), cursor(text.begin()) { next(); }

  /// Advances to the next token.
  void next();
  /// Continues with the token that starts at or after `place`.
  void reset(const char *place) {
    cursor = place;
    next();
  }

  Token kind() const { return token; }
  bool is(Token other) const { return token == other; }
  bool isKeyword(llvm::StringRef word) const { return token == Token::Keyword && value == word; }
  /// Where the token starts in the text.
  const char *begin() const { return start; }
  /// Where the token ends.
  const char *end() const { return cursor; }
  /// Where the token before this one ended.
  const char *previousEnd() const { return previous; }
  /// The token as written, for messages.
  llvm::StringRef spelling() const { return {start, size_t(cursor - start)}; }
  /// The name without `%`, `=`, `:`; the number; the inside of the string, still escaped.
  llvm::StringRef getValue() const { return value; }
  /// The description of an Error token.
  llvm::StringRef getError() const { return error; }
  llvm::StringRef getText() const { return text; }

  /// Skips white space and comments at `place`; null with an error if a comment is not closed.
  const char *skipBlank(const char *place);
  /// End of the text in balanced braces that starts at this token, `{`; null if it is not balanced.
  /// Braces in quotes are ignored.
  const char *findClosingBrace(bool singleQuotes) const;

private:
  void lexIdentifier();
  void lexNumber();
  void lexString(char quote);
  bool lexNan();
  bool lexDimLabels();
  void fail(llvm::StringRef message) {
    token = Token::Error;
    error = message;
  }

  llvm::StringRef text;
  const char *cursor;
  const char *start = nullptr;
  const char *previous = nullptr;
  llvm::StringRef value;
  llvm::StringRef error;
  Token token = Token::Eof;
};

/// True if a computation begins at the token: ENTRY, or a name followed by `{` or a signature
/// (`(name: ...` or `() ->`).
bool atComputation(const Lexer &lexer);

/// True if `name` is an element type's, so that nothing else can have that name.
bool isTypeName(llvm::StringRef name);

/// True if an instruction may have this name, which the lexer has read as one.
bool isInstructionName(llvm::StringRef name);

} // namespace hloc::text

#endif
