// SPDX-License-Identifier: Apache-2.0
// Tests: test/runtime/ParallelForTest.cpp.

#include "threads/ThreadTeam.h"

#include "threads/LookOut.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace hloc::runtime {

using std::chrono::milliseconds;

/// How long a thread sleeps before it returns to the pool, for others to use.
static constexpr milliseconds kPatience{20};

//===-- Loop ---------------------------------------------------------------------------------===//

Loop::Loop(int64_t chunks, int32_t threads, void (*chunk)(void *, int64_t), void *frame)
    : shareCount(int32_t(std::min<int64_t>({chunks, threads, kMaxShares}))), chunk(chunk),
      frame(frame) {
  int64_t begin = 0;
  for (int32_t i = 0; i < shareCount; ++i) {
    int64_t end = begin + chunks / shareCount + (i < chunks % shareCount ? 1 : 0);
    shares[i].next.store(begin, std::memory_order_relaxed);
    shares[i].end = end;
    begin = end;
  }
}

void Loop::work(int32_t number) {
  for (int32_t i = 0; i < shareCount; ++i) {
    Share &share = shares[(number + i) % shareCount];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      int64_t at = share.next.fetch_add(1, std::memory_order_relaxed);
      if (at >= share.end || failed.load(std::memory_order_relaxed))
        break;
      try {
        chunk(frame, at);
      } catch (...) {
        if (!failed.exchange(true))
          error = std::current_exception();
      }
    }
  }
}

bool Loop::hasWork() const {
  return std::any_of(shares, shares + shareCount, [](const Share &share) {
    return share.next.load(std::memory_order_relaxed) < share.end;
  });
}

//===-- Threads of the pool ------------------------------------------------------------------===//

Loop *ThreadTeam::Shared::findLoop() {
  Loop *loop = loops;
  while (loop && !loop->hasWork())
    loop = loop->before;
  return loop;
}

void ThreadTeam::Shared::remove(Loop &loop) {
  Loop **link = &loops;
  while (*link != &loop)
    link = &(*link)->before;
  *link = loop.before;
}

/// Helps with loops until there has been none for some time. Locked on entry and on return.
void ThreadTeam::Shared::serveAs(int32_t number, std::unique_lock<std::mutex> &lock) {
  while (!ended) {
    if (Loop *loop = findLoop()) {
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      loop->work(number);
      lock.lock();
      // The loop may be destroyed as soon as its caller sees no helper.
      bool isLast = loop->helpers.fetch_sub(1, std::memory_order_release) == 1;
      if (isLast && callersAsleep > 0)
        wakeCallers.notify_all();
      continue;
    }
    uint64_t seen = begun.load(std::memory_order_relaxed);
    lock.unlock();
    bool another = lookOut([&] { return begun.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    if (another || begun.load(std::memory_order_relaxed) != seen)
      continue;
    ++asleep;
    bool woken = wakeHelpers.wait_for(
        lock, kPatience, [&] { return ended || begun.load(std::memory_order_relaxed) != seen; });
    --asleep;
    if (!woken)
      return;
  }
}

void ThreadTeam::Shared::serve() {
  std::unique_lock lock(mutex);
  --asked;
  auto place = std::find(serving.begin(), serving.end(), false);
  if (ended || place == serving.end())
    return;
  *place = true;
  ++present;
  serveAs(int32_t(place - serving.begin()) + 1, lock);
  *place = false;
  --present;
  if (ended)
    wakeCallers.notify_all();
}

//===-- Callers ------------------------------------------------------------------------------===//

ThreadTeam::ThreadTeam(int32_t threads)
    : threads(threads), shared(std::make_shared<Shared>()), pool(threads) {
  shared->serving.resize(threads - 1);
}

ThreadTeam::~ThreadTeam() {
  std::unique_lock lock(shared->mutex);
  shared->ended = true;
  shared->begun.fetch_add(1, std::memory_order_relaxed);
  shared->wakeHelpers.notify_all();
  shared->wakeCallers.wait(lock, [&] { return shared->present == 0; });
}

/// Requests `count` threads from the pool. The team can do without them.
void ThreadTeam::call(int32_t count) {
  // Orders what the caller has done before what the thread does: oneTBB does so, too, but
  // sanitizers cannot see it.
  static std::atomic<uint64_t> calls{0};
  for (; count > 0; --count) {
    try {
      auto frame = std::make_unique<std::shared_ptr<Shared>>(shared);
      calls.fetch_add(1, std::memory_order_release);
      pool.start(
          [](void *frame) {
            calls.load(std::memory_order_acquire);
            std::unique_ptr<std::shared_ptr<Shared>> shared(
                static_cast<std::shared_ptr<Shared> *>(frame));
            (*shared)->serve();
          },
          frame.get());
      frame.release();
    } catch (const std::bad_alloc &) {
      std::lock_guard lock(shared->mutex);
      shared->asked -= count;
      return;
    }
  }
}

/// Publishes the loop to the threads present and wakes up to `helpers` of them. Returns how many
/// more to request.
int32_t ThreadTeam::Shared::begin(Loop &loop, int32_t helpers) {
  std::unique_lock lock(mutex);
  loop.before = std::exchange(loops, &loop);
  begun.fetch_add(1, std::memory_order_relaxed);
  int32_t missing = std::max(helpers - present - asked, 0), sleepers = std::min(helpers, asleep);
  asked += missing;
  lock.unlock();
  for (; sleepers > 0; --sleepers)
    wakeHelpers.notify_one();
  return missing;
}

void ThreadTeam::run(int64_t chunks, void (*chunk)(void *, int64_t), void *frame) {
  Loop loop(chunks, threads, chunk, frame);
  call(shared->begin(loop, int32_t(std::min<int64_t>(chunks, threads)) - 1));
  loop.work(0);
  auto isAlone = [&] { return loop.helpers.load(std::memory_order_acquire) == 0; };
  std::unique_lock lock(shared->mutex);
  shared->remove(loop);
  lock.unlock();
  if (!lookOut(isAlone)) {
    lock.lock();
    ++shared->callersAsleep;
    shared->wakeCallers.wait(lock, isAlone);
    --shared->callersAsleep;
    lock.unlock();
  }
  if (loop.failure())
    std::rethrow_exception(loop.failure());
}

} // namespace hloc::runtime
