// SPDX-License-Identifier: Apache-2.0
// Participants over messages: their runs, and waiting.

#include "collective/messages/MessageOperation.h"
#include "threads/LookOut.h"

#include <algorithm>
#include <new>
#include <thread>

namespace hloc::runtime {

using std::chrono::steady_clock;

int32_t MessageParticipant::begin(const hlort_program &program, hlort_status *status) {
  poll();
  std::unique_lock lock = lockSoon(mutex);
  if (active.count(program.fingerprint))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s is running as participant %d already", program.name, rank);
  reserveNotices((active.size() + 2) * size_t(count));
  OwnRuns &runs = state.programs[program.fingerprint];
  while (true) {
    auto failed = runs.failed.find(runs.next);
    if (failed == runs.failed.end()) {
      active[program.fingerprint].number = runs.next;
      ++runs.next; // all allocations have succeeded
      runs.isTold = false;
      return HLORT_OK;
    }
    ++runs.next;
    // As in process (InProcess.cpp): reported once, and then back in step.
    bool isSkipped = runs.isTold && failed->second.isMissed;
    if (!isSkipped)
      hlort_status_set(status, HLORT_CANCELLED, "%s cancelled: %s", program.name,
                       failed->second.text.c_str());
    discard(program, failed->first);
    runs.failed.erase(failed);
    if (isSkipped)
      continue;
    runs.isTold = true;
    return HLORT_CANCELLED;
  }
}

/// Discards messages that others have sent in a run.
void MessageParticipant::discard(const hlort_program &program, int64_t run) const {
  if (transport.discard)
    transport.discard(transport.user, rank, conversationOf(program.fingerprint, run));
}

int32_t MessageParticipant::end(const hlort_program &program, int32_t code, hlort_status *status) {
  std::unique_lock lock = lockSoon(mutex);
  auto place = active.find(program.fingerprint);
  if (place == active.end())
    return code;
  std::list<std::unique_ptr<MessageOperation>> operations, kept;
  operations.swap(place->second.operations);
  kept.swap(place->second.kept);
  lock.unlock();
  if (code == HLORT_OK && !operations.empty())
    code = hlort_status_set(status, HLORT_INTERNAL, "%s ends with collectives in flight",
                            program.name);
  for (auto &send : kept)
    try {
      communicator.progress.take(*send);
      code = code == HLORT_OK ? waitFor(*send, status) : code;
    } catch (const std::bad_alloc &) {
      code = hlort_status_set(status, HLORT_OUT_OF_MEMORY, "%s: no memory",
                              describe(*send->member.what).c_str());
    }
  if (code != HLORT_OK)
    failRun(program.fingerprint,
            Text("participant %d failed: %s", rank,
                 status && status->message[0] ? status->message : hlort_code_name(code)),
            {});
  for (auto *each : {&operations, &kept}) {
    for (auto &operation : *each)
      communicator.progress.take(*operation);
    each->clear();
  }
  lock.lock();
  if (const ActiveRun &run = place->second; run.failure) {
    state.programs.at(program.fingerprint).isTold = run.failure->isMissed;
    discard(program, run.number);
  }
  active.erase(place);
  return code;
}

int32_t MessageParticipant::start(const hlort_collective &what, const Group &group,
                                  const void *const *operands, void *const *results, Next next,
                                  hlort_ticket **ticket, hlort_status *status) {
  Member member;
  if (int32_t code = member.read(what, rank, group, operands, results, status))
    return code;
  member.writeInitialResults(group);
  uint64_t program = what.program->fingerprint;
  MessageOperation *operation;
  {
    std::unique_lock lock = lockSoon(mutex);
    auto place = active.find(program);
    if (place == active.end())
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: its program has not begun",
                              describe(what).c_str());
    ActiveRun &run = place->second;
    run.operations.push_back(std::make_unique<MessageOperation>(
        *this, std::move(member), group, run.number, run.steps[group.hash]++));
    operation = run.operations.back().get();
  }
  poll();
  if (std::optional<RunFailure> reason = failureOf(program, {}, {}))
    return hlort_status_set(status, HLORT_CANCELLED, "%s cancelled: %s", describe(what).c_str(),
                            reason->text.c_str());
  *ticket = operation;
  hlort_status failure{};
  if (int32_t code = operation->start(&failure)) {
    failRun(program, Text("%s", failure.message), {});
    return hlort_status_set(status, code, "%s", failure.message);
  }
  if (next == Next::Compute && operation->isLong())
    communicator.progress.give(*operation);
  return HLORT_OK;
}

/// Advances an operation; notifies all of a failure.
int32_t MessageParticipant::advance(MessageOperation &operation, bool *moved,
                                    hlort_status *status) {
  hlort_status failure{};
  int32_t code = operation.advance(moved, &failure);
  if (code == HLORT_OK)
    return code;
  failRun(operation.member.what->program->fingerprint, Text("%s", failure.message), {});
  return hlort_status_set(status, code, "%s", failure.message);
}

/// Whether a send may complete before it is received: its target has not come, and not too many
/// sends are kept already.
int32_t MessageParticipant::keep(MessageOperation &operation, bool *isKept, hlort_status *status) {
  ActiveRun *run;
  {
    std::unique_lock lock = lockSoon(mutex);
    run = &active.at(operation.member.what->program->fingerprint);
  }
  auto &kept = run->kept; // used only by this thread
  bool moved;
  int64_t count = 0;
  for (auto send = kept.begin(); send != kept.end();) {
    if (!communicator.progress.takeIfOver(**send)) {
      count += (*send++)->group.hash == operation.group.hash;
      continue;
    }
    if (int32_t code = advance(**send, &moved, status))
      return code;
    count += (*send)->group.hash == operation.group.hash;
    send = (*send)->isDone() ? kept.erase(send) : std::next(send);
  }
  if (int32_t code = advance(operation, &moved, status))
    return code;
  *isKept = !operation.isDone() && count < kKeptSends;
  return HLORT_OK;
}

int32_t MessageParticipant::done(hlort_ticket &ticket, hlort_status *status) {
  auto &operation = static_cast<MessageOperation &>(ticket);
  bool isKept = false;
  int32_t code = HLORT_OK;
  communicator.progress.take(operation);
  if (operation.member.what->kind == HLORT_PEER_SEND)
    code = keep(operation, &isKept, status);
  if (code == HLORT_OK && !isKept)
    code = waitFor(operation, status);
  std::list<std::unique_ptr<MessageOperation>> finished;
  std::unique_lock lock = lockSoon(mutex);
  ActiveRun &run = active.at(operation.member.what->program->fingerprint);
  auto &operations = run.operations;
  auto place = std::find_if(operations.begin(), operations.end(),
                            [&](const auto &each) { return each.get() == &operation; });
  auto &next = isKept ? run.kept : finished;
  next.splice(next.end(), operations, place);
  lock.unlock();
  if (isKept && operation.isLong())
    communicator.progress.give(operation);
  return code;
}

static Text listed(const std::vector<int32_t> &participants) {
  Text text(participants.size() > 1 ? "participants" : "participant");
  for (size_t i = 0; i < participants.size(); ++i)
    text.append(i ? ", %d" : " %d", participants[i]);
  return text;
}

int32_t MessageParticipant::waitFor(MessageOperation &operation, hlort_status *status) {
  uint64_t program = operation.member.what->program->fingerprint;
  Text what = describe(*operation.member.what);
  auto since = steady_clock::now();
  int rounds = 0;
  while (!operation.isDone()) {
    bool moved = false;
    // Those that have left by now have sent everything before the messages that are looked for
    // next.
    poll();
    std::vector<bool> gone = whoHasLeft();
    if (int32_t code = advance(operation, &moved, status))
      return code;
    if (moved) {
      since = steady_clock::now();
      rounds = 0;
      continue;
    }
    std::vector<int32_t> missing = operation.missing();
    if (std::optional<RunFailure> reason = failureOf(program, missing, gone))
      return hlort_status_set(status, HLORT_CANCELLED, "%s cancelled: %s", what.c_str(),
                              reason->text.c_str());
    if (deadline && steady_clock::now() - since > *deadline) {
      auto milliseconds = (long long)deadline->count();
      Text text("%s: messages were not received within %lld ms", what.c_str(), milliseconds);
      if (!missing.empty())
        text =
            Text("%s: %s%s did not come within %lld ms", what.c_str(),
                 operation.allHaveCome() ? "data of " : "", listed(missing).c_str(), milliseconds);
      failRun(program, text, missing);
      return hlort_status_set(status, HLORT_DEADLINE_EXCEEDED, "%s", text.c_str());
    }
    rest(rounds);
  }
  return HLORT_OK;
}

void MessageParticipant::rest(int &rounds) {
  constexpr int kSpins = 200;
  if (++rounds < kSpins) {
    for (int i = 0; i < 16; ++i)
      relax();
    return;
  }
  int64_t microseconds = std::min(rounds - kSpins + 5, 100);
  if (transport.wait)
    transport.wait(transport.user, rank, microseconds);
  else
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

void MessageParticipant::cancel(const char *reason) {
  std::unique_lock lock = lockSoon(mutex);
  for (const auto &[program, run] : active)
    failRunLocked(program, Text("participant %d was cancelled: %s", rank, reason), {});
}

} // namespace hloc::runtime
