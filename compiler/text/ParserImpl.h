// SPDX-License-Identifier: Apache-2.0
// The parser's state, shared by the files that read its parts: ParseModule.cpp (header and
// computations), ParseInstruction.cpp, ParseAsync.cpp, ParseAttributes.cpp, ParseShared.cpp (the
// attributes of every instruction), ParseShape.cpp and ParseLiteral.cpp.

#ifndef HLOC_COMPILER_TEXT_PARSERIMPL_H
#define HLOC_COMPILER_TEXT_PARSERIMPL_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Lexer.h"
#include "compiler/text/Opcodes.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseSet.h"

namespace hloc::text {

/// How deeply shapes, literals, instructions and computations may nest, all together: as deeply as
/// for XLA.
constexpr unsigned kMaxDepth = 8192;
/// Levels of nesting that one stack surely holds; what is deeper is read on a stack of its own.
constexpr unsigned kLevelsPerStack = 128;
/// Participants that the short forms of groups and shardings may stand for.
constexpr int64_t kMaxParticipants = int64_t(1) << 24;
/// Leaves of one tuple type: tuples of tuples grow exponentially with the text.
constexpr uint64_t kMaxTupleLeaves = 1 << 20;

/// The instruction being read.
struct Instruction {
  const Opcode *opcode = nullptr;
  llvm::StringRef name;
  const char *place = nullptr;       // where its name stands
  const char *opcodePlace = nullptr; // where its opcode stands
  const char *operandsEnd = nullptr; // where its `)` stands
  mlir::Type type;                   // null if the text omits it
  llvm::SmallVector<mlir::Value, 4> operands;
  mlir::NamedAttrList attributes;
  mlir::StringAttr metadata;
  llvm::SmallVector<llvm::StringRef, 6> seen; // attributes read so far, as the text spells them
  /// An operand or computation had an error of its own: make nothing of this one, silently.
  bool poisoned = false;
};

/// The computation being read.
struct Scope {
  hlo::ComputationOp computation;
  mlir::Block *block = nullptr;
  llvm::DenseMap<llvm::CachedHashStringRef, mlir::Value> values;
  llvm::DenseSet<llvm::CachedHashStringRef> poisoned;
  /// Number and position of each parameter, sorted by number as the block's arguments are.
  struct Parameter {
    int64_t number;
    mlir::NamedAttrList attributes;
    const char *place;
    int64_t before; // instructions, parameters too, that stand before it in the text
  };
  llvm::SmallVector<Parameter, 4> parameters;
  llvm::StringMap<unsigned> anonymous; // how many nested instructions of each opcode
  mlir::Value root;
  const char *rootPlace = nullptr;
  mlir::Value last;
  /// Elements taken by `%tuple#N` operands.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> elements;
  int64_t operations = 0;
  bool failed = false;
};

/// Numbers from 0 to `count`, in a shape of `sizes` whose dimensions come in `order`.
struct Iota {
  llvm::SmallVector<int64_t> sizes, order;
  int64_t count = 1;
};

/// Devices in a grid with named axes.
struct Mesh {
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> axes;
  llvm::SmallVector<int64_t> devices;
  int64_t total = 1;
  bool maximal = false; // one device, no axes
};

/// An axis of a mesh, or a part of one: its size, and the distance between neighbours along it.
struct MeshAxis {
  int64_t stride, size;
};

/// What a sharding says of its devices.
struct Tiling {
  size_t rank = 0, devices = 0;
};

/// Whether modules have an attribute of this name.
bool isHeaderAttribute(llvm::StringRef name);

class Parser {
public:
  Parser(llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext *context,
         const ParseOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  using ParseResult = mlir::ParseResult;
  friend struct AttributeRules;

  //===- Tokens and messages (ParseModule.cpp) ------------------------------===//

  /// Reports `message` at `place`; always a failure.
  ParseResult fail(const char *place, const llvm::Twine &message);
  /// Reports that `what` should stand at the current token.
  ParseResult expected(const llvm::Twine &what);
  void warn(const char *place, const llvm::Twine &message);
  mlir::FileLineColLoc locate(const char *place);
  bool takeIf(Token token);
  ParseResult take(Token token, llvm::StringRef what);
  ParseResult takeInt(int64_t &value);
  ParseResult takeBool(bool &value);
  ParseResult takeString(std::string &value);
  ParseResult takeName(llvm::StringRef &name);
  /// `{ element, ... }`, perhaps empty. XLA reads some lists with a comma at the end.
  ParseResult takeList(Token open, Token close, llvm::function_ref<ParseResult()> element,
                       bool mayEndInComma = false);
  ParseResult takeInts(llvm::SmallVectorImpl<int64_t> &values);
  /// The text from `begin` to the end of the last token, without comments and line breaks.
  std::string textSince(const char *begin) const;
  /// Reads what is nested one level deeper.
  ParseResult nest(llvm::function_ref<ParseResult()> read);
  bool tooManyErrors() const { return errors >= options.maxErrors; }

  //===- Module and computations (ParseModule.cpp, ParseHeader.cpp) ---------===//

  ParseResult parseModule();
  ParseResult parseHeader();
  ParseResult parseHeaderAttribute();
  ParseResult parseStackFrames();
  ParseResult parseComputations();
  ParseResult parseComputation();
  ParseResult parseSingleInstruction();
  ParseResult parseBody(Scope &scope, const char *place);
  ParseResult finishBody(Scope &scope, const char *place);
  ParseResult finishModule();
  ParseResult checkCalls();
  ParseResult checkCycles();
  ParseResult parseInlineComputation(mlir::FlatSymbolRefAttr &symbol);
  hlo::ComputationOp createComputation(llvm::StringRef name, const char *place);
  std::string unusedName(llvm::StringRef name);
  void skipInstruction(const char *begin, const char *error);
  ParseResult parseAliases(mlir::Attribute &value, bool moduleLevel);
  ParseResult parseDonors(mlir::Attribute &value);
  ParseResult parseShapeIndex(llvm::SmallVectorImpl<int64_t> &index);
  ParseResult parseComputationLayout(mlir::Attribute &value);
  ParseResult parseSignature(mlir::Type &result);
  bool atSignature() const;

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
  ParseResult finishAttributes(Instruction &instruction);
  ParseResult checkOperandCount(const Instruction &instruction);
  /// Makes the operation and names its value.
  ParseResult create(Instruction &instruction, mlir::Value &value);
  ParseResult setFixedShape(Instruction &instruction);
  ParseResult infer(mlir::Operation *operation, const Instruction &instruction);
  ParseResult define(const Instruction &instruction, mlir::Value value);
  ParseResult checkTupleSize(mlir::Type type, const char *place);
  /// Arrays in a type that was read.
  uint64_t countLeaves(mlir::Type type) const;
  /// Whether the text is a single instruction and this is it, not one of a computation inside.
  bool mayMakeParameters() const;
  mlir::Value findParameterOrMake(llvm::StringRef name, mlir::Type type, const char *place);

  const Opcode *findAsyncSugar(llvm::StringRef opcode, llvm::StringRef &kind) const;
  ParseResult parseAsyncStart(Instruction &start, const Opcode *wrapped);
  ParseResult parseAsyncAttributes(Instruction &start, Instruction &inner);
  ParseResult makeAsyncComputation(Instruction &start, Instruction &inner, mlir::TypeRange types);
  ParseResult checkAsyncShape(const Instruction &instruction);
  ParseResult checkAsyncChain(Instruction &instruction, const Opcode *wrapped);

  //===- Attributes (ParseAttributes.cpp, ParseShared.cpp) ------------------===//

  // Each reads the value of one attribute; `target` is the operation's name for it.
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
  ParseResult parseLayoutProperties(llvm::SmallVectorImpl<hlo::TileAttr> &tiles, int64_t &bits,
                                    int64_t &space, std::string &rest);
  bool atLayout();
  ParseResult parseLiteral(mlir::Type type, mlir::Attribute &value, bool &elided);
  ParseResult parseTupleLiteral(mlir::TupleType type, mlir::Attribute &value, bool &elided);
  ParseResult parseArrayLiteral(mlir::RankedTensorType type, mlir::Attribute &value, bool &elided);

  //===- State --------------------------------------------------------------===//

  llvm::StringRef text;
  mlir::StringAttr fileName;
  mlir::MLIRContext *context;
  mlir::Builder builder;
  ParseOptions options;
  Lexer lexer;
  const OpcodeTable &opcodes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Scope *scope = nullptr;
  unsigned depth = 0; // of nesting
  unsigned errors = 0;

  /// Null for those that had an error of their own.
  llvm::StringMap<hlo::ComputationOp> computations;
  llvm::DenseSet<mlir::StringAttr> made; // not named by the text
  llvm::StringMap<unsigned> suffixes;    // given last to names made from each name
  hlo::ComputationOp entry;
  const char *entryPlace = nullptr;
  hlo::ComputationOp lastComputation;
  /// Computations named before they were defined.
  llvm::SmallVector<std::pair<llvm::StringRef, const char *>> forward;
  llvm::DenseMap<mlir::Type, uint64_t> tupleLeaves;
  bool singleInstruction = false;

  // The last place that `locate` looked at: places mostly come in order.
  const char *lastPlace;
  const char *lastLineStart;
  unsigned lastLine = 1;
};

} // namespace hloc::text

#endif
