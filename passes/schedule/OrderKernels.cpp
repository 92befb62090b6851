// SPDX-License-Identifier: Apache-2.0
// The order of kernels in each block: what reads a buffer before what updates it in place, and
// what frees memory before what takes it. Test: test/passes/schedule/order-kernels.mlir.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_ORDERKERNELS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// The value whose memory `value` shows.
Value getRoot(Value value) {
  while (Value shown = buffers::getShown(value))
    value = shown;
  return value;
}

class BlockOrder {
public:
  explicit BlockOrder(Block &block);

  /// Puts the operations into the better of two orders; returns whether anything moved.
  bool run();

private:
  struct Node {
    Operation *op;
    SmallVector<unsigned> users; // that must come later
    SmallVector<unsigned> reads; // values, by the node that makes them
    int64_t bytes = 0;           // of the results
    unsigned operands = 0;       // nodes that must come earlier
  };
  using Order = std::vector<unsigned>;

  void connect(unsigned from, unsigned to) {
    if (from == to)
      return;
    nodes[from].users.push_back(to);
    ++nodes[to].operands;
  }
  bool reaches(unsigned from, unsigned to) const;
  void putReadersBeforeUpdates();
  Order sortByPosition() const;
  Order sortByMemory() const;
  int64_t getPeak(const Order &order) const;

  Block &block;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> indices;
  /// How many operations read the value made by a node; the block's results are never freed.
  std::vector<unsigned> readers;
};

BlockOrder::BlockOrder(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    indices[&op] = nodes.size();
    nodes.push_back({&op, {}, {}, 0, 0});
  }
  readers.assign(nodes.size(), 0);
  std::optional<unsigned> lastEffect;
  for (auto [index, node] : llvm::enumerate(nodes)) {
    llvm::SmallSetVector<unsigned, 8> needs, reads;
    node.op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
          needs.insert(indices[source]);
        if (Operation *source = getRoot(operand).getDefiningOp();
            source && source->getBlock() == &block)
          reads.insert(indices[source]);
      }
    });
    for (unsigned source : needs)
      connect(source, index);
    if (!buffers::isView(node.op)) {
      node.reads.assign(reads.begin(), reads.end());
      for (unsigned source : reads)
        ++readers[source];
    }
    if (!isa<ConstantOp>(node.op))
      for (Value result : node.op->getResults())
        if (isa<RankedTensorType>(result.getType()) && !buffers::getShown(result))
          node.bytes += buffers::getBytes(result.getType());
    if (isMemoryEffectFree(node.op))
      continue;
    if (lastEffect)
      connect(*lastEffect, index);
    lastEffect = index;
  }
  for (Value result : block.getTerminator()->getOperands())
    if (Operation *source = getRoot(result).getDefiningOp(); source && source->getBlock() == &block)
      ++readers[indices[source]];
}

/// Whether `to` must come after `from`; errs towards true.
bool BlockOrder::reaches(unsigned from, unsigned to) const {
  SmallVector<unsigned> work{from};
  llvm::SmallDenseSet<unsigned> seen;
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    if (index == to || seen.size() > 1000)
      return true;
    for (unsigned user : nodes[index].users)
      if (seen.insert(user).second)
        work.push_back(user);
  }
  return false;
}

/// An update in place needs no copy if everybody else has read the buffer before.
void BlockOrder::putReadersBeforeUpdates() {
  for (unsigned index = 0; index < nodes.size(); ++index) {
    auto kernel = dyn_cast<KernelOp>(nodes[index].op);
    if (!kernel || !kernel.getMustReuse())
      continue;
    for (int64_t reuse : kernel.getReuse()) {
      SmallVector<Value> work{getRoot(kernel.getInputs()[reuse])};
      while (!work.empty())
        for (Operation *user : work.pop_back_val().getUsers()) {
          Operation *reader = block.findAncestorOpInBlock(*user);
          if (!reader || reader == kernel || reader == block.getTerminator())
            continue;
          for (Value result : user->getResults())
            if (buffers::getShown(result))
              work.push_back(result);
          if (!buffers::isView(user) && !reaches(index, indices[reader]))
            connect(indices[reader], index);
        }
    }
  }
}

BlockOrder::Order BlockOrder::sortByPosition() const {
  std::vector<unsigned> waits;
  for (const Node &node : nodes)
    waits.push_back(node.operands);
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!waits[i])
      ready.push(i);
  Order order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (unsigned user : nodes[order.back()].users)
      if (--waits[user] == 0)
        ready.push(user);
  }
  return order;
}

/// Of what is ready, first what lets memory shrink most.
BlockOrder::Order BlockOrder::sortByMemory() const {
  std::vector<unsigned> waits, left(readers);
  for (const Node &node : nodes)
    waits.push_back(node.operands);
  auto growth = [&](unsigned index) {
    int64_t bytes = nodes[index].bytes;
    for (unsigned read : nodes[index].reads)
      if (left[read] == 1)
        bytes -= nodes[read].bytes;
    return bytes;
  };
  using Entry = std::pair<int64_t, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<bool> done(nodes.size());
  // Who reads a value, to tell the last one.
  std::vector<SmallVector<unsigned, 2>> readersOf(nodes.size());
  for (auto [i, node] : llvm::enumerate(nodes))
    for (unsigned read : node.reads)
      readersOf[read].push_back(i);
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!waits[i])
      ready.push({growth(i), i});
  Order order;
  while (!ready.empty()) {
    unsigned index = ready.top().second;
    ready.pop();
    if (done[index])
      continue;
    done[index] = true;
    order.push_back(index);
    for (unsigned read : nodes[index].reads)
      if (--left[read] == 1)
        for (unsigned last : readersOf[read])
          if (!done[last] && !waits[last])
            ready.push({growth(last), last});
    for (unsigned user : nodes[index].users)
      if (--waits[user] == 0)
        ready.push({growth(user), user});
  }
  return order;
}

int64_t BlockOrder::getPeak(const Order &order) const {
  std::vector<unsigned> left(readers);
  int64_t now = 0, peak = 0;
  for (unsigned index : order) {
    now += nodes[index].bytes;
    peak = std::max(peak, now);
    for (unsigned read : nodes[index].reads)
      if (--left[read] == 0)
        now -= nodes[read].bytes;
  }
  return peak;
}

bool BlockOrder::run() {
  if (nodes.size() < 2)
    return false;
  putReadersBeforeUpdates();
  Order order = sortByPosition(), other = sortByMemory();
  if (order.size() != nodes.size()) // updates that wait for each other's readers
    return false;
  if (getPeak(other) < getPeak(order))
    order = other;
  bool moved = !llvm::is_sorted(order);
  for (unsigned index : order)
    nodes[index].op->moveBefore(block.getTerminator());
  return moved;
}

struct OrderKernels : hloc::impl::OrderKernelsBase<OrderKernels> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<KernelOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      moved += BlockOrder(*block).run();
  }
};

} // namespace
