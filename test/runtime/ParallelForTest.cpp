// SPDX-License-Identifier: Apache-2.0
// Parallel loops: every task once, the same ranges every time, any number of callers.

#include "hlort/hlort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct DestroyContext {
  void operator()(hlort_context *context) const { hlort_context_destroy(context); }
};
using Context = std::unique_ptr<hlort_context, DestroyContext>;

Context makeContext(int32_t threads) {
  hlort_context_options options = {threads, 0};
  return Context(hlort_context_create(&options, nullptr));
}

/// Runs any callable of (begin, end) as a loop body.
template <typename Body> void parallelFor(hlort_context *context, int64_t tasks, Body body) {
  hlort_parallel_for(
      context, tasks,
      [](void *frame, int64_t begin, int64_t end) { (*static_cast<Body *>(frame))(begin, end); },
      &body);
}

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

Ranges rangesOf(hlort_context *context, int64_t tasks) {
  std::mutex mutex;
  Ranges ranges;
  parallelFor(context, tasks, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(ParallelFor, CoversEveryTaskOnce) {
  for (int32_t threads : {0, 1, 2, 3, 8}) {
    Context context = makeContext(threads);
    for (int64_t tasks : {-1, 0, 1, 2, 3, 7, 8, 9, 100, 1001}) {
      int64_t next = 0;
      for (auto [begin, end] : rangesOf(context.get(), tasks)) {
        EXPECT_EQ(begin, next);
        EXPECT_LT(begin, end);
        next = end;
      }
      EXPECT_EQ(next, std::max<int64_t>(tasks, 0)) << threads << " threads";
    }
  }
}

TEST(ParallelFor, GivesTheSameRangesEveryTime) {
  Context context = makeContext(4);
  Ranges first = rangesOf(context.get(), 1003);
  for (int repeat = 0; repeat < 100; ++repeat)
    ASSERT_EQ(rangesOf(context.get(), 1003), first);
}

TEST(ParallelFor, RunsInTheCallerWithoutAContext) {
  std::thread::id caller = std::this_thread::get_id(), seen;
  parallelFor(nullptr, 10, [&](int64_t, int64_t) { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, caller);
  EXPECT_EQ(rangesOf(nullptr, 10), (Ranges{{0, 10}}));
}

TEST(ParallelFor, OrdersPlainWritesBeforeItsReturn) {
  Context context = makeContext(4);
  std::vector<int64_t> values(10000);
  for (int round = 1; round <= 50; ++round) {
    parallelFor(context.get(), values.size(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        values[i] += i;
    });
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], int64_t(i) * round);
  }
}

TEST(ParallelFor, NestedLoopsStaySerial) {
  Context context = makeContext(4);
  std::atomic<int64_t> inner{0}, ranges{0};
  parallelFor(context.get(), 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::thread::id caller = std::this_thread::get_id();
      parallelFor(context.get(), 5, [&](int64_t b, int64_t e) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        ranges += 1;
        inner += e - b;
      });
    }
  });
  EXPECT_EQ(inner, 40);
  EXPECT_EQ(ranges, 8);
}

TEST(ParallelFor, ServesTwoHostThreadsAtOnce) {
  Context context = makeContext(3);
  auto host = [&](int64_t scale, bool *ok) {
    std::vector<int64_t> values(997);
    for (int round = 0; round < 300; ++round) {
      parallelFor(context.get(), values.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          values[i] = i * scale + round;
      });
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i] != int64_t(i) * scale + round)
          return;
    }
    *ok = true;
  };
  bool first = false, second = false;
  std::thread other(host, 3, &second);
  host(7, &first);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(ParallelFor, SeveralContextsLiveTogether) {
  Context two = makeContext(2), five = makeContext(5);
  parallelFor(two.get(), 10,
              [&](int64_t, int64_t) { EXPECT_EQ(hlort_context_threads(two.get()), 2); });
  EXPECT_EQ(rangesOf(two.get(), 1000).size() * 5, rangesOf(five.get(), 1000).size() * 2);
}

TEST(ParallelFor, ThreadsComeToHelp) {
  Context context = makeContext(2);
  std::atomic<int> here{0};
  // Neither task ends before both have begun.
  parallelFor(context.get(), 2, [&](int64_t, int64_t) {
    ++here;
    while (here < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(here, 2);
}

TEST(ParallelFor, TakesOverWhatAThreadThatIsHeldUpHasNotBegun) {
  Context context = makeContext(2);
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> finished{0}, helped{0};
  parallelFor(context.get(), 100, [&](int64_t begin, int64_t end) {
    if (std::this_thread::get_id() != caller) {
      ++helped;
      while (finished < 100 - (end - begin)) // all the rest
        std::this_thread::yield();
    } else {
      while (helped == 0)
        std::this_thread::yield();
    }
    finished += end - begin;
  });
  EXPECT_EQ(finished, 100);
  EXPECT_EQ(helped, 1);
}

TEST(ParallelFor, HelpsAgainAfterALongPause) {
  Context context = makeContext(3);
  for (int round = 0; round < 4; ++round) {
    std::atomic<int> here{0};
    parallelFor(context.get(), 3, [&](int64_t, int64_t) {
      ++here;
      while (here < 3)
        std::this_thread::yield();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(round * 15));
  }
}

} // namespace
