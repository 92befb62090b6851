// SPDX-License-Identifier: Apache-2.0
// Threads of an in-process communicator that work on its meetings while the members compute. The
// first is started when there is work for it, and all sleep when there is none. They are optional:
// members that wait do whatever the helpers have not begun.
// Test: test/runtime/collective/MeanwhileTest.cpp.
#ifndef HLOC_RUNTIME_HELPERS_H
#define HLOC_RUNTIME_HELPERS_H

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hloc::runtime {

struct Meeting;
class InProcessCommunicator;

class Helpers {
public:
  explicit Helpers(InProcessCommunicator &communicator) : communicator(communicator) {}
  /// Must not be called during a meeting.
  ~Helpers();

  /// Makes at least one and up to `count` threads work on the meeting.
  void offer(const std::shared_ptr<Meeting> &meeting, int32_t count);

private:
  void serve(int32_t number);

  InProcessCommunicator &communicator;
  std::mutex mutex; // of all below
  std::condition_variable wake;
  std::list<std::shared_ptr<Meeting>> open; // that may have units which nobody has begun
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_HELPERS_H
