// SPDX-License-Identifier: Apache-2.0
// Launches of kernels in the program's body: called directly, as tasks of a parallel loop, or with
// others as a group that runs tile by tile.
#include "codegen/LaunchAttribute.h"
#include "codegen/program/ProgramEmitter.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hloc {

/// Begins a function that the runtime calls with a table of pointers and a range of tasks, and sets
/// the insertion point into it.
LLVM::LLVMFuncOp ProgramEmitter::beginTask(StringRef symbol) {
  b.setInsertionPointToEnd(program.getBody());
  Type i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64});
  auto task = LLVM::LLVMFuncOp::create(b, symbol, type, LLVM::Linkage::Internal);
  b.setInsertionPointToStart(task.addEntryBlock(b));
  return task;
}

/// The loop body that the runtime calls: unpacks the launch's pointers, the context if there is a
/// trace, and the number of units in phases before, if there are phases; and runs a range of tasks.
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
  int64_t unitsOfPhase = schedule.units / schedule.phases;
  Value grain = constant(i64, llvm::divideCeil(unitsOfPhase, schedule.tasks)),
        units = constant(i64, unitsOfPhase);
  Value begin = LLVM::MulOp::create(b, task.getArgument(1), grain),
        end = LLVM::MulOp::create(b, task.getArgument(2), grain);
  end = arith::MinSIOp::create(b, end, units);
  if (schedule.phases > 1) {
    Value before = LLVM::LoadOp::create(b, i64, offset(task.getArgument(0), 8 * (count + 1)));
    begin = LLVM::AddOp::create(b, begin, before);
    end = LLVM::AddOp::create(b, end, before);
  }
  arguments.append({begin, end});
  auto callKernel = [&]() -> LogicalResult {
    LLVM::CallOp::create(b, getKernel(launch), arguments);
    return success();
  };
  Value traced = tracer.isEnabled()
                     ? LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * count))
                     : Value();
  (void)tracer.trace(launch, "task", traced, callKernel, launch.getKernel());
  LLVM::ReturnOp::create(b, ValueRange());
  return task;
}

void ProgramEmitter::callParallel(int64_t tasks, LLVM::LLVMFuncOp task) {
  Type i64 = b.getI64Type();
  auto parallel = globals.declare("hlort_parallel_for", LLVM::LLVMVoidType::get(b.getContext()),
                                  {pointer, i64, pointer, pointer});
  Value body = addressOf(task.getSymName());
  LLVM::CallOp::create(b, parallel, ValueRange{context, constant(i64, tasks), body, frame});
}

LogicalResult ProgramEmitter::emitLaunch(hlo::LaunchOp launch) {
  auto found = schedules.find(launch.getKernel());
  if (found == schedules.end())
    return launch.emitOpError("runs a kernel that has no code");
  const KernelSchedule &schedule = found->second;
  if (schedule.units == 0)
    return success();
  Value given = launch.getScratch();
  if (schedule.scratchBytes > (given ? buffers::getBytes(given.getType()) : 0))
    return launch.emitOpError("needs ") << schedule.scratchBytes << " bytes of scratch memory";
  SmallVector<Value> arguments;
  for (Value buffer : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
    arguments.push_back(locate(buffer));
  Value scratch = given ? locate(given) : Value(LLVM::ZeroOp::create(b, pointer));
  arguments.push_back(scratch);
  Type i64 = b.getI64Type();
  if (!launch->hasAttr(kDivided)) {
    arguments.push_back(constant(i64, 0));
    arguments.push_back(constant(i64, schedule.units));
    LLVM::CallOp::create(b, getKernel(launch), arguments);
    return success();
  }
  for (auto [i, argument] : llvm::enumerate(arguments))
    LLVM::StoreOp::create(b, argument, offset(frame, 8 * i));
  if (tracer.isEnabled())
    LLVM::StoreOp::create(b, context, offset(frame, 8 * arguments.size()));
  LLVM::LLVMFuncOp task = getTask(launch, schedule);
  int64_t units = schedule.units / schedule.phases,
          tasks = llvm::divideCeil(units, llvm::divideCeil(units, schedule.tasks));
  for (int64_t phase = 0; phase < schedule.phases; ++phase) {
    if (schedule.phases > 1)
      LLVM::StoreOp::create(b, constant(i64, phase * units),
                            offset(frame, 8 * (arguments.size() + 1)));
    callParallel(tasks, task);
  }
  return success();
}

std::optional<FusedTileGroup> ProgramEmitter::findGroup(Operation &op) {
  auto launch = dyn_cast<hlo::LaunchOp>(op);
  if (!launch)
    return std::nullopt;
  auto function = op.getParentOfType<func::FuncOp>();
  unsigned arguments = function.getNumArguments() - 1 - getResultCount(function);
  ArrayAttr aliases = getAliases(function);
  return findFusedTileGroup(launch, schedules, target, [&](Value x, Value y) {
    return aliases &&
           llvm::any_of(aliases.getAsRange<DenseI64ArrayAttr>(), [&](DenseI64ArrayAttr pair) {
             Value result = function.getArgument(arguments + pair[0]),
                   argument = function.getArgument(pair[1]);
             return (x == result && y == argument) || (x == argument && y == result);
           });
  });
}

/// The names of a group's kernels, joined by `separator`.
static std::string joinKernels(const FusedTileGroup &group, StringRef separator) {
  return llvm::join(
      llvm::map_range(group.launches, [](hlo::LaunchOp launch) { return launch.getKernel(); }),
      separator);
}

/// The loop body of a group: runs a range of its tasks, of `grain` tiles each.
LLVM::LLVMFuncOp ProgramEmitter::getGroupTask(const FusedTileGroup &group, int64_t grain) {
  std::string symbol = names.prefix + "." + joinKernels(group, ".") + ".group";
  // Groups of the same kernels may differ in what only they use, and in whether they are divided.
  std::string key = symbol + std::to_string(grain);
  for (ArrayRef<int64_t> launch : group.rowBytesOfPassed)
    for (int64_t rowBytes : launch)
      key += rowBytes > 0 ? 'p' : '.';
  if (program.lookupSymbol(symbol))
    symbol = key;
  LLVM::LLVMFuncOp &task = tasks[key];
  if (task)
    return task;
  OpBuilder::InsertionGuard guard(b);
  task = beginTask(symbol);
  Type i64 = b.getI64Type();
  SmallVector<SmallVector<Value>> arguments;
  int64_t slot = 0;
  for (hlo::LaunchOp launch : group.launches) {
    SmallVector<Value> &pointers = arguments.emplace_back();
    for (size_t i = 0; i < launch.getInputs().size() + launch.getOutputs().size(); ++i)
      pointers.push_back(LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * slot++)));
    pointers.push_back(LLVM::ZeroOp::create(b, pointer));
  }
  IndexBuilder index(b, 1, b.getI32Type());
  auto part = [&](unsigned argument) {
    Value number = arith::IndexCastOp::create(b, b.getIndexType(), task.getArgument(argument));
    return b.createOrFold<arith::MinSIOp>(index.multiply(index.uniform(number), grain).base,
                                          index.constant(group.batches * group.getBlocks()));
  };
  auto emitParts = [&]() -> LogicalResult {
    auto split = [&](Value part) {
      Value blocks = index.constant(group.getBlocks());
      return std::pair(b.createOrFold<arith::DivUIOp>(part, blocks),
                       b.createOrFold<arith::RemUIOp>(part, blocks));
    };
    Value start = part(1);
    auto [firstBatch, firstBlock] = split(start);
    auto loop = scf::ForOp::create(b, start, part(2), index.constant(1));
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    auto [batch, block] = split(loop.getInductionVar());
    for (size_t i = 0; i < group.launches.size(); ++i) {
      hlo::LaunchOp launch = group.launches[i];
      SmallVector<Value> &pointers = arguments[i];
      for (auto [argument, rowBytes] : llvm::enumerate(group.rowBytesOfPassed[i])) {
        if (rowBytes == 0)
          continue;
        Value there = buildOffsetOfTile(index, group, rowBytes, firstBatch, firstBlock),
              here = buildOffsetOfTile(index, group, rowBytes, batch, block);
        pointers[argument] =
            movePointer(index, pointers[argument], b.createOrFold<arith::SubIOp>(there, here));
      }
      auto [begin, end] = buildUnitsOfTile(
          index, group, schedules.find(launch.getKernel())->second.blocks, batch, block);
      pointers.push_back(arith::IndexCastOp::create(b, i64, begin));
      pointers.push_back(arith::IndexCastOp::create(b, i64, end));
      LLVM::CallOp::create(b, getKernel(launch), pointers);
    }
    return success();
  };
  if (tracer.isEnabled() && grain < group.batches * group.getBlocks())
    (void)tracer.trace(group.launches.back(), "task",
                       LLVM::LoadOp::create(b, pointer, offset(task.getArgument(0), 8 * slot)),
                       emitParts, joinKernels(group, "+"));
  else
    (void)emitParts();
  LLVM::ReturnOp::create(b, ValueRange());
  return task;
}

LogicalResult ProgramEmitter::emitGroup(const FusedTileGroup &group) {
  SmallVector<Value> pointers;
  for (hlo::LaunchOp launch : group.launches)
    for (Value buffer : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
      pointers.push_back(locate(buffer));
  if (tracer.isEnabled())
    pointers.push_back(context); // for the launch's tasks
  Value table = stack(8 * pointers.size(), 16);
  for (auto [i, address] : llvm::enumerate(pointers))
    LLVM::StoreOp::create(b, address, offset(table, 8 * i));
  hlo::LaunchOp front = group.launches.front();
  const KernelSchedule &first = schedules.find(front.getKernel())->second;
  bool isDivided =
      llvm::any_of(group.launches, [](hlo::LaunchOp launch) { return launch->hasAttr(kDivided); });
  int64_t parts = group.batches * group.getBlocks(),
          grain = isDivided ? llvm::divideCeil(parts, first.tasks) : parts,
          tasks = llvm::divideCeil(parts, grain);
  LLVM::LLVMFuncOp body = getGroupTask(group, grain);
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
  llvm::SmallPtrSet<Operation *, 4> grouped;
  for (Operation &op : block) {
    if (grouped.contains(&op))
      continue;
    std::optional<FusedTileGroup> group = findGroup(op);
    if (!group) {
      if (failed(emitOperation(op)))
        return failure();
      continue;
    }
    grouped.insert(group->launches.begin(), group->launches.end());
    for (Operation *other = op.getNextNode(); other != group->launches.back();
         other = other->getNextNode())
      if (grouped.insert(other).second && failed(emitOperation(*other)))
        return failure();
    b.setLoc(op.getLoc());
    if (failed(tracer.trace(
            group->launches.back(), "kernel", context, [&] { return emitGroup(*group); },
            joinKernels(*group, "+"))))
      return failure();
  }
  return success();
}

} // namespace hloc
