// SPDX-License-Identifier: Apache-2.0
// This process as one of those that mpirun started, each a participant. MPI is in a library that is
// loaded on demand: hlo-run starts without it. Test: test/tools/mpi.test.

#ifndef HLOC_COMPILER_DRIVER_MPIPROCESS_H
#define HLOC_COMPILER_DRIVER_MPIPROCESS_H

#include "hlort/mpi_process.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace hloc {

class MpiProcess {
public:
  /// Loads the library and initializes MPI.
  static llvm::Expected<std::unique_ptr<MpiProcess>> begin();
  MpiProcess(const MpiProcess &) = delete;
  ~MpiProcess();

  int64_t getRank() const { return process.rank; }
  int64_t getSize() const { return process.size; }
  /// The number of processes on this machine.
  int64_t getSizeHere() const { return process.processes_here; }

  /// Creates the communicator of all processes; may be called once, and the communicator must be
  /// destroyed before this object. Null, with a status, if that fails.
  hlort_communicator *makeCommunicator(hlort_status *status) const {
    return hlort_communicator_create(&process.transport, status);
  }

  /// True if all processes pass true. All must call it.
  bool agree(bool value) const { return functions.agree(value) != 0; }

  /// In process 0, the texts of all, by rank. All must call it.
  std::vector<std::string> gather(const std::string &text) const;

  /// Marks this process as failed: its end does not wait for others.
  void setFailed() { hasFailed = true; }

private:
  struct Functions {
    decltype(&hlort_mpi_process_begin) begin;
    decltype(&hlort_mpi_process_agree) agree;
    decltype(&hlort_mpi_process_gather) gather;
    decltype(&hlort_mpi_process_end) end;
  };
  explicit MpiProcess(Functions functions) : functions(functions) {}

  Functions functions;
  hlort_mpi_process process = {};
  bool hasFailed = false;
};

} // namespace hloc

#endif
