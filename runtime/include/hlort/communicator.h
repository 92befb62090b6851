/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators: how the participants of a run find each other. A host makes one, and lets each
 * participant's context join it. The one for threads of a process is here, one for MPI is in
 * hlort/mpi.h, and a host can provide its own by four functions. docs/collectives.md has examples.
 *
 * Tests: test/runtime/collective.
 */
#ifndef HLORT_COMMUNICATOR_H
#define HLORT_COMMUNICATOR_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------
 * For hosts
 * ------------------------------------------------------------------------------------------- */

typedef struct hlort_communicator hlort_communicator;

/* A communicator for participants 0 <= i < participants in this process, each run by a separate
 * thread. Null on failure. */
HLORT_API hlort_communicator *hlort_in_process_create(int32_t participants, hlort_status *status);

/* Destroys a communicator that no context is joined to any more, and ends its threads; null is
 * ignored. */
HLORT_API void hlort_communicator_destroy(hlort_communicator *communicator);

/* How many participants there are, in all processes. */
HLORT_API int32_t hlort_communicator_participants(const hlort_communicator *communicator);

/* The data that collectives have moved for the participants of this process. */
typedef struct hlort_traffic {
  int64_t bytes; /* in process: of results; over messages: of messages from others */
  /* Of these, the bytes moved by the communicator's own threads, between a collective's start and
   * its done, while the participants were doing something else. */
  int64_t bytes_meanwhile;
} hlort_traffic;

HLORT_API void hlort_communicator_traffic(const hlort_communicator *communicator,
                                          hlort_traffic *traffic);

/* Zero-initialized options are the defaults. */
typedef struct hlort_join_options {
  /* How long a collective waits for others: 0 means five minutes, a negative number forever. */
  int64_t deadline_milliseconds;
  int64_t reserved; /* must be 0 */
} hlort_join_options;

/* Makes the context's runs those of a participant. A context joins one communicator, a participant
 * is one context. Must not be called during a run. */
HLORT_API int32_t hlort_context_join(hlort_context *context, hlort_communicator *communicator,
                                     int32_t participant, const hlort_join_options *options,
                                     hlort_status *status);

/* Removes the context from its communicator, as destroying it does. Others that wait for this
 * participant fail. Must not be called during a run. */
HLORT_API void hlort_context_leave(hlort_context *context);

/* Fails the current runs on this context, from any thread: calls that wait return HLORT_CANCELLED,
 * and so do the other participants. Runs begun later are not affected. reason may be null. */
HLORT_API void hlort_context_cancel(hlort_context *context, const char *reason);

/* ---------------------------------------------------------------------------------------------
 * For hosts that provide a communicator
 *
 * A transport carries messages of bytes between participants. hlort implements collectives on top
 * of it, with the same bits as on any other communicator.
 * ------------------------------------------------------------------------------------------- */

/* Identifies a message between two participants. A receive takes a message whose tag is equal in
 * both parts; of several, the one sent first. */
typedef struct hlort_tag {
  uint64_t conversation; /* 0 for messages outside any run, else a run of a program */
  uint64_t number;
} hlort_tag;

/* A message in flight; defined by the transport. */
typedef struct hlort_delivery hlort_delivery;

/* Any thread may call any function, several at a time. `self` is a participant of this process. A
 * message sent after a send is done does not overtake it, whatever the tags. Functions that return
 * int32_t return HLORT_OK or write the status, which is never null. */
typedef struct hlort_transport {
  int32_t abi_version;  /* HLORT_ABI_VERSION */
  int32_t participants; /* in all processes */
  void *user;           /* the first argument of each function */

  /* Begins to send bytes to a participant. Does not wait for the receiver. data must not change
   * until the delivery is done or cancelled. */
  int32_t (*send)(void *user, int32_t self, int32_t peer, hlort_tag tag, const void *data,
                  int64_t bytes, hlort_delivery **delivery, hlort_status *status);

  /* Begins to receive up to `bytes` bytes; a longer message is an error of the delivery. */
  int32_t (*receive)(void *user, int32_t self, int32_t peer, hlort_tag tag, void *data,
                     int64_t bytes, hlort_delivery **delivery, hlort_status *status);

  /* Checks whether a delivery is done, and makes progress on all others. If it is done or has
   * failed, *done is 1, *bytes is the number of bytes moved, and the delivery no longer exists. If
   * not, *bytes, which is 0 before the call, may be the number moved so far: deadlines start again
   * when it changes. */
  int32_t (*test)(void *user, int32_t self, hlort_delivery *delivery, int32_t *done, int64_t *bytes,
                  hlort_status *status);

  /* Cancels a delivery: it no longer exists, and its memory is not accessed after the return. */
  void (*cancel)(void *user, int32_t self, hlort_delivery *delivery);

  /* Optional. Waits until some delivery of `self` may have made progress, or for that time. Without
   * it the runtime polls at ever longer intervals, up to a tenth of a millisecond. */
  void (*wait)(void *user, int32_t self, int64_t microseconds);

  /* Optional. Nobody will receive messages for `self` in this conversation, neither those that have
   * come nor later ones. */
  void (*discard)(void *user, int32_t self, uint64_t conversation);

  /* Optional. Called once, when the communicator is destroyed. */
  void (*destroy)(void *user);
} hlort_transport;

/* A communicator over a transport, which is copied; user must outlive it. Null on failure. */
HLORT_API hlort_communicator *hlort_communicator_create(const hlort_transport *transport,
                                                        hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_COMMUNICATOR_H */
