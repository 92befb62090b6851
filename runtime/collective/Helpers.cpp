// SPDX-License-Identifier: Apache-2.0

#include "collective/InProcess.h"

#include <new>
#include <system_error>

namespace hloc::runtime {

Helpers::~Helpers() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Helpers::offer(const std::shared_ptr<Meeting> &meeting, int32_t count) {
  {
    std::lock_guard lock(mutex);
    try {
      while (int32_t(threads.size()) < count)
        threads.emplace_back([this, number = int32_t(threads.size())] { serve(number); });
    } catch (const std::bad_alloc &) { // fewer, or none
    } catch (const std::system_error &) {
    }
    if (threads.empty())
      return;
    try {
      open.push_back(meeting);
    } catch (const std::bad_alloc &) {
      return;
    }
  }
  for (; count > 0; --count)
    wake.notify_one();
}

void Helpers::serve(int32_t number) {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return isEnding || !open.empty(); });
    if (isEnding)
      return;
    std::shared_ptr<Meeting> meeting = open.front();
    lock.unlock();
    int32_t place = number % meeting->group.size();
    Traffic &traffic = communicator.traffic[meeting->group.members[place]];
    if (meeting->work(place, traffic, /*isMeanwhile=*/true))
      communicator.finish(*meeting, Meeting::Phase::Complete);
    lock.lock();
    // All of its work is done or begun. Only the first meeting is ever removed.
    if (!open.empty() && open.front() == meeting)
      open.pop_front();
  }
}

} // namespace hloc::runtime
