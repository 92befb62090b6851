// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/PeerTransfers.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

static constexpr StringLiteral kPairs = "_xla_send_recv_source_target_pairs";

/// Parses {{0,1},{1,2}}; none if the text is not of that form.
static std::optional<SmallVector<int64_t>> parsePairs(StringRef text) {
  std::string packed;
  for (char c : text)
    if (!llvm::isSpace(c) && c != '"')
      packed += c;
  StringRef rest = packed;
  SmallVector<int64_t> numbers;
  if (!rest.consume_front("{"))
    return std::nullopt;
  while (!rest.consume_front("}")) {
    int64_t source, target;
    if ((!numbers.empty() && !rest.consume_front(",")) || !rest.consume_front("{") ||
        rest.consumeInteger(10, source) || !rest.consume_front(",") ||
        rest.consumeInteger(10, target) || !rest.consume_front("}"))
      return std::nullopt;
    numbers.append({source, target});
  }
  return numbers;
}

/// The text of the pairs; null if `op` has none.
static StringRef findPairs(Operation *op) {
  auto attributes = op->getAttrOfType<StringAttr>("hlo.frontend_attributes");
  StringRef text = attributes ? attributes.getValue() : StringRef();
  size_t at = text.find(kPairs);
  if (at == StringRef::npos)
    return {};
  return text.drop_front(at).split('=').second;
}

/// The pairs of participants that `op` names; if it names none, each participant paired with
/// itself.
static FailureOr<SmallVector<int64_t>> readPairs(Operation *op, ParticipantCounts counts) {
  StringRef text = findPairs(op);
  if (!text.data()) {
    SmallVector<int64_t> own;
    for (int64_t i = 0; i < counts.total(); ++i)
      own.append({i, i});
    return own;
  }
  std::optional<SmallVector<int64_t>> numbers = parsePairs(text);
  if (!numbers)
    return emitError(op->getLoc()) << "expected " << kPairs << " to be pairs such as {{0,1},{1,2}}";
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
    if (begun.empty() || findPairs(done).data())
      return add(op, op);
    for (RecvOp other : begun)
      if (findPairs(other) != findPairs(begun.front())) {
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
