/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communicator over MPI, in a library of its own: libhlort_mpi. Each process of an MPI
 * communicator has one participant, or several that are threads of it.
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

/* Makes a communicator of all processes of `processes`, with its own duplicate of that; every process
 * calls it, and destroys it before MPI_Finalize. This process has participants_here (at least 1)
 * participants, numbered from *first on in the order of processes. MPI must have been initialized
 * with MPI_THREAD_SERIALIZED at least, or with MPI_THREAD_MULTIPLE if the host itself calls MPI while
 * modules run. Null on failure. */
HLORT_API hlort_communicator *hlort_mpi_create(MPI_Comm processes, int32_t participants_here,
                                               int32_t *first, hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_MPI_H */
