// SPDX-License-Identifier: Apache-2.0
// Members, runs and their failures. The meetings are in Meeting.cpp.

#include "collective/InProcess.h"

#include "threads/LookOut.h"

#include <algorithm>
#include <new>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace hloc::runtime {

int32_t countProcessors() {
#if defined(__linux__)
  cpu_set_t set; // the call fails if the machine has more processors than fit
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  return int32_t(std::max(std::thread::hardware_concurrency(), 1u));
}

InProcessCommunicator::InProcessCommunicator(int32_t count, int32_t processors)
    : hlort_communicator(count), joined(count), left(count), processors(processors),
      computing(count),
      alert(count <= processors ? std::chrono::nanoseconds(kAlert) : std::chrono::nanoseconds(0)),
      helpers(*this) {}

std::unique_ptr<Participant> InProcessCommunicator::join(int32_t rank, int32_t threads,
                                                         int64_t deadline, hlort_status *status) {
  auto participant = std::make_unique<InProcessParticipant>(*this, rank, threads, deadline);
  std::unique_lock lock = lockSoon(mutex);
  if (joined[rank]) {
    lock.unlock();
    participant.reset();
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "another context is participant %d already",
                     rank);
    return nullptr;
  }
  joined[rank] = participant.get();
  left[rank] = false;
  computing += threads - 1;
  // Runs that failed before it joined do not concern it.
  for (auto &[program, known] : programs)
    for (auto run = known.runs.find(known.next[rank]);
         run != known.runs.end() && run->second.failure.code;
         run = known.runs.find(known.next[rank]))
      markEnded(program, known.next[rank]++, rank);
  return participant;
}

//===- Failures ------------------------------------------------------------------------------===//

/// Fails a run, and every meeting of it that is incomplete: `where` with the given code and text,
/// others as a consequence. Under the lock.
void InProcessCommunicator::fail(uint64_t program, int64_t run, int32_t code, const Text &text,
                                 const Meeting *where) {
  Run &failed = runsOf(program).runs.at(run);
  if (!failed.failure.code)
    hlort_status_set(&failed.failure, HLORT_CANCELLED, "%s", text.c_str());
  for (auto it = gathering.begin(); it != gathering.end();) {
    Meeting &meeting = *it->second;
    if (meeting.program != program || meeting.run != run) {
      ++it;
      continue;
    }
    const Member &someone = *std::find_if(meeting.members.begin(), meeting.members.end(),
                                          [](const Member &member) { return member.what; });
    if (&meeting == where)
      hlort_status_set(&meeting.failure, code, "%s", text.c_str());
    else
      hlort_status_set(&meeting.failure, HLORT_CANCELLED, "%s cancelled: %s",
                       describe(*someone.what).c_str(), text.c_str());
    meeting.phase = Meeting::Phase::Failed;
    meeting.wake.notify_all();
    it = gathering.erase(it);
  }
}

/// A short description of what a participant is doing. Under the lock.
Text InProcessCommunicator::whereIs(int32_t rank, uint64_t program, int64_t run) const {
  if (!joined[rank])
    return Text("participant %d has not joined", rank);
  auto place = joined[rank]->active.find(program);
  if (place == joined[rank]->active.end() || place->second.number != run)
    return Text("participant %d is not in this run", rank);
  if (!place->second.last)
    return Text("participant %d has not come to any", rank);
  return Text("participant %d came last to %s", rank, describe(*place->second.last).c_str());
}

/// A member has waited for too long. Under the lock.
void InProcessCommunicator::missAt(const Meeting &meeting, std::chrono::milliseconds deadline) {
  Text who, where;
  const hlort_collective *what = nullptr;
  int32_t missing = 0;
  for (int32_t i = 0; i < meeting.group.size(); ++i) {
    if (meeting.members[i].what) {
      what = meeting.members[i].what;
      continue;
    }
    int32_t rank = meeting.group.members[i];
    runsOf(meeting.program).runs.at(meeting.run).missed[rank] = true;
    who.append(missing++ ? ", %d" : "%d", rank);
    if (missing <= 2)
      where.append("; %s", whereIs(rank, meeting.program, meeting.run).c_str());
  }
  fail(meeting.program, meeting.run, HLORT_DEADLINE_EXCEEDED,
       Text("%s: participant%s %s did not come within %lld ms%s", describe(*what).c_str(),
            missing > 1 ? "s" : "", who.c_str(), (long long)deadline.count(), where.c_str()),
       &meeting);
}

/// The participant takes no further part in a run; removes runs that no participant needs any more.
/// Under the lock.
void InProcessCommunicator::markEnded(uint64_t program, int64_t run, int32_t rank) {
  ProgramRuns &known = runsOf(program);
  Run &ended = known.runs.at(run);
  ended.ended[rank] = true;
  if (++ended.endedCount == count)
    known.runs.erase(run);
}

//===- Participants --------------------------------------------------------------------------===//

InProcessParticipant::InProcessParticipant(InProcessCommunicator &communicator, int32_t rank,
                                           int32_t threads, int64_t deadline)
    : Participant(rank, communicator.count), communicator(communicator), threads(threads),
      deadline(deadline < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(deadline))) {}

InProcessParticipant::~InProcessParticipant() {
  std::unique_lock lock = lockSoon(communicator.mutex);
  if (communicator.joined[rank] != this)
    return;
  communicator.joined[rank] = nullptr;
  communicator.left[rank] = true;
  communicator.computing -= threads - 1;
  while (true) {
    auto waits = std::find_if(communicator.gathering.begin(), communicator.gathering.end(),
                              [&](const auto &entry) { return entry.second->isMissing(rank); });
    if (waits == communicator.gathering.end())
      return;
    std::shared_ptr<Meeting> meeting = waits->second;
    communicator.fail(meeting->program, meeting->run, HLORT_CANCELLED,
                      Text("participant %d has left", rank));
  }
}

int32_t InProcessParticipant::begin(const hlort_program &program, hlort_status *status) {
  std::unique_lock lock = lockSoon(communicator.mutex);
  if (active.count(program.fingerprint))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s is running as participant %d already", program.name, rank);
  ProgramRuns &known = communicator.runsOf(program.fingerprint);
  while (true) {
    int64_t number = known.next[rank];
    Run &run = known.runs.try_emplace(number, count).first->second;
    if (!run.failure.code)
      active[program.fingerprint].number = number;
    ++known.next[rank]; // all allocations have succeeded
    if (!run.failure.code) {
      known.isTold[rank] = false;
      return HLORT_OK;
    }
    // The run failed before this participant came. If it came late, or its turn was never taken,
    // cannot be distinguished: the first failure is reported, and with its second run it is back in
    // step.
    bool isSkipped = known.isTold[rank] && run.missed[rank];
    if (!isSkipped)
      hlort_status_set(status, HLORT_CANCELLED, "%s cancelled: %s", program.name,
                       run.failure.message);
    communicator.markEnded(program.fingerprint, number, rank);
    if (isSkipped)
      continue;
    known.isTold[rank] = true;
    return HLORT_CANCELLED;
  }
}

int32_t InProcessParticipant::end(const hlort_program &program, int32_t code,
                                  hlort_status *status) {
  std::unique_lock lock = lockSoon(communicator.mutex);
  auto place = active.find(program.fingerprint);
  if (place == active.end())
    return code;
  int64_t number = place->second.number;
  if (code == HLORT_OK)
    for (const Ticket &ticket : tickets)
      if (ticket.program == program.fingerprint)
        code = hlort_status_set(status, HLORT_INTERNAL, "%s ends with collectives in flight",
                                program.name);
  if (code != HLORT_OK)
    communicator.fail(program.fingerprint, number, HLORT_CANCELLED,
                      Text("participant %d failed: %s", rank,
                           status && status->message[0] ? status->message : hlort_code_name(code)));
  // From here on nobody may wait for this participant.
  communicator.runsOf(program.fingerprint).runs.at(number).ended[rank] = true;
  for (const auto &[key, meeting] : communicator.gathering)
    if (meeting->program == program.fingerprint && meeting->run == number &&
        meeting->isMissing(rank)) {
      communicator.fail(program.fingerprint, number, HLORT_CANCELLED,
                        Text("participant %d has ended its run without coming to it", rank));
      break;
    }
  // Work in progress is completed, because it accesses everybody's memory.
  for (auto it = tickets.begin(); it != tickets.end();) {
    auto ticket = it++;
    if (ticket->program != program.fingerprint)
      continue;
    std::shared_ptr<Meeting> meeting = ticket->meeting;
    int32_t place = ticket->place;
    tickets.erase(ticket);
    lock.unlock();
    if (meeting->phase != Meeting::Phase::Failed)
      complete(*meeting, place);
    lock.lock();
    it = tickets.begin();
  }
  std::vector<std::shared_ptr<Meeting>> kept = std::move(place->second.kept);
  if (code == HLORT_OK && !kept.empty()) {
    lock.unlock();
    code = awaitReceivers(kept, status);
    lock.lock();
  }
  active.erase(program.fingerprint);
  communicator.markEnded(program.fingerprint, number, rank);
  return code;
}

void InProcessParticipant::cancel(const char *reason) {
  std::unique_lock lock = lockSoon(communicator.mutex);
  for (const auto &[program, run] : active)
    communicator.fail(program, run.number, HLORT_CANCELLED,
                      Text("participant %d was cancelled: %s", rank, reason));
}

} // namespace hloc::runtime

hlort_communicator *hlort_in_process_create(int32_t participants, hlort_status *status) {
  if (participants < 1 || participants > 65536) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "expected 1 to 65536 participants, got %d",
                     participants);
    return nullptr;
  }
  try {
    return new hloc::runtime::InProcessCommunicator(participants, hloc::runtime::countProcessors());
  } catch (const std::bad_alloc &) {
    hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a communicator");
    return nullptr;
  }
}
