// SPDX-License-Identifier: Apache-2.0
// The communication between the participants of an evaluation: collectives wait for all members of
// a group, receives for a message. Each participant runs on a separate thread, but results depend
// only on who takes part, never on timing. In a deadlock, every participant that waits fails, with
// a message that says for whom. Tests: test/evaluator/deadlock.hlo,
// test/evaluator/too-few-participants.hlo.

#ifndef HLOC_COMPILER_EVALUATOR_COMMUNICATOR_H
#define HLOC_COMPILER_EVALUATOR_COMMUNICATOR_H

#include "compiler/evaluator/core/Interpreter.h"
#include <condition_variable>
#include <deque>
#include <map>

namespace hloc::evaluator {

/// The members of a group that have come to an operation, and their operands.
struct Meeting {
  llvm::SmallVector<int64_t> members;
  std::vector<Values> contributions; // in the order of `members`
  std::vector<bool> arrived;
  size_t missing = 0;
};

class Communicator {
public:
  Communicator(int64_t replicas, int64_t partitions)
      : partitions(partitions), running(replicas * partitions) {}

  /// Joins the operation's meeting without waiting for the others.
  std::shared_ptr<Meeting> arrive(Interpreter &me, mlir::Operation *op,
                                  llvm::ArrayRef<int64_t> members, Values contribution);

  /// Waits until all members have come.
  mlir::LogicalResult wait(Interpreter &me, mlir::Operation *op,
                           const std::shared_ptr<Meeting> &meeting);

  /// Sends a message to `to`, and returns at once.
  void send(int64_t channel, int64_t from, int64_t to, Value value);

  /// Waits for a message.
  mlir::FailureOr<Value> receive(Interpreter &me, mlir::Operation *op, int64_t channel,
                                 int64_t from);

  /// The participant ends; if `stop`, all others must end, too.
  void leave(bool stop);

  /// After a deadlock: each operation that somebody waits at, and its message.
  std::vector<std::pair<mlir::Operation *, std::string>> deadlock;

private:
  struct Waiting {
    mlir::Operation *op;
    std::shared_ptr<Meeting> meeting; // or
    std::tuple<int64_t, int64_t, int64_t> message;
    bool ready = false;
  };
  /// Waits until `waiting[me]` is ready.
  mlir::LogicalResult block(std::unique_lock<std::mutex> &lock, Interpreter &me, Waiting entry);
  void reportDeadlock();
  std::string nameOf(int64_t id) const;

  using MeetingKey = std::tuple<mlir::Operation *, int64_t, int64_t>; // first member, occurrence
  using MessageKey = std::tuple<int64_t, int64_t, int64_t>;           // channel, from, to

  int64_t partitions, running;
  bool stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<MeetingKey, std::shared_ptr<Meeting>> meetings;
  std::map<std::pair<mlir::Operation *, int64_t>, int64_t>
      occurrences; // by operation and participant
  std::map<MessageKey, std::deque<Value>> messages;
  std::map<int64_t, Waiting> waiting; // by participant
};

} // namespace hloc::evaluator

#endif
