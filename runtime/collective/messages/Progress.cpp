// SPDX-License-Identifier: Apache-2.0

#include "collective/messages/Progress.h"

#include "collective/messages/MessageOperation.h"
#include "threads/LookOut.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace hloc::runtime {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// How long the thread sleeps if nothing has moved: a fraction of the time since the last progress,
/// so that polling costs little and is not late by much.
static std::chrono::nanoseconds restAfter(std::chrono::nanoseconds idle) {
  return std::clamp<std::chrono::nanoseconds>(idle / 8, microseconds(20), microseconds(1000));
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  wake.notify_one();
  if (thread.joinable())
    thread.join();
}

void Progress::give(MessageOperation &operation) {
  std::list<MessageOperation *> made(1, &operation);
  {
    std::unique_lock lock = lockSoon(mutex);
    try {
      if (!thread.joinable())
        thread = std::thread([this] { serve(); });
    } catch (const std::system_error &) {
      return; // the operation's done does the rest
    }
    operation.isGiven = true;
    operations.splice(operations.begin(), made);
    since = steady_clock::now();
  }
  wake.notify_one();
}

void Progress::take(MessageOperation &operation) {
  if (!operation.isGiven)
    return;
  auto isReleased = [&] { return current != &operation; };
  std::unique_lock lock = lockSoon(mutex);
  operations.remove(&operation);
  operation.isGiven = false;
  if (isReleased())
    return;
  lock.unlock();
  if (lookOut(isReleased))
    return;
  lock.lock();
  ++waiting;
  released.wait(lock, isReleased);
  --waiting;
}

bool Progress::takeIfOver(MessageOperation &operation) {
  if (!operation.isGiven)
    return true;
  std::unique_lock lock = lockSoon(mutex);
  bool isOver = current != &operation &&
                std::find(operations.begin(), operations.end(), &operation) == operations.end();
  operation.isGiven = !isOver;
  return isOver;
}

/// Polls each operation once. Returns true if data have moved. Locked on entry and on return.
bool Progress::letGetOn(std::unique_lock<std::mutex> &lock) {
  bool hasMoved = false;
  for (size_t left = operations.size(); left > 0 && !operations.empty() && !isEnding; --left) {
    operations.splice(operations.end(), operations, operations.begin());
    MessageOperation *operation = operations.back();
    current = operation;
    lock.unlock();
    bool isOver = operation->advanceMeanwhile(&hasMoved);
    lock.lock();
    if (isOver)
      operations.remove(operation);
    current = nullptr;
    if (waiting > 0)
      released.notify_all();
  }
  return hasMoved;
}

void Progress::serve() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    wake.wait(lock, [&] { return isEnding || !operations.empty(); });
    if (letGetOn(lock))
      since = steady_clock::now();
    else if (!isEnding && !operations.empty())
      wake.wait_for(lock, restAfter(steady_clock::now() - since));
  }
}

} // namespace hloc::runtime
