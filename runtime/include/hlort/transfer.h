/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers between a running module and its host: infeed, outfeed, and send and recv to the host.
 *
 * A context has a queue for infeed, one for outfeed, and one for each channel of send and of recv.
 * What one instruction transfers is a message: the arrays of its data, tuples flattened, in the
 * layout of the instruction's shape, types below one byte packed, tokens left out. The host reaches
 * a queue from any thread while modules run, in one of three ways:
 * - it waits: hlort_queue_put, hlort_queue_take, ... with a timeout;
 * - it polls: the same with a timeout of 0;
 * - it is called back: a handler gets the program's own memory, with no queue and no copy between.
 *
 * Of data of bounded dynamic size, such as s32[<=8,3], the host sees what counts: it may put an
 * array of 0 to 8 rows, and takes one of as many rows as there are.
 *
 * Modules take and give messages in the order of their instructions. Queues are bounded: a module
 * whose message does not fit waits for the host, and the host for the module. Who waits longer than
 * allowed, or on a queue that is closed, gets a status; then the run has failed, and the context
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

/* A transfer that a module wants. */
typedef struct hlort_transfer {
  const char *instruction; /* its name in the module */
  const char *place;       /* where it stands, FILE:LINE:COLUMN, or empty */
  int32_t kind;            /* an hlort_queue_kind */
  int32_t reserved;
  int64_t channel;
  int64_t count;
  const hlort_buffer *buffers; /* to be read (outfeed, send) or to be written (infeed, recv) */
  int64_t *const *sizes; /* of bounded arrays that are to be written: hlort_transfer_handler */
} hlort_transfer;

/* Carries out a transfer at once, in the thread that runs the module: reads or writes all the
 * buffers, and keeps no pointer to them. Returns 0, or a code after it has written the status
 * (hlort_status_set does both), with which the run fails.
 *
 * Buffers to be written whose sizes the handler chooses have their bounds as dims. Where there are
 * any, sizes is not null, and sizes[i] is null for each other buffer; of these it is an array of
 * the size of each dimension, -1 where that is to be chosen, from 0 to the bound. The handler sets
 * those, and writes a dense array of the sizes to the buffer's memory. */
typedef int32_t (*hlort_transfer_handler)(void *user, const hlort_transfer *transfer,
                                          hlort_status *status);

/* Zero-initialized options are the defaults. */
typedef struct hlort_queue_options {
  int64_t capacity; /* messages that may wait in the queue; 0 means 64 */
  int64_t deadline; /* nanoseconds that a module waits; 0 means 60 seconds, less than 0 for ever */
  hlort_transfer_handler handler; /* null: messages wait in the queue */
  void *user;                     /* of the handler */
} hlort_queue_options;

/* Sets the options of a queue; null options are the defaults. For transfers that begin later. */
HLORT_API int32_t hlort_queue_configure(hlort_context *context, int32_t kind, int64_t channel,
                                        const hlort_queue_options *options, hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * To a module: infeed and recv
 *
 * timeout is in nanoseconds: 0 does not wait, less than 0 waits for ever. HLORT_DEADLINE_EXCEEDED
 * says that the queue was full for so long; HLORT_CANCELLED, that it is closed.
 * ------------------------------------------------------------------------------------------- */

/* Puts a message that is a copy of the buffers. */
HLORT_API int32_t hlort_queue_put(hlort_context *context, int32_t kind, int64_t channel,
                                  int64_t count, const hlort_buffer *buffers, int64_t timeout,
                                  hlort_status *status);

/* Ends the use of lent memory: code says whether the module has taken the data (HLORT_OK), refused
 * them, or never come. Called from any thread; must not call functions of the same context. */
typedef void (*hlort_release)(void *user, int32_t code);

/* Puts a message that is the buffers' memory itself, from which the module copies. The memory stays
 * as it is until release is called, once; not at all if this function fails. */
HLORT_API int32_t hlort_queue_lend(hlort_context *context, int32_t kind, int64_t channel,
                                   int64_t count, const hlort_buffer *buffers,
                                   hlort_release release, void *user, int64_t timeout,
                                   hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * From a module: outfeed and send
 * ------------------------------------------------------------------------------------------- */

/* What a module has given. */
typedef struct hlort_message hlort_message;

/* Takes the oldest message; null if it fails. The caller frees it. timeout as above. */
HLORT_API hlort_message *hlort_queue_take(hlort_context *context, int32_t kind, int64_t channel,
                                          int64_t timeout, hlort_status *status);

/* Its arrays, which live as long as the message, and their number. */
HLORT_API const hlort_buffer *hlort_message_buffers(const hlort_message *message, int64_t *count);

/* Frees a message; null is ignored. */
HLORT_API void hlort_message_free(hlort_message *message);

/* Takes the oldest message and copies its arrays into the host's memory. If the buffers are not of
 * its types, sizes and layouts, the message stays, and the code is HLORT_INVALID_ARGUMENT. */
HLORT_API int32_t hlort_queue_receive(hlort_context *context, int32_t kind, int64_t channel,
                                      int64_t count, const hlort_buffer *buffers, int64_t timeout,
                                      hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * Any queue
 * ------------------------------------------------------------------------------------------- */

/* How many messages wait in a queue; 0 if there is no such queue. */
HLORT_API int64_t hlort_queue_length(hlort_context *context, int32_t kind, int64_t channel);

/* Closes a queue: nothing more can be put. Everyone who waits on it, host or module, wakes with
 * HLORT_CANCELLED and a message that ends in reason (may be null). Messages that are there can
 * still be taken. */
HLORT_API int32_t hlort_queue_close(hlort_context *context, int32_t kind, int64_t channel,
                                    const char *reason, hlort_status *status);

/* Drops what waits in a queue and opens it again. Options stay. */
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
 * A buffer with sizes lies in memory as an array of its dims, the bounds; elements past the sizes
 * are not looked at. What is to be read has its sizes; of what is to be written those that are -1
 * are set. */
HLORT_API int32_t hlort_transfer_run(hlort_context *context, const hlort_transfer *transfer,
                                     hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_TRANSFER_H */
