// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Program.h"
#include "codegen/program/EntryFunction.h"
#include "codegen/program/FusedTileGroup.h"
#include "codegen/program/Globals.h"
#include "codegen/program/ProgramRecord.h"
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/Trace.h"
#include "compiler/hlo/Literal.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

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

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(ModuleOp program, const llvm::StringMap<KernelSchedule> &schedules,
                 const ProgramNames &names, const Target &target, ModuleOp module)
      : program(program), schedules(schedules), names(names), target(target), module(module),
        b(program.getLoc(), program.getContext()), globals(b, module, names.prefix),
        tracer(b, globals, target.trace), functions(module) {
    pointer = LLVM::LLVMPointerType::get(b.getContext());
  }

  FailureOr<ProgramInfo> emit();

private:
  LogicalResult emitBody(func::FuncOp main, LLVM::LLVMFuncOp function);
  LogicalResult emitOperations(Block &block);
  LogicalResult emitOperation(Operation &op);
  std::optional<FusedTileGroup> findChain(Operation &op);
  LogicalResult emitChain(const FusedTileGroup &chain);
  LLVM::LLVMFuncOp getChainTask(const FusedTileGroup &chain, int64_t grain);
  LogicalResult emitScalar(Operation *op);
  LogicalResult emitLaunch(hlo::LaunchOp launch);
  void emitCopy(memref::CopyOp copy);
  Value locate(Value buffer);
  void declareNoAlias(func::FuncOp main, LLVM::LLVMFuncOp body);
  LLVM::LLVMFuncOp beginTask(StringRef symbol);
  LLVM::LLVMFuncOp getTask(hlo::LaunchOp launch, const KernelSchedule &schedule);

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value offset(Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value offset64(Value base, int64_t bytes) {
    if (bytes < int64_t(1) << 28) // a constant index of the operation has 29 bits
      return offset(base, bytes);
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{constant(b.getI64Type(), bytes)});
  }
  /// Memory on the stack for the whole call.
  Value stack(int64_t bytes, int64_t alignment) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), std::max<int64_t>(bytes, 1));
    return LLVM::AllocaOp::create(b, pointer, type, constant(b.getI64Type(), 1), alignment);
  }
  static unsigned getResultCount(func::FuncOp main) {
    return main->getAttrOfType<IntegerAttr>("hlo.results").getInt();
  }
  static int64_t bytesOf(Type type) {
    auto memory = cast<MemRefType>(type);
    return getByteSize(RankedTensorType::get(memory.getShape(), memory.getElementType()));
  }
  Value addressOf(StringRef symbol) { return LLVM::AddressOfOp::create(b, pointer, symbol); }
  LLVM::LLVMFuncOp getKernel(hlo::LaunchOp launch) {
    return functions.lookup<LLVM::LLVMFuncOp>(getKernelSymbol(names, launch.getKernel()));
  }

  ModuleOp program;
  const llvm::StringMap<KernelSchedule> &schedules;
  const ProgramNames &names;
  const Target &target;
  ModuleOp module;
  ImplicitLocOpBuilder b;
  Globals globals;
  Tracer tracer;
  /// Of the kernels, and how parallel loops call them.
  SymbolTable functions;
  llvm::StringMap<LLVM::LLVMFuncOp> tasks;
  Type pointer;
  ProgramInfo info;

  Block *entry = nullptr;
  Value context, arena, status, frame;
  /// Where the body finds the addresses of arguments and results, if it takes the host's tables.
  llvm::SmallDenseMap<Value, std::pair<Value, int64_t>> tableEntries;
  int64_t scratchOffset = 0, scratchBytes = 0;
  size_t longestFrame = 0;
  IRMapping values;
};

} // namespace

/// The address of a buffer. From a table it is loaded where it is used: hundreds of addresses that
/// live through the whole body would cost LLVM time that grows with the square of their number.
Value ProgramEmitter::locate(Value buffer) {
  auto entry = tableEntries.find(buffer);
  if (entry == tableEntries.end())
    return values.lookup(buffer);
  auto [table, position] = entry->second;
  return LLVM::LoadOp::create(b, pointer, offset(table, 8 * position));
}

/// A function that the runtime calls with a table of pointers and a range of tasks; building goes
/// on in it.
LLVM::LLVMFuncOp ProgramEmitter::beginTask(StringRef symbol) {
  b.setInsertionPointToEnd(module.getBody());
  Type i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64});
  auto task = LLVM::LLVMFuncOp::create(b, symbol, type, LLVM::Linkage::Internal);
  b.setInsertionPointToStart(task.addEntryBlock(b));
  return task;
}

/// The loop body that the runtime calls: unpacks the launch's pointers and runs a range of tasks.
LLVM::LLVMFuncOp ProgramEmitter::getTask(hlo::LaunchOp launch, const KernelSchedule &schedule) {
  LLVM::LLVMFuncOp &task = tasks[launch.getKernel()];
  if (task)
    return task;
  std::string symbol = getKernelSymbol(names, launch.getKernel()) + ".tasks";
  OpBuilder::InsertionGuard guard(b);
  task = beginTask(symbol);
  Type i64 = b.getI64Type();
  SmallVector<Value> arguments;
  size_t count = launch.getInputs().size() + launch.getOutputs().size() + 1;
  for (size_t i = 0; i < count; ++i)
    arguments.push_back(LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * i)));
  Value grain = constant(i64, schedule.grain), units = constant(i64, schedule.units);
  arguments.push_back(LLVM::MulOp::create(b, task.getArgument(1), grain));
  Value end = LLVM::MulOp::create(b, task.getArgument(2), grain);
  arguments.push_back(arith::MinSIOp::create(b, end, units));
  auto callKernel = [&]() -> LogicalResult {
    LLVM::CallOp::create(b, getKernel(launch), arguments);
    return success();
  };
  Value traced = tracer.isEnabled()
                     ? LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * count))
                     : Value();
  (void)tracer.trace(launch, "task", traced, callKernel);
  LLVM::ReturnOp::create(b, ValueRange());
  return task;
}

LogicalResult ProgramEmitter::emitLaunch(hlo::LaunchOp launch) {
  auto found = schedules.find(launch.getKernel());
  if (found == schedules.end())
    return launch.emitOpError("runs a kernel that has no code");
  const KernelSchedule &schedule = found->second;
  if (schedule.units == 0)
    return success();
  SmallVector<Value> arguments;
  for (Value buffer : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
    arguments.push_back(locate(buffer));
  Value scratch = schedule.scratchBytes ? offset64(arena, scratchOffset)
                                        : Value(LLVM::ZeroOp::create(b, pointer));
  arguments.push_back(scratch);
  int64_t tasks = (schedule.units + schedule.grain - 1) / schedule.grain;
  Type i64 = b.getI64Type();
  if (target.singleThreaded || tasks < 2) {
    arguments.push_back(constant(i64, 0));
    arguments.push_back(constant(i64, schedule.units));
    LLVM::CallOp::create(b, getKernel(launch), arguments);
    return success();
  }
  for (auto [i, argument] : llvm::enumerate(arguments))
    LLVM::StoreOp::create(b, argument, offset(frame, 8 * i));
  if (tracer.isEnabled())
    LLVM::StoreOp::create(b, context, offset(frame, 8 * arguments.size()));
  auto parallel = globals.declare("hlort_parallel_for", LLVM::LLVMVoidType::get(b.getContext()),
                                  {pointer, i64, pointer, pointer});
  Value body = addressOf(getTask(launch, schedule).getSymName());
  LLVM::CallOp::create(b, parallel, ValueRange{context, constant(i64, tasks), body, frame});
  return success();
}

void ProgramEmitter::emitCopy(memref::CopyOp copy) {
  Value from = locate(copy.getSource()), to = locate(copy.getTarget());
  Value bytes = constant(b.getI64Type(), bytesOf(copy.getSource().getType()));
  OpBuilder::InsertionGuard guard(b);
  if (copy->hasAttr("hlo.unless_same")) { // the host may have passed one buffer as both
    Value differ = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, from, to);
    b.setInsertionPointToStart(scf::IfOp::create(b, differ, /*withElseRegion=*/false).thenBlock());
  }
  LLVM::MemcpyOp::create(b, to, from, bytes, /*isVolatile=*/false);
}

/// Control flow and integer arithmetic stay as they are; only buffers change.
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

/// A trace shows launches one by one, and so they go.
std::optional<FusedTileGroup> ProgramEmitter::findChain(Operation &op) {
  auto launch = dyn_cast<hlo::LaunchOp>(op);
  if (!launch || tracer.isEnabled())
    return std::nullopt;
  auto main = op.getParentOfType<func::FuncOp>();
  unsigned arguments = main.getNumArguments() - 1 - getResultCount(main);
  return findFusedTileGroup(launch, schedules, target, [&](Value x, Value y) {
    auto aliases = program->getAttrOfType<ArrayAttr>("hlo.aliases");
    return aliases &&
           llvm::any_of(aliases.getAsRange<DenseI64ArrayAttr>(), [&](DenseI64ArrayAttr pair) {
             Value result = main.getArgument(arguments + pair[0]),
                   argument = main.getArgument(pair[1]);
             return (x == result && y == argument) || (x == argument && y == result);
           });
  });
}

/// The loop body of a chain: a range of its tasks, `grain` parts each.
LLVM::LLVMFuncOp ProgramEmitter::getChainTask(const FusedTileGroup &chain, int64_t grain) {
  std::string symbol = names.prefix;
  for (hlo::LaunchOp launch : chain.launches)
    symbol += "." + launch.getKernel().str();
  symbol += ".chain";
  LLVM::LLVMFuncOp &task = tasks[symbol];
  if (task)
    return task;
  OpBuilder::InsertionGuard guard(b);
  task = beginTask(symbol);
  Type i64 = b.getI64Type();
  SmallVector<SmallVector<Value>> arguments;
  int64_t slot = 0;
  for (hlo::LaunchOp launch : chain.launches) {
    SmallVector<Value> &pointers = arguments.emplace_back();
    for (size_t i = 0; i < launch.getInputs().size() + launch.getOutputs().size(); ++i)
      pointers.push_back(LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * slot++)));
    pointers.push_back(LLVM::ZeroOp::create(b, pointer));
  }
  IndexBuilder index(b, 1, b.getI32Type());
  auto part = [&](unsigned argument) {
    Value number = arith::IndexCastOp::create(b, b.getIndexType(), task.getArgument(argument));
    return b.createOrFold<arith::MinSIOp>(index.multiply(index.uniform(number), grain).base,
                                          index.constant(chain.batches * chain.getBlocks()));
  };
  auto loop = scf::ForOp::create(b, part(1), part(2), index.constant(1));
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    auto [batch, block] = std::pair(
        b.createOrFold<arith::DivUIOp>(loop.getInductionVar(), index.constant(chain.getBlocks())),
        b.createOrFold<arith::RemUIOp>(loop.getInductionVar(), index.constant(chain.getBlocks())));
    for (size_t i = 0; i < chain.launches.size(); ++i) {
      hlo::LaunchOp launch = chain.launches[i];
      SmallVector<Value> &pointers = arguments[i];
      auto [begin, end] = buildChainedUnits(
          index, chain, schedules.find(launch.getKernel())->second.blocks, batch, block);
      pointers.push_back(arith::IndexCastOp::create(b, i64, begin));
      pointers.push_back(arith::IndexCastOp::create(b, i64, end));
      LLVM::CallOp::create(b, getKernel(launch), pointers);
    }
  }
  LLVM::ReturnOp::create(b, ValueRange());
  return task;
}

LogicalResult ProgramEmitter::emitChain(const FusedTileGroup &chain) {
  SmallVector<Value> pointers;
  for (hlo::LaunchOp launch : chain.launches)
    for (Value buffer : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
      pointers.push_back(locate(buffer));
  Value table = stack(8 * pointers.size(), 16);
  for (auto [i, address] : llvm::enumerate(pointers))
    LLVM::StoreOp::create(b, address, offset(table, 8 * i));
  hlo::LaunchOp front = chain.launches.front();
  const KernelSchedule &first = schedules.find(front.getKernel())->second;
  int64_t parts = chain.batches * chain.getBlocks(),
          unitsOfPart = std::max<int64_t>(1, first.units / parts);
  int64_t grain = target.singleThreaded ? parts : llvm::divideCeil(first.grain, unitsOfPart),
          tasks = llvm::divideCeil(parts, grain);
  LLVM::LLVMFuncOp body = getChainTask(chain, grain);
  Type i64 = b.getI64Type();
  if (tasks < 2) {
    LLVM::CallOp::create(b, body, ValueRange{table, constant(i64, 0), constant(i64, tasks)});
    return success();
  }
  auto parallel = globals.declare("hlort_parallel_for", LLVM::LLVMVoidType::get(b.getContext()),
                                  {pointer, i64, pointer, pointer});
  LLVM::CallOp::create(
      b, parallel, ValueRange{context, constant(i64, tasks), addressOf(body.getSymName()), table});
  return success();
}

LogicalResult ProgramEmitter::emitOperations(Block &block) {
  llvm::SmallPtrSet<Operation *, 4> chained;
  for (Operation &op : block) {
    if (chained.contains(&op))
      continue;
    std::optional<FusedTileGroup> chain = findChain(op);
    if (!chain) {
      if (failed(emitOperation(op)))
        return failure();
      continue;
    }
    chained.insert(chain->launches.begin(), chain->launches.end());
    for (Operation *other = op.getNextNode(); other != chain->launches.back();
         other = other->getNextNode())
      if (chained.insert(other).second && failed(emitOperation(*other)))
        return failure();
    b.setLoc(op.getLoc());
    if (failed(emitChain(*chain)))
      return failure();
  }
  return success();
}

LogicalResult ProgramEmitter::emitOperation(Operation &op) {
  b.setLoc(op.getLoc());
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<hlo::LaunchOp>([&](hlo::LaunchOp launch) {
        return tracer.trace(launch, "kernel", context, [&] { return emitLaunch(launch); });
      })
      .Case<hlo::RuntimeCallOp>([&](hlo::RuntimeCallOp call) {
        SmallVector<Value> inputs, outputs;
        for (Value input : call.getInputs())
          inputs.push_back(locate(input));
        for (Value output : call.getOutputs())
          outputs.push_back(locate(output));
        auto onStack = [&](int64_t bytes) { return stack(bytes, 16); };
        auto kernel = [&](StringRef name) {
          return KernelCode{functions.lookup<LLVM::LLVMFuncOp>(getKernelSymbol(names, name)),
                            schedules.lookup(name)};
        };
        return tracer.trace(call, getTraceCategory(call), context, [&] {
          return emitRuntimeCall(call,
                                 {b, globals, context, status, inputs, outputs, onStack, kernel});
        });
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
        // The same elements in another shape, or the same memory as another type.
        values.map(cast.getResult(), locate(cast.getSource()));
        return success();
      })
      .Case<memref::AllocaOp>([&](memref::AllocaOp alloca) {
        int64_t bytes = bytesOf(alloca.getType());
        values.map(alloca.getResult(), stack(bytes, bytes >= 64 ? 64 : 16));
        return success();
      })
      .Case<memref::GetGlobalOp>([&](memref::GetGlobalOp get) {
        values.map(get.getResult(), addressOf((names.module + "." + get.getName()).str()));
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
        // A pred is a byte, other integers of fewer bits are the byte's lowest ones.
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

LogicalResult ProgramEmitter::emitBody(func::FuncOp main, LLVM::LLVMFuncOp function) {
  entry = function.addEntryBlock(b);
  // Allocations gather before this point.
  Block *start = b.createBlock(&function.getBody(), function.getBody().end());
  b.setInsertionPointToStart(start);
  unsigned buffers = main.getNumArguments() - 1, arguments = buffers - getResultCount(main);
  context = function.getArgument(0);
  arena = function.getArgument(function.getNumArguments() - 2);
  status = function.getArgument(function.getNumArguments() - 1);
  for (unsigned i = 0; i < buffers; ++i)
    if (!takesTables(buffers))
      values.map(main.getArgument(i), function.getArgument(i + 1));
    else if (i < arguments)
      tableEntries[main.getArgument(i)] = {function.getArgument(1), i};
    else
      tableEntries[main.getArgument(i)] = {function.getArgument(2), i - arguments};
  values.map(main.getArgument(buffers), arena);
  main.walk([&](hlo::LaunchOp launch) {
    longestFrame =
        std::max<size_t>(longestFrame, launch.getInputs().size() + launch.getOutputs().size() + 2);
  });
  frame = stack(8 * longestFrame, 16);
  if (failed(emitOperations(main.getBody().front())))
    return failure();
  Value code = constant(b.getI32Type(), 0);
  if (needsParticipants(program)) {
    code = emitProgramEnd(b, globals, program, context, code, status);
    auto record = getProgramRecord(globals, b, program).getDefiningOp<LLVM::AddressOfOp>();
    function->setAttr(kEndsProgram, record.getGlobalNameAttr());
  }
  LLVM::ReturnOp::create(b, code);
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, ValueRange(), start);
  return success();
}

/// Results overlap nothing but arguments that they may alias. The body keeps this knowledge only as
/// long as it is a function of its own.
void ProgramEmitter::declareNoAlias(func::FuncOp main, LLVM::LLVMFuncOp body) {
  body.setNoInline(true);
  unsigned buffers = main.getNumArguments() - 1;
  if (takesTables(buffers))
    return;
  unsigned arguments = buffers - getResultCount(main);
  llvm::BitVector shared(buffers);
  if (auto aliases = program->getAttrOfType<ArrayAttr>("hlo.aliases"))
    for (auto pair : aliases.getAsRange<DenseI64ArrayAttr>()) {
      shared.set(arguments + pair[0]);
      shared.set(pair[1]);
    }
  for (unsigned i = 0; i <= buffers; ++i)
    if (i == buffers || !shared[i])
      body.setArgAttr(i + 1, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
}

FailureOr<ProgramInfo> ProgramEmitter::emit() {
  auto main = program.lookupSymbol<func::FuncOp>("main");
  if (!main || !main->hasAttr("hlo.results"))
    return program.emitError("expected a program on memory"), failure();
  scratchOffset =
      (cast<MemRefType>(main.getArgument(main.getNumArguments() - 1).getType()).getNumElements() +
       63) /
      64 * 64;
  for (const auto &schedule : schedules)
    scratchBytes = std::max(scratchBytes, schedule.second.scratchBytes);
  info.arenaBytes = scratchOffset + scratchBytes;
  b.setInsertionPointToStart(module.getBody());
  for (auto constant : program.getOps<memref::GlobalOp>()) {
    std::string symbol = (names.module + "." + constant.getSymName()).str();
    auto value = cast<ElementsAttr>(constant.getInitialValueAttr());
    int64_t bytes = bytesOf(constant.getType());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), std::max<int64_t>(bytes, 1));
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::External,
                                         symbol, Attribute(), 64);
    global.setVisibility_(LLVM::Visibility::Hidden);
    info.constants.push_back({symbol, value});
  }
  unsigned buffers = main.getNumArguments() - 1;
  SmallVector<Type> types(takesTables(buffers) ? 5 : buffers + 3, pointer);
  // Names of kernels have no dots: none is called so.
  auto body = LLVM::LLVMFuncOp::create(b, names.prefix + ".program.body",
                                       LLVM::LLVMFunctionType::get(b.getI32Type(), types),
                                       LLVM::Linkage::Internal);
  declareNoAlias(main, body);
  if (failed(emitBody(main, body)))
    return failure();
  SmallVector<int64_t> argumentBytes, resultBytes;
  unsigned results = getResultCount(main);
  for (Type type : main.getArgumentTypes().drop_back())
    argumentBytes.push_back(bytesOf(type));
  while (resultBytes.size() < results)
    resultBytes.insert(resultBytes.begin(), argumentBytes.pop_back_val());
  b.setLoc(program.getLoc());
  emitEntryFunction(b, globals, module, names, {argumentBytes, resultBytes, info.arenaBytes}, body,
                    program);
  return info;
}

FailureOr<ProgramInfo> emitProgram(ModuleOp program,
                                   const llvm::StringMap<KernelSchedule> &schedules,
                                   const ProgramNames &names, const Target &target,
                                   ModuleOp module) {
  return ProgramEmitter(program, schedules, names, target, module).emit();
}

} // namespace hloc
