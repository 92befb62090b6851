// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Communicator.h"
#include "compiler/hlo/Location.h"

using namespace mlir;

namespace hloc::evaluator {

std::string Communicator::nameOf(int64_t id) const {
  return ("participant " + Twine(id) + " (replica " + Twine(id / partitions) + ", partition " +
          Twine(id % partitions) + ")")
      .str();
}

std::shared_ptr<Meeting> Communicator::arrive(Interpreter &me, Operation *op,
                                              ArrayRef<int64_t> members, Values contribution) {
  std::scoped_lock lock(mutex);
  int64_t occurrence = occurrences[{op, me.id}]++;
  std::shared_ptr<Meeting> &entry = meetings[{op, members.front(), occurrence}];
  if (!entry) {
    entry = std::make_shared<Meeting>();
    entry->members.assign(members.begin(), members.end());
    entry->contributions.resize(members.size());
    entry->arrived.resize(members.size());
    entry->missing = members.size();
  }
  std::shared_ptr<Meeting> meeting = entry;
  size_t place = llvm::find(meeting->members, me.id) - meeting->members.begin();
  meeting->contributions[place] = std::move(contribution);
  meeting->arrived[place] = true;
  if (--meeting->missing)
    return meeting;
  meetings.erase({op, members.front(), occurrence});
  for (auto &[id, entry] : waiting)
    if (entry.meeting == meeting && !entry.ready) {
      entry.ready = true;
      ++running;
    }
  changed.notify_all();
  return meeting;
}

LogicalResult Communicator::wait(Interpreter &me, Operation *op,
                                 const std::shared_ptr<Meeting> &meeting) {
  std::unique_lock lock(mutex);
  return meeting->missing ? block(lock, me, {op, meeting, {}}) : success();
}

void Communicator::send(int64_t channel, int64_t from, int64_t to, Value value) {
  std::scoped_lock lock(mutex);
  MessageKey key{channel, from, to};
  messages[key].push_back(std::move(value));
  auto receiver = waiting.find(to);
  if (receiver != waiting.end() && !receiver->second.meeting && receiver->second.message == key &&
      !receiver->second.ready) {
    receiver->second.ready = true;
    ++running;
    changed.notify_all();
  }
}

FailureOr<Value> Communicator::receive(Interpreter &me, Operation *op, int64_t channel,
                                       int64_t from) {
  std::unique_lock lock(mutex);
  MessageKey key{channel, from, me.id};
  if (messages[key].empty() && failed(block(lock, me, {op, nullptr, key})))
    return failure();
  Value value = std::move(messages[key].front());
  messages[key].pop_front();
  return value;
}

LogicalResult Communicator::block(std::unique_lock<std::mutex> &lock, Interpreter &me,
                                  Waiting entry) {
  Operation *op = entry.op;
  waiting[me.id] = std::move(entry);
  if (--running == 0 && !stopped)
    reportDeadlock();
  changed.wait(lock, [&] { return waiting[me.id].ready || stopped; });
  bool ready = waiting[me.id].ready;
  waiting.erase(me.id);
  if (ready)
    return success();
  ++running;
  if (!deadlock.empty())
    return me.fail(op, "deadlock: no participant can go on");
  me.isConsequence = true;
  return me.fail(op, "evaluation stopped");
}

void Communicator::leave(bool stop) {
  std::scoped_lock lock(mutex);
  --running;
  if (stop) {
    stopped = true;
    changed.notify_all();
  } else if (running == 0 && !waiting.empty() && !stopped) {
    reportDeadlock();
  }
}

void Communicator::reportDeadlock() {
  for (auto &[id, entry] : waiting) {
    StringRef name = hlo::getInstructionName(entry.op->getLoc());
    std::string text = nameOf(id) + " waits in '" +
                       (name.empty() ? entry.op->getName().getStringRef() : name).str() + "' for ";
    if (entry.meeting) {
      bool first = true;
      for (auto [member, arrived] : llvm::zip(entry.meeting->members, entry.meeting->arrived)) {
        if (arrived)
          continue;
        text += (first ? "" : ", ") + nameOf(member);
        first = false;
      }
    } else {
      auto [channel, from, to] = entry.message;
      text += "a message on channel " + std::to_string(channel) + " from " + nameOf(from);
    }
    deadlock.emplace_back(entry.op, text);
  }
  stopped = true;
  changed.notify_all();
}

} // namespace hloc::evaluator
