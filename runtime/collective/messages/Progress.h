// SPDX-License-Identifier: Apache-2.0
// A thread of a communicator over messages that lets operations get on while the participants of
// this process are at something else: most of a long message goes only while somebody asks after
// it.
//
// Between its start and its done an operation is the thread's; the done takes it back, and with it
// everything that may go wrong: the thread tells nobody of a failure, gives nothing up and knows no
// deadline. It calls the transport for what it has been given alone, so a process whose runs have
// ended hears no more of it. It sleeps while it has nothing, and for longer the longer nothing
// moves. Tests: test/runtime/collective/MeanwhileTest.cpp, MemoryTest.cpp, MpiTest.cpp.
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
  /// Not while it has an operation.
  ~Progress();

  /// The operation is the thread's, until it is over or taken back. Starts the thread; the
  /// operation stays the caller's where that fails. May throw for want of memory, likewise.
  void give(MessageOperation &operation);
  /// The operation is the caller's again, if it was not already.
  void take(MessageOperation &operation);
  /// The same, but only if it is over. Whether it is the caller's.
  bool takeIfOver(MessageOperation &operation);

private:
  void serve();
  bool letGetOn(std::unique_lock<std::mutex> &lock);

  std::mutex mutex; // of all below
  std::condition_variable wake, released;
  std::list<MessageOperation *> operations;         // that are the thread's
  std::atomic<MessageOperation *> current{nullptr}; // at which it is just now
  int32_t waiting = 0;                              // for the current one
  std::chrono::steady_clock::time_point since;      // something was given, or has moved
  bool isEnding = false;
  std::thread thread;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRESS_H
