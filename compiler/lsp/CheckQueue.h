// SPDX-License-Identifier: Apache-2.0
// Checks texts on a separate thread, only the newest version of each file: changes during a check
// wait, and are checked once.

#ifndef HLOC_COMPILER_LSP_CHECKQUEUE_H
#define HLOC_COMPILER_LSP_CHECKQUEUE_H

#include "compiler/lsp/Check.h"
#include "llvm/Support/thread.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace hloc::lsp {

class CheckQueue {
public:
  struct Request {
    URIForFile file;
    int64_t version;
    std::shared_ptr<const std::string> text;
  };
  /// Called on the queue's thread. False if the version is not the newest any more.
  using Publish = std::function<bool(const Request &, CheckResult)>;

  explicit CheckQueue(Publish publish);
  /// Waits for the check that is running.
  ~CheckQueue();

  void add(Request request);
  /// Waits until everything is checked.
  void wait();

private:
  void run();

  Publish publish;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<URIForFile, Request> waiting;
  bool isRunning = false, isEnding = false;
  llvm::thread thread; // the last: it uses the others
};

} // namespace hloc::lsp

#endif
