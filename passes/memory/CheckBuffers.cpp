// SPDX-License-Identifier: Apache-2.0
// An independent check of the buffer plan: an abstract interpreter of the memory program that
// tracks the numbers of values instead of data. Test: test/passes/memory/check-buffers.mlir.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include <map>
#include <set>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_CHECKBUFFERS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// Bytes [begin, end) of the arena or of another buffer.
struct Span {
  void *base;
  int64_t begin, end;
  bool operator<(const Span &other) const {
    return std::tie(base, begin, end) < std::tie(other.base, other.begin, other.end);
  }
  bool operator==(const Span &) const = default;
  bool overlaps(const Span &other) const {
    return base == other.base && begin < other.end && other.begin < end;
  }
};

/// The values that each span holds. Spans are disjoint.
using Memory = std::map<Span, std::set<int64_t>>;

class Checker {
public:
  /// `aliases` maps results to the arguments whose memory they are.
  Checker(ModuleOp module, DenseMap<Value, Value> aliases)
      : symbols(module), aliases(std::move(aliases)) {}
  LogicalResult run(func::FuncOp main);

private:
  LogicalResult runBlock(Block &block, Memory &memory);
  LogicalResult runOp(Operation &op, Memory &memory);
  LogicalResult runLoop(Operation &op, Memory &memory);
  LogicalResult runBranches(Operation &op, Memory &memory);
  LogicalResult runAccess(Operation &op, ValueRange inputs, ValueRange outputs, Memory &memory);
  LogicalResult checkOverlaps(LaunchOp launch);
  LogicalResult checkScratch(LaunchOp launch, Memory &memory);
  void become(Operation &op, Memory &memory);

  Span getSpan(Value value) const;
  static void write(Memory &memory, Span span, std::set<int64_t> values);
  static void forget(Memory &memory, int64_t value);
  static Memory meet(const Memory &a, const Memory &b);
  static ArrayRef<int64_t> numbers(Operation &op, StringRef name) {
    auto attribute = op.getAttrOfType<DenseI64ArrayAttr>(name);
    return attribute ? attribute.asArrayRef() : ArrayRef<int64_t>();
  }

  SymbolTable symbols;
  DenseMap<Value, Value> aliases;
};

Span Checker::getSpan(Value value) const {
  int64_t bytes = buffers::getBytes(value.getType()), offset = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      APInt shift;
      if (matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
        offset += shift.getSExtValue();
      value = view.getSource();
    } else if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
      value = cast.getSource();
    } else if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) { // its bytes
      value = cast.getOperand(0);
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      return {const_cast<void *>(global.getNameAttr().getAsOpaquePointer()), 0, bytes};
    } else {
      break;
    }
  }
  if (Value argument = aliases.lookup(value))
    value = argument;
  return {value.getAsOpaquePointer(), offset, offset + bytes};
}

void Checker::forget(Memory &memory, int64_t value) {
  for (auto &[span, values] : memory)
    values.erase(value);
}

void Checker::write(Memory &memory, Span span, std::set<int64_t> values) {
  auto entry = memory.lower_bound({span.base, span.begin, 0});
  if (entry != memory.begin() && std::prev(entry)->first.overlaps(span))
    --entry;
  while (entry != memory.end() && entry->first.overlaps(span))
    entry = memory.erase(entry);
  memory[span] = std::move(values);
}

Memory Checker::meet(const Memory &a, const Memory &b) {
  Memory result;
  for (auto &[span, values] : a) {
    auto other = b.find(span);
    if (other == b.end())
      continue;
    std::set<int64_t> both;
    std::set_intersection(values.begin(), values.end(), other->second.begin(), other->second.end(),
                          std::inserter(both, both.end()));
    result[span] = both;
  }
  return result;
}

/// Renames values to the names by which a region or its parent knows them, all at once.
void Checker::become(Operation &op, Memory &memory) {
  ArrayRef<int64_t> pairs = numbers(op, "hlo.becomes");
  std::map<int64_t, std::vector<int64_t>> names;
  std::set<int64_t> renewed;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    names[pairs[i]].push_back(pairs[i + 1]);
    renewed.insert(pairs[i + 1]);
  }
  if (pairs.empty())
    return;
  for (auto &[span, values] : memory) {
    std::set<int64_t> next;
    for (int64_t value : values) {
      if (!renewed.contains(value))
        next.insert(value);
      if (auto entry = names.find(value); entry != names.end())
        next.insert(entry->second.begin(), entry->second.end());
    }
    values = next;
  }
}

LogicalResult Checker::runAccess(Operation &op, ValueRange inputs, ValueRange outputs,
                                 Memory &memory) {
  for (auto [input, number] : llvm::zip(inputs, numbers(op, "hlo.reads"))) {
    Span span = getSpan(input);
    auto entry = memory.find(span);
    if (span.begin != span.end && (entry == memory.end() || !entry->second.contains(number)))
      return op.emitOpError("reads memory that does not hold value ") << number;
  }
  ArrayRef<int64_t> writes = numbers(op, "hlo.writes");
  bool isCopy = isa<memref::CopyOp>(op);
  if (!isCopy)
    for (int64_t number : writes)
      forget(memory, number);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    std::set<int64_t> values;
    if (isCopy) // all values that the source is known to hold
      values = memory[getSpan(inputs.front())];
    else if (i < writes.size())
      values.insert(writes[i]);
    write(memory, getSpan(output), values);
  }
  return success();
}

/// An output may overlap only the input that the kernel allows, and no other output.
LogicalResult Checker::checkOverlaps(LaunchOp launch) {
  auto function = symbols.lookup<KernelFunctionOp>(launch.getKernel());
  if (!function)
    return launch.emitOpError("runs an unknown kernel");
  ArrayRef<int64_t> reuse = function.getReuse();
  for (auto [i, output] : llvm::enumerate(launch.getOutputs())) {
    Span span = getSpan(output);
    for (auto [j, input] : llvm::enumerate(launch.getInputs()))
      if (span.overlaps(getSpan(input)) && reuse[i] != int64_t(j))
        return launch.emitOpError("output ") << i << " overlaps input " << j;
    if (reuse[i] >= 0 && getSpan(launch.getInputs()[reuse[i]]) < span)
      return launch.emitOpError("output ") << i << " is not in input " << reuse[i];
    for (Value other : launch.getOutputs().drop_front(i + 1))
      if (span.overlaps(getSpan(other)))
        return launch.emitOpError("outputs overlap");
  }
  return success();
}

/// Checks that the kernel's scratch memory is large enough and overlaps nothing that it reads or
/// writes. Its contents are undefined after the launch.
LogicalResult Checker::checkScratch(LaunchOp launch, Memory &memory) {
  int64_t bytes = 0;
  auto function = symbols.lookup<KernelFunctionOp>(launch.getKernel());
  if (ArrayAttr schedules = function.getSchedulesAttr())
    for (auto schedule : schedules.getAsRange<ScheduleAttr>())
      bytes = std::max(bytes, schedule.getScratch());
  Value scratch = launch.getScratch();
  if (!scratch && bytes == 0)
    return success();
  if (!scratch || buffers::getBytes(scratch.getType()) < bytes)
    return launch.emitOpError("needs ") << bytes << " bytes of scratch memory";
  Span span = getSpan(scratch);
  for (Value other : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
    if (span.overlaps(getSpan(other)))
      return launch.emitOpError("scratch memory overlaps an input or output");
  write(memory, span, {});
  return success();
}

LogicalResult Checker::runLoop(Operation &op, Memory &memory) {
  become(op, memory);
  Memory head = memory;
  while (true) {
    Memory state = head, left;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      left = head;
      if (failed(runBlock(*loop.getBody(), state)))
        return failure();
    } else {
      auto loop2 = cast<scf::WhileOp>(op);
      if (failed(runBlock(*loop2.getBeforeBody(), state)))
        return failure();
      left = state;
      if (failed(runBlock(*loop2.getAfterBody(), state)))
        return failure();
    }
    Memory next = meet(head, state);
    if (next == head) {
      memory = left;
      return success();
    }
    head = next;
  }
}

LogicalResult Checker::runBranches(Operation &op, Memory &memory) {
  std::optional<Memory> result;
  bool mayFallThrough = false;
  for (Region &region : op.getRegions()) {
    if (region.empty()) {
      mayFallThrough = true;
      continue;
    }
    Memory state = memory;
    if (failed(runBlock(region.front(), state)))
      return failure();
    result = result ? meet(*result, state) : state;
  }
  if (result)
    memory = mayFallThrough ? meet(*result, memory) : *result;
  return success();
}

LogicalResult Checker::runOp(Operation &op, Memory &memory) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return runLoop(op, memory);
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return runBranches(op, memory);
  if (op.hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op)) {
    become(op, memory);
    return success();
  }
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    if (failed(checkOverlaps(launch)) || failed(checkScratch(launch, memory)))
      return failure();
    return runAccess(op, launch.getInputs(), launch.getOutputs(), memory);
  }
  if (auto call = dyn_cast<RuntimeCallOp>(op))
    return runAccess(op, call.getInputs(), call.getOutputs(), memory);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return runAccess(op, copy.getSource(), copy.getTarget(), memory);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return runAccess(op, load.getMemRef(), {}, memory);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return runAccess(op, {}, store.getMemRef(), memory);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    memory[getSpan(global)].insert(numbers(op, "hlo.writes").begin(),
                                   numbers(op, "hlo.writes").end());
  return success();
}

LogicalResult Checker::runBlock(Block &block, Memory &memory) {
  for (Operation &op : block)
    if (failed(runOp(op, memory)))
      return failure();
  return success();
}

LogicalResult Checker::run(func::FuncOp main) {
  Memory memory;
  for (BlockArgument argument : main.getArguments())
    if (auto number = main.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "hlo.value"))
      write(memory, getSpan(argument), {number.getInt()});
  if (failed(runBlock(main.getBody().front(), memory)))
    return failure();
  auto results = main->getAttrOfType<IntegerAttr>("hlo.results");
  if (!results)
    return main.emitOpError("is not a program on memory");
  unsigned first = main.getNumArguments() - 1 - results.getInt();
  Operation &end = *main.getBody().front().getTerminator();
  return runAccess(end, ValueRange(main.getArguments()).slice(first, results.getInt()), {}, memory);
}

/// The results that may share the memory of arguments, with these.
DenseMap<Value, Value> getAliases(ModuleOp module, func::FuncOp main) {
  DenseMap<Value, Value> aliases;
  auto results = main->getAttrOfType<IntegerAttr>("hlo.results");
  auto list = module->getAttrOfType<ArrayAttr>("hlo.aliases");
  if (!results || !list)
    return aliases;
  unsigned first = main.getNumArguments() - 1 - results.getInt();
  for (auto pair : list.getAsRange<DenseI64ArrayAttr>())
    aliases[main.getArgument(first + pair[0])] = main.getArgument(pair[1]);
  return aliases;
}

struct CheckBuffers : hloc::impl::CheckBuffersBase<CheckBuffers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      // The host chooses whether aliases share memory: the program must be right either way.
      DenseMap<Value, Value> aliases;
      if (function.getName() == "main")
        aliases = getAliases(module, function);
      if (failed(Checker(module, DenseMap<Value, Value>()).run(function)) ||
          (!aliases.empty() && failed(Checker(module, aliases).run(function))))
        return signalPassFailure();
    }
  }
};

} // namespace
