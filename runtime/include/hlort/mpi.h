/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communicator over MPI, in a separate library: libhlort_mpi. Each process of an MPI
 * communicator has one participant, or several, which are its threads.
 *
 * Test: test/runtime/collective/MpiTest.cpp.
 */
#ifndef HLORT_MPI_H
#define HLORT_MPI_H

#include "hlort/communicator.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator of all processes of `processes`, which it duplicates; every process calls
 * it, and destroys the communicator before MPI_Finalize. This process has participants_here (at
 * least 1) participants, numbered from *first on in the order of processes. MPI must have been
 * initialized with at least MPI_THREAD_SERIALIZED, or with MPI_THREAD_MULTIPLE if the host itself
 * calls MPI while modules run. Null on failure. */
HLORT_API hlort_communicator *hlort_mpi_create(MPI_Comm processes, int32_t participants_here,
                                               int32_t *first, hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_MPI_H */
