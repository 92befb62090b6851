// SPDX-License-Identifier: Apache-2.0
// Orders the kernels of each block: readers of a buffer before the kernel that updates it in place,
// and what frees memory before what allocates it. Test: test/passes/schedule/order-kernels.mlir.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/BlockGraph.h"
#include <queue>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_ORDERKERNELS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

class BlockOrder {
public:
  explicit BlockOrder(Block &block);

  /// Applies the best of three orders; returns true if anything moved.
  bool run();

private:
  struct Node {
    SmallVector<unsigned> reads; // values, by the number of their producer
    int64_t bytes = 0;           // of the results
  };
  using Order = std::vector<unsigned>;

  Order sortByPosition() const;
  Order sortByMemory() const;
  Order sortDepthFirst() const;
  int64_t getPeak(const Order &order) const;

  BlockGraph graph;
  std::vector<Node> nodes;
  /// For each node, the number of operations that read its value; plus one if the block returns it,
  /// so that it is never freed.
  std::vector<unsigned> readers;
};

BlockOrder::BlockOrder(Block &block) : graph(block), nodes(graph.size()), readers(graph.size()) {
  for (auto [index, node] : llvm::enumerate(nodes)) {
    Operation *op = graph[index];
    if (!buffers::isView(op)) {
      node.reads = graph.getReads(index).takeVector();
      for (unsigned source : node.reads)
        ++readers[source];
    }
    if (!isa<ConstantOp>(op))
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()) && !buffers::getShown(result))
          node.bytes += buffers::getBytes(result.getType());
  }
  for (Value result : block.getTerminator()->getOperands())
    if (Operation *source = getShownRoot(result).getDefiningOp();
        source && source->getBlock() == &block)
      ++readers[*graph.find(source)];
  graph.connectEffects([](Operation *) { return false; });
}

BlockOrder::Order BlockOrder::sortByPosition() const {
  std::vector<unsigned> waits(graph.getWaits());
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!waits[i])
      ready.push(i);
  Order order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (unsigned user : graph.getUsers(order.back()))
      if (--waits[user] == 0)
        ready.push(user);
  }
  return order;
}

/// Always takes the ready operation after which the least memory is live.
BlockOrder::Order BlockOrder::sortByMemory() const {
  std::vector<unsigned> waits(graph.getWaits()), left(readers);
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
  // The readers of each value, to find the last one.
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
    for (unsigned user : graph.getUsers(index))
      if (--waits[user] == 0)
        ready.push({growth(user), user});
  }
  return order;
}

/// Depth first: each operation as soon as its predecessors are done. Of these, those come first
/// whose peak of memory exceeds the size of their results by most (Sethi and Ullman, "The
/// Generation of Optimal Code for Arithmetic Expressions"). Peaks are estimated as if no value had
/// several users.
BlockOrder::Order BlockOrder::sortDepthFirst() const {
  std::vector<SmallVector<unsigned>> sources(nodes.size());
  for (unsigned i = 0; i < nodes.size(); ++i)
    for (unsigned user : graph.getUsers(i))
      sources[user].push_back(i);
  std::vector<int64_t> needs(nodes.size());
  auto left = [&](unsigned index) { return needs[index] - nodes[index].bytes; };
  Order first = sortByPosition(); // predecessors come first, so their needs are known
  for (unsigned index : first) {
    llvm::stable_sort(sources[index], [&](unsigned a, unsigned b) { return left(a) > left(b); });
    int64_t held = 0;
    for (unsigned source : sources[index]) {
      needs[index] = std::max(needs[index], held + needs[source]);
      held += nodes[source].bytes;
    }
    needs[index] = std::max(needs[index], held + nodes[index].bytes);
  }
  Order order;
  std::vector<unsigned> visited(nodes.size()), stack;
  std::vector<bool> done(nodes.size());
  for (unsigned last : first) {
    if (!graph.getUsers(last).empty())
      continue;
    stack.push_back(last);
    while (!stack.empty()) {
      unsigned index = stack.back();
      if (visited[index] < sources[index].size()) {
        unsigned source = sources[index][visited[index]++];
        if (!done[source])
          stack.push_back(source);
        continue;
      }
      stack.pop_back();
      if (!done[index])
        order.push_back(index);
      done[index] = true;
    }
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
  // An update in place needs no copy if all readers of the old value come before it.
  graph.connectReadersToUpdates();
  Order order = sortByPosition();
  if (order.size() != nodes.size()) // cyclic: updates that wait for each other's readers
    return false;
  for (const Order &other : {sortByMemory(), sortDepthFirst()})
    if (getPeak(other) < getPeak(order))
      order = other;
  bool moved = !llvm::is_sorted(order);
  graph.apply(order);
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
