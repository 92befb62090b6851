// SPDX-License-Identifier: Apache-2.0
// The last process of mpirun is killed in the middle of a run: the others are notified within the
// deadline, and may continue. Prints a line for each that is; mpirun must be told to let them live.

#include "Operation.h"
#include "hlort/mpi.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace hloc::test;
using std::chrono::steady_clock;

static constexpr int64_t kDeadline = 3000; // milliseconds

int main(int argc, char **argv) {
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlort_status status{};
  hlort_communicator *all = hlort_mpi_create(MPI_COMM_WORLD, 1, nullptr, &status);
  hlort_context *context = hlort_context_create(nullptr, &status);
  hlort_join_options join{kDeadline, 0};
  if (!all || !context || hlort_context_join(context, all, rank, &join, &status)) {
    std::printf("cannot join: %s\n", status.message);
    return 1;
  }
  Shape shape{HLORT_F32, {100000}};
  Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
  hlort_program program{"killed", 1, size, 1};
  Descriptor descriptor(sum, program);
  std::vector<float> mine(100000, float(rank)), total(100000);
  const void *operands[] = {mine.data()};
  void *results[] = {total.data()};
  auto run = [&](bool dies) {
    hlort_ticket *ticket = nullptr;
    int32_t code = hlort_program_begin(context, &program, &status);
    if (code)
      return code;
    code = hlort_collective_start(context, &descriptor.what, operands, results, &ticket, &status);
    if (dies)
      std::raise(SIGKILL);
    if (!code)
      code = hlort_collective_done(context, ticket, &status);
    if (!code) // the one that dies has taken part in the first operation, perhaps
      code = hlort_collective_run(context, &descriptor.what, operands, results, &status);
    return hlort_program_end(context, &program, code, &status);
  };
  if (run(false)) {
    std::printf("participant %d fails at once: %s\n", rank, status.message);
    return 1;
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto begin = steady_clock::now();
    int32_t code = run(rank == size - 1);
    auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin).count();
    bool isTold = code != HLORT_OK;
    std::printf("participant %d, run %d: %s: %s\n", rank, repeat,
                isTold && took < 2 * kDeadline + 2000 ? "told in time" : "NOT TOLD",
                status.message);
  }
  std::fflush(stdout);
  _exit(0); // MPI_Finalize would wait for the one that is gone
}
