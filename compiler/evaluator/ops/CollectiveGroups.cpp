// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/ops/CollectiveGroups.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

Group findGroup(Call &call, ReplicaGroupsAttr groups, Mode mode) {
  const Interpreter &me = call.interpreter;
  int64_t replicas = me.evaluation.options.replicas, partitions = me.evaluation.options.partitions;
  int64_t self = mode == Mode::Flattened    ? me.id
                 : mode == Mode::Partitions ? me.getPartition()
                                            : me.getReplica();
  SmallVector<int64_t> numbers;
  if (!groups || groups.getSizes().empty()) {
    int64_t count = mode == Mode::Flattened    ? replicas * partitions
                    : mode == Mode::Partitions ? partitions
                                               : replicas;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(i);
  } else {
    ArrayRef<int64_t> ids = groups.getIds();
    for (int64_t size : groups.getSizes()) {
      ArrayRef<int64_t> group = ids.take_front(size);
      ids = ids.drop_front(group.size());
      if (llvm::is_contained(group, self))
        numbers.assign(group.begin(), group.end());
    }
  }
  Group group;
  for (int64_t number : numbers) {
    if (mode == Mode::Flattened)
      group.members.push_back(number);
    else if (mode == Mode::Partitions)
      group.members.push_back(me.getReplica() * partitions + number);
    else if (mode == Mode::Replicas)
      group.members.push_back(number * partitions + me.getPartition());
    else
      for (int64_t partition = 0; partition < partitions; ++partition)
        group.members.push_back(number * partitions + partition);
  }
  group.place = llvm::find(group.members, me.id) - group.members.begin();
  return group;
}

FailureOr<std::shared_ptr<Meeting>> meet(Call &call, const Group &group) {
  const Options &options = call.interpreter.evaluation.options;
  if (group.members.empty())
    return call.fail("participant " + Twine(call.interpreter.id) + " is in no replica group");
  for (int64_t member : group.members)
    if (member < 0 || member >= options.replicas * options.partitions)
      return call.fail("a replica group names a participant that is not among the " +
                       Twine(options.replicas * options.partitions) + " of the module");
  Values operands(call.operands.begin(), call.operands.end());
  auto meeting = call.interpreter.evaluation.communicator->arrive(call.interpreter, call.op,
                                                                  group.members, operands);
  if (failed(call.interpreter.evaluation.communicator->wait(call.interpreter, call.op, meeting)))
    return failure();
  return meeting;
}

Value packed(Values &values) {
  return values.size() == 1 ? values[0]
                            : Value::makeTuple(std::vector<Value>(values.begin(), values.end()));
}

} // namespace hloc::evaluator
