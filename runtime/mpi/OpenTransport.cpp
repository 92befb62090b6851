// SPDX-License-Identifier: Apache-2.0
// A transport over MPI, in the form that communicators take.

#include "mpi/MpiTransport.h"

#include <new>
#include <numeric>

using hloc::runtime::MpiTransport;

static MpiTransport &transportOf(void *user) { return *static_cast<MpiTransport *>(user); }

/// Catches exceptions, which must not leave a C function.
template <typename Function> static int32_t guarded(hlort_status *status, Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a message");
  }
}

static hlort_transport makeTransport(MpiTransport *user, int32_t participants) {
  hlort_transport transport{};
  transport.abi_version = HLORT_ABI_VERSION;
  transport.participants = participants;
  transport.user = user;
  transport.send = [](void *user, int32_t self, int32_t peer, hlort_tag tag, const void *data,
                      int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
    return guarded(status, [&] {
      return transportOf(user).send(self, peer, tag, data, bytes, transfer, status);
    });
  };
  transport.receive = [](void *user, int32_t self, int32_t peer, hlort_tag tag, void *data,
                         int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
    return guarded(
        status, [&] { return transportOf(user).receive(self, peer, tag, data, bytes, transfer); });
  };
  transport.test = [](void *user, int32_t, hlort_delivery *transfer, int32_t *done, int64_t *bytes,
                      hlort_status *status) {
    return guarded(status, [&] { return transportOf(user).test(transfer, done, bytes, status); });
  };
  transport.cancel = [](void *user, int32_t, hlort_delivery *transfer) {
    transportOf(user).cancel(transfer);
  };
  transport.wait = [](void *user, int32_t, int64_t microseconds) {
    transportOf(user).wait(microseconds);
  };
  transport.discard = [](void *user, int32_t self, uint64_t conversation) {
    transportOf(user).discard(self, conversation);
  };
  transport.destroy = [](void *user) { delete &transportOf(user); };
  return transport;
}

static int32_t open(MPI_Comm processes, int32_t participantsHere, int32_t *first,
                    hlort_transport *transport, hlort_status *status) {
  int isInitialized = 0, level = 0, rank = 0, size = 0;
  MPI_Initialized(&isInitialized);
  if (isInitialized)
    MPI_Query_thread(&level);
  if (!isInitialized || level < MPI_THREAD_SERIALIZED) {
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            isInitialized
                                ? "MPI was initialized with too low a thread level (%d): ask "
                                  "MPI_Init_thread for MPI_THREAD_SERIALIZED at least"
                                : "MPI is not initialized (%d): call MPI_Init_thread first",
                            level);
  }
  MPI_Comm comm;
  if (MPI_Comm_dup(processes, &comm) != MPI_SUCCESS) {
    return hlort_status_set(status, HLORT_CALL_FAILED, "MPI cannot duplicate the communicator");
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int32_t> counts(size);
  MPI_Allgather(&participantsHere, 1, MPI_INT32_T, counts.data(), 1, MPI_INT32_T, comm);
  for (int process = 0; process < size; ++process)
    if (counts[process] < 1) {
      MPI_Comm_free(&comm);
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "process %d has %d participants",
                              process, counts[process]);
    }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  if (first)
    *first = counts[rank] - participantsHere;
  int32_t participants = counts.back();
  auto *user = new (std::nothrow) MpiTransport(comm, std::move(counts));
  if (!user)
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a communicator");
  *transport = makeTransport(user, participants);
  return HLORT_OK;
}

int32_t hloc::runtime::openMpiTransport(MPI_Comm processes, int32_t participantsHere,
                                        int32_t *first, hlort_transport *transport,
                                        hlort_status *status) {
  return guarded(status,
                 [&] { return open(processes, participantsHere, first, transport, status); });
}
