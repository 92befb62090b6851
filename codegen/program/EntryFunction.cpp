// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/EntryFunction.h"
#include "codegen/program/ProgramRecord.h"
#include "codegen/program/WeightsImage.h"
#include "passes/Freestanding.h"
#include "passes/prepare/Preparation.h"

using namespace mlir;

namespace hloc {

// Error codes of hlort.h that generated code returns itself.
static constexpr int32_t kInvalidArgument = 1;
static constexpr int32_t kOutOfMemory = 3;
/// Offset of the message in an hlort_status.
static constexpr int64_t kStatusMessage = 4;

/// Up to this many pointers are checked one by one; more of them in a loop.
static constexpr size_t kFewPointers = 16;
/// The most operations of a body that is inlined.
static constexpr unsigned kShortBody = 32;
/// Bytes of the longest message.
static constexpr size_t kLongestMessage = 256;

namespace {

class EntryEmitter {
public:
  /// Emits NAME_prepare if `prepares`, otherwise NAME_run.
  EntryEmitter(ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
               ModuleOp module, bool prepares)
      : b(b), globals(globals), module(module), names(names), prepares(prepares),
        block(getPreparedBlock(module)),
        program(needsParticipants(module) && !prepares ? module : nullptr),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit(const EntryNeeds &needs, LLVM::LLVMFuncOp body);

private:
  /// A table of the host's pointers: which of them are required, and the numbers of the messages
  /// for a missing table and for its first missing pointer.
  struct Table {
    Value array;
    SmallVector<unsigned> needed;
    int64_t missing = 0, firstMissing = 0;
  };

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value number(int64_t value) { return constant(b.getI64Type(), value); }
  Value offset(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value element(Type type, Value from, Value which) {
    return LLVM::GEPOp::create(b, pointer, type, from, ArrayRef<LLVM::GEPArg>{which});
  }
  Value isNull(Value value) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value,
                                LLVM::ZeroOp::create(b, pointer));
  }
  Block *makeBlock(TypeRange arguments = {}) {
    Region &region = run.getBody();
    return b.createBlock(&region, region.end(), arguments,
                         SmallVector<Location>(arguments.size(), b.getLoc()));
  }
  int64_t addMessage(const Twine &text) {
    messages.push_back((names.module + ": " + text).str().substr(0, kLongestMessage - 1));
    return int64_t(messages.size()) - 1;
  }
  /// Emits code that fails the run with `message` if `condition` holds, and continues otherwise.
  void refuse(Value condition, Value message) {
    Block *from = b.getInsertionBlock(), *next = makeBlock();
    b.setInsertionPointToEnd(from);
    LLVM::CondBrOp::create(b, condition, refused, message, next, ValueRange());
    b.setInsertionPointToStart(next);
  }
  /// Likewise with the first of several conditions that hold.
  void refuseFirst(ArrayRef<std::pair<Value, int64_t>> reasons);

  LLVM::LLVMFuncOp createFunction();
  void begin();
  void leaveUnlessOk(Value code);
  void requestMatrices();
  void loadWeights();
  Table takeTable(Value array, ArrayRef<int64_t> bytes, StringRef what);
  void checkPointers(const Table &table);
  Value takeArena(int64_t bytes, int64_t noMemory);
  void releaseArena(Value arena);
  void checkTag(Value arguments, int64_t notPrepared);
  Value takeBlock(bool inTable);
  void storeTag(int64_t tag);
  void storeTagAfter(Value code);
  void emitRefusal(int64_t noMemory);

  ImplicitLocOpBuilder &b;
  Globals &globals;
  ModuleOp module;
  const ProgramNames &names;
  bool prepares;
  std::optional<PreparedBlock> block;
  /// Null for a program that meets no other participants.
  ModuleOp program;
  Type pointer;
  LLVM::LLVMFuncOp run;
  Value context, status;
  /// The block in which all failed runs end; takes the message's number.
  Block *refused = nullptr;
  SmallVector<std::string> messages;
};

} // namespace

void EntryEmitter::refuseFirst(ArrayRef<std::pair<Value, int64_t>> reasons) {
  if (reasons.empty())
    return;
  Value none = number(-1), message = none;
  for (auto [condition, which] : llvm::reverse(reasons))
    message = LLVM::SelectOp::create(b, condition, number(which), message);
  refuse(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, message, none), message);
}

/// Returns `code` from the function if it is an error.
void EntryEmitter::leaveUnlessOk(Value code) {
  Block *from = b.getInsertionBlock();
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant(b.getI32Type(), 0));
  Block *leave = makeBlock(), *next = makeBlock();
  b.setInsertionPointToEnd(from);
  LLVM::CondBrOp::create(b, failed, leave, next);
  b.setInsertionPointToStart(leave);
  LLVM::ReturnOp::create(b, code);
  b.setInsertionPointToStart(next);
}

/// Begins the run.
void EntryEmitter::begin() {
  leaveUnlessOk(emitProgramBegin(b, globals, program, context, status));
}

/// Asks the system to permit matrix registers.
void EntryEmitter::requestMatrices() {
  auto request = globals.declare("hlort_matrices_request", b.getI32Type(), {pointer});
  leaveUnlessOk(LLVM::CallOp::create(b, request, ValueRange{status}).getResult());
}

EntryEmitter::Table EntryEmitter::takeTable(Value array, ArrayRef<int64_t> bytes, StringRef what) {
  Table table;
  table.array = array;
  if (bytes.empty())
    return table;
  table.missing = addMessage("the array of " + what + "s is null");
  for (auto [i, size] : llvm::enumerate(bytes)) {
    if (size <= 0)
      continue;
    int64_t message = addMessage(what + " " + Twine(i) + " is null");
    if (table.needed.empty())
      table.firstMissing = message;
    table.needed.push_back(unsigned(i));
  }
  return table;
}

/// A loop over the pointers, of which there may be thousands.
void EntryEmitter::checkPointers(const Table &table) {
  if (table.needed.empty())
    return;
  Type i64 = b.getI64Type();
  Block *from = b.getInsertionBlock(), *check = makeBlock(TypeRange(i64));
  b.setInsertionPointToEnd(from);
  LLVM::BrOp::create(b, ValueRange{number(0)}, check);
  b.setInsertionPointToStart(check);
  Value at = check->getArgument(0), which = at;
  if (table.needed.back() + 1 != table.needed.size()) {
    auto numbers = llvm::to_vector_of<int64_t>(table.needed);
    which = LLVM::LoadOp::create(b, i64, element(i64, globals.numbers(numbers), at));
  }
  Value given = LLVM::LoadOp::create(b, pointer, element(pointer, table.array, which));
  refuse(isNull(given), LLVM::AddOp::create(b, at, number(table.firstMissing)));
  Value following = LLVM::AddOp::create(b, at, number(1));
  Value more = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, following,
                                    number(int64_t(table.needed.size())));
  Block *advance = b.getInsertionBlock(), *next = makeBlock();
  b.setInsertionPointToEnd(advance);
  LLVM::CondBrOp::create(b, more, check, ValueRange{following}, next, ValueRange());
  b.setInsertionPointToStart(next);
}

/// Allocates the memory that the host did not give, where there is a heap.
Value EntryEmitter::takeArena(int64_t bytes, int64_t noMemory) {
  Value given = run.getArgument(3);
  if (isFreestanding(module)) {
    refuse(isNull(given), number(noMemory));
    return given;
  }
  auto allocate =
      globals.declare("hlort_arena_allocate", pointer, {b.getI64Type(), b.getI64Type(), pointer});
  Block *from = b.getInsertionBlock(), *own = makeBlock();
  b.setInsertionPointToStart(own);
  Value memory =
      LLVM::CallOp::create(b, allocate, ValueRange{number(bytes), number(64), status}).getResult();
  refuse(isNull(memory), number(noMemory));
  Block *allocated = b.getInsertionBlock(), *go = makeBlock(TypeRange(pointer));
  b.setInsertionPointToEnd(allocated);
  LLVM::BrOp::create(b, ValueRange{memory}, go);
  b.setInsertionPointToEnd(from);
  LLVM::CondBrOp::create(b, isNull(given), own, ValueRange(), go, ValueRange{given});
  b.setInsertionPointToStart(go);
  return go->getArgument(0);
}

/// Fills the block of failed runs: writes the status, if there is one, and returns the code.
void EntryEmitter::emitRefusal(int64_t noMemory) {
  if (messages.empty())
    return refused->erase();
  size_t size = 0;
  for (StringRef text : messages)
    size = std::max(size, text.size() + 1);
  std::string table;
  for (std::string &text : messages) {
    text.resize(size - 1);
    table.append(text).push_back('\0');
  }
  Block *write = makeBlock(), *leave = makeBlock();
  b.setInsertionPointToStart(refused);
  Value message = refused->getArgument(0), code = constant(b.getI32Type(), kInvalidArgument);
  if (noMemory >= 0)
    code = LLVM::SelectOp::create(
        b, LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, message, number(noMemory)),
        constant(b.getI32Type(), kOutOfMemory), code);
  LLVM::CondBrOp::create(b, isNull(status), leave, write);
  b.setInsertionPointToStart(write);
  LLVM::StoreOp::create(b, code, status);
  Value start = LLVM::MulOp::create(b, message, number(int64_t(size)));
  LLVM::MemcpyOp::create(b, offset(status, kStatusMessage),
                         element(b.getI8Type(), globals.text(table), start), number(int64_t(size)),
                         false);
  LLVM::BrOp::create(b, ValueRange(), leave);
  b.setInsertionPointToStart(leave);
  if (program)
    code = emitProgramEnd(b, globals, program, context, code, status);
  LLVM::ReturnOp::create(b, code);
}

/// Inlines a body that consists only of a few launches into the entry function: each function costs
/// compile time, and only the kernels need to know what does not overlap.
static void inlineIfShort(LLVM::LLVMFuncOp body, ModuleOp module) {
  unsigned count = 0;
  for (Operation &op : body.getBody().getOps()) {
    if (++count > kShortBody || op.getNumRegions() > 0)
      return;
    if (auto call = dyn_cast<LLVM::CallOp>(op)) {
      auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(call.getCallee().value_or(""));
      if (!callee || callee.getAlwaysInlineAttr())
        return;
    }
  }
  body.setNoInline(false);
  body.setAlwaysInline(true);
  for (unsigned i = 0; i < body.getNumArguments(); ++i)
    body.removeArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName());
}

/// Emits code that maps the weights if they are not yet mapped.
void EntryEmitter::loadWeights() {
  Block *from = b.getInsertionBlock(), *load = makeBlock(), *leave = makeBlock(),
        *loaded = makeBlock();
  b.setInsertionPointToEnd(from);
  Value weights = LLVM::AddressOfOp::create(b, pointer, getWeightsSymbol(names));
  Value data = LLVM::LoadOp::create(b, pointer, weights, /*alignment=*/8, /*isVolatile=*/false,
                                    /*isNonTemporal=*/false, /*isInvariant=*/false,
                                    /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire);
  LLVM::CondBrOp::create(b, isNull(data), load, loaded);
  b.setInsertionPointToStart(load);
  auto function =
      globals.declare("hlort_weights_load", b.getI32Type(), {pointer, pointer, pointer});
  Value none = LLVM::ZeroOp::create(b, pointer);
  Value code = LLVM::CallOp::create(b, function, ValueRange{weights, none, status}).getResult();
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant(b.getI32Type(), 0));
  LLVM::CondBrOp::create(b, failed, leave, loaded);
  b.setInsertionPointToStart(leave);
  if (program)
    code = emitProgramEnd(b, globals, program, context, code, status);
  LLVM::ReturnOp::create(b, code);
  b.setInsertionPointToStart(loaded);
}

LLVM::LLVMFuncOp EntryEmitter::createFunction() {
  b.setInsertionPointToEnd(module.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer, pointer, pointer, pointer});
  std::string name = names.prefix + (prepares ? kPrepareEnding : kRunEnding).str();
  auto function = LLVM::LLVMFuncOp::create(b, name, type);
  if (names.isVariant())
    function.setVisibility_(LLVM::Visibility::Hidden);
  // It checks each pointer once and calls the functions that do the work, so optimizing it costs
  // more compile time than it saves run time.
  function.setNoInline(true);
  function.setOptimizeNone(true);
  return function;
}

/// Refuses a block that this module's preparation has not written.
void EntryEmitter::checkTag(Value arguments, int64_t notPrepared) {
  Value given = LLVM::LoadOp::create(b, pointer, offset(arguments, 8 * block->argument));
  Value tag = LLVM::LoadOp::create(b, b.getI64Type(), given);
  refuse(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, tag, number(int64_t(block->tag))),
         number(notPrepared));
}

void EntryEmitter::storeTag(int64_t tag) {
  LLVM::StoreOp::create(b, number(tag), run.getArgument(2));
}

/// Returns the block to fill, as a pointer or in a table with one entry. Clears its tag, so that it
/// is not valid until it is filled.
Value EntryEmitter::takeBlock(bool inTable) {
  storeTag(0);
  if (!inTable)
    return run.getArgument(2);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&run.getBody().front());
  Value table = LLVM::AllocaOp::create(b, pointer, pointer, number(1));
  LLVM::StoreOp::create(b, run.getArgument(2), table);
  return table;
}

/// Stores the tag of the filled block unless the body failed.
void EntryEmitter::storeTagAfter(Value code) {
  Value done = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, code, constant(b.getI32Type(), 0));
  Block *from = b.getInsertionBlock(), *mark = makeBlock(), *next = makeBlock();
  b.setInsertionPointToEnd(from);
  LLVM::CondBrOp::create(b, done, mark, next);
  b.setInsertionPointToStart(mark);
  storeTag(int64_t(block->tag));
  LLVM::BrOp::create(b, ValueRange(), next);
  b.setInsertionPointToStart(next);
}

/// Frees the arena if the host did not provide it.
void EntryEmitter::releaseArena(Value arena) {
  Block *from = b.getInsertionBlock(), *release = makeBlock(), *leave = makeBlock();
  b.setInsertionPointToEnd(from);
  LLVM::CondBrOp::create(b, isNull(run.getArgument(3)), release, leave);
  b.setInsertionPointToStart(release);
  auto free =
      globals.declare("hlort_arena_free", LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  LLVM::CallOp::create(b, free, ValueRange{arena});
  LLVM::BrOp::create(b, ValueRange(), leave);
  b.setInsertionPointToStart(leave);
}

/// Checks the host's arguments, gets memory, and runs the body.
void EntryEmitter::emit(const EntryNeeds &needs, LLVM::LLVMFuncOp body) {
  run = createFunction();
  Block *entry = run.addEntryBlock(b);
  context = run.getArgument(0);
  status = run.getArgument(4);
  refused = makeBlock(TypeRange(b.getI64Type()));
  b.setInsertionPointToStart(entry);
  if (needs.usesMatrices)
    requestMatrices();
  if (program)
    begin();
  if (hasWeights(module))
    loadWeights();
  Table tables[] = {takeTable(run.getArgument(1), needs.argumentBytes, "argument"),
                    takeTable(run.getArgument(2), needs.resultBytes, "result")};
  int64_t noMemory = -1, noBlock = -1;
  if (block && prepares)
    noBlock = addMessage("there is no memory for what is prepared: a null pointer");
  else if (block)
    noBlock = addMessage("argument " + Twine(block->argument) + " was not prepared by " +
                         names.module + kPrepareEnding);
  if (needs.arenaBytes > 0)
    noMemory = addMessage("no memory for an arena of " + Twine(needs.arenaBytes) + " bytes");
  ArrayRef<int64_t> bytes[] = {needs.argumentBytes, needs.resultBytes};
  size_t count = bytes[0].size() + bytes[1].size();
  SmallVector<std::pair<Value, int64_t>> reasons;
  for (auto [table, sizes] : llvm::zip(tables, bytes))
    if (!sizes.empty())
      reasons.emplace_back(isNull(table.array), table.missing);
  if (prepares)
    reasons.emplace_back(isNull(run.getArgument(2)), noBlock);
  refuseFirst(reasons);
  reasons.clear();
  SmallVector<Value> pointers{context};
  count += prepares; // the block is the body's result
  for (auto [table, sizes] : llvm::zip(tables, bytes)) {
    if (count > kFewPointers)
      checkPointers(table);
    if (takesTables(count)) {
      pointers.push_back(table.array);
      continue;
    }
    size_t first = pointers.size();
    for (size_t i = 0; i < sizes.size(); ++i)
      pointers.push_back(LLVM::LoadOp::create(b, pointer, offset(table.array, 8 * int64_t(i))));
    for (auto [i, which] : llvm::enumerate(table.needed))
      if (count <= kFewPointers)
        reasons.emplace_back(isNull(pointers[first + which]), table.firstMissing + int64_t(i));
  }
  refuseFirst(reasons);
  if (block && !prepares)
    checkTag(tables[0].array, noBlock);
  Value arena = needs.arenaBytes > 0 ? takeArena(needs.arenaBytes, noMemory)
                                     : Value(LLVM::ZeroOp::create(b, pointer));
  if (prepares) {
    Value result = takeBlock(takesTables(count));
    if (takesTables(count))
      pointers.back() = result; // the second table, of results
    else
      pointers.push_back(result);
  }
  pointers.append({arena, status});
  Value code = LLVM::CallOp::create(b, body, pointers).getResult();
  if (prepares)
    storeTagAfter(code);
  if (needs.arenaBytes > 0 && !isFreestanding(module))
    releaseArena(arena);
  LLVM::ReturnOp::create(b, code);
  emitRefusal(noMemory);
  inlineIfShort(body, module);
}

void emitEntryFunction(ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                       const EntryNeeds &needs, LLVM::LLVMFuncOp body, ModuleOp program) {
  EntryEmitter(b, globals, names, program, /*prepares=*/false).emit(needs, body);
}

void emitPrepareFunction(ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                         const EntryNeeds &needs, LLVM::LLVMFuncOp body, ModuleOp program) {
  EntryEmitter(b, globals, names, program, /*prepares=*/true).emit(needs, body);
}

} // namespace hloc
