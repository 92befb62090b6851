// SPDX-License-Identifier: Apache-2.0
// The halves of asynchronous operations.
#include "compiler/hlo/infer/ModuleChecks.h"
#include "compiler/hlo/infer/Rules.h"

using namespace mlir;

namespace hloc::hlo {

/// Operations through which the state of an asynchronous operation passes unchanged: into and out
/// of loops and calls.
static bool passesOn(Operation *op) {
  return isa<TupleOp, GetTupleElementOp, ReturnOp, WhileOp, CallOp, ConditionalOp, OptBarrierOp,
             CopyOp, FusionOp>(op);
}

/// The operations that may end or continue the one that `op` starts or continues; empty if `op`
/// does neither.
static SmallVector<StringRef, 2> getSuccessors(Operation *op) {
  if (isa<AsyncStartOp, AsyncUpdateOp>(op))
    return {"hlo.async_update", "hlo.async_done"};
  if (isa<AllGatherStartOp>(op))
    return {"hlo.all_gather_done"};
  if (isa<AllReduceStartOp>(op))
    return {"hlo.all_reduce_done"};
  if (isa<CollectivePermuteStartOp>(op))
    return {"hlo.collective_permute_done"};
  if (isa<CopyStartOp>(op))
    return {"hlo.copy_done"};
  if (isa<SendOp>(op))
    return {"hlo.send_done"};
  if (isa<RecvOp>(op))
    return {"hlo.recv_done"};
  return {};
}

/// The operations that may have made the state that `op` ends or continues; empty if `op` does
/// neither.
static SmallVector<StringRef, 2> getPredecessors(Operation *op) {
  if (isa<AsyncUpdateOp, AsyncDoneOp>(op))
    return {"hlo.async_start", "hlo.async_update"};
  if (isa<AllGatherDoneOp>(op))
    return {"hlo.all_gather_start"};
  if (isa<AllReduceDoneOp>(op))
    return {"hlo.all_reduce_start"};
  if (isa<CollectivePermuteDoneOp>(op))
    return {"hlo.collective_permute_start"};
  if (isa<CopyDoneOp>(op))
    return {"hlo.copy_start"};
  if (isa<SendDoneOp>(op))
    return {"hlo.send"};
  if (isa<RecvDoneOp>(op))
    return {"hlo.recv"};
  return {};
}

static std::string toText(ArrayRef<StringRef> operations) {
  std::string text;
  for (StringRef name : operations) {
    text += text.empty() ? "" : " or ";
    text += name.drop_front(4);
  }
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

static LogicalResult checkState(Operation *op) {
  Rule rule(op->getContext(), op->getLoc(), op->getName().getStringRef());
  SmallVector<StringRef, 2> successors = getSuccessors(op), predecessors = getPredecessors(op);
  if (!successors.empty() && op->getNumResults() == 1) {
    Operation *ended = nullptr;
    for (Operation *user : op->getResult(0).getUsers()) {
      if (passesOn(user))
        continue;
      if (!llvm::is_contained(successors, user->getName().getStringRef()))
        return rule.fail(Error::Async)
               << "expected to be used by " << toText(successors) << " but "
               << Rule(op->getContext(), {}, user->getName().getStringRef()).getOpcode()
               << " uses it";
      if (ended)
        return rule.fail(Error::Async)
               << "expected one " << toText(successors) << " but there are two";
      ended = user;
    }
  }
  if (!predecessors.empty() && op->getNumOperands()) {
    Operation *maker = op->getOperand(0).getDefiningOp();
    if (maker && !passesOn(maker) &&
        !llvm::is_contained(predecessors, maker->getName().getStringRef()))
      return rule.fail(Error::Async)
             << "expected the operand to be made by " << toText(predecessors) << " but "
             << Rule(op->getContext(), {}, maker->getName().getStringRef()).getOpcode()
             << " makes it";
  }
  return success();
}

/// Both halves of a transfer use one channel and reach the same side.
template <typename First, typename Second> static LogicalResult checkTransfer(Second second) {
  auto first = second.getOperand().template getDefiningOp<First>();
  if (!first)
    return success();
  Rule rule(second.getContext(), second.getLoc(), Second::getOperationName());
  auto channelOf = [](auto op) {
    return op.getChannelId() ? "channel_id " + std::to_string(*op.getChannelId())
                             : std::string("no channel_id");
  };
  if (first.getChannelId() != second.getChannelId())
    return rule.fail(Error::Channel) << "expected " << channelOf(first)
                                     << ", as its first half has, but got " << channelOf(second);
  if (first.getIsHostTransfer() != second.getIsHostTransfer())
    return rule.fail(Error::Channel) << "expected is_host_transfer to be as its first half has it";
  return success();
}

LogicalResult checkPairs(ModuleOp module) {
  bool valid = true;
  for (auto computation : module.getOps<ComputationOp>())
    for (Operation &op : computation.getBody().front()) {
      valid = succeeded(checkState(&op)) && valid;
      if (auto done = dyn_cast<SendDoneOp>(op))
        valid = succeeded(checkTransfer<SendOp>(done)) && valid;
      if (auto done = dyn_cast<RecvDoneOp>(op))
        valid = succeeded(checkTransfer<RecvOp>(done)) && valid;
    }
  return success(valid);
}

} // namespace hloc::hlo
