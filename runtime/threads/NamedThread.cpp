// SPDX-License-Identifier: Apache-2.0
#include "threads/NamedThread.h"

#if defined(__linux__)
#include <pthread.h>
#endif

namespace hloc::runtime {

static thread_local bool isNamedThread = false;

bool NamedThread::isCaller() { return isNamedThread; }

NamedThread::NamedThread(const std::string &name) : thread([this] { serve(); }) {
#if defined(__linux__)
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str()); // for tools; may fail
#endif
}

NamedThread::~NamedThread() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  started.notify_one();
  thread.join();
}

void NamedThread::serve() {
  isNamedThread = true;
  std::unique_lock lock(mutex);
  while (true) {
    started.wait(lock, [&] { return first || closing; });
    if (!first)
      return;
    hlort_async &computation = *first;
    first = computation.nextInThread;
    lock.unlock();
    int32_t code = computation.body(computation.pointers.data(), &computation.status);
    lock.lock();
    computation.status.code = code;
    computation.ended = true;
    ended.notify_all();
  }
}

void NamedThread::start(hlort_async &computation) {
  {
    std::lock_guard lock(mutex);
    (first ? last->nextInThread : first) = &computation;
    last = &computation;
  }
  started.notify_one();
}

void NamedThread::wait(hlort_async &computation) {
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return computation.ended; });
}

bool NamedThreads::add(const std::string &name) {
  std::lock_guard lock(mutex);
  std::unique_ptr<NamedThread> &thread = threads[name];
  if (thread)
    return false;
  try {
    thread = std::make_unique<NamedThread>(name);
  } catch (...) {
    threads.erase(name);
    throw;
  }
  return true;
}

NamedThread *NamedThreads::find(const char *name) const {
  std::lock_guard lock(mutex);
  auto found = threads.find(std::string_view(name));
  return found == threads.end() ? nullptr : found->second.get();
}

const char *NamedThreads::getName(std::thread::id id) const {
  std::lock_guard lock(mutex);
  for (const auto &[name, thread] : threads)
    if (thread->getId() == id)
      return name.c_str();
  return "";
}

} // namespace hloc::runtime
