// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/CheckQueue.h"

namespace hloc::lsp {

/// The stack of a program's first thread on most systems; the parser assumes no more.
constexpr unsigned kStackBytes = 8 << 20;

CheckQueue::CheckQueue(Publish publish)
    : publish(std::move(publish)), thread(std::optional<unsigned>(kStackBytes), [this] { run(); }) {
}

CheckQueue::~CheckQueue() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  thread.join();
}

void CheckQueue::add(Request request) {
  {
    std::lock_guard lock(mutex);
    URIForFile file = request.file;
    waiting.insert_or_assign(std::move(file), std::move(request));
  }
  changed.notify_all();
}

void CheckQueue::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return waiting.empty() && !isRunning; });
}

void CheckQueue::run() {
  std::unique_lock lock(mutex);
  while (true) {
    isRunning = false;
    changed.notify_all();
    changed.wait(lock, [&] { return isEnding || !waiting.empty(); });
    if (isEnding)
      return;
    Request request = std::move(waiting.begin()->second);
    waiting.erase(waiting.begin());
    isRunning = true;
    lock.unlock();
    checkText(*request.text, request.file,
              [&](CheckResult result) { return publish(request, std::move(result)); });
    lock.lock();
  }
}

} // namespace hloc::lsp
