// SPDX-License-Identifier: Apache-2.0
// How the members of a group come together and do the work.

#include "collective/InProcess.h"
#include "threads/LookOut.h"

#include <algorithm>
#include <new>

namespace hloc::runtime {

using Phase = Meeting::Phase;

void Meeting::reset() {
  for (Member &member : members)
    member.what = nullptr;
  phase = Phase::Gathering;
  failure = {};
}

bool Meeting::isMissing(int32_t participant) const {
  for (int32_t i = 0; i < group.size(); ++i)
    if (group.members[i] == participant)
      return !members[i].what;
  return false;
}

void Meeting::shareOut() {
  int64_t units = exchange->units(), n = group.size();
  if (shareCount < n) {
    shares = std::make_unique<Share[]>(size_t(n));
    shareCount = int32_t(n);
  }
  for (int64_t i = 0; i < n; ++i) {
    shares[i].next = units * i / n;
    shares[i].end = units * (i + 1) / n;
  }
  unitsLeft = units;
}

bool Meeting::work(int32_t place, Traffic &traffic, bool isMeanwhile) {
  for (int32_t i = 0; i < group.size(); ++i) {
    Share &share = shares[(place + i) % group.size()];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      int64_t unit = share.next.fetch_add(1, std::memory_order_relaxed);
      if (unit >= share.end)
        break;
      traffic.add(exchange->run(unit), isMeanwhile);
      if (unitsLeft.fetch_sub(1, std::memory_order_acq_rel) == 1)
        return true;
    }
  }
  return false;
}

/// Publishes a phase to all that wait.
void InProcessCommunicator::finish(Meeting &meeting, Phase phase) {
  meeting.phase = phase;
  if (meeting.sleepers == 0)
    return;
  std::unique_lock lock = lockSoon(mutex);
  meeting.wake.notify_all();
}

/// The meeting with that key; a new one if it does not exist yet. Under the lock.
std::shared_ptr<Meeting> InProcessCommunicator::meetingAt(const Key &key, const Group &group) {
  if (auto known = gathering.find(key); known != gathering.end())
    return known->second;
  std::shared_ptr<Meeting> meeting = pool->get();
  std::tie(meeting->program, meeting->run, std::ignore, std::ignore) = key;
  meeting->group = group;
  meeting->members.resize(group.size());
  meeting->missing = group.size();
  gathering.emplace(key, meeting);
  return meeting;
}

/// Joins a run's next meeting of the group. Under the lock.
int32_t InProcessParticipant::arrive(ActiveRun &run, const Group &group, Member &&member,
                                     std::shared_ptr<Meeting> &meeting, bool &isLast,
                                     hlort_status *status) {
  const hlort_collective &what = *member.what;
  uint64_t program = what.program->fingerprint;
  Run &shared = communicator.runsOf(program).runs.at(run.number);
  run.last = &what;
  if (shared.failure.code)
    return hlort_status_set(status, HLORT_CANCELLED, "%s cancelled: %s", describe(what).c_str(),
                            shared.failure.message);
  InProcessCommunicator::Key key{program, run.number, group.hash, run.steps[group.hash]++};
  meeting = communicator.meetingAt(key, group);
  Text text;
  int32_t code = HLORT_INVALID_ARGUMENT;
  for (const Member &other : meeting->members) {
    std::string reason = other.what ? difference(other, member) : "";
    if (reason.empty())
      continue;
    text = Text("participant %d is at %s where participant %d is at %s: %s", other.participant,
                describe(*other.what).c_str(), rank, describe(what).c_str(), reason.c_str());
    break;
  }
  for (int32_t other : group.members)
    if (text.empty() && meeting->isMissing(other) &&
        (communicator.left[other] || shared.ended[other])) {
      code = HLORT_CANCELLED;
      text = Text("%s: participant %d %s", describe(what).c_str(), other,
                  communicator.left[other] ? "has left" : "has ended its run without coming to it");
    }
  std::swap(meeting->members[group.place], member); // each frees its own memory
  if (!text.empty()) {
    communicator.fail(program, run.number, code, text, meeting.get());
    return hlort_status_set(status, code, "%s", text.c_str());
  }
  isLast = --meeting->missing == 0;
  if (isLast)
    communicator.gathering.erase(key);
  return HLORT_OK;
}

int32_t InProcessParticipant::start(const hlort_collective &what, const Group &group,
                                    const void *const *operands, void *const *results, Next next,
                                    hlort_ticket **ticket, hlort_status *status) {
  Member member;
  if (int32_t code = member.read(what, rank, group, operands, results, status))
    return code;
  member.writeInitialResults(group);
  std::list<Ticket> made(1);
  Ticket &mine = made.front();
  mine.program = what.program->fingerprint;
  mine.place = group.place;
  mine.isSend = what.kind == HLORT_PEER_SEND;
  mine.self = made.begin();
  bool isLast = false;
  int32_t idle;
  {
    std::unique_lock lock = lockSoon(communicator.mutex);
    auto run = active.find(mine.program);
    if (run == active.end())
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: its program has not begun",
                              describe(what).c_str());
    if (int32_t code = arrive(run->second, group, std::move(member), mine.meeting, isLast, status))
      return code;
    tickets.splice(tickets.end(), made);
    idle = communicator.processors - communicator.computing;
  }
  *ticket = &mine;
  if (isLast && plan(*mine.meeting) > 1 && next == Next::Compute && idle > 0)
    communicator.helpers.offer(mine.meeting, std::min(idle, group.size()));
  return HLORT_OK;
}

/// Determines the work once all members have come: the meeting can no longer be found, and all
/// members wait for its next phase. Each one's done reports a failure. Returns the number of units
/// of work.
int64_t InProcessParticipant::plan(Meeting &meeting) {
  int32_t code;
  try {
    std::vector<const Member *> members;
    for (const Member &each : meeting.members)
      members.push_back(&each);
    meeting.exchange.emplace(meeting.group, std::move(members));
    code = meeting.exchange->plan(&meeting.failure);
    meeting.shareOut();
  } catch (const std::bad_alloc &) {
    code = hlort_status_set(&meeting.failure, HLORT_OUT_OF_MEMORY, "%s: no memory",
                            describe(*meeting.members[0].what).c_str());
  }
  if (code) {
    communicator.finish(meeting, Phase::Failed);
    return 0;
  }
  int64_t units = meeting.exchange->units();
  communicator.finish(meeting, units ? Phase::Working : Phase::Complete);
  return units;
}

/// Waits until all members have come or the meeting has failed.
void InProcessParticipant::gather(Meeting &meeting) {
  auto isOver = [&] { return meeting.phase != Phase::Gathering; };
  if (lookOut(isOver, communicator.alert))
    return;
  std::unique_lock lock = lockSoon(communicator.mutex);
  ++meeting.sleepers;
  if (!deadline)
    meeting.wake.wait(lock, isOver);
  else if (!meeting.wake.wait_for(lock, *deadline, isOver) && meeting.missing > 0)
    communicator.missAt(meeting, *deadline);
  // The last member has just come and is planning.
  meeting.wake.wait(lock, isOver);
  --meeting.sleepers;
}

/// Works, and waits until the others have done their last units.
void InProcessParticipant::complete(Meeting &meeting, int32_t place) {
  gather(meeting);
  if (meeting.phase == Phase::Failed)
    return;
  if (meeting.work(place, communicator.traffic[rank], /*isMeanwhile=*/false))
    communicator.finish(meeting, Phase::Complete);
  auto isComplete = [&] { return meeting.phase == Phase::Complete; };
  if (lookOut(isComplete, communicator.alert))
    return;
  std::unique_lock lock = lockSoon(communicator.mutex);
  ++meeting.sleepers;
  meeting.wake.wait(lock, isComplete);
  --meeting.sleepers;
}

/// Copies the data of a send that has not been received, so that the sender can go on. False if the
/// receiver has come, or if too many are kept already.
bool InProcessParticipant::keep(const Ticket &ticket) {
  Meeting &meeting = *ticket.meeting;
  if (lookOut([&] { return meeting.phase != Phase::Gathering; }, communicator.alert))
    return false;
  ActiveRun *run;
  {
    std::unique_lock lock = lockSoon(communicator.mutex);
    run = &active.at(ticket.program);
  }
  auto &kept = run->kept; // used only by this thread
  std::erase_if(kept, [](const auto &other) { return other->phase != Phase::Gathering; });
  if (std::count_if(kept.begin(), kept.end(), [&](const auto &other) {
        return other->group.hash == meeting.group.hash;
      }) >= kKeptSends)
    return false;
  Member &sender = meeting.members[0];
  std::vector<std::vector<char>> copies;
  for (size_t i = 0; i < sender.operands.size(); ++i) {
    const char *data = static_cast<const char *>(sender.operands[i]);
    copies.emplace_back(data, data + byteCount(sender.what->operands[i]));
  }
  std::unique_lock lock = lockSoon(communicator.mutex);
  if (meeting.phase != Phase::Gathering || meeting.missing == 0)
    return false;
  meeting.kept = std::move(copies);
  for (size_t i = 0; i < sender.operands.size(); ++i)
    sender.operands[i] = meeting.kept[i].data();
  kept.push_back(ticket.meeting);
  return true;
}

/// Waits until each of the sends has been received.
int32_t InProcessParticipant::awaitReceivers(const std::vector<std::shared_ptr<Meeting>> &kept,
                                             hlort_status *status) {
  for (const auto &meeting : kept) {
    gather(*meeting);
    if (meeting->phase == Phase::Failed)
      return hlort_status_set(status, meeting->failure.code, "%s", meeting->failure.message);
  }
  return HLORT_OK;
}

int32_t InProcessParticipant::done(hlort_ticket &ticket, hlort_status *status) {
  auto &mine = static_cast<Ticket &>(ticket);
  std::shared_ptr<Meeting> meeting = mine.meeting;
  bool isKept = mine.isSend && keep(mine);
  if (!isKept)
    complete(*meeting, mine.place);
  {
    std::unique_lock lock = lockSoon(communicator.mutex);
    tickets.erase(mine.self);
  }
  if (!isKept && meeting->phase == Phase::Failed)
    return hlort_status_set(status, meeting->failure.code, "%s", meeting->failure.message);
  return HLORT_OK;
}

} // namespace hloc::runtime
