// SPDX-License-Identifier: Apache-2.0
// Contexts join communicators and leave them.

#include "Context.h"

#include <new>

static constexpr int64_t kDefaultDeadline = 5 * 60 * 1000;

void hlort_communicator_destroy(hlort_communicator *communicator) { delete communicator; }

int32_t hlort_communicator_participants(const hlort_communicator *communicator) {
  return communicator->count;
}

void hlort_communicator_traffic(const hlort_communicator *communicator, hlort_traffic *traffic) {
  *traffic = {0, 0};
  for (const hloc::runtime::Traffic &each : communicator->traffic) {
    traffic->bytes += each.bytes;
    traffic->bytes_meanwhile += each.bytesMeanwhile;
  }
}

int32_t hlort_context_join(hlort_context *context, hlort_communicator *communicator,
                           int32_t participant, const hlort_join_options *options,
                           hlort_status *status) {
  hlort_join_options chosen = options ? *options : hlort_join_options{};
  if (!context || !communicator || chosen.reserved != 0)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "join: expected a context, a communicator and reserved 0");
  if (context->participant)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "the context is participant %d already",
                            context->participant->rank);
  if (participant < 0 || participant >= communicator->count)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "there is no participant %d: the communicator has %d", participant,
                            communicator->count);
  int64_t deadline = chosen.deadline_milliseconds ? chosen.deadline_milliseconds : kDefaultDeadline;
  try {
    hlort_status failure{};
    context->participant =
        communicator->join(participant, context->threads, deadline, status ? status : &failure);
    return context->participant ? HLORT_OK : (status ? status : &failure)->code;
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory to join a communicator");
  }
}

void hlort_context_leave(hlort_context *context) {
  if (context)
    context->participant.reset();
}

void hlort_context_cancel(hlort_context *context, const char *reason) {
  if (context && context->participant)
    context->participant->cancel(reason ? reason : "the host cancelled it");
}
