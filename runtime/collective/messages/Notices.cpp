// SPDX-License-Identifier: Apache-2.0
// Joining and leaving, and the messages between participants outside of runs.

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

std::unique_ptr<Participant> MessageCommunicator::join(int32_t rank, int32_t, int64_t deadline,
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
  std::unique_ptr<MessageParticipant> participant;
  try {
    participant = std::make_unique<MessageParticipant>(*this, *state, rank, deadline);
  } catch (const std::bad_alloc &) {
    std::lock_guard lock(mutex);
    state->isJoined = false;
    throw;
  }
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
      inboxes(count), left(count) {
  reserveNotices(2 * size_t(count)); // for joining and for leaving
  // From here on nothing is allocated: transfers in flight need the destructor.
  for (int32_t peer = 0; peer < count; ++peer)
    if (peer != rank && !failure.code)
      expectNotice(peer, &failure);
  // Runs that failed because this participant was missing do not concern its new context.
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
  // Notify others; but do not wait for long for those that are gone.
  for (int i = 0; i < 200 && !outgoing.empty(); ++i) {
    poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(outgoing.empty() ? 0 : 1));
  }
  for (Inbox &inbox : inboxes)
    if (inbox.state == Inbox::Receiving)
      transport.cancel(transport.user, rank, inbox.transfer);
  for (Outgoing &each : outgoing)
    transport.cancel(transport.user, rank, each.transfer);
  std::lock_guard lock(communicator.mutex);
  state.isJoined = false;
}

/// Makes sure that this many are available. Under the lock, or before other threads have access.
void MessageParticipant::reserveNotices(size_t count) {
  while (spare.size() < count)
    spare.emplace_back();
}

/// Begins to receive the next notice from a peer. Under the lock, or before other threads have
/// access.
int32_t MessageParticipant::expectNotice(int32_t peer, hlort_status *status) {
  Inbox &inbox = inboxes[peer];
  int32_t code = transport.receive(transport.user, rank, peer, kNotice, &inbox.notice,
                                   sizeof(Notice), &inbox.transfer, status);
  inbox.state = code ? Inbox::Idle : Inbox::Receiving;
  return code;
}

/// Allocates nothing if the notice is about a current run. Under the lock.
void MessageParticipant::handle(int32_t peer, const Notice &notice) {
  left[peer] = notice.kind == Notice::Left;
  if (notice.kind != Notice::Failed)
    return;
  RunFailure why{Text("%s", notice.text), notice.missed != 0};
  auto run = active.find(notice.program);
  if (run != active.end() && run->second.number == notice.run) {
    if (!run->second.failure)
      run->second.failure = why;
    return;
  }
  OwnRuns &runs = state.programs[notice.program];
  if (notice.run >= runs.next)
    runs.failed.try_emplace(notice.run, why);
}

/// Sends to every peer; tells those in `missing` that they are the reason. Under the lock, or
/// before other threads have access.
void MessageParticipant::tellAll(Notice notice, const std::vector<int32_t> &missing) {
  for (int32_t peer = 0; peer < count; ++peer) {
    if (peer == rank)
      continue;
    outgoing.splice(outgoing.end(), spare, spare.begin());
    Outgoing &out = outgoing.back();
    out.notice = notice;
    out.notice.missed = std::find(missing.begin(), missing.end(), peer) != missing.end();
    hlort_status ignored{};
    if (transport.send(transport.user, rank, peer, kNotice, &out.notice, sizeof(Notice),
                       &out.transfer, &ignored))
      spare.splice(spare.end(), outgoing, std::prev(outgoing.end())); // its deadline expires
  }
}

/// Receives the notices of a peer. Failures are retried the next time; deadlines make up for lost
/// notices.
void MessageParticipant::pollInbox(int32_t peer) {
  Inbox &inbox = inboxes[peer];
  hlort_status ignored{};
  while (true) {
    if (inbox.state == Inbox::Idle && expectNotice(peer, &ignored))
      return;
    if (inbox.state == Inbox::Receiving) {
      int32_t isDone = 0;
      int64_t bytes = 0;
      int32_t code =
          transport.test(transport.user, rank, inbox.transfer, &isDone, &bytes, &ignored);
      if (!code && !isDone)
        return;
      inbox.state = !code && bytes == sizeof(Notice) ? Inbox::Arrived : Inbox::Idle;
      if (code)
        return;
    }
    if (inbox.state == Inbox::Arrived) {
      try {
        handle(peer, Notice(inbox.notice));
      } catch (const std::bad_alloc &) {
        return;
      }
      inbox.state = Inbox::Idle;
    }
  }
}

void MessageParticipant::poll() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return;
  for (int32_t peer = 0; peer < count; ++peer)
    if (peer != rank)
      pollInbox(peer);
  for (auto out = outgoing.begin(); out != outgoing.end();) {
    int32_t isDone = 0;
    int64_t bytes;
    hlort_status ignored{};
    int32_t code = transport.test(transport.user, rank, out->transfer, &isDone, &bytes, &ignored);
    auto sent = out++;
    if (code || isDone)
      spare.splice(spare.end(), outgoing, sent);
  }
}

std::vector<bool> MessageParticipant::whoHasLeft() {
  std::unique_lock lock = lockSoon(mutex);
  return left;
}

std::optional<RunFailure> MessageParticipant::failureOf(uint64_t program,
                                                        const std::vector<int32_t> &needed,
                                                        const std::vector<bool> &gone) {
  std::unique_lock lock = lockSoon(mutex);
  ActiveRun &run = active.at(program);
  auto who = std::find_if(needed.begin(), needed.end(), [&](int32_t peer) { return gone[peer]; });
  if (!run.failure && who != needed.end())
    failRunLocked(program, Text("participant %d has left", *who), {*who});
  return run.failure;
}

void MessageParticipant::failRun(uint64_t program, const Text &text,
                                 const std::vector<int32_t> &missing) {
  std::unique_lock lock = lockSoon(mutex);
  failRunLocked(program, text, missing);
}

void MessageParticipant::failRunLocked(uint64_t program, const Text &text,
                                       const std::vector<int32_t> &missing) {
  ActiveRun &run = active.at(program);
  if (run.failure)
    return;
  run.failure = RunFailure{text, false};
  Notice notice{};
  notice.kind = Notice::Failed;
  notice.program = program;
  notice.run = run.number;
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
