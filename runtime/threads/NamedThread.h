// SPDX-License-Identifier: Apache-2.0
// A thread that the host has added to a context for asynchronous computations.
// Test: test/runtime/AsyncTest.cpp.
#ifndef HLOC_RUNTIME_NAMEDTHREAD_H
#define HLOC_RUNTIME_NAMEDTHREAD_H

#include "hlort/async.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hloc::runtime {
class NamedThread;
}

/// A computation that a thread runs.
struct hlort_async {
  hloc::runtime::NamedThread *thread;
  hlort_async_body body;
  std::vector<void *> pointers;
  hlort_status status = {};
  bool ended = false;                              ///< under the thread's lock
  hlort_async *nextInThread = nullptr;             ///< likewise
  hlort_async *before = nullptr, *after = nullptr; ///< list of the computations of a run in flight
};

namespace hloc::runtime {

class NamedThread {
public:
  /// Throws if no thread can be started.
  explicit NamedThread(const std::string &name);
  /// Finishes the computations that have been started.
  ~NamedThread();

  void start(hlort_async &computation);
  void wait(hlort_async &computation);
  std::thread::id getId() const { return thread.get_id(); }

  /// True if the caller is such a thread, of any context. It must not wait for another one, which
  /// may be waiting for it.
  static bool isCaller();

private:
  void serve();

  std::mutex mutex;
  std::condition_variable started, ended;
  hlort_async *first = nullptr, *last = nullptr;
  bool closing = false;
  std::thread thread;
};

/// The threads of a context.
class NamedThreads {
public:
  /// False if there is one of that name. Throws if no thread can be started.
  bool add(const std::string &name);
  /// Null if there is none.
  NamedThread *find(const char *name) const;
  /// Empty if it is none of these threads.
  const char *getName(std::thread::id id) const;

private:
  mutable std::mutex mutex;
  std::map<std::string, std::unique_ptr<NamedThread>, std::less<>> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_NAMEDTHREAD_H
