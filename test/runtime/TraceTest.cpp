// SPDX-License-Identifier: Apache-2.0
#include "hlort/hlort.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>

namespace {

using Context = std::unique_ptr<hlort_context, decltype(&hlort_context_destroy)>;

Context makeContext() { return {hlort_context_create(nullptr, nullptr), hlort_context_destroy}; }

const hlort_trace_label outer = {"outer", "loop", "", ""},
                        inner = {"inner", "kernel", "jit(f)/add", "inner"};

TEST(Trace, KeepsEventsInTheOrderOfTheirEnds) {
  Context context = makeContext();
  ASSERT_EQ(hlort_trace_start(context.get(), nullptr), HLORT_OK);
  int64_t first = hlort_trace_begin(context.get()), second = hlort_trace_begin(context.get());
  hlort_trace_end(context.get(), &inner, second);
  hlort_trace_end(context.get(), &outer, first);
  int64_t count = 0;
  const hlort_trace_event *events = hlort_trace_stop(context.get(), &count);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(events[0].label, &inner);
  EXPECT_EQ(events[1].label, &outer);
  EXPECT_LE(events[1].begin, events[0].begin);
  EXPECT_LE(events[0].begin, events[0].end);
  EXPECT_LE(events[0].end, events[1].end);
}

TEST(Trace, KeepsNothingBeforeTheStartOrAfterTheStop) {
  Context context = makeContext();
  int64_t early = hlort_trace_begin(context.get());
  EXPECT_EQ(early, -1);
  hlort_trace_start(context.get(), nullptr);
  hlort_trace_end(context.get(), &outer, early);
  int64_t late = hlort_trace_begin(context.get()), count = -1;
  hlort_trace_stop(context.get(), &count);
  EXPECT_EQ(count, 0);
  hlort_trace_end(context.get(), &outer, late);
  hlort_trace_stop(context.get(), &count);
  EXPECT_EQ(count, 0);
}

TEST(Trace, StartsAfresh) {
  Context context = makeContext();
  int64_t count = 0;
  for (int i = 0; i < 2; ++i) {
    hlort_trace_start(context.get(), nullptr);
    hlort_trace_end(context.get(), &outer, hlort_trace_begin(context.get()));
    hlort_trace_stop(context.get(), &count);
    EXPECT_EQ(count, 1);
  }
}

TEST(Trace, NumbersThreads) {
  Context context = makeContext();
  hlort_trace_start(context.get(), nullptr);
  auto report = [&] { hlort_trace_end(context.get(), &inner, hlort_trace_begin(context.get())); };
  std::thread a(report), b(report);
  a.join();
  b.join();
  report();
  int64_t count = 0;
  const hlort_trace_event *events = hlort_trace_stop(context.get(), &count);
  std::set<int32_t> threads;
  for (int64_t i = 0; i < count; ++i)
    threads.insert(events[i].thread);
  // A thread that has ended may have handed its identity on.
  EXPECT_GE(threads.size(), 2u);
  EXPECT_EQ(*threads.begin(), 0);
  EXPECT_EQ(size_t(*threads.rbegin()), threads.size() - 1);
}

TEST(Trace, NeedsAContext) {
  hlort_status status = {};
  EXPECT_EQ(hlort_trace_start(nullptr, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "a trace needs a context, not null");
  EXPECT_EQ(hlort_trace_begin(nullptr), -1);
  hlort_trace_end(nullptr, &outer, -1);
  int64_t count = -1;
  EXPECT_EQ(hlort_trace_stop(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0);
}

} // namespace
