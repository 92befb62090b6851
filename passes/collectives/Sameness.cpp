// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/Sameness.h"
#include "compiler/hlo/CollectiveStages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/collectives/ParticipantNumbers.h"
#include <map>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

Sameness::Sameness(ParticipantCounts counts)
    : counts(counts), same(counts.total(), 0), different(counts.total()) {
  std::iota(different.begin(), different.end(), 0);
}

/// Participants that are in one class in both.
ParticipantClasses Sameness::join(const ParticipantClasses &a, const ParticipantClasses &b) const {
  if (a == same || b == different)
    return b;
  if (b == same || a == b || a == different)
    return a;
  std::map<std::pair<int, int>, int> numbers;
  ParticipantClasses result;
  for (auto [x, y] : llvm::zip(a, b))
    result.push_back(numbers.try_emplace({x, y}, int(numbers.size())).first->second);
  return result;
}

const ParticipantClasses &Sameness::getClasses(Value value) const {
  auto entry = classes.find(value);
  return entry == classes.end() ? same : entry->second;
}

/// Merges further differences; returns true if any is new.
bool Sameness::merge(Value value, const ParticipantClasses &more) {
  auto [entry, isNew] = classes.try_emplace(value, same);
  ParticipantClasses joined = join(entry->second, more);
  if (joined == entry->second)
    return isNew;
  entry->second = std::move(joined);
  return true;
}

/// The classes of a lowered collective's results.
ParticipantClasses Sameness::getSharedResults(CollectiveStartOp op) const {
  static constexpr CollectiveKind alike[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                             CollectiveKind::Broadcast};
  if (!llvm::is_contained(alike, symbolizeCollectiveKind(op.getKind())))
    return different;
  ArrayRef<int64_t> rest = op.getGroups().getIds();
  if (op.getGroups().getSizes().empty()) // one group of all
    return same;
  ParticipantClasses result = different;
  for (int64_t size : op.getGroups().getSizes()) {
    for (int64_t member : rest.take_front(size))
      result[member] = int(rest.front());
    rest = rest.drop_front(size);
  }
  return result;
}

/// The classes of the results of an operation without regions.
FailureOr<ParticipantClasses> Sameness::getResultClasses(Operation *op) {
  if (isa<PartitionIdOp, ReplicaIdOp>(op)) {
    ParticipantClasses result;
    auto ids = getNumbers(op->getResult(0), counts);
    for (const APInt &id : *ids)
      result.push_back(int(id.getZExtValue()));
    return result;
  }
  if (isa<AllReduceOp, AllGatherOp, CollectiveBroadcastOp>(op)) {
    FailureOr<ParticipantGroups> groups = getGroups(op, counts);
    if (failed(groups))
      return failure();
    ParticipantClasses result = different;
    // Participants outside all groups get zeros: each is a class of its own.
    for (const auto &group : *groups)
      for (int64_t member : group)
        result[member] = int(group.front());
    return result;
  }
  if (auto start = dyn_cast<CollectiveStartOp>(op))
    return getSharedResults(start);
  if (auto done = dyn_cast<CollectiveDoneOp>(op)) {
    ParticipantClasses result = same;
    for (Value buffer : done.getBuffers())
      result = join(result, getClasses(buffer));
    return result;
  }
  if (isCollective(op) || isa<InfeedOp, RngOp, RngGetAndUpdateStateOp>(op))
    return different;
  // Without side effects, equal operands give equal results.
  ParticipantClasses result = isMemoryEffectFree(op) ? same : different;
  for (Value operand : op->getOperands())
    result = join(result, getClasses(operand));
  return result;
}

/// Propagates values that enter and leave regions.
void Sameness::visitRegions(Operation *op, bool &changed) {
  auto flow = [&](ValueRange from, ValueRange to, const ParticipantClasses &decision) {
    for (auto [source, target] : llvm::zip(from, to))
      changed |= merge(target, join(getClasses(source), decision));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    ParticipantClasses rounds =
        join(join(getClasses(loop.getLowerBound()), getClasses(loop.getUpperBound())),
             getClasses(loop.getStep()));
    changed |= merge(loop.getInductionVar(), rounds);
    flow(loop.getInits(), loop.getRegionIterArgs(), same);
    flow(loop.getYieldedValues(), loop.getRegionIterArgs(), same);
    flow(loop.getRegionIterArgs(), loop.getResults(), rounds);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto condition = loop.getConditionOp();
    flow(loop.getInits(), loop.getBeforeArguments(), same);
    flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), same);
    flow(condition.getArgs(), loop.getAfterArguments(), same);
    flow(condition.getArgs(), loop.getResults(), getClasses(condition.getCondition()));
    return;
  }
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    Block &body = kernel.getBody().front();
    flow(kernel.getInputs(), body.getArguments(), same);
    flow(body.getTerminator()->getOperands(), kernel.getResults(), same);
    return;
  }
  for (Region &region : op->getRegions()) // of a condition
    if (!region.empty())
      flow(region.front().getTerminator()->getOperands(), op->getResults(),
           getClasses(op->getOperand(0)));
}

LogicalResult Sameness::visit(Operation *op, bool &changed) {
  if (op->getNumRegions() == 0) {
    FailureOr<ParticipantClasses> result = getResultClasses(op);
    if (failed(result))
      return failure();
    for (Value value : op->getResults())
      changed |= merge(value, *result);
    return success();
  }
  visitRegions(op, changed);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visit(block, changed)))
        return failure();
  visitRegions(op, changed);
  return success();
}

LogicalResult Sameness::visit(Block &block, bool &changed) {
  for (Operation &op : block)
    if (failed(visit(&op, changed)))
      return failure();
  return success();
}

FailureOr<Sameness> Sameness::compute(func::FuncOp function, ParticipantCounts counts) {
  Sameness sameness(counts);
  for (BlockArgument argument : function.getArguments())
    sameness.merge(argument, sameness.different);
  bool changed = true;
  while (changed) {
    changed = false;
    if (failed(sameness.visit(function.getBody().front(), changed)))
      return failure();
  }
  return sameness;
}

} // namespace hloc
