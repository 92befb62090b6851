// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/BlockGraph.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/memory/AssignBuffersPlan.h"

using namespace mlir;

namespace hloc {

/// The most operations that a search visits before it assumes that a path exists.
static constexpr size_t kFarthest = 1000;

Value getShownRoot(Value value) {
  while (Value shown = buffers::getShown(value))
    value = shown;
  return value;
}

BlockGraph::BlockGraph(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    indices[&op] = operations.size();
    operations.push_back(&op);
  }
  users.resize(operations.size());
  waits.resize(operations.size());
  for (unsigned index = 0; index < size(); ++index) {
    llvm::SmallSetVector<unsigned, 8> needs;
    operations[index]->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
          needs.insert(indices[source]);
    });
    for (unsigned source : needs)
      connect(source, index);
  }
}

std::optional<unsigned> BlockGraph::find(Operation *op) const {
  Operation *own = block.findAncestorOpInBlock(*op);
  auto found = own ? indices.find(own) : indices.end();
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

llvm::SmallSetVector<unsigned, 8> BlockGraph::getReads(unsigned index) const {
  llvm::SmallSetVector<unsigned, 8> reads;
  operations[index]->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *source = getShownRoot(operand).getDefiningOp();
          source && source->getBlock() == &block)
        reads.insert(indices.lookup(source));
  });
  return reads;
}

void BlockGraph::connect(unsigned from, unsigned to) {
  if (from == to)
    return;
  users[from].push_back(to);
  ++waits[to];
}

void BlockGraph::connectEffects(function_ref<bool(Operation *)> isFree) {
  std::optional<unsigned> last;
  for (unsigned index = 0; index < size(); ++index) {
    if (isMemoryEffectFree(operations[index]) || isFree(operations[index]))
      continue;
    if (last)
      connect(*last, index);
    last = index;
  }
}

/// True if `to` must come after `from`, or if that is not known.
bool BlockGraph::reaches(unsigned from, unsigned to) const {
  SmallVector<unsigned> work{from};
  llvm::SmallDenseSet<unsigned> seen;
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    if (index == to || seen.size() > kFarthest)
      return true;
    for (unsigned user : users[index])
      if (seen.insert(user).second)
        work.push_back(user);
  }
  return false;
}

void BlockGraph::connectReadersToUpdates() {
  for (unsigned index = 0; index < size(); ++index) {
    auto kernel = dyn_cast<hlo::KernelOp>(operations[index]);
    if (!kernel || !kernel.getMustReuse())
      continue;
    for (int64_t reuse : kernel.getReuse()) {
      SmallVector<Value> work{getShownRoot(kernel.getInputs()[reuse])};
      while (!work.empty())
        for (Operation *user : work.pop_back_val().getUsers()) {
          std::optional<unsigned> reader = find(user);
          if (!reader || *reader == index)
            continue;
          for (Value result : user->getResults())
            if (buffers::getShown(result))
              work.push_back(result);
          if (!buffers::isView(user) && !reaches(index, *reader))
            connect(*reader, index);
        }
    }
  }
}

void BlockGraph::apply(ArrayRef<unsigned> order) {
  for (unsigned index : order)
    operations[index]->moveBefore(block.getTerminator());
}

} // namespace hloc
