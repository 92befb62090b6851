// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/EntryFunction.h"
#include "codegen/program/ProgramRecord.h"
#include "codegen/program/WeightsImage.h"

using namespace mlir;

namespace hloc {

// Codes of hlort.h that generated code returns by itself.
static constexpr int32_t kInvalidArgument = 1;
static constexpr int32_t kOutOfMemory = 3;
/// Offset of the message in an hlort_status.
static constexpr int64_t kStatusMessage = 4;

namespace {

class EntryEmitter {
public:
  EntryEmitter(ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
               ModuleOp module)
      : b(b), globals(globals), module(module), names(names),
        program(needsParticipants(module) ? module : nullptr),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit(const EntryBuffers &buffers, LLVM::LLVMFuncOp body);

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value offset(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Block *begin(Block *block);
  Block *loadWeights(Block *block);
  void fail(Block *block, int32_t code, Value message, int64_t bytes);
  void fail(Block *block, int32_t code, StringRef message);
  Block *checkPointers(Block *block, Value array, ArrayRef<unsigned> indices, StringRef what);

  ImplicitLocOpBuilder &b;
  Globals &globals;
  ModuleOp module;
  const ProgramNames &names;
  /// Null for a program that meets no others.
  ModuleOp program;
  Type pointer;
  Value context, status;
};

} // namespace

/// Fills `block`: writes the status, if there is one, and returns the code.
void EntryEmitter::fail(Block *block, int32_t code, Value text, int64_t size) {
  OpBuilder::InsertionGuard guard(b);
  Region *region = block->getParent();
  Block *write = b.createBlock(region, region->end()),
        *leave = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(block);
  Value none =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, status, LLVM::ZeroOp::create(b, pointer));
  LLVM::CondBrOp::create(b, none, leave, write);
  b.setInsertionPointToEnd(write);
  LLVM::StoreOp::create(b, constant(b.getI32Type(), code), status);
  LLVM::MemcpyOp::create(b, offset(status, kStatusMessage), text, constant(b.getI64Type(), size),
                         false);
  LLVM::BrOp::create(b, ValueRange(), leave);
  b.setInsertionPointToEnd(leave);
  Value result = constant(b.getI32Type(), code);
  if (program)
    result = emitProgramEnd(b, globals, program, context, result, status);
  LLVM::ReturnOp::create(b, result);
}

void EntryEmitter::fail(Block *block, int32_t code, StringRef text) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(block);
  text = text.take_front(255);
  fail(block, code, globals.text(text), text.size() + 1);
}

/// At the end of `block`: fails unless the pointers of `array` at `indices` are not null. A loop
/// over a table, since there may be thousands of them. Gives the block in which to go on.
Block *EntryEmitter::checkPointers(Block *block, Value array, ArrayRef<unsigned> indices,
                                   StringRef what) {
  if (indices.empty())
    return block;
  Type i64 = b.getI64Type();
  // Messages of one size, and the pointers' numbers.
  int64_t size =
      (names.module + ": " + what + " " + Twine(indices.back()) + " is null").str().size() + 1;
  size = std::min<int64_t>(size, 256);
  std::string messages;
  SmallVector<int64_t> numbers;
  for (unsigned i : indices) {
    std::string text = (names.module + ": " + what + " " + Twine(i) + " is null").str();
    text.resize(size - 1);
    messages.append(text).push_back('\0');
    numbers.push_back(i);
  }
  Region *region = block->getParent();
  Block *check = b.createBlock(region, region->end(), i64, b.getLoc());
  Block *refused = b.createBlock(region, region->end()),
        *advance = b.createBlock(region, region->end());
  Block *next = b.createBlock(region, region->end());
  Value at = check->getArgument(0);
  b.setInsertionPointToEnd(block);
  LLVM::BrOp::create(b, ValueRange{constant(i64, 0)}, check);
  b.setInsertionPointToEnd(check);
  auto element = [&](Type type, Value from, Value which) -> Value {
    return LLVM::GEPOp::create(b, pointer, type, from, ArrayRef<LLVM::GEPArg>{which});
  };
  Value which = at;
  if (indices.back() + 1 != indices.size())
    which = LLVM::LoadOp::create(b, i64, element(i64, globals.numbers(numbers), at));
  Value given = LLVM::LoadOp::create(b, pointer, element(pointer, array, which));
  Value isNull =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, given, LLVM::ZeroOp::create(b, pointer));
  LLVM::CondBrOp::create(b, isNull, refused, advance);
  b.setInsertionPointToEnd(refused);
  Value start = LLVM::MulOp::create(b, at, constant(i64, size));
  fail(refused, kInvalidArgument, element(b.getI8Type(), globals.text(messages), start), size);
  b.setInsertionPointToEnd(advance);
  Value following = LLVM::AddOp::create(b, at, constant(i64, 1));
  Value more =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, following, constant(i64, indices.size()));
  LLVM::CondBrOp::create(b, more, check, ValueRange{following}, next, ValueRange());
  return next;
}

/// Begins the run in `block`. Gives the block in which to go on.
Block *EntryEmitter::begin(Block *block) {
  Region *region = block->getParent();
  Block *refused = b.createBlock(region, region->end());
  Block *begun = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(block);
  Value code = emitProgramBegin(b, globals, program, context, status);
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant(b.getI32Type(), 0));
  LLVM::CondBrOp::create(b, failed, refused, begun);
  b.setInsertionPointToEnd(refused);
  LLVM::ReturnOp::create(b, code);
  return begun;
}

/// At the end of `block`: the weights are mapped if they are not yet. Gives the block in which to
/// go on.
Block *EntryEmitter::loadWeights(Block *block) {
  Region *region = block->getParent();
  Block *load = b.createBlock(region, region->end()),
        *refused = b.createBlock(region, region->end());
  Block *loaded = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(block);
  Value weights = LLVM::AddressOfOp::create(b, pointer, getWeightsSymbol(names));
  Value none = LLVM::ZeroOp::create(b, pointer);
  Value data = LLVM::LoadOp::create(b, pointer, weights, /*alignment=*/8, /*isVolatile=*/false,
                                    /*isNonTemporal=*/false, /*isInvariant=*/false,
                                    /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire);
  LLVM::CondBrOp::create(b, LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, data, none), load,
                         loaded);
  b.setInsertionPointToEnd(load);
  auto function =
      globals.declare("hlort_weights_load", b.getI32Type(), {pointer, pointer, pointer});
  Value code = LLVM::CallOp::create(b, function, ValueRange{weights, none, status}).getResult();
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant(b.getI32Type(), 0));
  LLVM::CondBrOp::create(b, failed, refused, loaded);
  b.setInsertionPointToEnd(refused);
  if (program)
    code = emitProgramEnd(b, globals, program, context, code, status);
  LLVM::ReturnOp::create(b, code);
  return loaded;
}

/// Checks what the host gave, finds memory, runs the body.
void EntryEmitter::emit(const EntryBuffers &buffers, LLVM::LLVMFuncOp body) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer, pointer, pointer});
  auto run = LLVM::LLVMFuncOp::create(b, names.prefix + "_run", type);
  if (names.isVariant())
    run.setVisibility_(LLVM::Visibility::Hidden);
  Block *block = run.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  context = run.getArgument(0);
  status = run.getArgument(4);
  Region &region = run.getBody();
  if (program)
    block = begin(block);
  if (hasWeights(module))
    block = loadWeights(block);
  b.setInsertionPointToEnd(block);
  Value null = LLVM::ZeroOp::create(b, pointer);
  /// Goes on in a new block unless `condition` holds.
  auto refuse = [&](Value condition, int32_t code, const Twine &text) {
    Block *refused = b.createBlock(&region, region.end());
    Block *next = new Block;
    region.push_back(next);
    b.setInsertionPointToEnd(block);
    LLVM::CondBrOp::create(b, condition, refused, next);
    fail(refused, code, text.str());
    block = next;
    b.setInsertionPointToEnd(block);
  };
  SmallVector<Value> pointers{run.getArgument(0)};
  auto isNull = [&](Value value) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value, null);
  };
  bool byTable = takesTables(buffers.argumentBytes.size() + buffers.resultBytes.size());
  auto take = [&](unsigned which, ArrayRef<int64_t> bytes, StringRef what) {
    if (!bytes.empty())
      refuse(isNull(run.getArgument(which)), kInvalidArgument,
             names.module + ": the array of " + what + "s is null");
    SmallVector<unsigned> needed;
    for (unsigned i = 0; i < bytes.size(); ++i)
      if (bytes[i] > 0)
        needed.push_back(i);
    block = checkPointers(block, run.getArgument(which), needed, what);
    b.setInsertionPointToEnd(block);
    if (byTable)
      pointers.push_back(run.getArgument(which));
    for (unsigned i = 0; i < bytes.size() && !byTable; ++i)
      pointers.push_back(LLVM::LoadOp::create(b, pointer, offset(run.getArgument(which), 8 * i)));
  };
  take(1, buffers.argumentBytes, "argument");
  take(2, buffers.resultBytes, "result");
  if (buffers.arenaBytes == 0) {
    pointers.append({null, status});
    LLVM::ReturnOp::create(b, LLVM::CallOp::create(b, body, pointers).getResult());
    return;
  }
  // Memory that the host did not bring is allocated for the call.
  auto allocate = globals.declare("hlort_arena_allocate", pointer, {i64, i64, pointer});
  auto release =
      globals.declare("hlort_arena_free", LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  Block *own = b.createBlock(&region, region.end()), *given = b.createBlock(&region, region.end());
  b.setInsertionPointToEnd(block);
  LLVM::CondBrOp::create(b, isNull(run.getArgument(3)), own, given);
  auto runWith = [&](Value memory) {
    SmallVector<Value> all(pointers);
    all.append({memory, status});
    return LLVM::CallOp::create(b, body, all).getResult();
  };
  b.setInsertionPointToEnd(given);
  LLVM::ReturnOp::create(b, runWith(run.getArgument(3)));
  block = own;
  b.setInsertionPointToEnd(block);
  Value memory =
      LLVM::CallOp::create(b, allocate,
                           ValueRange{constant(i64, buffers.arenaBytes), constant(i64, 64), status})
          .getResult();
  refuse(isNull(memory), kOutOfMemory,
         names.module + ": no memory for an arena of " + Twine(buffers.arenaBytes) + " bytes");
  Value code = runWith(memory);
  LLVM::CallOp::create(b, release, ValueRange{memory});
  LLVM::ReturnOp::create(b, code);
}

void emitEntryFunction(ImplicitLocOpBuilder &b, Globals &globals, const ProgramNames &names,
                       const EntryBuffers &buffers, LLVM::LLVMFuncOp body, ModuleOp program) {
  EntryEmitter(b, globals, names, program).emit(buffers, body);
}

} // namespace hloc
