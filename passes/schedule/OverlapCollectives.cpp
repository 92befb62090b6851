// SPDX-License-Identifier: Apache-2.0
// Collectives go on while kernels run: starts come as early as their operands allow, dones as late
// as pays. Test: test/passes/schedule/overlap-collectives.mlir.
#include "compiler/hlo/CollectiveStages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Passes.h.inc"
} // namespace hloc

/// Bytes that a processor reads and writes while it does so many multiplications of a product.
static constexpr double kProductsPerByte = 8;
/// How many times slower a collective moves bytes than a kernel: other members read them as well,
/// and have to come first. More work than that is not held back from what waits for the results.
static constexpr double kCollectiveSlowness = 4;

/// Bytes of the arrays that `op` takes and gives.
static double countBytes(Operation *op) {
  double bytes = 0;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (isa<RankedTensorType>(value.getType()))
      bytes += double(buffers::getBytes(value.getType()));
  return bytes;
}

/// Time that an operation takes, as that of so many bytes moved.
static double estimateWork(Operation *op) {
  if (isa<ConstantOp>(op) || buffers::isView(op))
    return 0;
  double work = 0;
  op->walk([&](Operation *nested) {
    if (auto dot = dyn_cast<DotOp>(nested)) {
      auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
      double products = double(cast<RankedTensorType>(dot.getType()).getNumElements());
      for (int64_t dimension : dot.getLhsContractingDims())
        products *= double(lhs.getDimSize(dimension));
      work += products / kProductsPerByte;
    }
    if (isa<KernelOp>(nested) || nested == op)
      work += countBytes(nested);
  });
  return work;
}

namespace {

class OverlapSchedule {
public:
  explicit OverlapSchedule(Block &block);

  /// Puts the block's operations in their order.
  void run();

private:
  struct Node {
    Operation *op;
    SmallVector<unsigned> users; // that must come later
    unsigned waits = 0;          // for so many others
    double work = 0;
    double hidden = 0; // of a done: work since its start
    double worth = 0;  // of a done: work that its collective may go on meanwhile
  };

  void connect(unsigned from, unsigned to) {
    nodes[from].users.push_back(to);
    ++nodes[to].waits;
  }
  void connectOperands();
  void connectEffects();
  void connectUpdates();
  unsigned pick(const std::set<unsigned> &ready) const;

  Block &block;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> indices;
};

} // namespace

OverlapSchedule::OverlapSchedule(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    Node node{&op, {}};
    if (auto done = dyn_cast<CollectiveDoneOp>(op))
      node.worth = kCollectiveSlowness * countBytes(done.getTicket().getDefiningOp());
    else if (!isa<CollectiveStartOp>(op))
      node.work = estimateWork(&op);
    indices[&op] = nodes.size();
    nodes.push_back(std::move(node));
  }
  connectOperands();
  connectEffects();
  connectUpdates();
}

void OverlapSchedule::connectOperands() {
  for (unsigned index = 0; index < nodes.size(); ++index) {
    llvm::SmallSetVector<unsigned, 8> needs;
    nodes[index].op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
          needs.insert(indices[source]);
    });
    for (unsigned source : needs)
      connect(source, index);
  }
}

/// What has effects keeps its order: participants meet in that of their starts. A done is bound to
/// its start alone.
void OverlapSchedule::connectEffects() {
  std::optional<unsigned> last;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    Operation *op = nodes[index].op;
    if (isMemoryEffectFree(op) || isa<CollectiveDoneOp>(op))
      continue;
    if (last)
      connect(*last, index);
    last = index;
  }
}

/// Who reads a buffer before it is updated in place goes on doing so.
void OverlapSchedule::connectUpdates() {
  for (unsigned index = 0; index < nodes.size(); ++index) {
    auto kernel = dyn_cast<KernelOp>(nodes[index].op);
    if (!kernel || !kernel.getMustReuse())
      continue;
    for (int64_t reuse : kernel.getReuse()) {
      Value root = kernel.getInputs()[reuse];
      while (Value shown = buffers::getShown(root))
        root = shown;
      SmallVector<Value> work{root};
      while (!work.empty())
        for (Operation *user : work.pop_back_val().getUsers()) {
          Operation *reader = block.findAncestorOpInBlock(*user);
          if (!reader || !reader->isBeforeInBlock(kernel))
            continue;
          connect(indices[reader], index);
          for (Value result : user->getResults())
            if (buffers::getShown(result))
              work.push_back(result);
        }
    }
  }
}

/// Of what is ready: starts; dones behind which enough work is hidden; other operations in their
/// order; else the first done.
unsigned OverlapSchedule::pick(const std::set<unsigned> &ready) const {
  std::optional<unsigned> finished, other;
  for (unsigned index : ready) {
    Operation *op = nodes[index].op;
    if (isa<CollectiveStartOp>(op))
      return index;
    bool isDone = isa<CollectiveDoneOp>(op);
    if (isDone && !finished && nodes[index].hidden >= nodes[index].worth)
      finished = index;
    if (!isDone && !other)
      other = index;
  }
  return finished ? *finished : other ? *other : *ready.begin();
}

void OverlapSchedule::run() {
  std::set<unsigned> ready;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (nodes[i].waits == 0)
      ready.insert(i);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned index = pick(ready);
    ready.erase(index);
    order.push_back(index);
    for (unsigned other : ready)
      if (isa<CollectiveDoneOp>(nodes[other].op))
        nodes[other].hidden += nodes[index].work;
    for (unsigned user : nodes[index].users)
      if (--nodes[user].waits == 0)
        ready.insert(user);
  }
  if (order.size() != nodes.size()) // updates of one buffer that read each other's
    return;
  for (unsigned index : order)
    nodes[index].op->moveBefore(block.getTerminator());
}

namespace {

struct OverlapCollectives : hloc::impl::OverlapCollectivesBase<OverlapCollectives> {
  void runOnOperation() override {
    llvm::SmallSetVector<Block *, 4> blocks;
    getOperation()->walk([&](CollectiveStartOp start) { blocks.insert(start->getBlock()); });
    for (Block *block : blocks)
      OverlapSchedule(*block).run();
  }
};

} // namespace
