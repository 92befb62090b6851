// SPDX-License-Identifier: Apache-2.0
// The parser's state, shared by the files that implement its parts: ParseModule.cpp (header and
// computations), ParseInstruction.cpp, ParseAsync.cpp, ParseAttributes.cpp, ParseShared.cpp (the
// attributes of every instruction), ParseShape.cpp and ParseLiteral.cpp. The module is built by
// ModuleBuilder.h.

#ifndef HLOC_COMPILER_TEXT_PARSERIMPL_H
#define HLOC_COMPILER_TEXT_PARSERIMPL_H

#include "compiler/text/Groups.h"
#include "compiler/text/Lexer.h"
#include "compiler/text/ModuleBuilder.h"

namespace hloc::text {

/// The maximum total nesting of shapes, literals, instructions and computations, the same as XLA's.
constexpr unsigned kMaxDepth = 8192;
/// Levels of nesting that certainly fit on one stack; deeper levels are parsed on a separate stack.
constexpr unsigned kLevelsPerStack = 128;

/// The devices of a sharding.
struct Tiling {
  size_t rank = 0, devices = 0;
};

/// True if modules have an attribute of this name.
bool isHeaderAttribute(llvm::StringRef name);

class Parser : ModuleBuilder {
public:
  Parser(llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext *context,
         const ParseOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  friend struct AttributeRules;

  //===- Tokens and messages (ParseModule.cpp) ------------------------------===//

  /// Reports that `what` was expected at the current token.
  ParseResult expected(const llvm::Twine &what);
  mlir::FileLineColLoc locate(const char *place) override;
  bool takeIf(Token token);
  ParseResult take(Token token, llvm::StringRef what);
  ParseResult takeInt(int64_t &value);
  ParseResult takeBool(bool &value);
  ParseResult takeString(std::string &value);
  ParseResult takeName(llvm::StringRef &name);
  /// `{ element, ... }`, possibly empty. XLA accepts some lists with a trailing comma.
  ParseResult takeList(Token open, Token close, llvm::function_ref<ParseResult()> element,
                       bool mayEndInComma = false);
  ParseResult takeInts(llvm::SmallVectorImpl<int64_t> &values);
  /// The text from `begin` to the end of the last token, without comments and line breaks.
  std::string textSince(const char *begin) const;
  /// Parses what is nested one level deeper.
  ParseResult nest(llvm::function_ref<ParseResult()> read);

  //===- Module and computations (ParseModule.cpp, ParseHeader.cpp) ---------===//

  ParseResult parseModule();
  ParseResult parseHeader();
  ParseResult parseHeaderAttribute();
  ParseResult parseStackFrames();
  ParseResult parseComputations();
  ParseResult parseComputation();
  ParseResult parseSingleInstruction();
  ParseResult parseBody(Scope &scope, const char *place);
  ParseResult parseInlineComputation(mlir::FlatSymbolRefAttr &symbol);
  void skipInstruction(const char *begin, const char *error);
  void skipToComputation();
  ParseResult parseAliases(mlir::Attribute &value, bool moduleLevel);
  ParseResult parseDonors(mlir::Attribute &value);
  ParseResult parseShapeIndex(llvm::SmallVectorImpl<int64_t> &index);
  ParseResult parseComputationLayout(mlir::Attribute &value);
  ParseResult parseSignature(mlir::Type &result);

  //===- Instructions (ParseInstruction.cpp, ParseAsync.cpp) ----------------===//

  ParseResult parseInstruction();
  ParseResult parseRightSide(Instruction &instruction, bool nested);
  ParseResult parseParameter(Instruction &instruction, bool nested);
  ParseResult parseOperands(Instruction &instruction);
  ParseResult parseOperand(Instruction &instruction);
  ParseResult parseNested(Instruction &outer, mlir::Type type, mlir::Value &value);
  ParseResult parseElementOf(mlir::Value &value, llvm::StringRef name);
  ParseResult parseAttributes(Instruction &instruction);
  ParseResult parseAttribute(Instruction &instruction);
  ParseResult skipUnknownAttribute();
  ParseResult unexpectedAttribute(const Instruction &instruction, llvm::StringRef name,
                                  const char *place);
  ParseResult define(const Instruction &instruction, mlir::Value value);
  /// True if the text is a single instruction and this is it, not one of a computation inside.
  bool mayMakeParameters() const;
  mlir::Value findParameterOrMake(llvm::StringRef name, mlir::Type type, const char *place);

  const Opcode *findAsyncSugar(llvm::StringRef opcode, llvm::StringRef &kind) const;
  ParseResult parseAsyncStart(Instruction &start, const Opcode *wrapped);
  ParseResult parseAsyncAttributes(Instruction &start, Instruction &inner);
  ParseResult makeAsyncComputation(Instruction &start, Instruction &inner, mlir::TypeRange types);

  //===- Attributes (ParseAttributes.cpp, ParseShared.cpp) ------------------===//

  // Each parses the value of one attribute; `target` is the operation's name for it.
  ParseResult parseIntAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseBoolAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseFloatAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseStringAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseIntsAttr(Instruction &instruction, llvm::StringRef target);
  /// A list of one number, as a number (IntegerAttr) or a list (DenseI64ArrayAttr).
  template <typename Attr>
  ParseResult parseOneIntAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult takeOneInt(const Instruction &instruction, int64_t &value);
  ParseResult parseComputationAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseComputationsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseOneComputationAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseFalseComputation(Instruction &instruction, llvm::StringRef target);
  template <typename Attr>
  ParseResult parseEnumAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseWindowAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseDimLabelsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parsePaddingAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseSliceAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parsePairsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseIntListsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseReplicaGroupsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseMeshGroups(Instruction &instruction, llvm::StringRef target);
  ParseResult parseIota(llvm::SmallVectorImpl<int64_t> &ids);
  ParseResult parseAliasingAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseShapesAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseShapeAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseAccuracyAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parsePrecisionAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseLiteralAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseSparsityAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult takeComputation(Instruction &instruction, llvm::StringRef target,
                              mlir::FlatSymbolRefAttr &symbol);

  // Those of every instruction.
  ParseResult parseMetadata(Instruction &instruction, llvm::StringRef target);
  ParseResult parseReplicationAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseOriginAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseStatisticsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseDomainAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult takeOriginTree();
  ParseResult parseConfigAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parsePredecessorsAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult parseFrontendAttributes(Instruction &instruction, llvm::StringRef target);
  ParseResult parseShardingAttr(Instruction &instruction, llvm::StringRef target);
  ParseResult takeFrontendAttributes();
  ParseResult takeAttributeName(llvm::StringRef name);
  ParseResult takeSharding();
  ParseResult takeOneSharding();
  ParseResult takeNamedSharding();
  ParseResult takeTiles(Tiling &tiling);
  ParseResult takeMetadata(std::string &value);
  ParseResult takeMetadataList();
  ParseResult takeIota(Iota &iota);
  ParseResult takeMesh(Mesh &mesh);
  ParseResult takeDeviceIds(Mesh &mesh);
  ParseResult takeAxis(const Mesh &mesh, MeshAxis &axis);
  ParseResult takeBraces(bool singleQuotes, std::string &value);

  //===- Shapes and literals (ParseShape.cpp, ParseLiteral.cpp) -------------===//

  bool atShape() const;
  ParseResult parseShape(mlir::Type &type);
  ParseResult parseTupleShape(mlir::Type &type);
  ParseResult parseBufferShape(mlir::Type &type);
  ParseResult parseArrayShape(mlir::Type &type);
  ParseResult parseLayout(mlir::RankedTensorType &type, llvm::ArrayRef<int64_t> bounds);
  ParseResult parseLayoutProperties(ArrayLayout &layout);
  bool atLayout();
  ParseResult parseLiteral(mlir::Type type, mlir::Attribute &value, bool &elided);
  ParseResult parseTupleLiteral(mlir::TupleType type, mlir::Attribute &value, bool &elided);
  ParseResult parseArrayLiteral(mlir::RankedTensorType type, mlir::Attribute &value, bool &elided);

  //===- State --------------------------------------------------------------===//

  llvm::StringRef text;
  Lexer lexer;
  unsigned depth = 0;                    // of nesting
  llvm::DenseSet<mlir::StringAttr> made; // computations that the text does not name
  const char *entryPlace = nullptr;
  bool singleInstruction = false;

  // The last position that `locate` was called for: positions mostly increase.
  const char *lastPlace;
  const char *lastLineStart;
  unsigned lastLine = 1;
};

} // namespace hloc::text

#endif
