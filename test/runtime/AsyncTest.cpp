// SPDX-License-Identifier: Apache-2.0
#include "hlort/async.h"
#include "hlort/transfer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using Context = std::unique_ptr<hlort_context, decltype(&hlort_context_destroy)>;

Context makeContext() { return {hlort_context_create(nullptr, nullptr), hlort_context_destroy}; }

/// What a computation of these tests is given: pointers to this.
struct Work {
  std::atomic<bool> *gate = nullptr; ///< waits until it is true
  int32_t code = HLORT_OK;
  std::vector<int> *order = nullptr;
  int number = 0;
  std::thread::id ranOn;
};

int32_t doWork(void *const *pointers, hlort_status *status) {
  Work &work = *static_cast<Work *>(pointers[0]);
  while (work.gate && !*work.gate)
    std::this_thread::yield();
  work.ranOn = std::this_thread::get_id();
  if (work.order)
    work.order->push_back(work.number);
  return work.code ? hlort_status_set(status, work.code, "work %d failed", work.number) : 0;
}

int32_t start(const Context &context, Work &work, hlort_async **scope, hlort_async **ticket,
              hlort_status *status = nullptr) {
  void *pointers[] = {&work};
  return hlort_async_start(context.get(), "side", doWork, 1, pointers, scope, ticket, status);
}

TEST(Async, RunsBesideItsCaller) {
  Context context = makeContext();
  ASSERT_EQ(hlort_context_add_thread(context.get(), "side", nullptr), HLORT_OK);
  EXPECT_EQ(hlort_context_has_thread(context.get(), "side"), 1);
  std::atomic<bool> gate = false;
  Work work;
  work.gate = &gate;
  hlort_async *scope = nullptr, *ticket = nullptr;
  ASSERT_EQ(start(context, work, &scope, &ticket), HLORT_OK); // does not wait for the gate
  gate = true;
  EXPECT_EQ(hlort_async_wait(&scope, &ticket, nullptr), HLORT_OK);
  EXPECT_NE(work.ranOn, std::this_thread::get_id());
  EXPECT_EQ(ticket, nullptr);
  EXPECT_EQ(scope, nullptr);
  EXPECT_EQ(hlort_async_wait(&scope, &ticket, nullptr), HLORT_OK); // nothing more to wait for
}

TEST(Async, RunsInOrderWithoutTheThread) {
  Context context = makeContext();
  ASSERT_EQ(hlort_context_add_thread(context.get(), "another", nullptr), HLORT_OK);
  Context none(nullptr, hlort_context_destroy);
  for (const Context &chosen : {std::cref(context), std::cref(none)}) {
    Work work;
    hlort_async *scope = nullptr, *ticket = nullptr;
    ASSERT_EQ(start(chosen, work, &scope, &ticket), HLORT_OK);
    EXPECT_EQ(work.ranOn, std::this_thread::get_id());
    EXPECT_EQ(hlort_async_wait(&scope, &ticket, nullptr), HLORT_OK);
  }
}

TEST(Async, OneThreadKeepsTheOrderOfStarts) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  std::vector<int> order;
  std::vector<Work> works(100);
  std::vector<hlort_async *> tickets(works.size());
  hlort_async *scope = nullptr;
  for (size_t i = 0; i < works.size(); ++i) {
    works[i].order = &order;
    works[i].number = int(i);
    ASSERT_EQ(start(context, works[i], &scope, &tickets[i]), HLORT_OK);
  }
  for (size_t i = works.size(); i-- > 0;)
    EXPECT_EQ(hlort_async_wait(&scope, &tickets[i], nullptr), HLORT_OK);
  for (size_t i = 0; i < works.size(); ++i)
    EXPECT_EQ(order[i], int(i));
}

TEST(Async, FailuresReachWhoWaits) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  Work work;
  work.code = HLORT_CANCELLED;
  work.number = 3;
  hlort_async *scope = nullptr, *ticket = nullptr;
  ASSERT_EQ(start(context, work, &scope, &ticket), HLORT_OK);
  hlort_status status = {};
  EXPECT_EQ(hlort_async_wait(&scope, &ticket, &status), HLORT_CANCELLED);
  EXPECT_EQ(status.code, HLORT_CANCELLED);
  EXPECT_STREQ(status.message, "work 3 failed");
}

TEST(Async, AFailedRunWaitsForWhatItHasUnderWay) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  std::atomic<bool> gate = false;
  std::vector<int> order;
  std::vector<Work> works(3);
  hlort_async *scope = nullptr, *ticket = nullptr;
  for (Work &work : works) {
    work.gate = &gate;
    work.order = &order;
    ASSERT_EQ(start(context, work, &scope, &ticket), HLORT_OK);
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate = true;
  });
  hlort_async_abandon(&scope);
  EXPECT_EQ(order.size(), 3u);
  EXPECT_EQ(scope, nullptr);
  opener.join();
}

/// Starts itself on the other thread, `depth` times, and waits for it; the last one works.
struct Nest {
  hlort_context *context;
  int depth;
  Work work;
};

int32_t nest(void *const *pointers, hlort_status *status) {
  Nest &self = *static_cast<Nest *>(pointers[0]);
  if (self.depth-- == 0) {
    void *inner[] = {&self.work};
    return doWork(inner, status);
  }
  hlort_async *scope = nullptr, *ticket = nullptr;
  const char *thread = self.depth % 2 ? "side" : "other";
  int32_t code =
      hlort_async_start(self.context, thread, nest, 1, pointers, &scope, &ticket, status);
  return code ? code : hlort_async_wait(&scope, &ticket, status);
}

TEST(Async, ThreadsDoNotWaitForEachOther) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  hlort_context_add_thread(context.get(), "other", nullptr);
  Nest self{context.get(), 5, {}};
  void *pointers[] = {&self};
  EXPECT_EQ(nest(pointers, nullptr), HLORT_OK);
  EXPECT_NE(self.work.ranOn, std::thread::id());
  EXPECT_NE(self.work.ranOn, std::this_thread::get_id());
}

TEST(Async, ManyRunsShareAThread) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  std::vector<int> order; // only the one thread writes
  std::vector<std::thread> runs;
  for (int r = 0; r < 4; ++r)
    runs.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        Work work;
        work.order = &order;
        hlort_async *scope = nullptr, *ticket = nullptr;
        ASSERT_EQ(start(context, work, &scope, &ticket), HLORT_OK);
        EXPECT_EQ(hlort_async_wait(&scope, &ticket, nullptr), HLORT_OK);
      }
    });
  for (std::thread &run : runs)
    run.join();
  EXPECT_EQ(order.size(), 400u);
}

/// Takes four numbers from the infeed.
int32_t takeFromHost(void *const *pointers, hlort_status *status) {
  static const int64_t size = 4;
  float numbers[4];
  hlort_buffer buffer = {HLORT_F32, 1, &size, nullptr, numbers};
  hlort_transfer transfer = {"data", "model.hlo:1:1", HLORT_INFEED, 0, 0, 1, &buffer};
  return hlort_transfer_run(static_cast<hlort_context *>(pointers[0]), &transfer, status);
}

/// What the end of a computation that waits for the host comes to, if `meanwhile` happens.
template <typename Function> hlort_status takeWhile(const Context &context, Function meanwhile) {
  hlort_context_add_thread(context.get(), "io", nullptr);
  void *pointers[] = {context.get()};
  hlort_async *scope = nullptr, *ticket = nullptr;
  hlort_status status = {};
  EXPECT_EQ(
      hlort_async_start(context.get(), "io", takeFromHost, 1, pointers, &scope, &ticket, nullptr),
      HLORT_OK);
  meanwhile();
  hlort_async_wait(&scope, &ticket, &status);
  return status;
}

TEST(Async, ADeadlineReachesWhoWaits) {
  Context context = makeContext();
  hlort_queue_options options = {};
  options.deadline = 5'000'000;
  hlort_queue_configure(context.get(), HLORT_INFEED, 0, &options, nullptr);
  hlort_status status = takeWhile(context, [] {});
  EXPECT_EQ(status.code, HLORT_DEADLINE_EXCEEDED);
  EXPECT_NE(std::string(status.message).find("data"), std::string::npos) << status.message;
}

TEST(Async, CancellationReachesWhoWaits) {
  Context context = makeContext();
  hlort_status status = takeWhile(
      context, [&] { hlort_transfers_close(context.get(), "the host has had enough", nullptr); });
  EXPECT_EQ(status.code, HLORT_CANCELLED);
  EXPECT_NE(std::string(status.message).find("the host has had enough"), std::string::npos);
  hlort_transfers_reset(context.get(), nullptr); // and the context can be used again
  Work work;
  hlort_async *scope = nullptr, *ticket = nullptr;
  ASSERT_EQ(start(context, work, &scope, &ticket), HLORT_OK);
  EXPECT_EQ(hlort_async_wait(&scope, &ticket, nullptr), HLORT_OK);
}

TEST(Async, ContextsTakeTheThreadsOfAModule) {
  Context context = makeContext();
  const char *names[] = {"side", "io"};
  hlort_module module = {};
  module.abi_version = HLORT_ABI_VERSION;
  module.thread_count = 2;
  module.threads = names;
  hlort_context_add_thread(context.get(), "io", nullptr);
  EXPECT_EQ(hlort_context_add_threads(context.get(), &module, nullptr), HLORT_OK);
  EXPECT_EQ(hlort_context_has_thread(context.get(), "side"), 1);
  EXPECT_EQ(hlort_context_add_threads(context.get(), &module, nullptr), HLORT_OK);
  EXPECT_EQ(hlort_context_add_threads(nullptr, &module, nullptr), HLORT_INVALID_ARGUMENT);
  module.abi_version = 0;
  EXPECT_EQ(hlort_context_add_threads(context.get(), &module, nullptr), HLORT_INVALID_ARGUMENT);
}

/// Reports an event.
int32_t traceWork(void *const *pointers, hlort_status *) {
  static const hlort_trace_label label = {"work", "async", "", ""};
  auto *context = static_cast<hlort_context *>(pointers[0]);
  hlort_trace_end(context, &label, hlort_trace_begin(context));
  return HLORT_OK;
}

TEST(Async, TracesNameThreads) {
  Context context = makeContext();
  hlort_context_add_thread(context.get(), "side", nullptr);
  hlort_trace_start(context.get(), nullptr);
  void *pointers[] = {context.get()};
  traceWork(pointers, nullptr);
  hlort_async *scope = nullptr, *ticket = nullptr;
  hlort_async_start(context.get(), "side", traceWork, 1, pointers, &scope, &ticket, nullptr);
  hlort_async_wait(&scope, &ticket, nullptr);
  int64_t count = 0;
  const hlort_trace_event *events = hlort_trace_stop(context.get(), &count);
  ASSERT_EQ(count, 2);
  EXPECT_STREQ(hlort_trace_thread_name(context.get(), events[0].thread), "");
  EXPECT_STREQ(hlort_trace_thread_name(context.get(), events[1].thread), "side");
  EXPECT_STREQ(hlort_trace_thread_name(context.get(), 7), "");
  EXPECT_STREQ(hlort_trace_thread_name(nullptr, 0), "");
}

TEST(Async, NamesAreChecked) {
  Context context = makeContext();
  hlort_status status = {};
  EXPECT_EQ(hlort_context_add_thread(nullptr, "side", nullptr), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_context_add_thread(context.get(), "", nullptr), HLORT_INVALID_ARGUMENT);
  ASSERT_EQ(hlort_context_add_thread(context.get(), "side", nullptr), HLORT_OK);
  EXPECT_EQ(hlort_context_add_thread(context.get(), "side", &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "the context has a thread 'side' already");
  EXPECT_EQ(hlort_context_has_thread(context.get(), "other"), 0);
}

} // namespace
