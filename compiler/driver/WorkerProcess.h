// SPDX-License-Identifier: Apache-2.0
// Another process that answers requests; whatever happens to it (a crash, an endless loop) does not
// affect this process. Test: test/driver/WorkerProcessTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_WORKERPROCESS_H
#define HLOC_COMPILER_DRIVER_WORKERPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace hloc {

/// Messages on a socket: their length as a decimal number and a line break, then their bytes. None,
/// or false, if the other side is gone, sends something else, or does not respond within `seconds`.
std::optional<std::string> readMessage(int socket, double seconds);
bool writeMessage(int socket, llvm::StringRef message, double seconds);

class WorkerProcess {
public:
  /// Starts a program, whose standard input is the socket for messages in both directions; the
  /// first element of `command` is its path.
  static llvm::Expected<std::unique_ptr<WorkerProcess>> start(llvm::ArrayRef<std::string> command);
  /// Kills it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends a request and waits for the answer. None if the process ends before, or takes longer
  /// than `seconds`; it cannot be used afterwards.
  std::optional<std::string> ask(llvm::StringRef request, double seconds);

  /// True if it has ended, not only if it is slow.
  bool hasEnded();

  /// The first line of its output that reports an error, or else the last line; empty if there is
  /// none.
  std::string getComplaint();

private:
  struct CloseFile {
    void operator()(FILE *file) const { std::fclose(file); }
  };
  WorkerProcess() = default;
  int process = -1, socket = -1;
  std::unique_ptr<FILE, CloseFile> printed;
};

} // namespace hloc

#endif
