// SPDX-License-Identifier: Apache-2.0
// Joining and leaving, and what participants tell each other outside of runs.

#include "collective/messages/MessageOperation.h"
#include "threads/LookOut.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

namespace hloc::runtime {

static constexpr hlort_tag kNotice = {0, 0};

MessageCommunicator::~MessageCommunicator() {
  if (transport.destroy)
    transport.destroy(transport.user);
}

std::unique_ptr<Participant> MessageCommunicator::join(int32_t rank, int64_t deadline,
                                                       hlort_status *status) {
  ParticipantState *state;
  {
    std::lock_guard lock(mutex);
    state = &states[rank];
    if (state->isJoined) {
      hlort_status_set(status, HLORT_INVALID_ARGUMENT, "another context is participant %d already",
                       rank);
      return nullptr;
    }
    state->isJoined = true;
  }
  auto participant = std::make_unique<MessageParticipant>(*this, *state, rank, deadline);
  if (hlort_status *failure = participant->joinFailure()) {
    *status = *failure;
    return nullptr;
  }
  return participant;
}

MessageParticipant::MessageParticipant(MessageCommunicator &communicator, ParticipantState &state,
                                       int32_t rank, int64_t deadline)
    : Participant(rank, communicator.count), transport(communicator.transport),
      communicator(communicator), state(state),
      deadline(deadline < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(deadline))),
      notices(count), expected(count), left(count) {
  for (int32_t peer = 0; peer < count; ++peer)
    if (peer != rank && !failure.code)
      expectNotice(peer);
  // Runs that failed for want of this participant are none of its new context's business.
  for (auto &[program, runs] : state.programs)
    runs.isTold = true;
  Notice notice{};
  notice.kind = Notice::Joined;
  tellAll(notice, {});
}

MessageParticipant::~MessageParticipant() {
  Notice notice{};
  notice.kind = Notice::Left;
  tellAll(notice, {});
  // Others should know; but nobody waits for long for those that are gone.
  for (int i = 0; i < 200 && !outgoing.empty(); ++i) {
    poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(outgoing.empty() ? 0 : 1));
  }
  for (hlort_transfer *transfer : expected)
    if (transfer)
      transport.cancel(transport.user, rank, transfer);
  for (Outgoing &each : outgoing)
    transport.cancel(transport.user, rank, each.transfer);
  std::lock_guard lock(communicator.mutex);
  state.isJoined = false;
}

/// Begins to receive the next notice from a peer. Under the lock, or alone.
void MessageParticipant::expectNotice(int32_t peer) {
  hlort_status problem{};
  if (transport.receive(transport.user, rank, peer, kNotice, &notices[peer], sizeof(Notice),
                        &expected[peer], &problem)) {
    expected[peer] = nullptr;
    failure = problem;
  }
}

/// Under the lock.
void MessageParticipant::handle(int32_t peer, const Notice &notice) {
  left[peer] = notice.kind == Notice::Left;
  if (notice.kind != Notice::Failed)
    return;
  OwnRuns &runs = state.programs[notice.program];
  auto run = active.find(notice.program);
  if (notice.run >= runs.next || (run != active.end() && run->second.number == notice.run))
    runs.failed.try_emplace(notice.run, OwnRuns::Failure{notice.text, notice.missed != 0});
}

/// Sends to every peer; to those in `missing` that it was for them.
void MessageParticipant::tellAll(Notice notice, const std::vector<int32_t> &missing) {
  std::unique_lock lock = lockSoon(mutex);
  for (int32_t peer = 0; peer < count; ++peer) {
    if (peer == rank)
      continue;
    outgoing.emplace_back();
    Outgoing &out = outgoing.back();
    out.notice = notice;
    out.notice.missed = std::find(missing.begin(), missing.end(), peer) != missing.end();
    hlort_status ignored{};
    if (transport.send(transport.user, rank, peer, kNotice, &out.notice, sizeof(Notice),
                       &out.transfer, &ignored))
      outgoing.pop_back(); // it finds out by its deadline
  }
}

void MessageParticipant::poll() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return;
  int32_t isDone;
  int64_t bytes;
  hlort_status ignored{};
  for (int32_t peer = 0; peer < count; ++peer) {
    while (expected[peer]) {
      isDone = 0;
      int32_t code =
          transport.test(transport.user, rank, expected[peer], &isDone, &bytes, &ignored);
      if (!code && !isDone)
        break;
      expected[peer] = nullptr;
      if (code)
        break; // the peer is out of reach; deadlines tell
      if (bytes == sizeof(Notice))
        handle(peer, Notice(notices[peer]));
      expectNotice(peer);
    }
  }
  for (auto out = outgoing.begin(); out != outgoing.end();) {
    isDone = 0;
    int32_t code = transport.test(transport.user, rank, out->transfer, &isDone, &bytes, &ignored);
    out = code || isDone ? outgoing.erase(out) : std::next(out);
  }
}

std::vector<bool> MessageParticipant::whoHasLeft() {
  std::unique_lock lock = lockSoon(mutex);
  return left;
}

std::optional<std::string> MessageParticipant::failureOf(uint64_t program, int64_t run,
                                                         const std::vector<int32_t> &needed,
                                                         const std::vector<bool> &gone) {
  {
    std::unique_lock lock = lockSoon(mutex);
    const OwnRuns &runs = state.programs[program];
    if (auto failed = runs.failed.find(run); failed != runs.failed.end())
      return failed->second.text;
  }
  auto who = std::find_if(needed.begin(), needed.end(), [&](int32_t peer) { return gone[peer]; });
  if (who == needed.end())
    return std::nullopt;
  std::string text = "participant " + std::to_string(*who) + " has left";
  failRun(program, run, text, {*who});
  return text;
}

void MessageParticipant::failRun(uint64_t program, int64_t run, const std::string &text,
                                 const std::vector<int32_t> &missing) {
  {
    std::unique_lock lock = lockSoon(mutex);
    if (!state.programs[program].failed.try_emplace(run, OwnRuns::Failure{text, false}).second)
      return;
  }
  Notice notice{};
  notice.kind = Notice::Failed;
  notice.program = program;
  notice.run = run;
  std::snprintf(notice.text, sizeof notice.text, "%s", text.c_str());
  tellAll(notice, missing);
}

} // namespace hloc::runtime

hlort_communicator *hlort_communicator_create(const hlort_transport *transport,
                                              hlort_status *status) {
  if (!transport || transport->abi_version != HLORT_ABI_VERSION || transport->participants < 1 ||
      !transport->send || !transport->receive || !transport->test || !transport->cancel) {
    hlort_status_set(
        status, HLORT_INVALID_ARGUMENT,
        "a transport needs abi_version %d, at least one participant, and the functions "
        "send, receive, test and cancel",
        HLORT_ABI_VERSION);
    return nullptr;
  }
  try {
    return new hloc::runtime::MessageCommunicator(*transport);
  } catch (const std::bad_alloc &) {
    hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a communicator");
    return nullptr;
  }
}
