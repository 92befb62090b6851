// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Scanner.h"
#include "compiler/text/AttributeRules.h"

using llvm::StringRef;

namespace hloc::lsp {

/// Inline computations that are nested more deeply are skipped: people do not write any.
constexpr unsigned kMaxNesting = 64;
/// The number of unclosed quotes and comments after which the rest of a text is skipped, since each
/// is searched in all of it.
constexpr unsigned kMaxUnclosed = 16;

//===- Tokens --------------------------------------------------------------===//

void Scanner::next() {
  bool isToEnd =
      lexer.is(Token::Error) && lexer.end() == index.text.end() && unclosed++ < kMaxUnclosed;
  size_t line = isToEnd ? index.text.find('\n', here()) : StringRef::npos;
  if (line != StringRef::npos)
    lexer.reset(index.text.data() + line); // a quote or comment that is not closed yet
  else
    lexer.next();
}

bool Scanner::isFollowedBy(Token token) const {
  text::Lexer ahead = lexer;
  ahead.next();
  return ahead.is(token);
}

void Scanner::count(int &depth) const {
  if (lexer.is(Token::LParen) || lexer.is(Token::LBrace) || lexer.is(Token::LSquare))
    ++depth;
  else if (lexer.is(Token::RParen) || lexer.is(Token::RBrace) || lexer.is(Token::RSquare))
    --depth;
}

Span Scanner::nameHere() const {
  size_t begin = offsetOf(lexer.getValue().begin());
  return {begin, begin + lexer.getValue().size()};
}

//===- Names ---------------------------------------------------------------===//

/// Records the name at the current token.
unsigned Scanner::mention(unsigned scope, bool isDefinition) {
  StringRef name = lexer.getValue();
  auto &names = scope == kNone ? index.computationNames : index.valueNames[scope];
  auto [known, isNew] = names.try_emplace(name, index.symbols.size());
  if (isNew) {
    index.symbols.emplace_back();
    index.symbols.back().name = name;
    index.symbols.back().scope = scope;
  }
  index.symbols[known->second].mentions.push_back(index.mentions.size());
  index.mentions.push_back({nameHere(), known->second, isDefinition});
  return known->second;
}

//===- Computations --------------------------------------------------------===//

bool Scanner::atInstruction() const {
  return lexer.isKeyword("ROOT") || (atName() && isFollowedBy(Token::Equal));
}

bool Scanner::atEndOfInstruction() const {
  return lexer.is(Token::Eof) || lexer.isKeyword("ENTRY") || atInstruction();
}

void Scanner::scan() {
  if (lexer.isKeyword("HloModule")) {
    next();
    if (atName())
      index.moduleName = nameHere();
  } else if (atInstruction() && !text::atComputation(lexer)) { // a text can be a single instruction
    scanBody(ComputationText{{here(), here()}, {}, {}, {}});
  }
  for (int depth = 0; !lexer.is(Token::Eof);) {
    if (lexer.isKeyword("ENTRY") || (depth <= 0 && text::atComputation(lexer))) {
      if (index.stackFrames.begin && !index.stackFrames.end)
        index.stackFrames.end = here();
      depth = 0;
      scanComputation();
      continue;
    }
    if (lexer.isKeyword("FileNames") && !index.stackFrames.begin)
      index.stackFrames.begin = here();
    count(depth);
    next();
  }
  if (!index.stackFrames.end)
    index.stackFrames = {};
}

/// Begins a computation; its values get a scope.
unsigned Scanner::openComputation(ComputationText computation) {
  unsigned number = index.computations.size();
  index.computations.push_back(computation);
  index.valueNames.emplace_back();
  return number;
}

void Scanner::scanComputation() {
  ComputationText computation;
  computation.whole.begin = here();
  computation.isEntry = lexer.isKeyword("ENTRY");
  if (computation.isEntry)
    next();
  if (atName()) {
    computation.name = nameHere();
    computation.symbol = mention(kNone, /*isDefinition=*/true);
    next();
  }
  scanBody(computation);
}

/// `(name: shape, ...) -> shape`.
void Scanner::scanSignature(unsigned computation) {
  size_t begin = here();
  for (int depth = 0; !atEndOfInstruction();) { // also where a signature is incomplete
    // The body: where no layout is possible, or if an instruction follows.
    if (lexer.is(Token::LBrace)) {
      Span before{begin, behind()};
      text::Lexer ahead = lexer;
      ahead.next();
      bool isLayout = ahead.is(Token::Int) || ahead.is(Token::Colon) || ahead.is(Token::RBrace);
      if (depth == 0 && !isLayout) {
        index.computations[computation].signature = before;
        return;
      }
    }
    if (depth == 1 && atName() && (lexer.spelling().ends_with(":") || isFollowedBy(Token::Colon)))
      mention(computation);
    count(depth);
    next();
  }
}

/// The rest of a computation from its signature or `{` on.
void Scanner::scanBody(ComputationText computationText) {
  bool isInBraces =
      computationText.symbol != kNone || lexer.is(Token::LBrace) || computationText.isEntry;
  unsigned computation = openComputation(computationText);
  if (lexer.is(Token::LParen))
    scanSignature(computation);
  index.computations[computation].body.begin = here();
  if (lexer.is(Token::LBrace))
    next();
  while (!lexer.is(Token::Eof) && !lexer.is(Token::RBrace)) {
    if (atInstruction())
      scanInstruction(computation);
    else if (isInBraces && text::atComputation(lexer)) // the `}` before it is missing
      break;
    else
      next();
  }
  if (lexer.is(Token::RBrace))
    next();
  ComputationText &finished = index.computations[computation];
  finished.whole.end = finished.body.end = std::max(behind(), finished.whole.begin);
  finished.body.begin = std::min(finished.body.begin, finished.body.end);
  if (finished.symbol != kNone)
    index.symbols[finished.symbol].definition = computation;
}

//===- Instructions --------------------------------------------------------===//

void Scanner::scanInstruction(unsigned computation) {
  unsigned number = index.instructions.size();
  index.instructions.emplace_back();
  InstructionText instruction;
  instruction.computation = computation;
  instruction.whole.begin = here();
  instruction.isRoot = lexer.isKeyword("ROOT");
  if (instruction.isRoot)
    next();
  if (atName() && isFollowedBy(Token::Equal)) {
    instruction.name = nameHere();
    instruction.symbol = mention(computation, /*isDefinition=*/true);
    index.symbols[instruction.symbol].definition = number;
    next();
    next();
    scanShape(instruction);
    if (lexer.is(Token::LParen))
      scanOperands(instruction);
    scanAttributes(instruction);
  }
  instruction.whole.end = std::max(behind(), instruction.whole.begin);
  instruction.reach = here();
  index.instructions[number] = std::move(instruction);
}

/// The shape, if one is stated, and the opcode.
void Scanner::scanShape(InstructionText &instruction) {
  size_t begin = here();
  for (int depth = 0; !atEndOfInstruction();) {
    bool isBuffer = lexer.is(Token::Ident) && lexer.getValue() == "b" && *lexer.end() == '(';
    if (depth == 0 && lexer.is(Token::Ident) && !isBuffer) {
      instruction.opcode = nameHere();
      if (here() != begin)
        instruction.shape = {begin, behind()};
      next();
      return;
    }
    if (depth <= 0 && (lexer.is(Token::RBrace) || lexer.is(Token::Comma)))
      break;
    count(depth);
    next();
  }
  instruction.shape = {begin, std::max(begin, behind())};
}

void Scanner::scanOperands(InstructionText &instruction) {
  StringRef opcode = instruction.opcode.in(index.text);
  bool hasNames = opcode != "constant" && opcode != "parameter";
  size_t begin = here();
  int parentheses = 0, braces = 0; // layouts contain letters in braces
  do {
    if (lexer.is(Token::LParen) || lexer.is(Token::RParen))
      count(parentheses);
    else if (lexer.is(Token::RBrace) && braces == 0)
      break;
    else
      count(braces);
    bool isOpcode = lexer.is(Token::Ident) && *lexer.end() == '(';
    if (hasNames && atName() && braces == 0 && !isOpcode)
      mention(instruction.computation);
    next();
  } while (parentheses > 0 && !atEndOfInstruction());
  // Operands that are not closed end where something else begins.
  instruction.operands = {begin, parentheses > 0 ? here() : behind()};
}

void Scanner::scanAttributes(InstructionText &instruction) {
  while (!atEndOfInstruction() && !lexer.is(Token::RBrace)) {
    if (!lexer.is(Token::Attribute)) {
      next();
      continue;
    }
    AttributeText attribute{nameHere(), {}};
    llvm::ArrayRef<text::AttributeRule> rules = text::findAttributeRules(lexer.getValue());
    Names names = Names::Nothing;
    if (lexer.getValue() == "control-predecessors")
      names = Names::Values;
    else if (!rules.empty() && rules.front().namesComputations())
      names = Names::Computations;
    size_t begin = offsetOf(lexer.end());
    next();
    scanValue(names, instruction.computation);
    attribute.value = {begin, std::max(begin, behind())};
    instruction.attributes.push_back(attribute);
  }
}

/// The value of an attribute, up to the next `,` outside of brackets.
void Scanner::scanValue(Names names, unsigned computation) {
  int depth = 0;
  while (!atEndOfInstruction()) {
    if (depth <= 0 && (lexer.is(Token::Comma) || lexer.is(Token::RBrace)))
      return;
    if (names == Names::Computations && lexer.is(Token::LBrace) && nesting < kMaxNesting) {
      size_t begin = here();
      text::Lexer outside = lexer;
      next();
      bool isBody = atInstruction();
      lexer = outside;
      if (isBody) {
        ++nesting;
        scanBody(ComputationText{{begin, begin}, {}, {}, {}});
        --nesting;
        continue;
      }
    }
    if (names == Names::Nothing && lexer.is(Token::LBrace) && depth == 0) {
      // It ends on the same line; a value that is being typed may have no end.
      text::Lexer line(index.text.slice(here(), index.text.find('\n', here())));
      if (const char *end = line.findClosingBrace(/*singleQuotes=*/false)) {
        lexer.reset(end);
        continue;
      }
    }
    if (names != Names::Nothing && atName() && depth <= 1)
      mention(names == Names::Computations ? kNone : computation);
    count(depth);
    next();
  }
}

} // namespace hloc::lsp
