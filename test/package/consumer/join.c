/* SPDX-License-Identifier: Apache-2.0 */
/* Links what makes participants of processes, and calls it if there is an argument. */
#include "hlort/mpi.h"

int main(int argc, char **argv) {
  (void)argv;
  return argc > 1 && hlort_mpi_create(MPI_COMM_WORLD, 1, NULL, NULL) == NULL;
}
