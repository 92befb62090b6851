// SPDX-License-Identifier: Apache-2.0
// This process as one of those that mpirun started, each a participant. MPI comes with a library
// that is loaded when it is asked for: hlo-run starts without. Test: test/tools/mpi.test.

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
  /// Loads the library and begins.
  static llvm::Expected<std::unique_ptr<MpiProcess>> begin();
  MpiProcess(const MpiProcess &) = delete;
  ~MpiProcess();

  int64_t getRank() const { return process.rank; }
  int64_t getSize() const { return process.size; }
  /// Processes on this machine.
  int64_t getSizeHere() const { return process.processes_here; }

  /// The communicator of all processes, once. It must be destroyed first. Null, with a status, if
  /// that fails.
  hlort_communicator *makeCommunicator(hlort_status *status) const {
    return hlort_communicator_create(&process.transport, status);
  }

  /// Whether all processes say so. All have to ask.
  bool agree(bool value) const { return functions.agree(value) != 0; }

  /// In process 0 the texts of all, by rank. All have to call it.
  std::vector<std::string> gather(const std::string &text) const;

  /// What this process did came to nothing: its end waits for no one.
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
