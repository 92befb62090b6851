// SPDX-License-Identifier: Apache-2.0
// The functions that compiled modules call. Operations of a single participant are executed here,
// all others by the communicator that the context has joined.

#include "Context.h"
#include "collective/Exchange.h"

#include <new>

using namespace hloc::runtime;

static Participant *participantOf(const hlort_context *context) {
  return context ? context->participant.get() : nullptr;
}

int32_t hlort_participant(const hlort_context *context) {
  Participant *participant = participantOf(context);
  return participant ? participant->rank : 0;
}

uint32_t hlort_replica_id(const hlort_context *context, const hlort_program *program) {
  return uint32_t(hlort_participant(context) / program->partition_count);
}

uint32_t hlort_partition_id(const hlort_context *context, const hlort_program *program) {
  return uint32_t(hlort_participant(context) % program->partition_count);
}

//===- Runs ----------------------------------------------------------------------------------===//

/// Calls a function and handles its std::bad_alloc.
template <typename Function> static int32_t guarded(hlort_status *status, Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a collective");
  } catch (const std::exception &error) {
    return hlort_status_set(status, HLORT_INTERNAL, "collective: %s", error.what());
  }
}

int32_t hlort_program_begin(hlort_context *context, const hlort_program *program,
                            hlort_status *status) {
  Participant *participant = participantOf(context);
  int64_t wanted = int64_t(program->replica_count) * program->partition_count;
  if (wanted != (participant ? participant->count : 1))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s is compiled for %lld participants (%d replicas of %d partitions), "
                            "but the context %s%s",
                            program->name, (long long)wanted, program->replica_count,
                            program->partition_count,
                            participant ? "is one of " : "has joined no communicator",
                            participant ? std::to_string(participant->count).c_str() : "");
  if (!participant)
    return HLORT_OK;
  return guarded(status, [&] { return participant->begin(*program, status); });
}

int32_t hlort_program_end(hlort_context *context, const hlort_program *program, int32_t code,
                          hlort_status *status) {
  if (!context)
    return code;
  return guarded(status, [&] {
    int32_t own = context->loopback.end(*program, code ? nullptr : status);
    int32_t result = code ? code : own;
    Participant *participant = participantOf(context);
    return participant ? participant->end(*program, result, status) : result;
  });
}

//===- Operations ----------------------------------------------------------------------------===//

/// The ticket of operations that were completed by their start.
static hlort_ticket finished;

/// Runs an operation for a group of one participant, or of none, which gives zeros.
static int32_t runAlone(const hlort_collective &what, int32_t participant, const Group &group,
                        const void *const *operands, void *const *results, hlort_status *status) {
  Member member;
  if (int32_t code = member.read(what, participant, group, operands, results, status))
    return code;
  member.writeInitialResults(group);
  if (group.size() == 0)
    return HLORT_OK;
  Exchange exchange(group, {&member});
  if (int32_t code = exchange.plan(status))
    return code;
  for (int64_t i = 0; i < exchange.units(); ++i)
    exchange.run(i);
  return HLORT_OK;
}

/// A transfer of a participant to itself.
static int32_t loopBack(hlort_context *context, const hlort_collective &what,
                        const void *const *operands, void *const *results, hlort_ticket **ticket,
                        hlort_status *status) {
  if (!context)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s: a participant that sends to itself needs a context",
                            describe(what).c_str());
  *ticket = &finished;
  if (what.kind == HLORT_PEER_SEND)
    context->loopback.send(what, operands);
  else
    *ticket = context->loopback.expect(what, results);
  return HLORT_OK;
}

static int32_t start(hlort_context *context, const hlort_collective &what,
                     const void *const *operands, void *const *results, Next next,
                     hlort_ticket **ticket, hlort_status *status) {
  Participant *participant = participantOf(context);
  int32_t rank = participant ? participant->rank : 0;
  Group group = findGroup(what, rank, participant ? participant->count : 1);
  if (group.size() == 1 && isPeerTransfer(what))
    return loopBack(context, what, operands, results, ticket, status);
  if (group.size() > 1 && participant)
    return participant->start(what, group, operands, results, next, ticket, status);
  if (group.size() > 1)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s: the context has joined no communicator", describe(what).c_str());
  if (group.size() == 0 && what.kind != HLORT_COLLECTIVE_BROADCAST &&
      what.kind != HLORT_COLLECTIVE_PERMUTE && !isPeerTransfer(what))
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: participant %d is in no group",
                            describe(what).c_str(), rank);
  *ticket = &finished;
  return runAlone(what, rank, group, operands, results, status);
}

int32_t hlort_collective_start(hlort_context *context, const hlort_collective *what,
                               const void *const *operands, void *const *results,
                               hlort_ticket **ticket, hlort_status *status) {
  *ticket = nullptr;
  return guarded(status, [&] {
    return start(context, *what, operands, results, Next::Compute, ticket, status);
  });
}

int32_t hlort_collective_done(hlort_context *context, hlort_ticket *ticket, hlort_status *status) {
  if (ticket == &finished)
    return HLORT_OK;
  if (ticket && ticket->isLoopback && context)
    return guarded(status, [&] { return context->loopback.receive(*ticket, status); });
  Participant *participant = participantOf(context);
  if (!ticket || !participant)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "the collective was never started");
  return guarded(status, [&] { return participant->done(*ticket, status); });
}

int32_t hlort_collective_run(hlort_context *context, const hlort_collective *what,
                             const void *const *operands, void *const *results,
                             hlort_status *status) {
  hlort_ticket *ticket = nullptr;
  int32_t code = guarded(status, [&] {
    return start(context, *what, operands, results, Next::Wait, &ticket, status);
  });
  return code ? code : hlort_collective_done(context, ticket, status);
}
