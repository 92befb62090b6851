// SPDX-License-Identifier: Apache-2.0
// Participants and channels of collectives.
#include "compiler/hlo/infer/ModuleChecks.h"
#include "compiler/hlo/infer/Rules.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <map>

using namespace mlir;

namespace hloc::hlo {

namespace {
/// How a collective numbers its participants.
enum class Mode { Replicas, Partitions, ReplicasAndPartitions, FlattenedIds };

/// The attributes that collectives share.
struct Collective {
  Operation *op;
  Rule rule;
  bool hasChannel, globalIds;
  ReplicaGroupsAttr groups;

  template <typename Op>
  explicit Collective(Op op)
      : op(op), rule(op.getContext(), op.getLoc(), Op::getOperationName()),
        hasChannel(op.getChannelIdAttr()), globalIds(op.getUseGlobalDeviceIds()),
        groups(op.getReplicaGroupsAttr()) {}

  bool isEmpty() const { return !groups || groups.getSizes().empty(); }
};

struct Counts {
  int64_t replicas, partitions;
};
} // namespace

static int64_t getCount(ModuleOp module, StringRef name) {
  auto attribute = module->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 1;
}

/// C1: use_global_device_ids needs a channel.
static FailureOr<Mode> getMode(const Collective &collective) {
  if (!collective.hasChannel && collective.globalIds)
    return collective.rule.fail(Error::Channel)
           << "expected a channel_id with use_global_device_ids";
  if (!collective.hasChannel)
    return Mode::Replicas;
  if (isa<AllToAllOp, RaggedAllToAllOp, CollectiveBroadcastOp>(collective.op))
    return Mode::Partitions;
  return collective.globalIds ? Mode::FlattenedIds : Mode::ReplicasAndPartitions;
}

/// Number of participants that the groups divide; 1 means unknown.
static int64_t getParticipants(Mode mode, const Counts &counts) {
  switch (mode) {
  case Mode::Replicas:
  case Mode::ReplicasAndPartitions:
    return counts.replicas;
  case Mode::Partitions:
    return counts.partitions;
  case Mode::FlattenedIds:
    return llvm::checkedMul(counts.replicas, counts.partitions).value_or(1);
  }
  llvm_unreachable("every mode is handled");
}

static LogicalResult checkGroups(const Collective &collective, Mode mode, const Counts &counts,
                                 bool uniform) {
  const Rule &rule = collective.rule;
  if (collective.isEmpty()) {
    if (mode == Mode::FlattenedIds) // C2
      return rule.fail(Error::ReplicaGroups)
             << "expected replica_groups with use_global_device_ids";
    return success();
  }
  Sizes ids = collective.groups.getIds(), sizes = collective.groups.getSizes();
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 1) // C3
      return rule.fail(Error::ReplicaGroups) << "expected no empty replica group";
    if (uniform && size != sizes[0]) // C4
      return rule.fail(Error::ReplicaGroups)
             << "expected replica groups of one size but got sizes " << toText(sizes);
    total = size > int64_t(ids.size()) ? -1 : total + size;
    if (total < 0)
      break;
  }
  if (total != int64_t(ids.size()))
    return rule.fail(Error::ReplicaGroups)
           << "expected as many participants as the sizes of the groups say but got " << ids.size();
  SmallVector<bool> seen(ids.size());
  for (int64_t id : ids) { // C5
    if (id < 0 || id >= total)
      return rule.fail(Error::ReplicaGroups)
             << "expected replica_groups to name each participant from 0 to " << total - 1
             << " but got " << id;
    if (seen[id])
      return rule.fail(Error::ReplicaGroups)
             << "expected replica_groups to name participant " << id << " once";
    seen[id] = true;
  }
  int64_t participants = getParticipants(mode, counts);
  if (participants != 1 && total > participants) // C6
    return rule.fail(Error::ReplicaGroups)
           << "expected replica_groups to name no more than the " << participants
           << " participants of the module but got " << total;
  return success();
}

/// Members of a group; 1 means unknown.
static int64_t getGroupSize(const Collective &collective, Mode mode, const Counts &counts) {
  int64_t size =
      collective.isEmpty() ? getParticipants(mode, counts) : collective.groups.getSizes()[0];
  return mode == Mode::ReplicasAndPartitions ? llvm::checkedMul(size, counts.partitions).value_or(1)
                                             : size;
}

/// C7: the size of `large` is that of `small` times the number of members of a group.
static LogicalResult checkShards(const Rule &rule, Type small, Type large, int64_t dimension,
                                 int64_t members) {
  auto part = dyn_cast<RankedTensorType>(small), whole = dyn_cast<RankedTensorType>(large);
  if (!part || !whole || members == 1 || dimension < 0 || dimension >= part.getRank() ||
      whole.getRank() != part.getRank())
    return success();
  int64_t size = getBounds(part)[dimension], total = getBounds(whole)[dimension];
  if (size == kUnbounded || total == kUnbounded || (size == 0 && total == 0) ||
      llvm::checkedMul(size, members) == total)
    return success();
  return rule.fail(Error::ShardCount)
         << "expected " << toText(large) << " to be " << members << " times " << toText(small)
         << " in dimension " << dimension << ", for each member of a replica group";
}

/// The first array among the results; for a start operation, among its final results.
static Type getFirstResult(Operation *op, bool start) {
  if (op->getNumResults() == 0)
    return nullptr;
  Type type = op->getResult(0).getType();
  auto tuple = dyn_cast<TupleType>(type);
  if (start && tuple && tuple.size() >= 2)
    type = tuple.getType(1);
  while (auto inner = dyn_cast<TupleType>(type)) {
    if (inner.size() == 0)
      return nullptr;
    type = inner.getType(0);
  }
  return type;
}

template <typename Op> static LogicalResult checkCollective(Op op, const Counts &counts) {
  Collective collective(op);
  FailureOr<Mode> mode = getMode(collective);
  bool uniform = !isa<AllReduceOp, AllReduceStartOp, CollectiveBroadcastOp>(op.getOperation());
  if (failed(mode))
    return failure();
  // its groups name the participants that take part
  if (isa<CollectiveBroadcastOp>(op.getOperation()))
    return success();
  if (failed(checkGroups(collective, *mode, counts, uniform)))
    return failure();
  int64_t members = getGroupSize(collective, *mode, counts);
  Type operand = op->getOperand(0).getType();
  if constexpr (std::is_same_v<Op, AllGatherOp> || std::is_same_v<Op, AllGatherStartOp>)
    return checkShards(collective.rule, operand,
                       getFirstResult(op, std::is_same_v<Op, AllGatherStartOp>),
                       op.getDimensions()[0], members);
  if constexpr (std::is_same_v<Op, ReduceScatterOp>)
    return checkShards(collective.rule, getFirstResult(op, false), operand, op.getDimensions()[0],
                       members);
  if constexpr (std::is_same_v<Op, AllToAllOp>) {
    if (members == 1)
      return success();
    std::optional<Sizes> dimensions = op.getDimensions();
    if (!dimensions && int64_t(op->getNumOperands()) != members) // C8
      return collective.rule.fail(Error::ShardCount)
             << "expected " << members
             << " operands, one for each member of a replica group, but got "
             << op->getNumOperands();
    int64_t size =
        dimensions ? getBounds(cast<RankedTensorType>(operand))[(*dimensions)[0]] : members;
    if (size != kUnbounded && size % members) // C9
      return collective.rule.fail(Error::ShardCount)
             << "expected dimension " << (*dimensions)[0] << " of " << toText(operand)
             << " to have a part for each of " << members << " members of a replica group";
  }
  return success();
}

/// Pairs: numbers in range (C1), each source and each target once (C2).
template <typename Op> static LogicalResult checkPermutation(Op op, const Counts &counts) {
  Rule rule(op.getContext(), op.getLoc(), Op::getOperationName());
  Sizes pairs = op.getSourceTargetPairs();
  if (pairs.size() % 2)
    return rule.fail(Error::SourceTargetPairs)
           << "expected pairs but got " << pairs.size() << " numbers";
  int64_t limit = op.getChannelIdAttr() ? counts.partitions : counts.replicas;
  // With slices, a participant may send or receive once for each of them.
  size_t allowed = 1;
  std::optional<ArrayAttr> slices = op.getSliceSizes();
  if (slices && !slices->empty())
    allowed = slices->size();
  std::map<int64_t, size_t> counted[2]; // unlike DenseMap, for any number
  for (auto [i, number] : llvm::enumerate(pairs)) {
    StringRef role = i % 2 ? "target" : "source";
    if (number < 0 || (limit != 1 && number >= limit))
      return rule.fail(Error::SourceTargetPairs)
             << "expected each " << role << " to be "
             << (limit == 1 ? "at least 0" : "a participant from 0 to ")
             << (limit == 1 ? std::string() : std::to_string(limit - 1)) << " but got " << number;
    if (++counted[i % 2][number] > allowed)
      return rule.fail(Error::SourceTargetPairs)
             << "expected " << role << " " << number << " to be named " << allowed
             << (allowed == 1 ? " time" : " times") << " at most";
  }
  return success();
}

/// The operation's channel, if it communicates on one.
static std::optional<int64_t> getChannel(Operation *op) {
  auto name = StringAttr::get(op->getContext(), "channel_id");
  std::optional<Attribute> attribute = op->getInherentAttr(name);
  auto number = attribute ? dyn_cast_or_null<IntegerAttr>(*attribute) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

LogicalResult checkCollectives(ModuleOp module) {
  Counts counts{getCount(module, "hlo.replica_count"), getCount(module, "hlo.num_partitions")};
  bool valid = true;
  std::map<int64_t, Operation *> channels; // unlike DenseMap, for any number
  auto isTransfer = [](Operation *op) { return isa<SendOp, SendDoneOp, RecvOp, RecvDoneOp>(op); };
  auto check = [&](Operation *op) -> LogicalResult {
    if (auto all = dyn_cast<AllGatherOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<AllGatherStartOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<AllReduceOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<AllReduceStartOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<ReduceScatterOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<AllToAllOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<RaggedAllToAllOp>(op))
      return checkCollective(all, counts);
    if (auto all = dyn_cast<CollectiveBroadcastOp>(op))
      return checkCollective(all, counts);
    if (auto permute = dyn_cast<CollectivePermuteOp>(op))
      return checkPermutation(permute, counts);
    if (auto permute = dyn_cast<CollectivePermuteStartOp>(op))
      return checkPermutation(permute, counts);
    return success(isTransfer(op));
  };
  for (auto computation : module.getOps<ComputationOp>())
    for (Operation &op : computation.getBody().front()) {
      std::optional<int64_t> channel;
      bool communicates = isTransfer(&op) || op.getName().getStringRef().contains("all_") ||
                          isa<ReduceScatterOp, CollectiveBroadcastOp, CollectivePermuteOp,
                              CollectivePermuteStartOp>(op);
      if (!communicates || isa<AllGatherDoneOp, AllReduceDoneOp>(op))
        continue;
      valid = succeeded(check(&op)) && valid;
      if (!(channel = getChannel(&op)))
        continue;
      Operation *&first = channels[*channel];
      if (!first)
        first = &op;
      bool same = isTransfer(first) == isTransfer(&op);
      if (!same) {
        valid = false;
        Rule(op.getContext(), op.getLoc(), op.getName().getStringRef()).fail(Error::Channel)
            << "expected channel " << *channel << " to be used for "
            << (isTransfer(first) ? "send and recv" : "collectives") << " only, as before";
      }
    }
  return success(valid);
}

} // namespace hloc::hlo
