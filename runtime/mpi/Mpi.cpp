// SPDX-License-Identifier: Apache-2.0
// Makes communicators over MPI.

#include "mpi/MpiTransport.h"

hlort_communicator *hlort_mpi_create(MPI_Comm processes, int32_t participants_here, int32_t *first,
                                     hlort_status *status) {
  hlort_transport transport;
  if (hloc::runtime::openMpiTransport(processes, participants_here, first, &transport, status))
    return nullptr;
  hlort_communicator *communicator = hlort_communicator_create(&transport, status);
  if (!communicator)
    transport.destroy(transport.user);
  return communicator;
}
