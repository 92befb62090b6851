// SPDX-License-Identifier: Apache-2.0
// Makes an hlo.kernel of each group, orders the kernels so that operands come before their users,
// and decides for each result which operand's memory it may reuse.
#include <queue>

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseGroups.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::fuse;

namespace {

/// True if the operation updates this operand in place, so that it must be in memory.
bool isUpdatedInPlace(OpOperand &use) {
  if (auto scatter = dyn_cast<ScatterOp>(use.getOwner()))
    return use.getOperandNumber() < scatter.getCount();
  return isa<DynamicUpdateSliceOp>(use.getOwner()) && use.getOperandNumber() == 0;
}

/// If a scatter updates an array that it also reads as indices or updates, makes the updated
/// operand a separate value, so that the update goes to a copy.
void separateUpdatedArrays(ScatterOp scatter, OpBuilder &builder) {
  for (OpOperand &use : scatter->getOpOperands().take_front(scatter.getCount())) {
    Value array = use.get();
    if (llvm::count(scatter->getOperands(), array) > 1)
      use.set(ReshapeOp::create(builder, scatter.getLoc(), array.getType(), array));
  }
}

/// A unit of the new block: a kernel, or an operation outside of kernels.
struct Unit {
  int group = -1;
  Operation *op = nullptr;
  SmallVector<Operation *> members; // in block order
  int position = 0;
  unsigned waitsFor = 0;
  SmallVector<unsigned> users;
};

class KernelFormation {
public:
  explicit KernelFormation(Groups &groups) : groups(groups), block(groups.block) {}
  void run();

private:
  void collectUnits();
  void connectUnits();
  void emit(const Unit &unit);
  int findInput(Group &group, Value value, ArrayRef<Value> inputs);
  SmallVector<int64_t> chooseReuse(int number, ArrayRef<Operation *> members,
                                   ArrayRef<Value> inputs, ArrayRef<Value> outputs);
  Maps getInputMaps(Group &group, Value input);
  bool isLastRead(int group, Value input);
  bool dependsOnAllReduces(Group &group, ArrayRef<Operation *> members, Value output);

  Groups &groups;
  Block &block;
  std::vector<Unit> units;
  /// The unit that computes an operation's results.
  DenseMap<Operation *, unsigned> unitOf;
  std::vector<int> unitOfGroup;
  DenseMap<Value, Value> replaced;
};

void KernelFormation::collectUnits() {
  unitOfGroup.assign(groups.size(), -1);
  for (unsigned index = 0; index < groups.size(); ++index) {
    Group &group = groups[index];
    Unit unit;
    unit.group = index;
    bool hasOutput = false;
    for (auto &[op, maps] : group.members) {
      unit.members.push_back(op);
      hasOutput |= groups.getHome(op) == int(index);
    }
    if (!hasOutput)
      continue;
    llvm::sort(unit.members, [&](Operation *a, Operation *b) {
      return groups.getPosition(a) < groups.getPosition(b);
    });
    unit.position = groups.getPosition(unit.members.back());
    unitOfGroup[index] = units.size();
    for (Operation *op : unit.members)
      if (groups.getHome(op) == int(index))
        unitOf[op] = units.size();
    units.push_back(std::move(unit));
  }
  for (Operation &op : block.without_terminator()) {
    if (groups.getHome(&op) >= 0 || (!groups.getGroups(&op).empty() && !groups.isView(&op)))
      continue;
    Unit unit;
    unit.op = &op;
    unit.position = groups.getPosition(&op);
    unitOf[&op] = units.size();
    units.push_back(std::move(unit));
  }
}

void KernelFormation::connectUnits() {
  SmallVector<unsigned> effects;
  auto connect = [&](unsigned from, unsigned to) {
    if (from == to)
      return;
    units[from].users.push_back(to);
    ++units[to].waitsFor;
  };
  for (auto [index, unit] : llvm::enumerate(units)) {
    llvm::SmallSetVector<unsigned, 8> needed;
    auto need = [&](Value value) {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != &block)
        return;
      if (unit.group >= 0 && groups[unit.group].contains(source))
        return;
      if (auto entry = unitOf.find(source); entry != unitOf.end())
        needed.insert(entry->second);
    };
    for (Operation *op : unit.members)
      llvm::for_each(op->getOperands(), need);
    if (unit.op) {
      unit.op->walk([&](Operation *nested) { llvm::for_each(nested->getOperands(), need); });
      if (!isMemoryEffectFree(unit.op))
        effects.push_back(index);
    }
    for (unsigned source : needed)
      connect(source, index);
  }
  llvm::sort(effects,
             [&](unsigned a, unsigned b) { return units[a].position < units[b].position; });
  for (unsigned i = 1; i < effects.size(); ++i)
    connect(effects[i - 1], effects[i]);
}

Maps KernelFormation::getInputMaps(Group &group, Value input) {
  Maps result;
  for (OpOperand &use : input.getUses())
    if (auto member = group.members.find(use.getOwner()); member != group.members.end())
      groups.maps.appendOperandMaps(use, member->second, result);
  return result;
}

bool KernelFormation::dependsOnAllReduces(Group &group, ArrayRef<Operation *> members,
                                          Value output) {
  DenseSet<Operation *> needed{output.getDefiningOp()};
  for (Operation *op : llvm::reverse(members)) {
    if (!needed.contains(op)) {
      if (isa<ReduceOp>(op))
        return false;
      continue;
    }
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && group.contains(source))
        needed.insert(source);
  }
  return true;
}

/// True if only `group` reads the memory of `input`, which another operation of the block computes:
/// its contents are not needed afterwards.
bool KernelFormation::isLastRead(int group, Value input) {
  auto shown = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    return op && groups.isView(op) && op->getBlock() == &block ? op->getOperand(0) : Value();
  };
  while (Value source = shown(input))
    input = source;
  if (!input.getDefiningOp() || input.getDefiningOp()->getBlock() != &block ||
      Groups::isSmallConstant(input.getDefiningOp()))
    return false;
  SmallVector<Value> work{input};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (user->getBlock() != &block)
        return false;
      bool isView = groups.isView(user);
      if (isView)
        work.push_back(user->getResult(0));
      ArrayRef<int> readers = groups.getGroups(user);
      if (llvm::any_of(readers, [&](int reader) { return reader != group; }) ||
          (readers.empty() && !isView))
        return false;
    }
  return true;
}

/// Chooses for each output an input that is read only at the index at which the output is written:
/// the first, unless that is needed afterwards and another is not. The state of a loop is assumed
/// not to be needed afterwards.
SmallVector<int64_t> KernelFormation::chooseReuse(int number, ArrayRef<Operation *> members,
                                                  ArrayRef<Value> inputs, ArrayRef<Value> outputs) {
  Group &group = groups[number];
  SmallVector<int64_t> reuse(outputs.size(), -1);
  auto indexOf = [&](Value value) -> int64_t { return llvm::find(inputs, value) - inputs.begin(); };
  if (group.update)
    return {indexOf(group.update.getOperand())};
  if (auto scatter = dyn_cast_or_null<ScatterOp>(group.hero)) {
    for (auto [i, operand] : llvm::enumerate(scatter.getOperandArrays()))
      reuse[i] = indexOf(operand);
    return reuse;
  }
  if (group.kind == KernelKind::Sort || group.kind == KernelKind::Scan)
    return reuse;
  // Everything at an index is read before anything is written at it.
  DenseSet<int64_t> taken;
  int root = groups.maps.getRoot(group.space);
  SmallVector<Maps> inputMaps;
  for (Value input : inputs)
    inputMaps.push_back(getInputMaps(group, input));
  for (auto [i, output] : llvm::enumerate(outputs)) {
    auto type = cast<ShapedType>(output.getType());
    if (type.getShape() != ArrayRef(group.space))
      continue;
    if (group.kind == KernelKind::Reduce && !dependsOnAllReduces(group, members, output))
      continue;
    for (auto [j, input] : llvm::enumerate(inputs)) {
      auto inputType = cast<ShapedType>(input.getType());
      if (taken.contains(j) || inputType.getShape() != type.getShape() ||
          elementBytes(inputType) != elementBytes(type) || inputMaps[j] != Maps{root})
        continue;
      bool isState = isa<BlockArgument>(input) && isa<LoopLikeOpInterface>(block.getParentOp());
      bool isBest = isState || isLastRead(number, input);
      if (isBest || reuse[i] < 0)
        reuse[i] = j;
      if (isBest)
        break;
    }
    if (reuse[i] >= 0)
      taken.insert(reuse[i]);
  }
  return reuse;
}

void KernelFormation::emit(const Unit &unit) {
  Operation *terminator = block.getTerminator();
  if (unit.op) {
    unit.op->moveBefore(terminator);
    return;
  }
  Group &group = groups[unit.group];
  OpBuilder builder(terminator);
  if (auto scatter = dyn_cast_or_null<ScatterOp>(group.hero))
    separateUpdatedArrays(scatter, builder);
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  llvm::SetVector<Operation *> constants;
  SmallVector<Location> locations;
  for (Operation *op : unit.members) {
    for (OpOperand &use : op->getOpOperands()) {
      Operation *source = use.get().getDefiningOp();
      if (source && group.contains(source))
        continue;
      if (source && Groups::isSmallConstant(source) && !isUpdatedInPlace(use))
        constants.insert(source);
      else
        inputs.insert(use.get());
    }
    if (groups.getHome(op) == unit.group)
      for (Value result : op->getResults()) // often only one of several results is used
        if (!isa<ReduceOp, SortOp>(op) || !result.use_empty())
          outputs.push_back(result);
    locations.push_back(op->getLoc());
  }
  constants.remove_if([&](Operation *op) { return inputs.contains(op->getResult(0)); });
  SmallVector<int64_t> reuse = chooseReuse(unit.group, unit.members, inputs.getArrayRef(), outputs);
  bool must = group.update || group.kind == KernelKind::Scatter;
  Operation *main = group.hero ? group.hero : unit.members.back();
  for (Operation *op : unit.members)
    if (!group.hero && isa<ReduceOp>(op))
      main = op;
  auto kernel = KernelOp::create(builder, main->getLoc(), ValueRange(outputs).getTypes(),
                                 inputs.getArrayRef(), group.kind, reuse, must, ArrayAttr());
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *constant : constants)
    mapping.map(constant->getResult(0), builder.clone(*constant)->getResult(0));
  for (Operation *op : unit.members)
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(mapping.lookup(output));
  ReturnOp::create(builder, main->getLoc(), results);
  for (auto [output, result] : llvm::zip(outputs, kernel.getResults()))
    replaced[output] = result;
}

void KernelFormation::run() {
  collectUnits();
  if (llvm::none_of(units, [](const Unit &unit) { return unit.group >= 0; }))
    return;
  connectUnits();
  auto later = [&](unsigned a, unsigned b) { return units[a].position > units[b].position; };
  std::priority_queue<unsigned, std::vector<unsigned>, decltype(later)> ready(later);
  for (unsigned i = 0; i < units.size(); ++i)
    if (units[i].waitsFor == 0)
      ready.push(i);
  unsigned emitted = 0;
  while (!ready.empty()) {
    unsigned index = ready.top();
    ready.pop();
    emit(units[index]);
    ++emitted;
    for (unsigned user : units[index].users)
      if (--units[user].waitsFor == 0)
        ready.push(user);
  }
  assert(emitted == units.size() && "groups depend on each other");
  (void)emitted;
  for (auto &[old, value] : replaced)
    old.replaceAllUsesWith(value);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!groups.getGroups(&op).empty() && !groups.isView(&op))
      op.erase();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace

void fuse::formKernels(Groups &groups) { KernelFormation(groups).run(); }
