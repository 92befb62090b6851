// SPDX-License-Identifier: Apache-2.0
// Lets kernels run while collectives and asynchronous computations are in flight: starts move as
// early as their operands allow, dones as late as is useful. Test:
// test/passes/schedule/overlap-collectives.hlo.
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/BlockGraph.h"
#include "passes/schedule/Prediction.h"
#include <limits>
#include <set>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Passes.h.inc"
} // namespace hloc

/// Predicted time of an operation on one core.
static double estimateWork(Operation *op, const Target &target) {
  double time = 0;
  op->walk([&](KernelOp kernel) {
    KernelProblem problem{kernel.getKind(), kernel.getBody().front(), kernel.getReuse(), target,
                          CostModel(target)};
    time += predictTime(problem, chooseSchedule(problem).best.schedule);
  });
  return time;
}

/// Predicted time that a collective is in flight.
static double estimateCollective(CollectiveStartOp start, const Target &target) {
  double bytes = 0;
  for (Value value : llvm::concat<Value>(start->getOperands(), start->getResults()))
    if (isa<RankedTensorType>(value.getType()))
      bytes += double(buffers::getBytes(value.getType()));
  return CostModel(target).getCollectiveTime(bytes);
}

static bool isStart(Operation *op) { return isa<CollectiveStartOp, AsyncLaunchOp>(op); }
static bool isDone(Operation *op) { return isa<CollectiveDoneOp, AsyncWaitOp>(op); }

/// True if `op`, or an operation in its regions, starts something.
static bool starts(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isStart(nested) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isTransfer(Operation *op) {
  auto start = dyn_cast<CollectiveStartOp>(op);
  return start && (start.getKind() == stringify(CollectiveKind::PeerSend) ||
                   start.getKind() == stringify(CollectiveKind::PeerRecv));
}

namespace {

class OverlapSchedule {
public:
  OverlapSchedule(Block &block, const Target &target);

  /// Reorders the block's operations.
  void run();

private:
  struct Node {
    double work = 0;
    double hidden = 0;         // of a done: work since its start
    double worth = 0;          // of a done: work that would hide all that was started
    bool leadsToStart = false; // it starts something, or a start depends on it
  };

  void findLeadsToStarts();
  bool mayFinish(const std::set<unsigned> &ready) const;
  unsigned pick(const std::set<unsigned> &ready) const;

  BlockGraph graph;
  std::vector<Node> nodes;
  bool hasTransfers = false; // between two participants
};

} // namespace

OverlapSchedule::OverlapSchedule(Block &block, const Target &target)
    : graph(block), nodes(graph.size()) {
  for (auto [index, node] : llvm::enumerate(nodes)) {
    if (auto done = dyn_cast<CollectiveDoneOp>(graph[index]))
      node.worth =
          estimateCollective(cast<CollectiveStartOp>(done.getTicket().getDefiningOp()), target);
    else if (isa<AsyncWaitOp>(graph[index])) // its function is planned concurrently with this one
      node.worth = std::numeric_limits<double>::infinity();
    else if (!isStart(graph[index]))
      node.work = estimateWork(graph[index], target);
  }
  // Participants meet in the order of their starts; a done depends only on its start.
  graph.connectEffects([](Operation *op) { return isa<CollectiveDoneOp>(op); });
  graph.connectReadersToUpdates();
  for (unsigned index = 0; index < nodes.size(); ++index)
    graph[index]->walk([&](Operation *op) { hasTransfers |= isTransfer(op); });
  if (hasTransfers)
    findLeadsToStarts();
}

void OverlapSchedule::findLeadsToStarts() {
  bool changed = true;
  for (auto [index, node] : llvm::enumerate(nodes))
    node.leadsToStart = starts(graph[index]);
  while (changed) {
    changed = false;
    for (unsigned index = nodes.size(); index-- > 0;) {
      bool leads = llvm::any_of(graph.getUsers(index),
                                [&](unsigned user) { return nodes[user].leadsToStart; });
      changed |= leads && !nodes[index].leadsToStart;
      nodes[index].leadsToStart |= leads;
    }
  }
}

/// True if a done may be scheduled now. Where participants send to each other, each first issues
/// all starts that it can: another participant may wait for one of them.
bool OverlapSchedule::mayFinish(const std::set<unsigned> &ready) const {
  return !hasTransfers || llvm::none_of(ready, [&](unsigned index) {
    return nodes[index].leadsToStart && !isa<CollectiveDoneOp>(graph[index]);
  });
}

/// Chooses among the ready operations: starts first; then dones whose latency is hidden; then other
/// operations in their order; else the first done.
unsigned OverlapSchedule::pick(const std::set<unsigned> &ready) const {
  std::optional<unsigned> finished, other;
  for (unsigned index : ready) {
    Operation *op = graph[index];
    if (isStart(op))
      return index;
    if (!isDone(op) && !other)
      other = index;
    if (isDone(op) && !finished && nodes[index].hidden >= nodes[index].worth)
      finished = index;
  }
  if (finished && mayFinish(ready))
    return *finished;
  return other ? *other : *ready.begin();
}

void OverlapSchedule::run() {
  std::set<unsigned> ready;
  std::vector<unsigned> waits(graph.getWaits());
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (waits[i] == 0)
      ready.insert(i);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned index = pick(ready);
    ready.erase(index);
    order.push_back(index);
    for (unsigned other : ready)
      if (isDone(graph[other]))
        nodes[other].hidden += nodes[index].work;
    for (unsigned user : graph.getUsers(index))
      if (--waits[user] == 0)
        ready.insert(user);
  }
  if (order.size() == nodes.size()) // cyclic if updates of one buffer read each other's results
    graph.apply(order);
}

namespace {

struct OverlapCollectives : hloc::impl::OverlapCollectivesBase<OverlapCollectives> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    llvm::SmallSetVector<Block *, 4> blocks;
    getOperation()->walk([&](Operation *op) {
      if (isStart(op))
        blocks.insert(op->getBlock());
    });
    for (Block *block : blocks)
      OverlapSchedule(*block, *target).run();
  }
};

} // namespace
