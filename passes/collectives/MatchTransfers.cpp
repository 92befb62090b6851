// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/MatchTransfers.h"
#include "compiler/hlo/CollectiveStages.h"
#include "passes/collectives/ParticipantNumbers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

namespace {

/// The regions around an operation that determine whether, and how often, it runs.
using Path = SmallVector<std::pair<Operation *, unsigned>>;

/// A send of one participant, or a recv of another.
struct Half {
  Operation *op; // its start
  Path path;     // without those that are known to be taken once
};

/// What one participant sends to another on a channel, in order, and what the other receives.
struct Route {
  int64_t source, target;
  SmallVector<Half> sends, recvs;

  bool isStraight() const {
    return llvm::all_of(llvm::concat<const Half>(sends, recvs),
                        [](const Half &half) { return half.path.empty(); });
  }
};

class TransferMatcher {
public:
  explicit TransferMatcher(const Sameness &sameness) : sameness(sameness) {}
  void add(CollectiveStartOp op);
  LogicalResult check();

private:
  std::optional<Path> findPath(Operation *op, int64_t participant) const;
  LogicalResult checkCounts(const Route &route);
  LogicalResult checkTypes(const Route &route);
  void warn(const Route &route);
  Operation *findDisagreement(const Route &route) const;

  const Sameness &sameness;
  using Key = std::tuple<int64_t, int64_t, int64_t>; // channel, source, target
  llvm::MapVector<Key, Route> routes;
  bool isTold = false; // something was reported for the last route
};

} // namespace

/// The path on which a participant comes to `op`; none if it never does.
std::optional<Path> TransferMatcher::findPath(Operation *op, int64_t participant) const {
  Path path;
  for (Region *region = op->getParentRegion(); !isa<func::FuncOp>(region->getParentOp());
       region = region->getParentRegion()) {
    Operation *control = region->getParentOp();
    unsigned number = region->getRegionNumber();
    std::optional<unsigned> taken = findTaken(control, participant, sameness.getCounts());
    if (!taken)
      path.emplace_back(control, number);
    else if (*taken != number)
      return std::nullopt;
  }
  return path;
}

void TransferMatcher::add(CollectiveStartOp op) {
  bool isSend = op.getKind() == stringify(CollectiveKind::PeerSend);
  int64_t channel = op.getChannelId().value_or(0);
  ArrayRef<int64_t> pairs = op.getPairs();
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Route &route = routes[{channel, pairs[i], pairs[i + 1]}];
    route.source = pairs[i];
    route.target = pairs[i + 1];
    if (std::optional<Path> path = findPath(op, isSend ? route.source : route.target))
      (isSend ? route.sends : route.recvs).push_back({op, *path});
  }
}

/// A control operation on which the two may differ; null if there is none.
Operation *TransferMatcher::findDisagreement(const Route &route) const {
  for (const Half &half : llvm::concat<const Half>(route.sends, route.recvs))
    for (auto [control, region] : half.path)
      for (Value decision : getDecisions(control)) {
        const ParticipantClasses &classes = sameness.getClasses(decision);
        if (classes[route.source] != classes[route.target])
          return control;
      }
  return nullptr;
}

static std::string countTimes(size_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}

/// Fails if the two are known to have different counts.
LogicalResult TransferMatcher::checkCounts(const Route &route) {
  size_t sends = route.sends.size(), recvs = route.recvs.size();
  if (sends == recvs || (!route.isStraight() && sends > 0 && recvs > 0))
    return success();
  // The first one without a counterpart.
  const Half &lonely = sends > recvs ? route.sends[route.isStraight() ? recvs : 0]
                                     : route.recvs[route.isStraight() ? sends : 0];
  isTold = true;
  InFlightDiagnostic error =
      route.isStraight() ? emitError(lonely.op->getLoc()) : emitWarning(lonely.op->getLoc());
  error << "participant " << route.source << " sends " << countTimes(sends) << " to participant "
        << route.target << " on this channel, but that one receives " << countTimes(recvs);
  const auto &others = sends > recvs ? route.recvs : route.sends;
  if (!others.empty())
    error.attachNote(others.back().op->getLoc())
        << (sends > recvs ? "the last recv" : "the last send");
  return route.isStraight() ? LogicalResult(error) : success();
}

void TransferMatcher::warn(const Route &route) {
  std::vector<Path> sends, recvs;
  for (const Half &half : route.sends)
    sends.push_back(half.path);
  for (const Half &half : route.recvs)
    recvs.push_back(half.path);
  llvm::sort(sends);
  llvm::sort(recvs);
  Operation *control = findDisagreement(route);
  if ((sends == recvs && !control) || route.sends.empty() || route.recvs.empty())
    return;
  Operation *send = route.sends.front().op, *recv = route.recvs.front().op;
  isTold = true;
  InFlightDiagnostic warning = emitWarning(send->getLoc());
  warning << "cannot show that participant " << route.target << " receives as often in "
          << quoteName(recv) << " as participant " << route.source << " sends in "
          << quoteName(send);
  warning.attachNote(recv->getLoc()) << "the receiver";
  if (control)
    warning.attachNote(control->getLoc()) << "they may execute this differently";
}

/// The arrays that a half moves.
static TypeRange getMoved(Operation *op) {
  auto start = cast<CollectiveStartOp>(op);
  return start.getInputs().empty() ? TypeRange(start.getResults().getTypes())
                                   : TypeRange(start.getInputs().getTypes());
}

/// Checks straight-line code, where it is known which send meets which recv.
LogicalResult TransferMatcher::checkTypes(const Route &route) {
  if (!route.isStraight())
    return success();
  for (auto [send, recv] : llvm::zip(route.sends, route.recvs)) {
    if (getMoved(send.op) == getMoved(recv.op))
      continue;
    isTold = true;
    InFlightDiagnostic error = emitError(recv.op->getLoc());
    error << "participant " << route.target << " receives other arrays than participant "
          << route.source << " sends";
    error.attachNote(send.op->getLoc()) << "the sender";
    return error;
  }
  return success();
}

/// Reports at most one problem per channel.
LogicalResult TransferMatcher::check() {
  llvm::SmallDenseSet<int64_t> told;
  bool isValid = true;
  for (const auto &[key, route] : routes) {
    if (told.contains(std::get<0>(key)))
      continue;
    isTold = false;
    if (failed(checkCounts(route)) || failed(checkTypes(route)))
      isValid = false;
    else
      warn(route);
    if (isTold)
      told.insert(std::get<0>(key));
  }
  return success(isValid);
}

LogicalResult matchTransfers(func::FuncOp function, const Sameness &sameness) {
  TransferMatcher matcher(sameness);
  function.walk([&](CollectiveStartOp op) {
    if (op.getKind() == stringify(CollectiveKind::PeerSend) ||
        op.getKind() == stringify(CollectiveKind::PeerRecv))
      matcher.add(op);
  });
  return matcher.check();
}

} // namespace hloc
