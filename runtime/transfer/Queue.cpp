// SPDX-License-Identifier: Apache-2.0
#include "transfer/Queue.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>

namespace hloc::runtime {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

static constexpr int64_t kDefaultCapacity = 64;
static constexpr int64_t kDefaultDeadline = 60'000'000'000;
/// Longer timeouts mean forever: they would overflow the clock.
static constexpr int64_t kLongestTimeout = int64_t(1) << 60;

//===-- Queue -------------------------------------------------------------------------------===//

void Queue::configure(const hlort_queue_options &chosen) {
  std::lock_guard lock(mutex);
  options = chosen;
  if (options.capacity == 0)
    options.capacity = kDefaultCapacity;
  if (options.deadline == 0)
    options.deadline = kDefaultDeadline;
  roomMade.notify_all();
}

hlort_queue_options Queue::getOptions() const {
  std::lock_guard lock(mutex);
  return options;
}

int32_t Queue::reportClosed(const Name &who, hlort_status *status) const {
  return hlort_status_set(status, HLORT_CANCELLED, "%s: the queue was closed%s%s",
                          who.getText().characters, *reason ? ": " : "", reason);
}

int32_t Queue::checkOpen(const Name &who, hlort_status *status) const {
  std::lock_guard lock(mutex);
  return closed ? reportClosed(who, status) : int32_t(HLORT_OK);
}

template <typename Ready>
int32_t Queue::wait(Lock &lock, std::condition_variable &changed, Ready ready, int64_t timeout,
                    const Name &who, const char *what, hlort_status *status) {
  uint64_t before = closings;
  auto done = [&] { return ready() || closed || closings != before; };
  if (timeout < 0 || timeout > kLongestTimeout)
    changed.wait(lock, done);
  else if (!done() && timeout > 0)
    changed.wait_until(lock, steady_clock::now() + nanoseconds(timeout), done);
  if (closings != before)
    return reportClosed(who, status);
  if (ready())
    return HLORT_OK;
  if (closed)
    return reportClosed(who, status);
  return hlort_status_set(status, HLORT_DEADLINE_EXCEEDED, "%s: %s within %.3g seconds",
                          who.getText().characters, what, double(timeout) / 1e9);
}

int32_t Queue::put(OwnedMessage &message, int64_t timeout, const Name &who, hlort_status *status) {
  Lock lock(mutex);
  auto hasRoom = [&] { return length < options.capacity && !closed; };
  if (int32_t code = wait(lock, roomMade, hasRoom, timeout, who,
                          "nobody took a message from the full queue", status))
    return code;
  hlort_message *added = message.release();
  (last ? last->next : first) = added;
  last = added;
  ++length;
  lock.unlock();
  messageCame.notify_one();
  return HLORT_OK;
}

OwnedMessage Queue::removeFirst() {
  OwnedMessage message(first);
  first = message->next;
  message->next = nullptr;
  if (!first)
    last = nullptr;
  --length;
  return message;
}

OwnedMessage Queue::take(int64_t timeout, const Name &who, hlort_status *status) {
  Lock lock(mutex);
  if (wait(
          lock, messageCame, [&] { return first != nullptr; }, timeout, who, "no message came",
          status))
    return nullptr;
  OwnedMessage message = removeFirst();
  lock.unlock();
  roomMade.notify_one();
  return message;
}

int32_t Queue::receive(int64_t count, const hlort_buffer *buffers, int64_t timeout, const Name &who,
                       hlort_status *status) {
  Lock lock(mutex);
  if (int32_t code = wait(
          lock, messageCame, [&] { return first != nullptr; }, timeout, who, "no message came",
          status))
    return code;
  if (int32_t code = copyMessage(*first, {count, buffers}, who, status)) {
    lock.unlock();
    messageCame.notify_one(); // for the next that waits
    return code;
  }
  OwnedMessage message = removeFirst();
  lock.unlock();
  roomMade.notify_one();
  return HLORT_OK;
}

int64_t Queue::getLength() const {
  std::lock_guard lock(mutex);
  return length;
}

void Queue::close(const char *why) {
  std::lock_guard lock(mutex);
  closed = true;
  ++closings;
  std::snprintf(reason, sizeof reason, "%s", why ? why : "");
  roomMade.notify_all();
  messageCame.notify_all();
}

void Queue::drop() {
  while (first)
    removeFirst();
}

void Queue::reset() {
  std::lock_guard lock(mutex);
  drop();
  closed = false;
  roomMade.notify_all();
}

//===-- Queues ------------------------------------------------------------------------------===//

Queue &Queues::get(int32_t kind, int64_t channel) {
  std::lock_guard lock(mutex);
  auto [place, isNew] = queues.try_emplace({kind, channel});
  if (isNew) {
    place->second.configure({});
    if (closed)
      place->second.close(reason);
  }
  return place->second;
}

Queue *Queues::find(int32_t kind, int64_t channel) {
  std::lock_guard lock(mutex);
  auto place = queues.find({kind, channel});
  return place == queues.end() ? nullptr : &place->second;
}

void Queues::closeAll(const char *why) {
  std::lock_guard lock(mutex);
  closed = true;
  std::snprintf(reason, sizeof reason, "%s", why ? why : "");
  for (auto &[name, queue] : queues)
    queue.close(why);
}

void Queues::resetAll() {
  std::lock_guard lock(mutex);
  closed = false;
  for (auto &[name, queue] : queues)
    queue.reset();
}

} // namespace hloc::runtime
