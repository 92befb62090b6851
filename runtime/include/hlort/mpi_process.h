/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process started by mpirun as a participant, for programs that are built without MPI and load
 * libhlort_mpi_process.so only if they use it, like `hlo-run --mpi`. The library neither defines
 * nor needs symbols of the runtime: it provides a transport, from which the program makes a
 * communicator.
 *
 * Test: test/tools/mpi.test.
 */
#ifndef HLORT_MPI_PROCESS_H
#define HLORT_MPI_PROCESS_H

#include "hlort/communicator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* This process among those that mpirun started. */
typedef struct hlort_mpi_process {
  int32_t rank, size;
  int32_t processes_here; /* on this machine */
  int32_t reserved;
  /* For hlort_communicator_create: participant i is process i. */
  hlort_transport transport;
} hlort_mpi_process;

/* Initializes MPI. All processes call it, once. No other part of the program may use MPI at that
 * time. */
HLORT_API int32_t hlort_mpi_process_begin(hlort_mpi_process *process, hlort_status *status);

/* The least of the values of all processes, or 0 if one of them does not come within five minutes.
 * Must not be called during a run. */
HLORT_API int32_t hlort_mpi_process_agree(int32_t value);

/* The texts of all processes, in process 0, by rank, each terminated by a 0; null in all others.
 * The caller frees it. Must not be called during a run. */
HLORT_API char *hlort_mpi_process_gather(const char *text);

/* Ends MPI, after the communicator was destroyed. With `failed`, it waits for other processes for a
 * few seconds at most: some may be gone. */
HLORT_API void hlort_mpi_process_end(int32_t failed);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_MPI_PROCESS_H */
