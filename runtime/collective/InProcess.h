// SPDX-License-Identifier: Apache-2.0
// The communicator for threads of one process. The members of a group come together in a meeting.
// When the last has come, all that wait do the work, in units that they claim, directly on
// everyone's memory: there is no copy except from operands to results.
//
// A lock is held only to find and leave meetings. A meeting can fail until its last member has
// come, and never after: from then on everybody's memory is in use until the work is done, which
// depends on no particular thread. If there are unused processors, helper threads of the
// communicator begin at once (Helpers.h), while members compute.
//
// If memory is short, the participant that needs it fails like any other failure: shared state is
// left unchanged, and notifying the others takes no memory.
// Tests: test/runtime/collective/InProcessTest.cpp, FailureTest.cpp, MemoryTest.cpp.
#ifndef HLOC_RUNTIME_IN_PROCESS_H
#define HLOC_RUNTIME_IN_PROCESS_H

#include "collective/Exchange.h"
#include "collective/Helpers.h"
#include "collective/MeetingPool.h"
#include "collective/Participant.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>

namespace hloc::runtime {

/// A collective of a group at one point of its run: the members that have come to it, and its work.
struct Meeting {
  enum class Phase { Gathering, Working, Complete, Failed };

  uint64_t program = 0;
  int64_t run = 0;
  Group group;
  std::vector<Member> members; // by place; those with an operation have come
  int32_t missing = 0;

  std::atomic<Phase> phase{Phase::Gathering};
  std::optional<Exchange> exchange;
  /// Units that a member does first, so that the data that it reads or writes stay in its
  /// processor's cache until the next time; others do what it has left.
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };
  std::unique_ptr<Share[]> shares; // by place
  int32_t shareCount = 0;
  alignas(64) std::atomic<int64_t> unitsLeft{0};

  std::atomic<int32_t> sleepers{0};
  std::condition_variable wake; // under the communicator's lock

  std::vector<std::vector<char>> kept; // a send's arrays, if its sender has gone on

  hlort_status failure{}; // set before the phase is Failed

  /// Makes it as if new, except that it keeps memory for the next one.
  void reset();
  bool isMissing(int32_t participant) const;
  /// Divides the units into shares.
  void shareOut();
  /// Does units of work until none is left to claim, first those of the share at `place`. Returns
  /// true if this call did the last one.
  bool work(int32_t place, Traffic &traffic, bool isMeanwhile);
};

/// The state of a run of a program that concerns all participants.
struct Run {
  explicit Run(int32_t count) : ended(count), missed(count) {}
  std::vector<bool> ended;  // by participant
  std::vector<bool> missed; // by participant: the run failed because this one did not come
  int32_t endedCount = 0;
  hlort_status failure{}; // code 0: none
};

/// The runs of a program, by number, until every participant has ended them.
struct ProgramRuns {
  explicit ProgramRuns(int32_t count) : next(count), isTold(count) {}
  std::vector<int64_t> next; // by participant
  std::vector<bool> isTold;  // by participant: its last begin failed, as its run had failed
  std::map<int64_t, Run> runs;
};

class InProcessParticipant;

class InProcessCommunicator final : public hlort_communicator {
public:
  /// `processors`: the number that this process may use.
  InProcessCommunicator(int32_t count, int32_t processors);
  std::unique_ptr<Participant> join(int32_t rank, int32_t threads, int64_t deadlineMilliseconds,
                                    hlort_status *status) override;

private:
  friend class InProcessParticipant;
  friend class Helpers;
  /// Program, run, group, number of earlier meetings of that group in that run.
  using Key = std::tuple<uint64_t, int64_t, uint64_t, int64_t>;

  std::shared_ptr<Meeting> meetingAt(const Key &key, const Group &group);
  ProgramRuns &runsOf(uint64_t program) {
    return programs.try_emplace(program, count).first->second;
  }
  void fail(uint64_t program, int64_t run, int32_t code, const Text &text,
            const Meeting *where = nullptr);
  void missAt(const Meeting &meeting, std::chrono::milliseconds deadline);
  void markEnded(uint64_t program, int64_t run, int32_t rank);
  void finish(Meeting &meeting, Meeting::Phase phase);
  Text whereIs(int32_t rank, uint64_t program, int64_t run) const;

  std::mutex mutex;
  std::vector<InProcessParticipant *> joined; // by participant; null: not there
  std::vector<bool> left;                     // by participant; had joined and is gone
  std::map<uint64_t, ProgramRuns> programs;
  std::map<Key, std::shared_ptr<Meeting>> gathering;
  std::shared_ptr<MeetingPool> pool = std::make_shared<MeetingPool>();
  const int32_t processors;
  int32_t computing;              // threads of participants; one for each that has not joined
  std::chrono::nanoseconds alert; // how long it pays to look out
  Helpers helpers;                // last: they use the rest
};

/// Processors that the system lets this process use.
int32_t countProcessors();

class InProcessParticipant final : public Participant {
public:
  InProcessParticipant(InProcessCommunicator &communicator, int32_t rank, int32_t threads,
                       int64_t deadline);
  ~InProcessParticipant() override;

  int32_t begin(const hlort_program &program, hlort_status *status) override;
  int32_t end(const hlort_program &program, int32_t code, hlort_status *status) override;
  int32_t start(const hlort_collective &what, const Group &group, const void *const *operands,
                void *const *results, Next next, hlort_ticket **ticket,
                hlort_status *status) override;
  int32_t done(hlort_ticket &ticket, hlort_status *status) override;
  void cancel(const char *reason) override;

private:
  friend class InProcessCommunicator;
  struct Ticket final : hlort_ticket {
    uint64_t program = 0;
    std::shared_ptr<Meeting> meeting;
    int32_t place = 0;
    bool isSend = false;
    std::list<Ticket>::iterator self;
  };
  struct ActiveRun {
    int64_t number = 0;
    std::map<uint64_t, int64_t> steps;          // by group
    const hlort_collective *last = nullptr;     // that was started
    std::vector<std::shared_ptr<Meeting>> kept; // sends that nobody had come for
  };

  int32_t arrive(ActiveRun &run, const Group &group, Member &&member,
                 std::shared_ptr<Meeting> &meeting, bool &isLast, hlort_status *status);
  int64_t plan(Meeting &meeting);
  void gather(Meeting &meeting);
  bool keep(const Ticket &ticket);
  int32_t awaitReceivers(const std::vector<std::shared_ptr<Meeting>> &kept, hlort_status *status);
  void complete(Meeting &meeting, int32_t place);

  InProcessCommunicator &communicator;
  const int32_t threads; // that its context computes on
  const std::optional<std::chrono::milliseconds> deadline;
  // Under the communicator's lock.
  std::map<uint64_t, ActiveRun> active; // by program
  std::list<Ticket> tickets;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_IN_PROCESS_H
