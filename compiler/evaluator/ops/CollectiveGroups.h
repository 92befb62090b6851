// SPDX-License-Identifier: Apache-2.0
// The groups of collectives, and the exchange of operands between members. Test:
// test/evaluator/permute-slices.hlo, test/passes/bounded/groups.hlo.

#ifndef HLOC_COMPILER_EVALUATOR_COLLECTIVEGROUPS_H
#define HLOC_COMPILER_EVALUATOR_COLLECTIVEGROUPS_H

#include "compiler/evaluator/core/Communicator.h"

namespace hloc::evaluator {

/// A group from the point of view of this participant.
struct Group {
  llvm::SmallVector<int64_t>
      members;      // participants, replica-major; empty if this one is in no group
  size_t place = 0; // of this participant
};

/// The kind of numbers in replica groups.
enum class Mode { Replicas, Partitions, ReplicasAndPartitions, Flattened };

/// The mode of operations that may use global device ids.
template <class Op> Mode reducingMode(Op op) {
  if (op.getUseGlobalDeviceIds())
    return Mode::Flattened;
  return op.getChannelId() ? Mode::ReplicasAndPartitions : Mode::Replicas;
}

/// The mode of all others.
template <class Op> Mode exchangingMode(Op op) {
  return op.getChannelId() ? Mode::Partitions : Mode::Replicas;
}

/// This participant's group; all participants if `groups` is empty.
Group findGroup(Call &call, hlo::ReplicaGroupsAttr groups, Mode mode);

/// Everyone's operands, in the order of the group's members.
mlir::FailureOr<std::shared_ptr<Meeting>> meet(Call &call, const Group &group);

/// One value, or several as a tuple.
Value packed(Values &values);

void addPermuteOps(HandlerTable &table);

} // namespace hloc::evaluator

#endif
