// SPDX-License-Identifier: Apache-2.0
// Modules and computations, tokens and messages.
#include "compiler/hlo/Errors.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/ParserImpl.h"
#include "compiler/text/Quote.h"
#include "compiler/text/SourceNotes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/ProgramStack.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

Parser::Parser(StringRef text, StringRef name, MLIRContext *context, const ParseOptions &options)
    : ModuleBuilder(name, context, options), text(text), lexer(text), lastPlace(text.begin()),
      lastLineStart(text.begin()) {}

//===- Messages ------------------------------------------------------------===//

FileLineColLoc Parser::locate(const char *place) {
  if (place < lastPlace) {
    lastPlace = lastLineStart = text.begin();
    lastLine = 1;
  }
  while (const void *newline = memchr(lastPlace, '\n', place - lastPlace)) {
    lastPlace = lastLineStart = static_cast<const char *>(newline) + 1;
    ++lastLine;
  }
  lastPlace = place;
  return FileLineColLoc::get(fileName, lastLine, place - lastLineStart + 1);
}

ParseResult Parser::expected(const Twine &what) {
  if (lexer.is(Token::Error))
    return fail(lexer.begin(), lexer.getError());
  StringRef got = lexer.spelling();
  if (got.size() > 40)
    return fail(lexer.begin(), "expected " + what + " but got `" + got.take_front(36) + "...`");
  return fail(lexer.begin(), lexer.is(Token::Eof)
                                 ? Twine("expected " + what + " but got the end of the text")
                                 : Twine("expected " + what + " but got `" + got + "`"));
}

//===- Tokens --------------------------------------------------------------===//

bool Parser::takeIf(Token token) {
  if (!lexer.is(token))
    return false;
  lexer.next();
  return true;
}

ParseResult Parser::take(Token token, StringRef what) {
  return takeIf(token) ? ParseResult(success()) : expected(what);
}

ParseResult Parser::takeInt(int64_t &value) {
  if (!lexer.is(Token::Int))
    return expected("an integer");
  uint64_t large;
  if (lexer.getValue().getAsInteger(10, value)) {
    if (lexer.getValue().getAsInteger(10, large))
      return fail(lexer.begin(), "expected an integer that fits 64 bits");
    value = large;
  }
  lexer.next();
  return success();
}

ParseResult Parser::takeBool(bool &value) {
  if (!lexer.isKeyword("true") && !lexer.isKeyword("false"))
    return expected("true or false");
  value = lexer.isKeyword("true");
  lexer.next();
  return success();
}

ParseResult Parser::takeString(std::string &value) {
  if (!lexer.is(Token::String))
    return expected("a string in quotes");
  if (!unescape(lexer.getValue(), value))
    return fail(lexer.begin(), "expected only the escapes of C in a string");
  lexer.next();
  return success();
}

ParseResult Parser::takeName(StringRef &name) {
  if (!lexer.is(Token::Name) && !lexer.is(Token::Ident))
    return expected("a name");
  name = lexer.getValue();
  lexer.next();
  return success();
}

ParseResult Parser::takeList(Token open, Token close, function_ref<ParseResult()> element,
                             bool mayEndInComma) {
  auto spelling = [](Token token) {
    switch (token) {
    case Token::LBrace:
      return "`{`";
    case Token::RBrace:
      return "`}`";
    case Token::LSquare:
      return "`[`";
    case Token::RSquare:
      return "`]`";
    default:
      return token == Token::LParen ? "`(`" : "`)`";
    }
  };
  if (take(open, spelling(open)))
    return failure();
  if (takeIf(close))
    return success();
  do {
    if (element())
      return failure();
  } while (takeIf(Token::Comma) && !(mayEndInComma && lexer.is(close)));
  return take(close, (Twine("`,` or ") + spelling(close)).str());
}

ParseResult Parser::takeInts(SmallVectorImpl<int64_t> &values) {
  return takeList(Token::LBrace, Token::RBrace, [&] { return takeInt(values.emplace_back()); });
}

ParseResult Parser::nest(function_ref<ParseResult()> read) {
  if (depth == kMaxDepth) {
    (void)fail(lexer.begin(), "expected nesting at most " + Twine(kMaxDepth) + " levels deep");
    errors = options.maxErrors; // every level of nesting would look for a place to continue
    return failure();
  }
  ParseResult result = success();
  if (++depth % kLevelsPerStack)
    result = read();
  else
    llvm::runOnNewStack(/*StackSize=*/0, [&] { result = read(); });
  --depth;
  return result;
}

std::string Parser::textSince(const char *begin) const {
  return squeeze(StringRef(begin, lexer.previousEnd() - begin));
}

//===- Computations --------------------------------------------------------===//

/// `(name shape, ...) -> shape`. The parameters are ignored: those of their instructions are used.
ParseResult Parser::parseSignature(Type &result) {
  if (takeList(Token::LParen, Token::RParen, [&]() -> ParseResult {
        StringRef name;
        Type type;
        if (takeName(name))
          return failure();
        takeIf(Token::Colon);
        return parseShape(type);
      }))
    return failure();
  return failure(take(Token::Arrow, "`->` after the parameters") || parseShape(result));
}

ParseResult Parser::parseComputation() {
  bool isEntry = lexer.isKeyword("ENTRY");
  const char *entryKeyword = lexer.begin();
  if (isEntry)
    lexer.next();
  const char *place = lexer.begin();
  StringRef name;
  if (takeName(name))
    return failure();
  Type result;
  const char *signature = lexer.begin();
  if ((lexer.is(Token::LParen) && parseSignature(result)) ||
      (!lexer.is(Token::LBrace) && expected("`{` at the start of computation `" + name + "`"))) {
    computations.try_emplace(name, ComputationOp()); // known, so that its callers get no errors
    return failure();
  }

  ComputationOp computation = createComputation(name, place);
  Scope body;
  body.computation = computation;
  body.block = &computation.getBody().front();
  scope = &body;
  ParseResult parsed = parseBody(body, place);
  scope = nullptr;
  if (!parsed && result && !body.failed &&
      !areCompatible(result, computation.getResultTypes()[0])) {
    (void)fail(signature, "expected the result's shape " +
                              shapeText(computation.getResultTypes()[0]) +
                              ", that of the root, but got " + shapeText(result));
    body.failed = true;
  }
  while (!parsed && takeIf(Token::Comma)) {
    std::string thread;
    parsed = failure(takeAttributeName("execution_thread") || takeString(thread));
    if (!parsed && thread != "main")
      computation.setExecutionThread(thread);
  }
  auto [known, isNew] = computations.try_emplace(name, ComputationOp());
  if (!isNew && known->second && made.contains(known->second.getSymNameAttr())) {
    // The name in the text takes precedence.
    ComputationOp other = known->second;
    StringAttr fresh = builder.getStringAttr(unusedName(name));
    made.insert(fresh);
    made.erase(other.getSymNameAttr());
    (void)SymbolTable::replaceAllSymbolUses(other.getSymNameAttr(), fresh, *module);
    other.setSymNameAttr(fresh);
    computations[fresh] = other;
    isNew = true;
  }
  if (!isNew)
    (void)fail(place, "expected a new name but computation `" + name + "` is defined already");
  if (isEntry && entryPlace)
    (void)fail(entryKeyword, "expected one ENTRY computation but got a second");
  if (isEntry)
    entryPlace = entryKeyword;
  if (parsed || body.failed) {
    computation->erase();
    return parsed;
  }
  computations[name] = computation;
  lastComputation = computation;
  if (isEntry)
    entry = computation;
  return success();
}

/// `{ instruction ... }`. After an instruction with an error, it continues with the next one if it
/// can find it.
ParseResult Parser::parseBody(Scope &body, const char *place) {
  lexer.next();
  while (!lexer.is(Token::RBrace)) {
    if (tooManyErrors())
      return failure();
    if (lexer.is(Token::Eof)) {
      if (body.failed) // the previous error may have skipped the rest
        return failure();
      (void)fail(lexer.begin(), "expected `}` at the end of the computation");
      return failure();
    }
    if (atComputation(lexer)) {
      body.failed = true;
      return expected("`}` at the end of computation `" + body.computation.getSymName() + "`");
    }
    const char *begin = lexer.begin();
    if (parseInstruction()) {
      body.failed = true;
      if (tooManyErrors() || lexer.is(Token::Eof))
        return failure();
      skipInstruction(begin, lexer.begin());
    }
  }
  lexer.next();
  return body.failed ? ParseResult(success()) : finishBody(body, place);
}

/// Advances to the instruction after the one that starts at `begin` and has an error at `error`.
/// Only instructions have `name =`, with a space, outside of all inner braces.
void Parser::skipInstruction(const char *begin, const char *error) {
  lexer.reset(begin);
  size_t depth = 0;
  while (!lexer.is(Token::Eof)) {
    if (lexer.begin() > begin && depth == 0) {
      if (lexer.is(Token::RBrace) || lexer.isKeyword("ROOT") || lexer.isKeyword("ENTRY"))
        return;
      if (lexer.is(Token::Name) || lexer.is(Token::Ident)) {
        Lexer ahead = lexer;
        ahead.next();
        // The error may be at this very `=`: skip it.
        if (ahead.is(Token::Equal) && lexer.begin() > begin + 5 && lexer.begin() >= error)
          return;
      }
    }
    if (lexer.is(Token::LBrace))
      ++depth;
    else if (lexer.is(Token::RBrace) && depth)
      --depth;
    lexer.next();
  }
}

/// A computation written inline instead of a name. `symbol` stays null if it has an error that was
/// reported and skipped.
ParseResult Parser::parseInlineComputation(FlatSymbolRefAttr &symbol) {
  const char *place = lexer.begin();
  ComputationOp computation = createComputation("_", place);
  Scope body;
  body.computation = computation;
  body.block = &computation.getBody().front();
  Scope *outer = std::exchange(scope, &body);
  ParseResult parsed = nest([&] { return parseBody(body, place); });
  scope = outer;
  if (parsed || body.failed) {
    computation->erase();
    return parsed;
  }
  // It gets its name after the computations inside it, as in XLA.
  std::string name = unusedName("_");
  computation.setSymName(name);
  computation->setLoc(makeLocation(computation.getSymNameAttr(), locate(place)));
  made.insert(computation.getSymNameAttr());
  computations[name] = computation;
  symbol = FlatSymbolRefAttr::get(computation.getSymNameAttr());
  return success();
}

//===- The whole text ------------------------------------------------------===//

/// After a computation with an error outside of its instructions, it continues with the next one if
/// it can find it.
ParseResult Parser::parseComputations() {
  while (!lexer.is(Token::Eof) && !tooManyErrors()) {
    const char *begin = lexer.begin();
    if (!parseComputation())
      continue;
    if (lexer.begin() == begin)
      lexer.next();
    skipToComputation();
  }
  return failure(errors != 0);
}

/// Advances to the next computation at or after the current token, outside of braces.
void Parser::skipToComputation() {
  size_t depth = 0;
  for (; !lexer.is(Token::Eof); lexer.next()) {
    if ((depth == 0 || lexer.isKeyword("ENTRY")) && atComputation(lexer))
      return;
    if (lexer.is(Token::LBrace))
      ++depth;
    else if (lexer.is(Token::RBrace) && depth)
      --depth;
  }
}

/// `foo = f32[2] add(f32[2] x, f32[2] y)`, where `foo =` is optional: operands with a shape are the
/// parameters.
ParseResult Parser::parseSingleInstruction() {
  singleInstruction = true;
  const char *place = lexer.begin();
  Lexer ahead = lexer;
  ahead.next();
  bool named = lexer.isKeyword("ROOT") || lexer.is(Token::Name) || ahead.is(Token::Equal);
  if (!named && !atShape())
    return expected("HloModule, a computation, or an instruction with a name or a shape");
  ComputationOp computation = createComputation("_", place);
  computations["_"] = computation; // before those inside are named
  Scope body;
  body.computation = computation;
  body.block = &computation.getBody().front();
  scope = &body;
  Instruction instruction;
  instruction.place = place;
  instruction.name = "root";
  Value value;
  ParseResult parsed =
      named ? parseInstruction()
            : failure(parseRightSide(instruction, /*nested=*/false) || create(instruction, value));
  body.last = value ? value : body.last;
  if (!parsed && !lexer.is(Token::Eof))
    parsed = expected("the end of the text after a single instruction (a module starts with "
                      "HloModule, a computation with its name and `{`)");
  parsed = failure(parsed || finishBody(body, place));
  scope = nullptr;
  if (parsed) {
    computations.erase("_");
    computation->erase();
    return failure();
  }
  entry = computation;
  module->setSymName("_");
  return success();
}

OwningOpRef<ModuleOp> Parser::run() {
  module = ModuleOp::create(FileLineColLoc::get(fileName, 1, 1));
  SourceNotes notes(*module);
  ParseResult result = success();
  if (lexer.is(Token::Eof)) {
    result = expected("HloModule, a computation or an instruction");
  } else if (lexer.isKeyword("HloModule")) {
    if (parseHeader())
      skipToComputation();
    result = parseComputations();
  } else {
    result = atComputation(lexer) ? parseComputations() : parseSingleInstruction();
  }
  if (result || errors || finishModule(lexer.begin()))
    return nullptr;
  return std::move(module);
}

} // namespace hloc::text

mlir::OwningOpRef<mlir::ModuleOp> hloc::parseHlo(llvm::StringRef text, llvm::StringRef fileName,
                                                 mlir::MLIRContext *context,
                                                 const ParseOptions &options) {
  context->getOrLoadDialect<hlo::HLODialect>();
  return text::Parser(text, fileName, context, options).run();
}

mlir::OwningOpRef<mlir::ModuleOp> hloc::parseHlo(const llvm::SourceMgr &sources,
                                                 mlir::MLIRContext *context,
                                                 const ParseOptions &options) {
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  return parseHlo(buffer->getBuffer(), buffer->getBufferIdentifier(), context, options);
}
