// SPDX-License-Identifier: Apache-2.0
// Programs that load MPI at run time: hlort/mpi_process.h.

#include "hlort/mpi_process.h"
#include "mpi/MpiTransport.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using std::chrono::seconds;
using std::chrono::steady_clock;

static constexpr seconds kAgreement{300}, kFarewell{5};

/// For calls other than the transport's.
static MPI_Comm world = MPI_COMM_NULL;

/// True if a request completes within the time.
static bool isDoneWithin(MPI_Request &request, seconds time) {
  auto end = steady_clock::now() + time;
  int isDone = 0;
  while (MPI_Test(&request, &isDone, MPI_STATUS_IGNORE) == MPI_SUCCESS && !isDone) {
    if (steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return isDone != 0;
}

int32_t hlort_mpi_process_begin(hlort_mpi_process *process, hlort_status *status) {
  int level = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
      MPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
    return hlort_status_set(status, HLORT_CALL_FAILED, "MPI cannot be initialized");
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world, &process->rank);
  MPI_Comm_size(world, &process->size);
  MPI_Comm here;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, process->rank, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &process->processes_here);
  MPI_Comm_free(&here);
  int32_t first;
  return hloc::runtime::openMpiTransport(MPI_COMM_WORLD, 1, &first, &process->transport, status);
}

int32_t hlort_mpi_process_agree(int32_t value) {
  static int32_t mine, least; // static, since MPI may keep their addresses
  mine = value, least = 0;
  MPI_Request request;
  if (MPI_Iallreduce(&mine, &least, 1, MPI_INT32_T, MPI_MIN, world, &request) != MPI_SUCCESS)
    return 0;
  return isDoneWithin(request, kAgreement) ? least : 0;
}

char *hlort_mpi_process_gather(const char *text) {
  int rank, size;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (rank > 0) {
    MPI_Send(text, int(std::strlen(text) + 1), MPI_CHAR, 0, 0, world);
    return nullptr;
  }
  std::string all(text, std::strlen(text) + 1);
  for (int source = 1; source < size; ++source) {
    MPI_Status status;
    int bytes = 0;
    MPI_Probe(source, 0, world, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    std::string more(size_t(bytes), '\0');
    MPI_Recv(more.data(), bytes, MPI_CHAR, source, 0, world, &status);
    all += more;
  }
  auto *copy = static_cast<char *>(std::malloc(all.size()));
  if (copy)
    std::memcpy(copy, all.data(), all.size());
  return copy;
}

void hlort_mpi_process_end(int32_t failed) {
  MPI_Request request;
  bool allAreHere =
      MPI_Ibarrier(world, &request) == MPI_SUCCESS && (!failed || isDoneWithin(request, kFarewell));
  if (!allAreHere) // MPI_Finalize would wait for those that are gone
    return;
  if (!failed)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&world);
  MPI_Finalize();
}
