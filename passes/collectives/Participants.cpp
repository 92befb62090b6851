// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/Participants.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

namespace {

/// What the numbers in an operation's groups are.
enum class GroupMode { Replicas, Partitions, ReplicasAndPartitions, Flattened };

} // namespace

static int64_t getCount(ModuleOp module, StringRef name) {
  auto count = module->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 1;
}

ParticipantCounts ParticipantCounts::of(ModuleOp module) {
  return {getCount(module, "hlo.replica_count"), getCount(module, "hlo.num_partitions")};
}

bool isCollective(Operation *op) {
  return isa<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp, RaggedAllToAllOp,
             CollectiveBroadcastOp, CollectivePermuteOp>(op);
}

bool isCollectiveStart(Operation *op) {
  return isa<AllReduceStartOp, AllGatherStartOp, CollectivePermuteStartOp>(op);
}

/// Reductions and gathers may be between both kinds of numbers, all others are between one kind.
static GroupMode getMode(Operation *op) {
  return llvm::TypeSwitch<Operation *, GroupMode>(op)
      .Case<AllReduceOp, ReduceScatterOp, AllGatherOp>([](auto collective) {
        if (collective.getUseGlobalDeviceIds())
          return GroupMode::Flattened;
        return collective.getChannelIdAttr() ? GroupMode::ReplicasAndPartitions
                                             : GroupMode::Replicas;
      })
      .Case<AllToAllOp, RaggedAllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp>(
          [](auto collective) {
            return collective.getChannelIdAttr() ? GroupMode::Partitions : GroupMode::Replicas;
          });
}

/// The groups with the operation's own numbers; one of all if it has none.
static ParticipantGroups getNumbers(ReplicaGroupsAttr groups, int64_t count) {
  ParticipantGroups lists;
  if (!groups || groups.getSizes().empty()) {
    lists.push_back(llvm::to_vector(llvm::seq<int64_t>(count)));
    return lists;
  }
  ArrayRef<int64_t> ids = groups.getIds();
  for (int64_t size : groups.getSizes()) {
    lists.emplace_back(ids.take_front(size));
    ids = ids.drop_front(size);
  }
  return lists;
}

static int64_t getLimit(GroupMode mode, ParticipantCounts counts) {
  switch (mode) {
  case GroupMode::Partitions:
    return counts.partitions;
  case GroupMode::Flattened:
    return counts.total();
  default:
    return counts.replicas;
  }
}

/// The lists' numbers as participants: lists of replicas are repeated for each partition, and lists
/// of partitions for each replica.
static ParticipantGroups flatten(const ParticipantGroups &lists, GroupMode mode,
                                 ParticipantCounts counts) {
  ParticipantGroups groups;
  auto [replicas, partitions] = counts;
  switch (mode) {
  case GroupMode::Flattened:
    return lists;
  case GroupMode::Partitions:
    for (int64_t replica = 0; replica < replicas; ++replica)
      for (const auto &list : lists)
        for (auto &group = groups.emplace_back(); int64_t number : list)
          group.push_back(replica * partitions + number);
    return groups;
  case GroupMode::Replicas:
    for (int64_t partition = 0; partition < partitions; ++partition)
      for (const auto &list : lists)
        for (auto &group = groups.emplace_back(); int64_t number : list)
          group.push_back(number * partitions + partition);
    return groups;
  case GroupMode::ReplicasAndPartitions:
    for (const auto &list : lists)
      for (auto &group = groups.emplace_back(); int64_t number : list)
        for (int64_t partition = 0; partition < partitions; ++partition)
          group.push_back(number * partitions + partition);
    return groups;
  }
  llvm_unreachable("every mode is handled");
}

static ReplicaGroupsAttr getAttribute(Operation *op) {
  return llvm::TypeSwitch<Operation *, ReplicaGroupsAttr>(op)
      .Case<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp, RaggedAllToAllOp,
            CollectiveBroadcastOp>(
          [](auto collective) { return collective.getReplicaGroupsAttr(); })
      .Default(ReplicaGroupsAttr());
}

/// Checks that all `numbers` are from 0 to `limit` - 1.
static LogicalResult checkNumbers(Operation *op, ArrayRef<int64_t> numbers, GroupMode mode,
                                  int64_t limit) {
  for (int64_t number : numbers)
    if (number < 0 || number >= limit) {
      StringRef what = mode == GroupMode::Partitions  ? "partition"
                       : mode == GroupMode::Flattened ? "participant"
                                                      : "replica";
      return emitError(op->getLoc())
             << "names " << what << ' ' << number << ", but the module is for " << limit << ' '
             << what << (limit == 1 ? "" : "s");
    }
  return success();
}

FailureOr<ParticipantGroups> getGroups(Operation *op, ParticipantCounts counts) {
  GroupMode mode = getMode(op);
  ParticipantGroups lists = getNumbers(getAttribute(op), getLimit(mode, counts));
  for (const auto &list : lists)
    if (failed(checkNumbers(op, list, mode, getLimit(mode, counts))))
      return failure();
  ParticipantGroups groups = flatten(lists, mode, counts);
  if (isa<CollectiveBroadcastOp>(op)) // gives zeros outside the groups
    return groups;
  llvm::BitVector missing(counts.total(), true);
  for (const auto &group : groups)
    for (int64_t member : group)
      missing.reset(member);
  if (missing.any())
    return emitError(op->getLoc()) << "participant " << missing.find_first() << " of "
                                   << counts.total() << " is in no replica group";
  return groups;
}

FailureOr<SmallVector<int64_t>> getPairs(Operation *op, ArrayRef<int64_t> pairs, bool ofPartitions,
                                         ParticipantCounts counts) {
  GroupMode mode = ofPartitions ? GroupMode::Partitions : GroupMode::Replicas;
  if (failed(checkNumbers(op, pairs, mode, getLimit(mode, counts))))
    return failure();
  SmallVector<int64_t> participants;
  for (const auto &list : flatten({SmallVector<int64_t>(pairs)}, mode, counts))
    llvm::append_range(participants, list);
  return participants;
}

FailureOr<SmallVector<int64_t>> getPairs(CollectivePermuteOp op, ParticipantCounts counts) {
  return getPairs(op, op.getSourceTargetPairs(), bool(op.getChannelIdAttr()), counts);
}

} // namespace hloc
