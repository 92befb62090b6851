// SPDX-License-Identifier: Apache-2.0
// Builds modules, computations and instructions of the dialect from what a reader found, with the
// checks that are independent of the form of the file: the base of the readers of text
// (ParserImpl.h) and of protocol buffers (proto/ProtoReader.h). Tests: test/text/errors/,
// test/text/proto/.

#ifndef HLOC_COMPILER_TEXT_MODULEBUILDER_H
#define HLOC_COMPILER_TEXT_MODULEBUILDER_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Opcodes.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseSet.h"

namespace hloc::text {

/// The maximum number of leaves of a tuple type: tuples of tuples grow exponentially with the text.
constexpr uint64_t kMaxTupleLeaves = 1 << 20;

/// The instruction that is being read. Its places are positions in the text, null for other files.
struct Instruction {
  const Opcode *opcode = nullptr;
  llvm::StringRef name;
  const char *place = nullptr;       // of its name
  const char *opcodePlace = nullptr; // of its opcode
  const char *operandsEnd = nullptr; // of its `)`
  mlir::Type type;                   // null if the text omits it
  llvm::SmallVector<mlir::Value, 4> operands;
  mlir::NamedAttrList attributes;
  mlir::StringAttr metadata;
  llvm::SmallVector<llvm::StringRef, 6> seen; // attributes read so far, as spelled in the text
  /// An operand or computation had an error: skip this instruction silently.
  bool poisoned = false;
};

/// The computation that is being read.
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
    int64_t before; // number of instructions, including parameters, before it in the text
  };
  llvm::SmallVector<Parameter, 4> parameters;
  llvm::StringMap<unsigned> anonymous; // number of nested instructions of each opcode
  mlir::Value root;
  const char *rootPlace = nullptr;
  mlir::Value last;
  /// Elements taken by `%tuple#N` operands.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> elements;
  int64_t operations = 0;
  bool failed = false;
};

/// The layout of an array as stated in a file.
struct ArrayLayout {
  llvm::SmallVector<int64_t, 6> order; // dimensions, the minor one first
  llvm::SmallVector<hlo::TileAttr> tiles;
  int64_t bits = 0, space = 0;
  std::string rest; // see hlo.layout
};

/// A value of zeros that takes no memory for its elements.
mlir::Attribute makeZeros(mlir::RankedTensorType type);

class ModuleBuilder {
public:
  virtual ~ModuleBuilder() = default;

protected:
  using ParseResult = mlir::ParseResult;

  ModuleBuilder(llvm::StringRef fileName, mlir::MLIRContext *context, const ParseOptions &options);

  //===- Messages -----------------------------------------------------------===//

  /// The location of `place`; that of the current instruction if `place` is null.
  virtual mlir::FileLineColLoc locate(const char *place) = 0;
  /// The beginning of messages: the instruction's name if no line of a file shows it.
  virtual std::string describePlace() const { return ""; }
  /// Reports `message` at `place`; always a failure.
  ParseResult fail(const char *place, const llvm::Twine &message);
  void warn(const char *place, const llvm::Twine &message);
  bool tooManyErrors() const { return errors >= options.maxErrors; }

  //===- Module and computations (BuildModule.cpp) --------------------------===//

  hlo::ComputationOp createComputation(llvm::StringRef name, const char *place);
  /// `name`, or, if a computation has it, that with a number.
  std::string unusedName(llvm::StringRef name);
  /// Checks the parameters, adds `hlo.return` and adds the computation to the module.
  ParseResult finishBody(Scope &scope, const char *place);
  /// Marks the entry and makes the checks that need the whole module.
  ParseResult finishModule(const char *place);
  ParseResult checkCalls();
  ParseResult checkCycles();

  //===- Instructions (BuildInstruction.cpp, BuildAsync.cpp) ----------------===//

  /// Adds the block argument of a parameter, at its position by number.
  ParseResult addParameter(Instruction &instruction, int64_t number, const char *place);
  /// Checks that no required attribute is missing, and sets defaults.
  ParseResult finishAttributes(Instruction &instruction);
  ParseResult checkOperandCount(const Instruction &instruction);
  /// Creates the operation.
  ParseResult create(Instruction &instruction, mlir::Value &value);
  ParseResult setFixedShape(Instruction &instruction);
  ParseResult infer(mlir::Operation *operation, const Instruction &instruction);

  //===- Shapes and literals (BuildShape.cpp) -------------------------------===//

  /// An array without a layout. Dynamic dimensions have a bound, or -1; `bounds` is empty if no
  /// dimension has one.
  ParseResult makeArray(mlir::Type element, llvm::ArrayRef<int64_t> sizes,
                        llvm::ArrayRef<int64_t> bounds, const char *place,
                        mlir::RankedTensorType &type);
  /// Adds a layout to an array, unless it is the default. Null means the default.
  ParseResult addLayout(mlir::RankedTensorType &type, llvm::ArrayRef<int64_t> bounds,
                        const ArrayLayout *layout, const char *place);
  /// The type of a constant's value: dynamic dimensions are their bounds.
  ParseResult getValueType(mlir::RankedTensorType type, const char *place,
                           mlir::RankedTensorType &valueType);
  ParseResult checkTupleSize(mlir::Type type, const char *place);
  /// Number of arrays in a type that was read.
  uint64_t countLeaves(mlir::Type type) const;
  /// Starts and updates are tuples ((operands...), result, ...).
  ParseResult checkAsyncShape(const Instruction &instruction);
  /// Checks an async-* instruction against its start, if that is known: chains may begin in another
  /// computation.
  ParseResult checkAsyncChain(Instruction &instruction, const Opcode *wrapped);

  //===- State --------------------------------------------------------------===//

  mlir::StringAttr fileName;
  mlir::MLIRContext *context;
  mlir::Builder builder;
  ParseOptions options;
  const OpcodeTable &opcodes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Scope *scope = nullptr;
  unsigned errors = 0;

  /// Null for computations that had an error.
  llvm::StringMap<hlo::ComputationOp> computations;
  llvm::StringMap<unsigned> suffixes; // the last number appended to each name
  hlo::ComputationOp entry;
  hlo::ComputationOp lastComputation;
  /// Computations that were named before they were defined.
  llvm::SmallVector<std::pair<llvm::StringRef, const char *>> forward;
  llvm::DenseMap<mlir::Type, uint64_t> tupleLeaves;
};

} // namespace hloc::text

#endif
