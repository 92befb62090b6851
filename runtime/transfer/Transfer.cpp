// SPDX-License-Identifier: Apache-2.0
// The C interface of transfers: see hlort/transfer.h.

#include "Context.h"
#include "transfer/Sizes.h"

#include <cinttypes>
#include <cstdio>
#include <new>

using namespace hloc::runtime;

namespace {

bool isFromHost(int32_t kind) { return kind == HLORT_INFEED || kind == HLORT_RECV; }

int32_t reportNoMemory(hlort_status *status) {
  return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a queue");
}

/// The queue, if it exists and can be used in this direction; otherwise null, and the status says
/// why.
Queue *getQueue(hlort_context *context, int32_t kind, int64_t channel, hlort_status *status) {
  if (kind < HLORT_INFEED || kind > HLORT_RECV) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "there is no queue of kind %d", kind);
    return nullptr;
  }
  Name name(kind, channel);
  if (!context) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: needs a context, not null",
                     name.getText().characters);
    return nullptr;
  }
  if ((kind == HLORT_INFEED || kind == HLORT_OUTFEED) && channel != 0) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: expected channel 0, got %" PRId64,
                     name.getText().characters, channel);
    return nullptr;
  }
  try {
    return &context->queues.get(kind, channel);
  } catch (const std::bad_alloc &) {
    reportNoMemory(status);
    return nullptr;
  }
}

/// The same for use by one side; `fromHost`: the host puts instead of taking.
Queue *getHostQueue(hlort_context *context, int32_t kind, int64_t channel, bool fromHost,
                    hlort_status *status) {
  Queue *queue = getQueue(context, kind, channel, status);
  if (!queue)
    return nullptr;
  Name name(kind, channel);
  if (isFromHost(kind) != fromHost) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: only the module %s here",
                     name.getText().characters, fromHost ? "puts" : "takes");
    return nullptr;
  }
  if (queue->getOptions().handler) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                     "%s: a handler carries these transfers out, nothing waits in the queue",
                     name.getText().characters);
    return nullptr;
  }
  return queue;
}

/// Calls `function` with a status, so that it can return the code of a failure even if the caller
/// gave none.
template <typename Function> int32_t withStatus(hlort_status *status, Function function) {
  hlort_status own = {};
  return function(status ? status : &own);
}

int32_t putMessage(hlort_context *context, int32_t kind, int64_t channel, int64_t count,
                   const hlort_buffer *buffers, hlort_release release, void *user, int64_t timeout,
                   hlort_status *status) {
  Queue *queue = getHostQueue(context, kind, channel, /*fromHost=*/true, status);
  if (!queue)
    return status->code;
  if (int32_t code = checkBuffers(count, buffers, status))
    return code;
  OwnedMessage message =
      makeMessage({count, buffers}, release != nullptr, Name(kind, channel), status);
  if (!message)
    return status->code;
  message->user = user;
  message->release = release;
  int32_t code = queue->put(message, timeout, Name(kind, channel), status);
  if (code)
    message->release = nullptr; // the memory was not lent
  return code;
}

Arrays getArrays(const hlort_transfer &transfer) {
  return {transfer.count, transfer.buffers, transfer.sizes};
}

int32_t callHandler(const hlort_queue_options &options, const hlort_transfer &transfer,
                    const Name &who, hlort_status *status) {
  status->code = HLORT_OK;
  int32_t code = options.handler(options.user, &transfer, status);
  if (code && (status->code != code || !*status->message))
    hlort_status_set(status, code, "%s: the host's handler failed with code %d",
                     who.getText().characters, code);
  return code;
}

/// Checks that the sizes that a handler has set are within the bounds.
int32_t checkSizes(const hlort_transfer &transfer, const Name &who, hlort_status *status) {
  for (int64_t i = 0; i < transfer.count; ++i) {
    const int64_t *sizes = getSizes(transfer.sizes, i);
    const hlort_buffer &buffer = transfer.buffers[i];
    for (int32_t d = 0; sizes && d < buffer.rank; ++d)
      if (sizes[d] < 0 || sizes[d] > buffer.dims[d])
        return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                                "%s: expected a size from 0 to %" PRId64
                                " for dimension %d of array "
                                "%" PRId64 " but the host's handler gave %" PRId64,
                                who.getText().characters, buffer.dims[d], d, i, sizes[d]);
  }
  return HLORT_OK;
}

/// Calls the handler for arrays that have sizes: it reads a message made of them, or writes a dense
/// array of the sizes that it sets.
int32_t runHandler(const hlort_queue_options &options, const hlort_transfer &transfer,
                   const Name &who, hlort_status *status) {
  if (!transfer.sizes)
    return callHandler(options, transfer, who, status);
  if (isFromHost(transfer.kind)) {
    int32_t code = callHandler(options, transfer, who, status);
    if (code || (code = checkSizes(transfer, who, status)))
      return code;
    for (int64_t i = 0; i < transfer.count; ++i)
      if (const int64_t *sizes = getSizes(transfer.sizes, i))
        copyFromHost(transfer.buffers[i], sizes, transfer.buffers[i].data);
    return HLORT_OK;
  }
  bool alike = true;
  for (int64_t i = 0; i < transfer.count; ++i)
    alike &= liesAlike(transfer.buffers[i], getSizes(transfer.sizes, i));
  OwnedMessage message = makeMessage(getArrays(transfer), /*lent=*/alike, who, status);
  if (!message)
    return status->code;
  hlort_transfer seen = transfer;
  seen.buffers = message->buffers;
  seen.sizes = nullptr;
  return callHandler(options, seen, who, status);
}

int32_t takeFromHost(Queue &queue, const hlort_transfer &transfer, int64_t deadline,
                     const Name &who, hlort_status *status) {
  OwnedMessage message = queue.take(deadline, who, status);
  if (!message)
    return status->code;
  int32_t code = copyMessage(*message, getArrays(transfer), who, status);
  if (hlort_release release = message->release) {
    message->release = nullptr;
    release(message->user, code);
  }
  return code;
}

int32_t giveToHost(Queue &queue, const hlort_transfer &transfer, int64_t deadline, const Name &who,
                   hlort_status *status) {
  if (int32_t code = queue.checkOpen(who, status))
    return code;
  OwnedMessage message = makeMessage(getArrays(transfer), /*lent=*/false, who, status);
  return message ? queue.put(message, deadline, who, status) : status->code;
}

} // namespace

int32_t hlort_queue_configure(hlort_context *context, int32_t kind, int64_t channel,
                              const hlort_queue_options *options, hlort_status *status) {
  hlort_queue_options chosen = options ? *options : hlort_queue_options{};
  if (chosen.capacity < 0)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "expected a queue of 0 or more messages, got %" PRId64,
                            chosen.capacity);
  return withStatus(status, [&](hlort_status *status) {
    Queue *queue = getQueue(context, kind, channel, status);
    if (!queue)
      return status->code;
    queue->configure(chosen);
    return int32_t(HLORT_OK);
  });
}

int32_t hlort_queue_put(hlort_context *context, int32_t kind, int64_t channel, int64_t count,
                        const hlort_buffer *buffers, int64_t timeout, hlort_status *status) {
  return withStatus(status, [&](hlort_status *status) {
    return putMessage(context, kind, channel, count, buffers, nullptr, nullptr, timeout, status);
  });
}

int32_t hlort_queue_lend(hlort_context *context, int32_t kind, int64_t channel, int64_t count,
                         const hlort_buffer *buffers, hlort_release release, void *user,
                         int64_t timeout, hlort_status *status) {
  if (!release)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "lent memory needs a function to release it");
  return withStatus(status, [&](hlort_status *status) {
    return putMessage(context, kind, channel, count, buffers, release, user, timeout, status);
  });
}

hlort_message *hlort_queue_take(hlort_context *context, int32_t kind, int64_t channel,
                                int64_t timeout, hlort_status *status) {
  Queue *queue = getHostQueue(context, kind, channel, /*fromHost=*/false, status);
  return queue ? queue->take(timeout, Name(kind, channel), status).release() : nullptr;
}

int32_t hlort_queue_receive(hlort_context *context, int32_t kind, int64_t channel, int64_t count,
                            const hlort_buffer *buffers, int64_t timeout, hlort_status *status) {
  return withStatus(status, [&](hlort_status *status) {
    Queue *queue = getHostQueue(context, kind, channel, /*fromHost=*/false, status);
    if (!queue)
      return status->code;
    if (int32_t code = checkBuffers(count, buffers, status))
      return code;
    return queue->receive(count, buffers, timeout, Name(kind, channel), status);
  });
}

int64_t hlort_queue_length(hlort_context *context, int32_t kind, int64_t channel) {
  Queue *queue = context ? context->queues.find(kind, channel) : nullptr;
  return queue ? queue->getLength() : 0;
}

int32_t hlort_queue_close(hlort_context *context, int32_t kind, int64_t channel, const char *reason,
                          hlort_status *status) {
  return withStatus(status, [&](hlort_status *status) {
    Queue *queue = getQueue(context, kind, channel, status);
    if (!queue)
      return status->code;
    queue->close(reason);
    return int32_t(HLORT_OK);
  });
}

int32_t hlort_queue_reset(hlort_context *context, int32_t kind, int64_t channel,
                          hlort_status *status) {
  return withStatus(status, [&](hlort_status *status) {
    Queue *queue = getQueue(context, kind, channel, status);
    if (!queue)
      return status->code;
    queue->reset();
    return int32_t(HLORT_OK);
  });
}

int32_t hlort_transfers_close(hlort_context *context, const char *reason, hlort_status *status) {
  if (!context)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "a null context has no transfers");
  context->queues.closeAll(reason);
  return HLORT_OK;
}

int32_t hlort_transfers_reset(hlort_context *context, hlort_status *status) {
  if (!context)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "a null context has no transfers");
  context->queues.resetAll();
  return HLORT_OK;
}

int32_t hlort_transfer_run(hlort_context *context, const hlort_transfer *transfer,
                           hlort_status *status) {
  return withStatus(status, [&](hlort_status *status) {
    Name name(*transfer);
    if (!context)
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: needs a context, not null",
                              name.getText().characters);
    Queue *queue = getQueue(context, transfer->kind, transfer->channel, status);
    if (!queue)
      return status->code;
    hlort_queue_options options = queue->getOptions();
    if (options.handler) {
      int32_t code = queue->checkOpen(name, status);
      return code ? code : runHandler(options, *transfer, name, status);
    }
    return isFromHost(transfer->kind)
               ? takeFromHost(*queue, *transfer, options.deadline, name, status)
               : giveToHost(*queue, *transfer, options.deadline, name, status);
  });
}
