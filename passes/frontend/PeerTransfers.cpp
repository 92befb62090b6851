// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/PeerTransfers.h"
#include "compiler/hlo/PeerPairs.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// The pairs of participants that `op` names; if it names none, each participant paired with
/// itself.
static FailureOr<SmallVector<int64_t>> readPairs(Operation *op, ParticipantCounts counts) {
  StringRef text = findPeerPairs(op);
  if (!text.data()) {
    SmallVector<int64_t> own;
    for (int64_t i = 0; i < counts.total(); ++i)
      own.append({i, i});
    return own;
  }
  llvm::Expected<SmallVector<int64_t>> numbers = parsePeerPairs(text);
  if (!numbers)
    return emitError(op->getLoc()) << llvm::toString(numbers.takeError());
  FailureOr<SmallVector<int64_t>> pairs = getPairs(op, *numbers, counts.partitions > 1, counts);
  if (failed(pairs))
    return failure();
  llvm::SmallSet<int64_t, 8> targets;
  for (size_t i = 1; i < pairs->size(); i += 2)
    if (!targets.insert((*pairs)[i]).second)
      return emitError(op->getLoc())
             << "participant " << (*pairs)[i] << " is the target of two pairs";
  return pairs;
}

/// The receives that `done` may complete: the one that it names or, if its state is passed through
/// a loop or a branch, those on its channel.
static SmallVector<RecvOp> findRecvs(RecvDoneOp done, ArrayRef<RecvOp> all) {
  if (auto recv = done.getOperand().getDefiningOp<RecvOp>())
    return {recv};
  return llvm::to_vector(llvm::make_filter_range(
      all, [&](RecvOp recv) { return recv.getChannelId() == done.getChannelId(); }));
}

FailureOr<PeerTransfers> PeerTransfers::find(ModuleOp module) {
  PeerTransfers found;
  ParticipantCounts counts = ParticipantCounts::of(module);
  SmallVector<RecvOp> recvs;
  module.walk([&](RecvOp recv) { recvs.push_back(recv); });
  auto add = [&](Operation *op, Operation *described) {
    FailureOr<SmallVector<int64_t>> pairs = readPairs(described, counts);
    if (failed(pairs))
      return WalkResult::interrupt();
    found.transfers[op] = {*pairs};
    return WalkResult::advance();
  };
  WalkResult result = module.walk([&](Operation *op) {
    if (auto send = dyn_cast<SendOp>(op))
      return send.getIsHostTransfer() ? WalkResult::advance() : add(op, op);
    auto done = dyn_cast<RecvDoneOp>(op);
    if (!done)
      return WalkResult::advance();
    SmallVector<RecvOp> begun = findRecvs(done, recvs);
    if (begun.empty() ? done.getIsHostTransfer() : begun.front().getIsHostTransfer())
      return WalkResult::advance();
    if (begun.empty() || findPeerPairs(done).data())
      return add(op, op);
    for (RecvOp other : begun)
      if (findPeerPairs(other) != findPeerPairs(begun.front())) {
        InFlightDiagnostic error = emitError(op->getLoc());
        error << "cannot tell which recv this ends: those on its channel have other "
                 "source-target pairs";
        error.attachNote(begun.front().getLoc()) << "one of them";
        error.attachNote(other.getLoc()) << "another";
        return WalkResult(error);
      }
    return add(op, begun.front());
  });
  if (result.wasInterrupted())
    return failure();
  return found;
}

const PeerTransfer *PeerTransfers::lookup(Operation *op) const {
  auto place = transfers.find(op);
  return place == transfers.end() ? nullptr : &place->second;
}

} // namespace hloc
