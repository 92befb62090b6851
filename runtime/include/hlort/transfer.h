/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers between a running module and its host: infeed, outfeed, and send and recv to the host.
 *
 * A context has a queue for infeed, one for outfeed, and one for each channel of send and of recv.
 * The data of one instruction are a message: its arrays, tuples flattened, in the layout of the
 * instruction's shape, types below one byte packed, without tokens. The host accesses a queue from
 * any thread while modules run, in one of three ways:
 * - it waits: hlort_queue_put, hlort_queue_take, ... with a timeout;
 * - it polls: the same with a timeout of 0;
 * - it is called back: a handler gets the program's own memory, without a queue and without a copy.
 *
 * The host puts and takes data of bounded dynamic size, such as s32[<=8,3], with their current
 * size: it may put an array of 0 to 8 rows, and takes one with the current number of rows.
 *
 * Modules take and give messages in the order of their instructions. Queues are bounded: a module
 * whose message does not fit waits for the host, and the host for the module. A wait that is too
 * long, or on a queue that is closed, returns a status; then the run has failed, and the context
 * can be used again.
 *
 * Tests: test/runtime/TransferTest.cpp.
 */
#ifndef HLORT_TRANSFER_H
#define HLORT_TRANSFER_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The queues of a context, as the module sees them. */
typedef enum hlort_queue_kind {
  HLORT_INFEED = 0,  /* from the host; its channel is 0 */
  HLORT_OUTFEED = 1, /* to the host; its channel is 0 */
  HLORT_SEND = 2,    /* to the host, on a channel_id; 0 where the instruction has none */
  HLORT_RECV = 3     /* from the host, likewise; the data move at recv-done */
} hlort_queue_kind;

/* A transfer that a module requests. */
typedef struct hlort_transfer {
  const char *instruction; /* its name in the module */
  const char *place;       /* its location, FILE:LINE:COLUMN, or empty */
  int32_t kind;            /* an hlort_queue_kind */
  int32_t reserved;
  int64_t channel;
  int64_t count;
  const hlort_buffer *buffers; /* to read (outfeed, send) or to write (infeed, recv) */
  int64_t *const *sizes;       /* of bounded arrays to write: hlort_transfer_handler */
} hlort_transfer;

/* Carries out a transfer at once, on the thread that runs the module: reads or writes all the
 * buffers, and keeps no pointer to them. Returns 0, or a code after it has written the status
 * (hlort_status_set does both), with which the run fails.
 *
 * Buffers to write whose sizes the handler chooses have their bounds as dims. If there are any,
 * sizes is not null, and sizes[i] is null for all other buffers; for these it is an array of the
 * size of each dimension, -1 where the handler chooses it, from 0 to the bound. The handler sets
 * those, and writes a dense array of that size to the buffer's memory. */
typedef int32_t (*hlort_transfer_handler)(void *user, const hlort_transfer *transfer,
                                          hlort_status *status);

/* Zero-initialized options are the defaults. */
typedef struct hlort_queue_options {
  int64_t capacity; /* messages that may wait in the queue; 0 means 64 */
  int64_t deadline; /* nanoseconds that a module waits; 0 means 60 seconds, less than 0 forever */
  hlort_transfer_handler handler; /* null: messages wait in the queue */
  void *user;                     /* passed to the handler */
} hlort_queue_options;

/* Sets the options of a queue, for transfers that begin later; null options are the defaults. */
HLORT_API int32_t hlort_queue_configure(hlort_context *context, int32_t kind, int64_t channel,
                                        const hlort_queue_options *options, hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * To a module: infeed and recv
 *
 * timeout is in nanoseconds: 0 does not wait, less than 0 waits forever. HLORT_DEADLINE_EXCEEDED
 * means that the queue was full for that time; HLORT_CANCELLED, that it is closed.
 * ------------------------------------------------------------------------------------------- */

/* Puts a copy of the buffers into the queue. */
HLORT_API int32_t hlort_queue_put(hlort_context *context, int32_t kind, int64_t channel,
                                  int64_t count, const hlort_buffer *buffers, int64_t timeout,
                                  hlort_status *status);

/* Ends the use of lent memory: code tells whether the module has taken the data (HLORT_OK), refused
 * them, or never asked for them. Called from any thread; must not call functions of the same
 * context. */
typedef void (*hlort_release)(void *user, int32_t code);

/* Puts the memory of the buffers itself into the queue; the module copies from it. The memory must
 * not change until release is called, once; if this function fails, it is not called. */
HLORT_API int32_t hlort_queue_lend(hlort_context *context, int32_t kind, int64_t channel,
                                   int64_t count, const hlort_buffer *buffers,
                                   hlort_release release, void *user, int64_t timeout,
                                   hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * From a module: outfeed and send
 * ------------------------------------------------------------------------------------------- */

/* A message from a module. */
typedef struct hlort_message hlort_message;

/* Takes the oldest message; null on failure. The caller frees it. timeout as above. */
HLORT_API hlort_message *hlort_queue_take(hlort_context *context, int32_t kind, int64_t channel,
                                          int64_t timeout, hlort_status *status);

/* Its arrays, which live as long as the message, and their number. */
HLORT_API const hlort_buffer *hlort_message_buffers(const hlort_message *message, int64_t *count);

/* Frees a message; null is ignored. */
HLORT_API void hlort_message_free(hlort_message *message);

/* Takes the oldest message and copies its arrays into the host's memory. If the buffers do not have
 * its types, sizes and layouts, the message stays in the queue, and the code is
 * HLORT_INVALID_ARGUMENT. */
HLORT_API int32_t hlort_queue_receive(hlort_context *context, int32_t kind, int64_t channel,
                                      int64_t count, const hlort_buffer *buffers, int64_t timeout,
                                      hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * Any queue
 * ------------------------------------------------------------------------------------------- */

/* The number of messages in a queue; 0 if there is no such queue. */
HLORT_API int64_t hlort_queue_length(hlort_context *context, int32_t kind, int64_t channel);

/* Closes a queue: nothing more can be put. All that wait on it, host or module, wake with
 * HLORT_CANCELLED and a message that ends in reason (may be null). Messages in the queue can still
 * be taken. */
HLORT_API int32_t hlort_queue_close(hlort_context *context, int32_t kind, int64_t channel,
                                    const char *reason, hlort_status *status);

/* Drops the messages in a queue and opens it again. Options stay. */
HLORT_API int32_t hlort_queue_reset(hlort_context *context, int32_t kind, int64_t channel,
                                    hlort_status *status);

/* The same for all queues that the context has, and for those it will have until it is reset: ends
 * every run that waits for a transfer. */
HLORT_API int32_t hlort_transfers_close(hlort_context *context, const char *reason,
                                        hlort_status *status);
HLORT_API int32_t hlort_transfers_reset(hlort_context *context, hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * What compiled modules call
 * ------------------------------------------------------------------------------------------- */

/* Carries out a transfer: calls the queue's handler, or waits for a message or for room. A message
 * of other types, sizes or layouts than the instruction's is dropped, and the run fails.
 *
 * The elements of a buffer with sizes have the positions that they have in an array of its dims,
 * the bounds; elements past the sizes are ignored. A buffer to read has its sizes; of a buffer to
 * write, sizes of -1 are set. */
HLORT_API int32_t hlort_transfer_run(hlort_context *context, const hlort_transfer *transfer,
                                     hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_TRANSFER_H */
