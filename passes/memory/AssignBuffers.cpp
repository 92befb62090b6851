// SPDX-License-Identifier: Apache-2.0
// Turns functions on tensors into functions on memrefs, as the plan prescribes
// (AssignBuffersPlan.h). Test: test/passes/memory/assign-buffers.mlir.
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/Location.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "passes/CustomCalls.h"
#include "passes/Passes.h"
#include "passes/kernels/OutlineKernels.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/TileGroups.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::buffers;

namespace hloc {
#define GEN_PASS_DEF_ASSIGNBUFFERS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

MemRefType toMemory(Type type) {
  auto array = cast<RankedTensorType>(type);
  return MemRefType::get(array.getShape(), array.getElementType());
}

/// What the functions of a program share.
struct Shared {
  explicit Shared(ModuleOp module) : outliner(module) {}

  KernelOutliner outliner;
  DenseMap<Attribute, memref::GlobalOp> globals;
};

class MemoryProgram {
public:
  MemoryProgram(func::FuncOp source, func::FuncOp target, Plan &plan, Shared &shared)
      : source(source), target(target), plan(plan), shared(shared), atEntry(target.getContext()) {}

  LogicalResult emit(ArrayRef<Alias> aliases);

private:
  LogicalResult emitBlock(Block &block, OpBuilder &builder);
  LogicalResult emitOp(Operation *op, OpBuilder &builder);
  LogicalResult emitRegion(Region &from, Region &to);
  void emitKernel(KernelOp kernel, OpBuilder &builder);
  void emitRuntimeCall(Operation *op, OpBuilder &builder);
  void emitDone(CollectiveDoneOp done, OpBuilder &builder);
  /// Emits a call that waits for what it reads.
  void emitWait(Operation *op, StringRef callee, ValueRange reads, OpBuilder &builder);
  void emitCopies(Operation *op, OpBuilder &builder);
  LogicalResult emitControl(Operation *op, OpBuilder &builder);

  /// Records the numbers of the values that `op` reads and writes, for check-buffers.
  void annotate(Operation *op, ValueRange reads, ValueRange writes);
  void annotateTransfer(Operation *op, ValueRange from, ValueRange to);
  int64_t numberOf(Value value) {
    while (Value shown = getShown(value))
      value = shown;
    return numbers.try_emplace(value, numbers.size()).first->second;
  }
  SmallVector<int64_t> numbersOf(ValueRange values) {
    SmallVector<int64_t> result;
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        result.push_back(numberOf(value));
    return result;
  }

  /// The memory of a buffer as an array of `type`.
  Value getMemory(int buffer, MemRefType type);
  Value getMemory(Value value) {
    return getMemory(plan.getBuffer(value), toMemory(value.getType()));
  }
  Value getMemory(int buffer) { return getMemory(buffer, toMemory(plan[buffer].type)); }
  /// The memory of those values that are arrays.
  SmallVector<Value> getMemories(ValueRange values) {
    SmallVector<Value> result;
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        result.push_back(getMemory(value));
    return result;
  }
  Value makeMemory(int buffer, MemRefType type);

  func::FuncOp source, target;
  Plan &plan;
  Shared &shared;
  OpBuilder atEntry;
  IRMapping scalars;
  DenseMap<std::pair<int, Type>, Value> memory;
  DenseMap<Value, int64_t> numbers;
};

Value MemoryProgram::makeMemory(int index, MemRefType type) {
  const Buffer &buffer = plan[index];
  Location loc = plan.getLoc(buffer);
  if (buffer.place == Place::Arena) {
    Value offset = arith::ConstantIndexOp::create(atEntry, loc, buffer.offset);
    Value arena = target.getArguments().back();
    return memref::ViewOp::create(atEntry, loc, type, arena, offset, ValueRange());
  }
  if (buffer.place == Place::InResult) {
    Value result = target.getArgument(source.getNumArguments() + buffer.index);
    auto bytes = MemRefType::get({getBytes(result.getType())}, atEntry.getI8Type());
    Value memory = UnrealizedConversionCastOp::create(atEntry, loc, bytes, result).getResult(0);
    Value offset = arith::ConstantIndexOp::create(atEntry, loc, buffer.offset);
    return memref::ViewOp::create(atEntry, loc, type, memory, offset, ValueRange());
  }
  auto inShape = [&](Value array) -> Value {
    if (array.getType() == type)
      return array;
    // A reinterpret_cast cannot change the element type or have strides without elements.
    if (type.getNumElements() == 0 || type.getElementType() != getElementTypeOrSelf(array))
      return UnrealizedConversionCastOp::create(atEntry, loc, type, array).getResult(0);
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)type.getStridesAndOffset(strides, offset);
    return memref::ReinterpretCastOp::create(atEntry, loc, type, array, int64_t(0), type.getShape(),
                                             strides);
  };
  MemRefType own = toMemory(buffer.type);
  if (type != own)
    return inShape(getMemory(index, own));
  switch (buffer.place) {
  case Place::Stack:
    return memref::AllocaOp::create(atEntry, loc, type);
  case Place::Argument:
    return inShape(target.getArgument(buffer.index));
  case Place::Result:
    return inShape(target.getArgument(source.getNumArguments() + buffer.index));
  default: {
    Attribute value = buffer.value.getDefiningOp<ConstantOp>().getValue();
    memref::GlobalOp &global = shared.globals[value];
    if (!global) {
      OpBuilder atModule(source);
      // The dot keeps the name apart from those of kernels.
      std::string name = "constant." + std::to_string(shared.globals.size() - 1);
      global = memref::GlobalOp::create(atModule, loc, name, atModule.getStringAttr("private"),
                                        type, value, /*constant=*/true, IntegerAttr());
    }
    return memref::GetGlobalOp::create(atEntry, loc, type, global.getSymName());
  }
  }
}

Value MemoryProgram::getMemory(int buffer, MemRefType type) {
  if (Value known = memory.lookup({buffer, type}))
    return known;
  Value made = makeMemory(buffer, type);
  memory[{buffer, type}] = made;
  return made;
}

void MemoryProgram::annotate(Operation *op, ValueRange reads, ValueRange writes) {
  Builder builder(op->getContext());
  if (!reads.empty())
    op->setAttr("hlo.reads", builder.getDenseI64ArrayAttr(numbersOf(reads)));
  if (!writes.empty())
    op->setAttr("hlo.writes", builder.getDenseI64ArrayAttr(numbersOf(writes)));
}

void MemoryProgram::annotateTransfer(Operation *op, ValueRange from, ValueRange to) {
  SmallVector<int64_t> pairs;
  for (auto [source, target] : llvm::zip(numbersOf(from), numbersOf(to)))
    pairs.append({source, target});
  if (!pairs.empty())
    op->setAttr("hlo.becomes", Builder(op->getContext()).getDenseI64ArrayAttr(pairs));
}

void MemoryProgram::emitCopies(Operation *op, OpBuilder &builder) {
  for (Copy copy : plan.getCopies(op)) {
    MemRefType type = toMemory(plan[copy.to].type);
    memref::CopyOp::create(builder, op->getLoc(), getMemory(copy.from, type),
                           getMemory(copy.to, type));
  }
}

void MemoryProgram::emitKernel(KernelOp kernel, OpBuilder &builder) {
  SmallVector<Value> inputs = getMemories(kernel.getInputs()), outputs;
  SmallVector<int64_t> reuse(kernel.getReuse());
  for (auto [i, result] : llvm::enumerate(kernel.getResults())) {
    outputs.push_back(getMemory(result));
    if (plan.isReused(kernel, i))
      continue;
    if (!kernel.getMustReuse()) {
      reuse[i] = -1;
      continue;
    }
    auto copy = memref::CopyOp::create(builder, kernel.getLoc(), inputs[reuse[i]], outputs[i]);
    annotate(copy, kernel.getInputs()[reuse[i]], kernel.getInputs()[reuse[i]]);
    inputs[reuse[i]] = outputs[i];
  }
  FlatSymbolRefAttr function = shared.outliner.outline(kernel, reuse);
  int scratch = plan.getScratch(kernel);
  auto launch = LaunchOp::create(builder, kernel.getLoc(), function, inputs, outputs,
                                 scratch < 0 ? Value() : getMemory(scratch));
  if (Attribute groups = kernel->getDiscardableAttr(kTileGroups))
    launch->setDiscardableAttr(kTileGroups, groups);
  annotate(launch, kernel.getInputs(), kernel.getResults());
}

void MemoryProgram::emitRuntimeCall(Operation *op, OpBuilder &builder) {
  SmallVector<Value> inputs = getMemories(op->getOperands()),
                     outputs = getMemories(op->getResults());
  auto custom = dyn_cast<CustomCallOp>(op); // its operands may share memory
  for (auto [i, reused] : llvm::enumerate(custom ? getReuse(custom) : SmallVector<int64_t>())) {
    if (reused < 0)
      continue;
    Value input = op->getOperand(reused);
    if (plan.getBuffer(input) != plan.getBuffer(op->getResult(i)))
      annotate(memref::CopyOp::create(builder, op->getLoc(), inputs[reused], outputs[i]), input,
               input);
    inputs[reused] = outputs[i];
  }
  auto call = RuntimeCallOp::create(builder, op->getLoc(), op->getName().stripDialect(), inputs,
                                    outputs, op->getAttrDictionary());
  annotate(call, op->getOperands(), op->getResults());
}

/// The results are among its operands already: the start has allocated them.
void MemoryProgram::emitDone(CollectiveDoneOp done, OpBuilder &builder) {
  SmallVector<Value> reads{done.getTicket()};
  llvm::append_range(reads, done.getBuffers());
  for (Value kept : done.getKept()) {
    bool isReused = llvm::any_of(done.getBuffers(), [&](Value buffer) {
      return plan.getBuffer(buffer) == plan.getBuffer(kept);
    });
    if (!isReused)
      reads.push_back(kept);
  }
  emitWait(done, "collective_done", reads, builder);
}

void MemoryProgram::emitWait(Operation *op, StringRef callee, ValueRange reads,
                             OpBuilder &builder) {
  auto call = RuntimeCallOp::create(builder, op->getLoc(), callee, getMemories(reads), ValueRange(),
                                    builder.getDictionaryAttr({}));
  annotate(call, reads, {});
}

LogicalResult MemoryProgram::emitRegion(Region &from, Region &to) {
  if (from.empty())
    return success();
  Block &block = from.front();
  if (to.empty())
    to.emplaceBlock();
  Block &target = to.front();
  if (!target.empty()) // an implicit terminator
    target.getTerminator()->erase();
  if (target.getNumArguments())
    scalars.map(block.getArgument(0), target.getArgument(0));
  OpBuilder builder = OpBuilder::atBlockEnd(&target);
  return emitBlock(block, builder);
}

LogicalResult MemoryProgram::emitControl(Operation *op, OpBuilder &builder) {
  Location loc = op->getLoc();
  emitCopies(op, builder);
  Operation *made;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    made = scf::ForOp::create(builder, loc, scalars.lookupOrDefault(loop.getLowerBound()),
                              scalars.lookupOrDefault(loop.getUpperBound()),
                              scalars.lookupOrDefault(loop.getStep()));
  } else if (isa<scf::WhileOp>(op)) {
    made = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
    for (Region &region : made->getRegions())
      if (region.empty())
        region.emplaceBlock();
  } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
    made =
        scf::IfOp::create(builder, loc, TypeRange(), scalars.lookupOrDefault(choice.getCondition()),
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
  } else {
    auto choices = cast<scf::IndexSwitchOp>(op);
    made = scf::IndexSwitchOp::create(builder, loc, TypeRange(),
                                      scalars.lookupOrDefault(choices.getArg()), choices.getCases(),
                                      choices.getNumCases());
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    annotateTransfer(made, loop.getInits(), loop.getRegionIterArgs());
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    annotateTransfer(made, loop.getInits(), loop.getBeforeArguments());
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    if (failed(emitRegion(from, to)))
      return failure();
  // Results of a loop have the numbers of its arguments.
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      numbers[result] = numberOf(argument);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults()))
      numbers[result] = numberOf(argument);
  return success();
}

LogicalResult MemoryProgram::emitOp(Operation *op, OpBuilder &builder) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ConstantOp, ReshapeOp, AfterAllOp>([&](auto) { return success(); })
      .Case([&](KernelOp kernel) {
        emitKernel(kernel, builder);
        return success();
      })
      .Case([&](CollectiveDoneOp done) {
        emitDone(done, builder);
        return success();
      })
      .Case([&](AsyncWaitOp wait) {
        emitWait(wait, "async_wait", wait->getOperands(), builder);
        return success();
      })
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(
          [&](Operation *control) { return emitControl(control, builder); })
      .Case([&](scf::YieldOp yield) {
        emitCopies(yield, builder);
        auto made = scf::YieldOp::create(builder, loc);
        Operation *parent = yield->getParentOp();
        ValueRange targets = parent->getResults();
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          targets = loop.getRegionIterArgs();
        else if (auto loop = dyn_cast<scf::WhileOp>(parent))
          targets = loop.getBeforeArguments();
        annotateTransfer(made, yield.getOperands(), targets);
        return success();
      })
      .Case([&](scf::ConditionOp condition) {
        emitCopies(condition, builder);
        auto made = scf::ConditionOp::create(
            builder, loc, scalars.lookupOrDefault(condition.getCondition()), ValueRange());
        auto loop = cast<scf::WhileOp>(condition->getParentOp());
        annotateTransfer(made, condition.getArgs(), loop.getAfterArguments());
        return success();
      })
      .Case([&](func::ReturnOp result) {
        emitCopies(result, builder);
        annotate(func::ReturnOp::create(builder, loc), result.getOperands(), {});
        return success();
      })
      .Case([&](tensor::ExtractOp extract) {
        auto load = memref::LoadOp::create(builder, loc, getMemory(extract.getTensor()));
        annotate(load, extract.getTensor(), {});
        scalars.map(extract.getResult(), load.getResult());
        return success();
      })
      .Case([&](tensor::FromElementsOp make) {
        auto store = memref::StoreOp::create(builder, loc,
                                             scalars.lookupOrDefault(make.getElements().front()),
                                             getMemory(make.getResult()));
        annotate(store, {}, make.getResult());
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa<HLODialect>(other->getDialect()) || isa<tensor::EmptyOp>(other)) // kEmptyCall
          emitRuntimeCall(other, builder);
        else if (other->getNumRegions() ||
                 llvm::any_of(other->getResultTypes(), llvm::IsaPred<ShapedType>))
          return other->emitOpError("cannot be given memory");
        else
          builder.clone(*other, scalars);
        return success();
      });
}

LogicalResult MemoryProgram::emitBlock(Block &block, OpBuilder &builder) {
  for (Operation &op : block)
    if (failed(emitOp(&op, builder)))
      return failure();
  return success();
}

LogicalResult MemoryProgram::emit(ArrayRef<Alias> aliases) {
  Block *entry = target.addEntryBlock();
  // Operations that represent memory come first in the entry block.
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Operation *marker = arith::ConstantIndexOp::create(builder, target.getLoc(), 0);
  atEntry.setInsertionPoint(marker);
  for (Alias alias : aliases) {
    const Buffer &buffer = plan[plan.getBuffer(source.getArgument(alias.argument))];
    if (buffer.place != Place::Result || buffer.index != alias.result)
      continue;
    // The copy is skipped if the host passes the same memory for both.
    Value argument = target.getArgument(alias.argument);
    Value result = getMemory(plan.getBuffer(source.getArgument(alias.argument)),
                             cast<MemRefType>(argument.getType()));
    auto copy = memref::CopyOp::create(builder, target.getLoc(), argument, result);
    copy->setAttr("hlo.unless_same", builder.getUnitAttr());
  }
  for (BlockArgument argument : source.getArguments())
    target.setArgAttr(argument.getArgNumber(), "hlo.value",
                      builder.getI64IntegerAttr(numberOf(argument)));
  if (failed(emitBlock(source.getBody().front(), builder)))
    return failure();
  for (auto &[key, value] : memory)
    if (auto global = value.getDefiningOp<memref::GetGlobalOp>())
      annotate(global, {}, plan[key.first].value);
  marker->erase();
  return success();
}

struct AssignBuffers : hloc::impl::AssignBuffersBase<AssignBuffers> {
  void runOnOperation() override;

private:
  FailureOr<SmallVector<Alias>> getAliases(func::FuncOp main);
  func::FuncOp createTarget(func::FuncOp main, int64_t arenaBytes);
  void describe(func::FuncOp target, Plan &plan);
};

FailureOr<SmallVector<Alias>> AssignBuffers::getAliases(func::FuncOp main) {
  SmallVector<Alias> aliases;
  auto attribute = getOperation()->getAttrOfType<ArrayAttr>("hlo.aliases");
  for (Attribute entry : attribute ? attribute.getValue() : ArrayRef<Attribute>()) {
    ArrayRef<int64_t> pair = cast<DenseI64ArrayAttr>(entry).asArrayRef();
    if (pair[0] >= int64_t(main.getNumResults()) || pair[1] >= int64_t(main.getNumArguments()))
      continue;
    if (getBytes(main.getResultTypes()[pair[0]]) != getBytes(main.getArgumentTypes()[pair[1]]))
      return main.emitOpError("expected result ")
             << pair[0] << " to take as many bytes as argument " << pair[1] << ", its alias";
    aliases.push_back({pair[0], pair[1]});
  }
  return aliases;
}

/// Creates main on memrefs, without a body: arguments, results, arena.
func::FuncOp AssignBuffers::createTarget(func::FuncOp main, int64_t arenaBytes) {
  OpBuilder builder(main);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto getOrEmpty = [&](DictionaryAttr dictionary) {
    return dictionary ? dictionary : builder.getDictionaryAttr({});
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    types.push_back(toMemory(main.getArgumentTypes()[i]));
    attributes.push_back(getOrEmpty(main.getArgAttrDict(i)));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    types.push_back(toMemory(main.getResultTypes()[i]));
    attributes.push_back(getOrEmpty(main.getResultAttrDict(i)));
  }
  types.push_back(MemRefType::get({arenaBytes}, builder.getI8Type()));
  attributes.push_back(builder.getDictionaryAttr({}));
  auto target = func::FuncOp::create(builder, main.getLoc(), main.getName(),
                                     builder.getFunctionType(types, {}));
  target.setAllArgAttrs(attributes);
  for (NamedAttribute attribute : main->getDiscardableAttrs())
    target->setAttr(attribute.getName(), attribute.getValue());
  target->setAttr("hlo.results", builder.getI64IntegerAttr(main.getNumResults()));
  return target;
}

/// Attaches what the report says about the arena.
void AssignBuffers::describe(func::FuncOp target, Plan &plan) {
  OpBuilder builder(target);
  target->setAttr("hlo.arena_bytes", builder.getI64IntegerAttr(plan.arenaBytes));
  target->setAttr("hlo.bytes_in_results", builder.getI64IntegerAttr(plan.bytesInResults));
  target->setAttr("hlo.arena_bound", builder.getI64IntegerAttr(plan.arenaBound));
  SmallVector<Attribute> list, names;
  for (int index : plan.arenaBuffers) {
    const Buffer &buffer = plan[index];
    list.push_back(
        builder.getDenseI64ArrayAttr({buffer.offset, buffer.bytes, buffer.begin(), buffer.end()}));
    StringRef name = getInstructionName(plan.getLoc(buffer));
    names.push_back(builder.getStringAttr(buffer.user ? "scratch of " + name : name));
  }
  target->setAttr("hlo.arena_buffers", builder.getArrayAttr(list));
  target->setAttr("hlo.arena_names", builder.getArrayAttr(names));
  target->setAttr("hlo.arena_positions", builder.getDenseI64ArrayAttr(plan.getLaunchPositions()));
  arenaBytes += plan.arenaBytes;
}

void AssignBuffers::runOnOperation() {
  SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
  Shared shared(getOperation());
  for (func::FuncOp function : functions) {
    FailureOr<SmallVector<Alias>> aliases = SmallVector<Alias>();
    if (function.getName() == "main" && failed(aliases = getAliases(function)))
      return signalPassFailure();
    Plan plan(function, *aliases);
    func::FuncOp target = createTarget(function, plan.arenaBytes);
    target.setVisibility(function.getVisibility());
    if (failed(MemoryProgram(function, target, plan, shared).emit(*aliases)))
      return signalPassFailure();
    describe(target, plan);
    target.walk([&](memref::CopyOp) { ++copies; });
    function.erase();
  }
}

} // namespace
