// SPDX-License-Identifier: Apache-2.0
// The progress thread of a communicator over messages: it advances operations while the
// participants of this process compute. Most of a long message moves only while somebody polls for
// it.
//
// Between its start and its done an operation belongs to the thread; the done takes it back,
// together with everything that may go wrong: the thread reports no failure, cancels nothing and
// knows no deadline. It calls the transport only for the operations that it has been given, so a
// process whose runs have ended gets no further messages. It sleeps while it has none, and longer
// the longer nothing moves. Tests: test/runtime/collective/MeanwhileTest.cpp, MemoryTest.cpp,
// MpiTest.cpp.
#ifndef HLOC_RUNTIME_PROGRESS_H
#define HLOC_RUNTIME_PROGRESS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

namespace hloc::runtime {

class MessageOperation;

class Progress {
public:
  Progress() = default;
  /// Must not be called while it has an operation.
  ~Progress();

  /// Gives the operation to the thread until it is over or taken back. Starts the thread. If that
  /// fails, or it throws for lack of memory, the operation stays the caller's.
  void give(MessageOperation &operation);
  /// Takes the operation back, if the thread has it.
  void take(MessageOperation &operation);
  /// The same, but only if it is over. Returns true if the caller has it.
  bool takeIfOver(MessageOperation &operation);

private:
  void serve();
  bool letGetOn(std::unique_lock<std::mutex> &lock);

  std::mutex mutex; // of all below
  std::condition_variable wake, released;
  std::list<MessageOperation *> operations;         // of the thread
  std::atomic<MessageOperation *> current{nullptr}; // that it is working on
  int32_t waiting = 0;                              // callers that wait for the current one
  std::chrono::steady_clock::time_point since;      // when an operation was given, or data moved
  bool isEnding = false;
  std::thread thread;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRESS_H
