// SPDX-License-Identifier: Apache-2.0
// MPI initialized for fewer threads than call it: no communicator is created, and the status says
// what to do. Run by mpirun.

#include "hlort/mpi.h"

#include <cstdio>
#include <cstring>

/// Whether nothing is made, for the reason that `wanted` says.
static bool isRefused(const char *wanted) {
  hlort_status status{};
  hlort_communicator *made = hlort_mpi_create(MPI_COMM_WORLD, 1, nullptr, &status);
  if (!made && status.code == HLORT_INVALID_ARGUMENT && std::strstr(status.message, wanted))
    return true;
  std::printf("expected '%s' but got '%s'\n", wanted, status.message);
  return false;
}

int main(int argc, char **argv) {
  bool passed = isRefused("call MPI_Init_thread first");
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  if (level < MPI_THREAD_SERIALIZED) // else the library gives more than is asked for
    passed &= isRefused("ask MPI_Init_thread for MPI_THREAD_SERIALIZED at least");
  std::printf("level %d, asked for %d: %s\n", level, MPI_THREAD_FUNNELED,
              passed ? "refused" : "NOT REFUSED");
  MPI_Finalize();
  return passed ? 0 : 1;
}
