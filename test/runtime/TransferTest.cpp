// SPDX-License-Identifier: Apache-2.0
#include "hlort/transfer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Context = std::unique_ptr<hlort_context, decltype(&hlort_context_destroy)>;
using Message = std::unique_ptr<hlort_message, decltype(&hlort_message_free)>;

constexpr int64_t kForever = -1, kMillisecond = 1'000'000;

Context makeContext() { return {hlort_context_create(nullptr, nullptr), hlort_context_destroy}; }

/// A row of numbers and its description.
template <typename T, int32_t kType> struct Array {
  explicit Array(std::vector<T> values) : values(std::move(values)) {
    size = int64_t(this->values.size());
  }
  hlort_buffer buffer() { return {kType, 1, &size, nullptr, values.data()}; }

  std::vector<T> values;
  int64_t size;
};
using Floats = Array<float, HLORT_F32>;
using Bytes = Array<uint8_t, HLORT_U8>;

hlort_transfer makeTransfer(int32_t kind, const hlort_buffer *buffers, int64_t count = 1,
                            int64_t channel = 0) {
  return {"x.1", "model.hlo:3:7", kind, 0, channel, count, buffers};
}

/// What a module does at an infeed or outfeed (or send, recv) of one array.
int32_t transfer(const Context &context, int32_t kind, hlort_buffer buffer, hlort_status &status,
                 int64_t channel = 0) {
  hlort_transfer wanted = makeTransfer(kind, &buffer, 1, channel);
  return hlort_transfer_run(context.get(), &wanted, &status);
}

int32_t put(const Context &context, hlort_buffer buffer, int64_t timeout = kForever,
            hlort_status *status = nullptr) {
  return hlort_queue_put(context.get(), HLORT_INFEED, 0, 1, &buffer, timeout, status);
}

int32_t receive(const Context &context, hlort_buffer buffer, int64_t timeout = kForever,
                hlort_status *status = nullptr) {
  return hlort_queue_receive(context.get(), HLORT_OUTFEED, 0, 1, &buffer, timeout, status);
}

void setOptions(const Context &context, int32_t kind, int64_t capacity, int64_t deadline = 0,
                hlort_transfer_handler handler = nullptr, void *user = nullptr) {
  hlort_queue_options options = {capacity, deadline, handler, user};
  ASSERT_EQ(hlort_queue_configure(context.get(), kind, 0, &options, nullptr), HLORT_OK);
}

//===-- Waiting and polling -----------------------------------------------------------------===//

TEST(Transfer, MessagesKeepTheirOrder) {
  Context context = makeContext();
  for (float i = 0; i < 3; ++i) {
    Floats sent({i, i + 1});
    EXPECT_EQ(put(context, sent.buffer()), HLORT_OK);
  }
  EXPECT_EQ(hlort_queue_length(context.get(), HLORT_INFEED, 0), 3);
  for (float i = 0; i < 3; ++i) {
    Floats got({0, 0});
    hlort_status status = {};
    EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK) << status.message;
    EXPECT_EQ(got.values, (std::vector<float>{i, i + 1}));
  }
}

TEST(Transfer, TheModuleWaitsForTheHost) {
  Context context = makeContext();
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Floats sent({7});
    EXPECT_EQ(put(context, sent.buffer()), HLORT_OK);
  });
  Floats got({0});
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK);
  EXPECT_EQ(got.values[0], 7);
  host.join();
}

TEST(Transfer, PollingSaysThatNothingIsThere) {
  Context context = makeContext();
  Floats data({1}), got({0});
  hlort_status status = {};
  EXPECT_EQ(hlort_queue_take(context.get(), HLORT_OUTFEED, 0, 0, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_DEADLINE_EXCEEDED);
  EXPECT_STREQ(status.message, "the host's outfeed: no message came within 0 seconds");
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, data.buffer(), status), HLORT_OK);
  EXPECT_EQ(receive(context, got.buffer(), 0), HLORT_OK);
  EXPECT_EQ(got.values[0], 1);
}

TEST(Transfer, FullQueuesHoldTheirWriterBack) {
  Context context = makeContext();
  setOptions(context, HLORT_OUTFEED, 2, -1);
  std::atomic<int> given = 0;
  std::thread module([&] {
    for (float i = 0; i < 10; ++i) {
      Floats data({i});
      hlort_status status = {};
      EXPECT_EQ(transfer(context, HLORT_OUTFEED, data.buffer(), status), HLORT_OK);
      ++given;
    }
  });
  for (int i = 0; i < 10; ++i) {
    Floats got({0});
    EXPECT_EQ(receive(context, got.buffer()), HLORT_OK);
    EXPECT_EQ(got.values[0], float(i));
    EXPECT_LE(given.load(), i + 4); // two in the queue, one that waits, one not yet counted
  }
  module.join();
  setOptions(context, HLORT_INFEED, 1);
  Floats data({1});
  hlort_status status = {};
  EXPECT_EQ(put(context, data.buffer(), 0), HLORT_OK);
  EXPECT_EQ(put(context, data.buffer(), 0, &status), HLORT_DEADLINE_EXCEEDED);
  EXPECT_STREQ(status.message,
               "the host's infeed: nobody took a message from the full queue within 0 seconds");
}

TEST(Transfer, DeadlinesEndTheModulesWait) {
  Context context = makeContext();
  setOptions(context, HLORT_INFEED, 0, 2 * kMillisecond);
  Floats got({5});
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_DEADLINE_EXCEEDED);
  EXPECT_STREQ(status.message,
               "infeed 'x.1' at model.hlo:3:7: no message came within 0.002 seconds");
  ASSERT_EQ(put(context, got.buffer()), HLORT_OK); // and the context can be used again
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK);
}

//===-- Memory ------------------------------------------------------------------------------===//

TEST(Transfer, LentMemoryIsReadOnceAndReleased) {
  Context context = makeContext();
  Floats data({1, 2}), got({0, 0});
  int32_t released = -1;
  auto release = [](void *user, int32_t code) { *static_cast<int32_t *>(user) = code; };
  hlort_buffer buffer = data.buffer();
  ASSERT_EQ(
      hlort_queue_lend(context.get(), HLORT_RECV, 9, 1, &buffer, release, &released, 0, nullptr),
      HLORT_OK);
  data.values[1] = 3; // nothing has been copied yet
  EXPECT_EQ(released, -1);
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_RECV, got.buffer(), status, 9), HLORT_OK);
  EXPECT_EQ(released, HLORT_OK);
  EXPECT_EQ(got.values[1], 3);
}

TEST(Transfer, LentMemoryComesBackFromRefusedAndDroppedMessages) {
  Context context = makeContext();
  Floats data({1, 2}), wrong({0});
  int32_t released = -1;
  auto release = [](void *user, int32_t code) { *static_cast<int32_t *>(user) = code; };
  hlort_buffer buffer = data.buffer();
  auto lend = [&] {
    released = -1;
    return hlort_queue_lend(context.get(), HLORT_INFEED, 0, 1, &buffer, release, &released, 0,
                            nullptr);
  };
  hlort_status status = {};
  ASSERT_EQ(lend(), HLORT_OK);
  EXPECT_EQ(transfer(context, HLORT_INFEED, wrong.buffer(), status), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(released, HLORT_INVALID_ARGUMENT);
  ASSERT_EQ(lend(), HLORT_OK);
  hlort_queue_reset(context.get(), HLORT_INFEED, 0, nullptr);
  EXPECT_EQ(released, HLORT_CANCELLED);
  ASSERT_EQ(lend(), HLORT_OK);
  setOptions(context, HLORT_INFEED, 1);
  EXPECT_EQ(lend(), HLORT_DEADLINE_EXCEEDED);
  EXPECT_EQ(released, -1); // it was never lent
  context.reset();
  EXPECT_EQ(released, HLORT_CANCELLED); // that of the first
}

TEST(Transfer, TakenMessagesAreTheHosts) {
  Context context = makeContext();
  int64_t dims[] = {2, 3}, columns[] = {0, 1};
  uint8_t nibbles[] = {0x21, 0x43, 0x65};
  double number = 2.5;
  hlort_buffer buffers[] = {{HLORT_U4, 2, dims, columns, nibbles},
                            {HLORT_F64, 0, nullptr, nullptr, &number}};
  hlort_transfer wanted = makeTransfer(HLORT_SEND, buffers, 2, 4);
  ASSERT_EQ(hlort_transfer_run(context.get(), &wanted, nullptr), HLORT_OK);
  nibbles[0] = 0;
  Message message(hlort_queue_take(context.get(), HLORT_SEND, 4, 0, nullptr), hlort_message_free);
  ASSERT_NE(message, nullptr);
  int64_t count = 0;
  const hlort_buffer *got = hlort_message_buffers(message.get(), &count);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(got[0].element_type, HLORT_U4);
  EXPECT_EQ(got[0].rank, 2);
  EXPECT_EQ(got[0].dims[1], 3);
  EXPECT_EQ(got[0].minor_to_major[0], 0);
  EXPECT_EQ(static_cast<const uint8_t *>(got[0].data)[0], 0x21);
  EXPECT_EQ(static_cast<const uint8_t *>(got[0].data)[2], 0x65);
  EXPECT_EQ(*static_cast<const double *>(got[1].data), 2.5);
}

TEST(Transfer, EveryElementTypeTakesItsBytes) {
  Context context = makeContext();
  for (int32_t type = HLORT_PRED; type <= HLORT_F8E8M0FNU; ++type) {
    int64_t bits = hlort_element_bits(type), dims[] = {5, 0};
    if (bits == 0)
      continue;
    std::vector<uint8_t> data(size_t(5 * bits + 7) / 8), got(data.size() + 1, 0xee);
    std::iota(data.begin(), data.end(), uint8_t(type));
    hlort_buffer from[] = {{type, 1, dims, nullptr, data.data()},
                           {type, 2, dims, nullptr, nullptr}};
    ASSERT_EQ(hlort_queue_put(context.get(), HLORT_INFEED, 0, 2, from, 0, nullptr), HLORT_OK);
    hlort_buffer to[] = {{type, 1, dims, nullptr, got.data()}, {type, 2, dims, nullptr, nullptr}};
    hlort_transfer wanted = makeTransfer(HLORT_INFEED, to, 2);
    ASSERT_EQ(hlort_transfer_run(context.get(), &wanted, nullptr), HLORT_OK);
    EXPECT_EQ(std::memcmp(got.data(), data.data(), data.size()), 0) << type;
    EXPECT_EQ(got.back(), 0xee) << type;
  }
}

//===-- Wrong data --------------------------------------------------------------------------===//

TEST(Transfer, WrongShapesFailTheRunAndNameTheInstruction) {
  Context context = makeContext();
  int64_t dims[] = {2, 3}, columns[] = {0, 1};
  float data[6] = {};
  hlort_buffer wanted = {HLORT_F32, 2, dims, nullptr, data};
  auto refuse = [&](std::vector<hlort_buffer> given) {
    hlort_status status = {};
    EXPECT_EQ(hlort_queue_put(context.get(), HLORT_INFEED, 0, int64_t(given.size()), given.data(),
                              0, &status),
              HLORT_OK)
        << status.message;
    EXPECT_EQ(transfer(context, HLORT_INFEED, wanted, status), HLORT_INVALID_ARGUMENT);
    EXPECT_EQ(hlort_queue_length(context.get(), HLORT_INFEED, 0), 0);
    return std::string(status.message);
  };
  EXPECT_EQ(
      refuse({{HLORT_S32, 2, dims, nullptr, data}}),
      "infeed 'x.1' at model.hlo:3:7: expected array 0 to be f32[2,3] but the host's infeed gave "
      "s32[2,3]");
  EXPECT_EQ(
      refuse({{HLORT_F32, 1, dims, nullptr, data}}),
      "infeed 'x.1' at model.hlo:3:7: expected array 0 to be f32[2,3] but the host's infeed gave "
      "f32[2]");
  EXPECT_EQ(
      refuse({{HLORT_F32, 2, dims, columns, data}}),
      "infeed 'x.1' at model.hlo:3:7: expected array 0 to be f32[2,3] but the host's infeed gave "
      "f32[2,3]{0,1}");
  EXPECT_EQ(refuse({}),
            "infeed 'x.1' at model.hlo:3:7: expected 1 arrays but the host's infeed gave 0");
}

TEST(Transfer, AMessageThatDoesNotFitTheHostStays) {
  Context context = makeContext();
  Floats data({1, 2}), wrong({0}), right({0, 0});
  hlort_status status = {};
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, data.buffer(), status), HLORT_OK);
  EXPECT_EQ(receive(context, wrong.buffer(), 0, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "the host's outfeed: expected array 0 to be f32[1] but outfeed "
                               "'x.1' at model.hlo:3:7 gave f32[2]");
  EXPECT_EQ(receive(context, right.buffer(), 0), HLORT_OK);
  EXPECT_EQ(right.values, data.values);
}

TEST(Transfer, WhatCannotBeIsRefusedAtOnce) {
  Context context = makeContext();
  hlort_status status = {};
  int64_t negative[] = {-1}, huge[] = {INT64_MAX, 2}, dims[] = {2}, twice[] = {0, 0};
  float data[2] = {};
  EXPECT_EQ(put(context, {HLORT_F32, 1, negative, nullptr, data}), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(put(context, {HLORT_F32, 2, huge, nullptr, data}), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(put(context, {HLORT_F32, 2, huge, twice, data}), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(put(context, {HLORT_TOKEN, 1, dims, nullptr, data}), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(put(context, {HLORT_F32, 1, dims, nullptr, nullptr}, 0, &status),
            HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "array 0 has no memory");
  Floats some({1});
  hlort_buffer buffer = some.buffer();
  EXPECT_EQ(hlort_queue_put(context.get(), HLORT_OUTFEED, 0, 1, &buffer, 0, &status),
            HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "the host's outfeed: only the module puts here");
  EXPECT_EQ(hlort_queue_put(context.get(), HLORT_INFEED, 1, 1, &buffer, 0, nullptr),
            HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_queue_put(context.get(), 17, 0, 1, &buffer, 0, nullptr), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_queue_put(nullptr, HLORT_INFEED, 0, 1, &buffer, 0, nullptr),
            HLORT_INVALID_ARGUMENT);
  hlort_transfer wanted = makeTransfer(HLORT_INFEED, &buffer);
  EXPECT_EQ(hlort_transfer_run(nullptr, &wanted, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "infeed 'x.1' at model.hlo:3:7: needs a context, not null");
}

//===-- Handlers ----------------------------------------------------------------------------===//

TEST(Transfer, HandlersWorkInTheModulesMemory) {
  Context context = makeContext();
  std::vector<const void *> seen;
  auto handler = [](void *user, const hlort_transfer *wanted, hlort_status *) -> int32_t {
    static_cast<std::vector<const void *> *>(user)->push_back(wanted->buffers[0].data);
    if (wanted->kind == HLORT_INFEED)
      *static_cast<float *>(wanted->buffers[0].data) = 6;
    return HLORT_OK;
  };
  setOptions(context, HLORT_INFEED, 0, 0, handler, &seen);
  setOptions(context, HLORT_OUTFEED, 0, 0, handler, &seen);
  Floats data({1}), got({0});
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_OUTFEED, data.buffer(), status), HLORT_OK);
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK);
  EXPECT_EQ(got.values[0], 6);
  EXPECT_EQ(seen, (std::vector<const void *>{data.values.data(), got.values.data()}));
  EXPECT_EQ(put(context, data.buffer(), 0, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "the host's infeed: a handler carries these transfers out, nothing "
                               "waits in the queue");
}

TEST(Transfer, FailuresOfHandlersAreFailuresOfTheRun) {
  Context context = makeContext();
  auto silent = [](void *, const hlort_transfer *, hlort_status *) -> int32_t { return 42; };
  auto telling = [](void *, const hlort_transfer *, hlort_status *status) -> int32_t {
    return hlort_status_set(status, HLORT_NOT_FOUND, "no more data");
  };
  Floats got({0});
  hlort_status status = {};
  setOptions(context, HLORT_INFEED, 0, 0, silent);
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), 42);
  EXPECT_STREQ(status.message,
               "infeed 'x.1' at model.hlo:3:7: the host's handler failed with code 42");
  setOptions(context, HLORT_INFEED, 0, 0, telling);
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_NOT_FOUND);
  EXPECT_STREQ(status.message, "no more data");
}

//===-- Closing -----------------------------------------------------------------------------===//

TEST(Transfer, ClosingWakesModulesAndHosts) {
  Context context = makeContext();
  setOptions(context, HLORT_INFEED, 0, -1);
  hlort_status ofModule = {}, ofHost = {};
  std::thread module([&] {
    Floats got({0});
    EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), ofModule), HLORT_CANCELLED);
  });
  std::thread host([&] {
    Floats got({0});
    EXPECT_EQ(receive(context, got.buffer(), kForever, &ofHost), HLORT_CANCELLED);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(hlort_transfers_close(context.get(), "the user left", nullptr), HLORT_OK);
  module.join();
  host.join();
  EXPECT_STREQ(ofModule.message,
               "infeed 'x.1' at model.hlo:3:7: the queue was closed: the user left");
  EXPECT_STREQ(ofHost.message, "the host's outfeed: the queue was closed: the user left");
  Floats data({1});
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_SEND, data.buffer(), status, 3), HLORT_CANCELLED); // a new one
  ASSERT_EQ(hlort_transfers_reset(context.get(), nullptr), HLORT_OK);
  EXPECT_EQ(put(context, data.buffer(), 0), HLORT_OK);
  EXPECT_EQ(transfer(context, HLORT_INFEED, data.buffer(), status), HLORT_OK);
  EXPECT_EQ(transfer(context, HLORT_SEND, data.buffer(), status, 3), HLORT_OK);
}

TEST(Transfer, WhoWaitsSeesAClosingThatIsOverAlready) {
  Context context = makeContext();
  setOptions(context, HLORT_INFEED, 0, -1);
  std::atomic<bool> ended = false;
  std::thread module([&] {
    Floats got({0});
    hlort_status status = {};
    EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_CANCELLED);
    ended = true;
  });
  while (!ended) {
    hlort_queue_close(context.get(), HLORT_INFEED, 0, nullptr, nullptr);
    hlort_queue_reset(context.get(), HLORT_INFEED, 0, nullptr);
    std::this_thread::yield();
  }
  module.join();
}

TEST(Transfer, ClosedQueuesGiveWhatTheyHave) {
  Context context = makeContext();
  Floats data({4}), got({0});
  ASSERT_EQ(put(context, data.buffer()), HLORT_OK);
  hlort_queue_close(context.get(), HLORT_INFEED, 0, nullptr, nullptr);
  hlort_status status = {};
  EXPECT_EQ(put(context, data.buffer(), 0), HLORT_CANCELLED);
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK);
  EXPECT_EQ(got.values[0], 4);
  EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_CANCELLED);
  EXPECT_STREQ(status.message, "infeed 'x.1' at model.hlo:3:7: the queue was closed");
}

//===-- Many at once ------------------------------------------------------------------------===//

/// Waits up to a tenth of a millisecond now and then.
class Delay {
public:
  explicit Delay(unsigned seed) : random(seed) {}
  void operator()() {
    if (unsigned drawn = random() % 4; drawn == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
  }

private:
  std::minstd_rand random;
};

TEST(Transfer, ParticipantsWithRandomDelaysGetTheirOwnData) {
  constexpr int kParticipants = 4, kRounds = 200;
  std::vector<Context> contexts;
  std::vector<std::thread> threads;
  for (int p = 0; p < kParticipants; ++p) {
    contexts.push_back(makeContext());
    setOptions(contexts[p], HLORT_INFEED, 3);
    setOptions(contexts[p], HLORT_OUTFEED, 2);
  }
  for (int p = 0; p < kParticipants; ++p) {
    const Context &context = contexts[p];
    threads.emplace_back([&, p] {
      Delay delay(p + 1);
      for (int i = 0; i < kRounds; ++i, delay()) {
        Floats data({float(p), float(i)});
        EXPECT_EQ(put(context, data.buffer()), HLORT_OK);
      }
    });
    threads.emplace_back([&, p] {
      Delay delay(p + 100);
      for (int i = 0; i < kRounds; ++i, delay()) {
        Floats data({0, 0});
        hlort_status status = {};
        EXPECT_EQ(transfer(context, HLORT_INFEED, data.buffer(), status), HLORT_OK);
        data.values[1] *= 2;
        EXPECT_EQ(transfer(context, HLORT_OUTFEED, data.buffer(), status), HLORT_OK);
      }
    });
    threads.emplace_back([&, p] {
      Delay delay(p + 200);
      for (int i = 0; i < kRounds; ++i, delay()) {
        Floats got({0, 0});
        EXPECT_EQ(receive(context, got.buffer()), HLORT_OK);
        EXPECT_EQ(got.values, (std::vector<float>{float(p), 2.f * float(i)}));
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Transfer, ManyThreadsShareOneQueue) {
  constexpr int kThreads = 4, kRounds = 200;
  Context context = makeContext();
  setOptions(context, HLORT_INFEED, 1);
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Delay delay(t + 1);
      for (int i = 0; i < kRounds; ++i, delay()) {
        Bytes data({uint8_t(i)});
        EXPECT_EQ(put(context, data.buffer()), HLORT_OK);
      }
    });
    threads.emplace_back([&, t] {
      Delay delay(t + 100);
      for (int i = 0; i < kRounds; ++i, delay()) {
        Bytes got({0});
        hlort_status status = {};
        EXPECT_EQ(transfer(context, HLORT_INFEED, got.buffer(), status), HLORT_OK);
        sum += got.values[0];
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, int64_t(kThreads) * kRounds * (kRounds - 1) / 2);
}

} // namespace
