// SPDX-License-Identifier: Apache-2.0
// The threads that work on the parallel loops of a context: its callers, and threads of its pool
// that stay for a short time after a loop, so that the next one finds them awake.
//
// A loop never waits for a thread to come: its caller takes every chunk that nobody has begun.
// Threads that wait do not yield the processor either, since on a busy machine that costs a time
// slice of the scheduler: they spin for some microseconds and then sleep.
#ifndef HLOC_RUNTIME_CREW_H
#define HLOC_RUNTIME_CREW_H

#include "threads/Pool.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace hloc::runtime {

/// A loop in progress: chunks 0 <= i < chunks, each run once by any thread.
class Loop {
public:
  Loop(int64_t chunks, int32_t threads, void (*chunk)(void *frame, int64_t i), void *frame);

  /// Runs chunks until none is left: first those of the share of thread `number`, which are
  /// adjacent and were that thread's in the loop before, then what others have left.
  void work(int32_t number);
  /// True if there is a chunk that nobody has begun.
  bool hasWork() const;
  /// The exception of the first chunk that failed.
  std::exception_ptr failure() const { return error; }

  /// Threads at work other than the caller; changed under the team's lock.
  std::atomic<int32_t> helpers{0};
  /// The loop that another caller has begun before; under the team's lock.
  Loop *before = nullptr;

private:
  static constexpr int32_t kMaxShares = 32;
  /// Chunks [next, end).
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  Share shares[kMaxShares];
  int32_t shareCount;
  void (*chunk)(void *frame, int64_t i);
  void *frame;
  std::atomic<bool> failed{false};
  std::exception_ptr error;
};

class ThreadTeam {
public:
  /// For loops on `threads` threads, including the caller's.
  explicit ThreadTeam(int32_t threads);
  ~ThreadTeam();

  /// Calls chunk(frame, i) for every 0 <= i < chunks, and returns when all have returned. If one
  /// throws, some may not be called, and the caller gets the exception.
  void run(int64_t chunks, void (*chunk)(void *frame, int64_t i), void *frame);

private:
  /// State that threads of the pool may still read after the team is destroyed.
  struct Shared {
    /// The number of loops begun, for threads that wait for one.
    alignas(64) std::atomic<uint64_t> begun{0};
    alignas(64) std::mutex mutex;
    std::condition_variable wakeHelpers, wakeCallers;
    /// The last of the loops whose callers are at work.
    Loop *loops = nullptr;
    /// By number - 1, whether a thread of that number serves; how many serve, and how many of those
    /// sleep.
    std::vector<bool> serving;
    int32_t present = 0, asleep = 0;
    /// Threads requested from the pool that have not come yet; they may never do.
    int32_t asked = 0;
    int32_t callersAsleep = 0;
    bool ended = false;

    Loop *findLoop();
    void remove(Loop &loop);
    int32_t begin(Loop &loop, int32_t helpers);
    void serve();
    void serveAs(int32_t number, std::unique_lock<std::mutex> &lock);
  };

  void call(int32_t count);

  int32_t threads;
  std::shared_ptr<Shared> shared;
  Pool pool;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_CREW_H
