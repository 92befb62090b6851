// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Program.h"
#include "codegen/calls/Calls.h"
#include "codegen/program/EntryFunction.h"
#include "codegen/program/ProgramEmitter.h"
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/WeightsImage.h"
#include "compiler/hlo/Literal.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/prepare/Preparation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

// Attributes of the module and of its constants.
static constexpr StringLiteral kProgramMemory = "hlo.memory", kArena = "arena", kAsync = "async",
                               kPrepareArena = "prepare", kConstantValue = "hlo.value";

std::string getKernelSymbol(const ProgramNames &names, StringRef kernel) {
  return names.prefix + "." + kernel.str();
}

void getMemoryBytes(ElementsAttr value, SmallVectorImpl<char> &bytes) {
  SmallVector<char> storage;
  ArrayRef<char> literal = hlo::getLiteralBytes(value, storage);
  Type element = value.getElementType();
  int64_t width = getStorageBits(element);
  if (width >= 8) {
    bytes.assign(literal.begin(), literal.end());
    return;
  }
  int64_t perByte = 8 / width;
  bytes.assign((literal.size() + perByte - 1) / perByte, 0);
  for (auto [i, item] : llvm::enumerate(literal))
    bytes[i / perByte] |= (item & ((1 << width) - 1)) << (i % perByte * width);
}

/// The address of a buffer. Addresses in a table are loaded at each use: with hundreds of them live
/// through the whole body, LLVM's compile time would grow with the square of their number.
Value ProgramEmitter::locate(Value buffer) {
  auto entry = tableEntries.find(buffer);
  if (entry == tableEntries.end())
    return values.lookup(buffer);
  auto [table, position] = entry->second;
  return LLVM::LoadOp::create(b, pointer, offset(table, 8 * position));
}

/// Control flow and integer arithmetic are copied; only buffers change.
LogicalResult ProgramEmitter::emitScalar(Operation *other) {
  Operation *copy = b.insert(other->cloneWithoutRegions(values));
  for (auto [from, to] : llvm::zip(other->getRegions(), copy->getRegions())) {
    for (Block &inner : from) {
      OpBuilder::InsertionGuard guard(b);
      Block *clone = b.createBlock(&to, to.end(), inner.getArgumentTypes(),
                                   SmallVector<Location>(inner.getNumArguments(), other->getLoc()));
      values.map(inner.getArguments(), clone->getArguments());
      if (failed(emitOperations(inner)))
        return failure();
    }
  }
  return success();
}

LogicalResult ProgramEmitter::emitOperation(Operation &op) {
  b.setLoc(op.getLoc());
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<hlo::LaunchOp>([&](hlo::LaunchOp launch) {
        return tracer.trace(
            launch, "kernel", context, [&] { return emitLaunch(launch); }, launch.getKernel());
      })
      .Case<hlo::RuntimeCallOp>([&](hlo::RuntimeCallOp call) {
        if (call.getCallee() == buffers::kEmptyCall || isDoneByItsStart(call))
          return success();
        return tracer.trace(call, getTraceCategory(call), context, [&] { return emitCall(call); });
      })
      .Case<memref::ViewOp>([&](memref::ViewOp view) -> LogicalResult {
        std::optional<int64_t> bytes = getConstant(view.getByteShift());
        if (!bytes)
          return view.emitOpError("expected a constant offset");
        values.map(view.getResult(), offset64(locate(view.getSource()), *bytes));
        return success();
      })
      .Case<UnrealizedConversionCastOp>([&](UnrealizedConversionCastOp cast) {
        values.map(cast.getResult(0), locate(cast.getOperand(0))); // its bytes
        return success();
      })
      .Case<memref::ReinterpretCastOp>([&](memref::ReinterpretCastOp cast) {
        // A view: the same memory in another shape or as another type.
        values.map(cast.getResult(), locate(cast.getSource()));
        return success();
      })
      .Case<memref::AllocaOp>([&](memref::AllocaOp alloca) {
        int64_t bytes = bytesOf(alloca.getType());
        values.map(alloca.getResult(), stack(bytes, bytes >= 64 ? 64 : 16));
        return success();
      })
      .Case<memref::GetGlobalOp>([&](memref::GetGlobalOp get) {
        auto placed = weightsOffsets.find(get.getName());
        values.map(get.getResult(), placed == weightsOffsets.end()
                                        ? addressOf((names.module + "." + get.getName()).str())
                                        : offset64(weights, placed->second));
        return success();
      })
      .Case<memref::CopyOp>([&](memref::CopyOp copy) {
        return tracer.trace(copy, "copy", context, [&] {
          emitCopy(copy);
          return success();
        });
      })
      .Case<memref::LoadOp>([&](memref::LoadOp load) -> LogicalResult {
        if (!load.getIndices().empty() || !isa<IntegerType>(load.getType()))
          return load.emitOpError("expected to load an integer scalar");
        Value from = locate(load.getMemRef());
        // A pred is a byte; other integers of fewer than eight bits are the lowest bits of a byte.
        unsigned width = load.getType().getIntOrFloatBitWidth();
        Type stored = b.getIntegerType(std::max(8u, width));
        Value value = LLVM::LoadOp::create(b, stored, from);
        if (hlo::isPred(load.getType()))
          value = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, value, constant(stored, 0));
        else if (width < 8)
          value = LLVM::TruncOp::create(b, b.getIntegerType(width), value);
        values.map(load.getResult(), value);
        return success();
      })
      .Case<memref::StoreOp>([&](memref::StoreOp store) -> LogicalResult {
        Value value = values.lookup(store.getValue());
        if (!store.getIndices().empty() || !isa<IntegerType>(value.getType()))
          return store.emitOpError("expected to store an integer scalar");
        if (value.getType().getIntOrFloatBitWidth() < 8)
          value = LLVM::ZExtOp::create(b, b.getI8Type(), value);
        LLVM::StoreOp::create(b, value, locate(store.getMemRef()));
        return success();
      })
      .Case<func::ReturnOp>([&](auto) { return success(); })
      .Default([&](Operation *other) -> LogicalResult {
        bool scalar =
            llvm::all_of(other->getOperandTypes(), [](Type t) { return t.isIntOrIndex(); }) &&
            llvm::all_of(other->getResultTypes(), [](Type t) { return t.isIntOrIndex(); });
        if (!scalar || !isa<arith::ArithDialect, scf::SCFDialect>(other->getDialect()))
          return other->emitOpError("has no code");
        if (isa<scf::ForOp, scf::WhileOp>(other))
          return tracer.trace(other, "loop", context, [&] { return emitScalar(other); });
        return emitScalar(other);
      });
}

void ProgramEmitter::declareConstants() {
  for (auto constant : program.getOps<memref::GlobalOp>()) {
    if (std::optional<int64_t> offset = getWeightsOffset(constant)) {
      weightsOffsets[constant.getSymName()] = *offset;
      continue;
    }
    std::string symbol = (names.module + "." + constant.getSymName()).str();
    auto value = cast<ElementsAttr>(constant.getInitialValueAttr());
    int64_t bytes = bytesOf(constant.getType());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), std::max<int64_t>(bytes, 1));
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::External,
                                         symbol, Attribute(), 64);
    global.setVisibility_(LLVM::Visibility::Hidden);
    global->setAttr(kConstantValue, value);
  }
}

LogicalResult ProgramEmitter::emit() {
  auto main = program.lookupSymbol<func::FuncOp>("main");
  if (!main || !main->hasAttr("hlo.results"))
    return program.emitError("expected a program on memory");
  b.setInsertionPointToStart(program.getBody());
  declareConstants();
  if (hasWeights(program))
    declareWeights(b, program, names);
  declareFunctions();
  for (auto function : program.getOps<func::FuncOp>())
    if (failed(emitBody(function)))
      return failure();
  FunctionInfo entryInfo = asyncCalls.functions["main"], preparation;
  if (program.lookupSymbol<func::FuncOp>(kPreparation))
    preparation = asyncCalls.functions[kPreparation];
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  SmallVector<NamedAttribute> memory{number(kArena, entryInfo.arenaBytes),
                                     number(kAsync, entryInfo.arenaBytes - getOwnBytes(main))};
  if (preparation.body)
    memory.push_back(number(kPrepareArena, preparation.arenaBytes));
  program->setAttr(kProgramMemory, b.getDictionaryAttr(memory));
  SmallVector<int64_t> argumentBytes, resultBytes;
  unsigned results = getResultCount(main);
  for (Type type : main.getArgumentTypes().drop_back())
    argumentBytes.push_back(bytesOf(type));
  while (resultBytes.size() < results)
    resultBytes.insert(resultBytes.begin(), argumentBytes.pop_back_val());
  SmallVector<int64_t> preparedBytes;
  if (std::optional<PreparedBlock> block = getPreparedBlock(program)) {
    preparedBytes.assign(argumentBytes.begin(), argumentBytes.begin() + block->argument);
    for (int64_t i = 0; i < block->argument; ++i) {
      argumentBytes[i] *= block->isReadByRuns[i];
      preparedBytes[i] *= block->isReadByPreparation[i];
    }
  }
  b.setLoc(program.getLoc());
  bool usesMatrices =
      llvm::any_of(schedules, [](const auto &entry) { return entry.second.usesMatrices; });
  emitEntryFunction(b, globals, names,
                    {argumentBytes, resultBytes, entryInfo.arenaBytes, usesMatrices},
                    entryInfo.body, program);
  if (preparation.body)
    emitPrepareFunction(b, globals, names,
                        {preparedBytes, {}, preparation.arenaBytes, usesMatrices}, preparation.body,
                        program);
  return success();
}

LogicalResult emitProgram(ModuleOp program, const llvm::StringMap<KernelSchedule> &schedules,
                          const ProgramNames &names, const Target &target) {
  return ProgramEmitter(program, schedules, names, target).emit();
}

ProgramMemory getProgramMemory(ModuleOp program) {
  auto entries = program->getAttrOfType<DictionaryAttr>(kProgramMemory);
  auto read = [&](StringRef name) {
    auto value = entries ? entries.getAs<IntegerAttr>(name) : IntegerAttr();
    return value ? value.getInt() : 0;
  };
  return {read(kArena), read(kAsync), read(kPrepareArena)};
}

ElementsAttr getProgramConstant(LLVM::GlobalOp global) {
  return global->getAttrOfType<ElementsAttr>(kConstantValue);
}

void dropProgramConstant(LLVM::GlobalOp global) { global->removeAttr(kConstantValue); }

int64_t getConstantBytes(LLVM::GlobalOp global) {
  return cast<LLVM::LLVMArrayType>(global.getType()).getNumElements();
}

} // namespace hloc
