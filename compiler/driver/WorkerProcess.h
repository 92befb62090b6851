// SPDX-License-Identifier: Apache-2.0
// Another process, which answers requests, and of which nothing that happens to it (a crash, an
// endless loop) reaches this one. Test: test/driver/WorkerProcessTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_WORKERPROCESS_H
#define HLOC_COMPILER_DRIVER_WORKERPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace hloc {

/// Messages over a socket: their length as a decimal number and a line break, then their bytes.
/// Nothing, or false, if the other side is gone, says something else, or does not come within so
/// many seconds.
std::optional<std::string> readMessage(int socket, double seconds);
bool writeMessage(int socket, llvm::StringRef message, double seconds);

class WorkerProcess {
public:
  /// Starts a program, whose standard input is the socket for messages both ways; the first of
  /// `command` is its path.
  static llvm::Expected<std::unique_ptr<WorkerProcess>> start(llvm::ArrayRef<std::string> command);
  /// Ends it, whatever it does.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends a request and waits for the answer. Nothing if the process ends before, or takes longer
  /// than so many seconds; it is of no use then.
  std::optional<std::string> ask(llvm::StringRef request, double seconds);

  /// Whether it is gone, and not only slow.
  bool hasEnded();

  /// The first line of what it has printed that names an error, or else the last; empty if there is
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
