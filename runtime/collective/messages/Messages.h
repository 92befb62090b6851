// SPDX-License-Identifier: Apache-2.0
// The communicator over a transport of messages (hlort/communicator.h). Each member sends every
// other the data that it needs, at once; reductions of large arrays take two steps: each member
// combines a share of the array and sends that to all. Everything that a member sends starts with a
// header, so that mismatched operations are detected by the first message. A progress thread
// (Progress.h) moves long messages while the participants compute.
//
// When a run fails on one participant, it notifies all others by a message outside of any run. Each
// participant keeps a receive for such messages from each other one. The memory for notifying the
// others is allocated when a run begins, because a run can fail for lack of memory, too.
// Tests: test/runtime/collective/TransportTest.cpp, FaultTest.cpp, MemoryTest.cpp, MpiTest.cpp.
#ifndef HLOC_RUNTIME_MESSAGES_H
#define HLOC_RUNTIME_MESSAGES_H

#include "collective/Participant.h"
#include "collective/messages/Payload.h"
#include "collective/messages/Progress.h"

#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <optional>

namespace hloc::runtime {

/// The messages between participants outside of runs.
struct Notice {
  enum Kind : int32_t { Failed, Left, Joined } kind;
  int32_t missed; // Failed: because the receiver of the notice did not come
  uint64_t program;
  int64_t run;
  char text[200];
};

struct RunFailure {
  Text text;
  bool isMissed = false; // because this participant did not come
};

/// A participant's runs of a program.
struct OwnRuns {
  int64_t next = 0;
  bool isTold = false;                  // the last begin failed
  std::map<int64_t, RunFailure> failed; // runs that have not begun here
};

/// The state of a participant that outlives its context.
struct ParticipantState {
  bool isJoined = false;
  std::map<uint64_t, OwnRuns> programs;
};

class MessageCommunicator final : public hlort_communicator {
public:
  explicit MessageCommunicator(const hlort_transport &transport)
      : hlort_communicator(transport.participants), transport(transport) {}
  ~MessageCommunicator() override;
  std::unique_ptr<Participant> join(int32_t rank, int32_t threads, int64_t deadlineMilliseconds,
                                    hlort_status *status) override;

  const hlort_transport transport;
  std::mutex mutex;
  std::map<int32_t, ParticipantState> states;
  Progress progress;
};

class MessageOperation;

class MessageParticipant final : public Participant {
public:
  MessageParticipant(MessageCommunicator &communicator, ParticipantState &state, int32_t rank,
                     int64_t deadline);
  ~MessageParticipant() override;

  int32_t begin(const hlort_program &program, hlort_status *status) override;
  int32_t end(const hlort_program &program, int32_t code, hlort_status *status) override;
  int32_t start(const hlort_collective &what, const Group &group, const void *const *operands,
                void *const *results, Next next, hlort_ticket **ticket,
                hlort_status *status) override;
  int32_t done(hlort_ticket &ticket, hlort_status *status) override;
  void cancel(const char *reason) override;

  /// The reason why it cannot take part; null if it can.
  hlort_status *joinFailure() { return failure.code ? &failure : nullptr; }

  const hlort_transport &transport;

private:
  friend class MessageOperation;
  struct ActiveRun {
    int64_t number = 0;
    std::optional<RunFailure> failure;
    std::map<uint64_t, uint64_t> steps; // by group
    std::list<std::unique_ptr<MessageOperation>> operations;
    std::list<std::unique_ptr<MessageOperation>> kept; // sends that are done but not received
  };
  struct Outgoing {
    Notice notice;
    hlort_delivery *transfer = nullptr;
  };

  /// Messages from a peer outside of runs.
  struct Inbox {
    Notice notice;
    hlort_delivery *transfer = nullptr;
    enum { Idle, Receiving, Arrived } state = Idle;
  };

  void discard(const hlort_program &program, int64_t run) const;
  void reserveNotices(size_t count);
  int32_t expectNotice(int32_t peer, hlort_status *status);
  void handle(int32_t peer, const Notice &notice);
  void tellAll(Notice notice, const std::vector<int32_t> &missing);
  void poll();
  void pollInbox(int32_t peer);
  std::vector<bool> whoHasLeft();
  /// Why the current run has failed, if it has, or because one of the needed participants is gone.
  std::optional<RunFailure> failureOf(uint64_t program, const std::vector<int32_t> &needed,
                                      const std::vector<bool> &gone);
  /// Fails the current run here and everywhere.
  void failRun(uint64_t program, const Text &text, const std::vector<int32_t> &missing);
  void failRunLocked(uint64_t program, const Text &text, const std::vector<int32_t> &missing);
  /// Waits until something may have happened.
  void rest(int &rounds);
  int32_t waitFor(MessageOperation &operation, hlort_status *status);
  int32_t advance(MessageOperation &operation, bool *moved, hlort_status *status);
  int32_t keep(MessageOperation &operation, bool *isKept, hlort_status *status);

  MessageCommunicator &communicator;
  ParticipantState &state;
  const std::optional<std::chrono::milliseconds> deadline;

  std::mutex mutex; // of all below, and of the state
  std::map<uint64_t, ActiveRun> active;
  std::vector<Inbox> inboxes; // by peer
  std::vector<bool> left;     // by peer
  std::list<Outgoing> outgoing;
  std::list<Outgoing> spare; // for the failure of each run under way, and for leaving
  hlort_status failure{};
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MESSAGES_H
