// SPDX-License-Identifier: Apache-2.0
// Between a collective's start and its done: data move while participants compute, failures are
// reported where they always are, and memory is not accessed after the end. No test depends on the
// clock: counters tell what has moved and by whom.

#include "QueueTransport.h"
#include "World.h"
#include "collective/InProcess.h"

#include <atomic>
#include <barrier>
#include <latch>

using namespace hloc::test;

namespace {

constexpr int32_t kParticipants = 3;

/// In process, with so many processors.
hlort_communicator *makeInProcess(int32_t processors) {
  return new hloc::runtime::InProcessCommunicator(kParticipants, processors);
}

hlort_communicator *makeCommunicator(bool isOverMessages) {
  return isOverMessages ? QueueTransport::create(kParticipants) : makeInProcess(kParticipants + 2);
}

hlort_traffic trafficOf(const World &world) {
  hlort_traffic traffic;
  hlort_communicator_traffic(world.communicator, &traffic);
  return traffic;
}

/// Waits for something that happens by itself, if it does. Whether it has.
template <typename Condition> bool comesTrue(Condition condition) {
  for (int milliseconds = 0; milliseconds < 60000 && !condition(); ++milliseconds)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

/// Of each kind one that is too long for a first message, in process for one unit of work.
std::vector<Operation> longOperations() {
  constexpr int64_t n = kParticipants;
  Shape part{HLORT_F32, {30000}}, whole{HLORT_F32, {n * 30000}}, scalar{HLORT_S32, {}};
  Operation ring{"ring", HLORT_COLLECTIVE_PERMUTE, {part, whole}, {part, whole}};
  for (int64_t i = 0; i < n; ++i)
    ring.pairs.insert(ring.pairs.end(), {i, (i + 1) % n});
  Operation slices{"slices", HLORT_COLLECTIVE_PERMUTE_SLICES, {part, part, scalar, scalar}, {part}};
  slices.operands[2] = slices.operands[3] = {HLORT_S32, {1}};
  slices.sliceSizes = {20000};
  slices.pairs = ring.pairs;
  slices.integers = {{2, {{5}}}, {3, {{7}}}};
  Operation rooted{"rooted", HLORT_COLLECTIVE_BROADCAST, {part, scalar}, {part}};
  rooted.integers = {{1, {{2}}}};
  Shape numbers{HLORT_S32, {n}};
  Operation ragged{
      "ragged", HLORT_RAGGED_ALL_TO_ALL, {part, part, numbers, numbers, numbers, numbers}, {part}};
  ragged.integers = {{2, {{0, 9000, 18000}}},
                     {3, {{9000, 9000, 9000}}},
                     {4, {{0, 0, 0}, {9000, 9000, 9000}, {18000, 18000, 18000}}},
                     {5, {{9000, 9000, 9000}}}};
  return {{"sum", HLORT_ALL_REDUCE, {part}, {part}},
          {"sums", HLORT_ALL_REDUCE, {part, whole}, {part, whole}},
          {"scatter", HLORT_REDUCE_SCATTER, {whole}, {part}},
          {"gather", HLORT_ALL_GATHER, {part}, {whole}},
          {"exchange", HLORT_ALL_TO_ALL, {whole}, {whole}},
          {"tuple", HLORT_ALL_TO_ALL_TUPLE, {part, part, part}, {part, part, part}},
          ring,
          slices,
          rooted,
          ragged};
}

class Meanwhile : public testing::TestWithParam<bool> {
protected:
  bool isOverMessages() const { return GetParam(); }

  /// What an operation moves, when everybody waits for it at once and nothing is left to others.
  int64_t countBytes(const Operation &operation) {
    Descriptor descriptor(operation, program);
    hlort_traffic before = trafficOf(world);
    world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
      Side side(operation, makeOperands(operation, kParticipants, 0)[self]);
      return hlort_collective_run(context, &descriptor.what, side.operandPointers.data(),
                                  side.resultPointers.data(), status);
    });
    hlort_traffic after = trafficOf(world);
    EXPECT_GT(after.bytes, before.bytes);
    EXPECT_EQ(after.bytes_meanwhile, before.bytes_meanwhile);
    return after.bytes - before.bytes;
  }

  World world{makeCommunicator(GetParam()), 60000};
  hlort_program program = makeProgram(kParticipants);
};

TEST_P(Meanwhile, EverythingMovesBeforeAnybodyIsDone) {
  std::barrier gate(kParticipants);
  for (const Operation &operation : longOperations()) {
    SCOPED_TRACE(operation.name);
    Descriptor descriptor(operation, program);
    auto operands = makeOperands(operation, kParticipants, 0);
    int64_t bytes = countBytes(operation);
    hlort_traffic before = trafficOf(world);
    std::latch isFirstStarted(1); // before anything is sent to it
    for (const hlort_status &status :
         world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
           Side side(operation, operands[self]);
           hlort_ticket *ticket = nullptr;
           if (self != 0)
             isFirstStarted.wait();
           int32_t code =
               hlort_collective_start(context, &descriptor.what, side.operandPointers.data(),
                                      side.resultPointers.data(), &ticket, status);
           if (self == 0)
             isFirstStarted.count_down();
           gate.arrive_and_wait();
           EXPECT_TRUE(comesTrue([&] { return trafficOf(world).bytes - before.bytes == bytes; }))
               << trafficOf(world).bytes - before.bytes << " bytes of " << bytes;
           gate.arrive_and_wait();
           if (code == HLORT_OK)
             code = hlort_collective_done(context, ticket, status);
           if (code == HLORT_OK)
             side.expectResults(operation, resultsByDefinition(operation, self, operands));
           return code;
         }))
      EXPECT_EQ(status.code, HLORT_OK) << status.message;
    EXPECT_EQ(trafficOf(world).bytes - before.bytes, bytes);
    int64_t meanwhile = trafficOf(world).bytes_meanwhile - before.bytes_meanwhile;
    if (!isOverMessages()) {
      EXPECT_EQ(meanwhile, bytes);
    } else {
      EXPECT_GT(meanwhile, 0); // other starts may find what has been sent already
    }
  }
}

// The sender's done has returned, and it computes; what its receiver waits for goes on.
TEST_P(Meanwhile, WhatIsSentGoesOnAfterTheSendersDone) {
  Shape shape{HLORT_F32, {30000}};
  Operation send{"out", HLORT_PEER_SEND, {shape}, {}}, recv{"in", HLORT_PEER_RECV, {}, {shape}};
  send.pairs = recv.pairs = {0, 1};
  Descriptor out(send, program), in(recv, program);
  std::atomic<bool> isSent = false, isReceived = false;
  for (const hlort_status &status :
       world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
         std::vector<float> data(30000, self == 0 ? 7.0f : 0.0f);
         const void *operands[] = {data.data()};
         void *results[] = {data.data()};
         int32_t code = HLORT_OK;
         if (self == 0) {
           code = hlort_collective_run(context, &out.what, operands, nullptr, status);
           isSent = true;
           EXPECT_TRUE(comesTrue([&] { return isReceived.load(); }));
         } else if (self == 1) {
           EXPECT_TRUE(comesTrue([&] { return isSent.load(); }));
           code = hlort_collective_run(context, &in.what, nullptr, results, status);
           isReceived = true;
           EXPECT_EQ(data, std::vector<float>(30000, 7.0f));
         }
         return code;
       }))
    EXPECT_EQ(status.code, HLORT_OK) << status.message;
}

TEST_P(Meanwhile, ComputesWhatTheDefinitionsSay) {
  expectDefinitions(world, longOperations(), 1, 500);
  for (size_t window : {3, 10})
    expectDefinitions(world, longOperations(), window, 500);
  expectDefinitions(world, makeOperations(kParticipants), 5);
}

TEST_P(Meanwhile, RunsProgramsAtTheSameTime) {
  std::vector<std::thread> programs;
  for (uint64_t fingerprint : {11, 12})
    programs.emplace_back([&, fingerprint] {
      for (int run = 0; run < 3; ++run)
        expectDefinitions(world, longOperations(), 2, 200, fingerprint);
    });
  for (std::thread &program : programs)
    program.join();
}

// What does not match is told of by the done of that operation, not by one before.
TEST_P(Meanwhile, AFailureIsToldByItsOwnDone) {
  std::vector<Operation> operations = longOperations();
  const Operation &sum = operations[0], &gather = operations[3];
  Descriptor first(sum, program), second(sum, program), other(gather, program);
  auto operands = makeOperands(gather, kParticipants, 0);
  int64_t bytes = countBytes(sum);
  hlort_traffic before = trafficOf(world);
  std::barrier gate(kParticipants);
  std::atomic<int> told = 0;
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        Side one(sum, makeOperands(sum, kParticipants, 0)[self]);
        Side two(gather, operands[self]); // has room for both
        hlort_ticket *tickets[2] = {};
        int32_t code = hlort_collective_start(context, &first.what, one.operandPointers.data(),
                                              one.resultPointers.data(), &tickets[0], status);
        gate.arrive_and_wait();
        EXPECT_TRUE(comesTrue([&] { return trafficOf(world).bytes - before.bytes == bytes; }));
        gate.arrive_and_wait();
        EXPECT_EQ(code, HLORT_OK);
        hlort_status failure{};
        code = hlort_collective_start(context, &(self == 1 ? other : second).what,
                                      two.operandPointers.data(), two.resultPointers.data(),
                                      &tickets[1], &failure);
        if (code == HLORT_OK) {
          EXPECT_EQ(hlort_collective_done(context, tickets[0], status), HLORT_OK)
              << status->message;
        }
        gate.arrive_and_wait();
        if (code == HLORT_OK)
          code = hlort_collective_done(context, tickets[1], &failure);
        told += code == HLORT_INVALID_ARGUMENT;
        *status = failure;
        return code;
      });
  for (const hlort_status &status : outcomes)
    EXPECT_NE(status.code, HLORT_OK);
  EXPECT_GE(told, 1);
  expectDefinitions(world, {sum});
}

/// One fails while operations are under way, or the host cancels; whoever has ended its run takes
/// its arrays away at once.
TEST_P(Meanwhile, NobodyTouchesMemoryAfterTheEnd) {
  std::vector<Operation> operations = longOperations();
  std::vector<std::unique_ptr<Descriptor>> descriptors;
  std::vector<std::vector<std::vector<Bytes>>> operands;
  for (const Operation &operation : operations) {
    descriptors.push_back(std::make_unique<Descriptor>(operation, program));
    operands.push_back(makeOperands(operation, kParticipants, 0));
  }
  for (uint32_t repeat = 0; repeat < 30; ++repeat) {
    auto body = [&](int64_t self) {
      hlort_context *context = world.contexts[self];
      std::mt19937 random(repeat * kParticipants + uint32_t(self));
      auto delay = [&] { std::this_thread::sleep_for(std::chrono::microseconds(random() % 300)); };
      std::vector<std::unique_ptr<Side>> sides;
      hlort_status status{};
      int32_t code = hlort_program_begin(context, &program, &status);
      if (code)
        return code;
      std::vector<hlort_ticket *> tickets;
      for (size_t i = repeat % 5; i < operations.size() && !code; ++i) {
        sides.push_back(std::make_unique<Side>(operations[i], operands[i][self]));
        tickets.push_back(nullptr);
        code = hlort_collective_start(
            context, &descriptors[i]->what, sides.back()->operandPointers.data(),
            sides.back()->resultPointers.data(), &tickets.back(), &status);
        delay();
        if (self == repeat % kParticipants && i == repeat % operations.size()) {
          if (repeat % 2)
            hlort_context_cancel(context, "enough");
          else
            code = hlort_status_set(&status, HLORT_CALL_FAILED, "no more paper");
        }
      }
      for (size_t i = 0; i < tickets.size() && !code; ++i)
        code = hlort_collective_done(context, tickets[i], &status);
      code = hlort_program_end(context, &program, code, &status);
      for (auto &side : sides) // as free memory is: written by whoever has it next
        for (auto *arrays : {&side->operands, &side->results})
          for (Bytes &bytes : *arrays)
            std::fill(bytes.begin(), bytes.end(), 0x55);
      delay();
      for (auto &side : sides)
        for (auto *arrays : {&side->operands, &side->results})
          for (Bytes &bytes : *arrays)
            EXPECT_TRUE(bytes == Bytes(bytes.size(), 0x55));
      return code;
    };
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int64_t self = 0; self < kParticipants; ++self)
      threads.emplace_back([&, self] { failed += body(self) != HLORT_OK; });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_GE(failed, repeat % 2 ? 0 : 1);
  }
  for (int run = 0; run < 2; ++run) // who is told of a failed run late is back in step
    world.run(program, [](auto...) { return int32_t(HLORT_OK); });
  expectDefinitions(world, {operations[0]});
}

static std::string nameOf(const testing::TestParamInfo<bool> &info) {
  return info.param ? "Messages" : "InProcess";
}
INSTANTIATE_TEST_SUITE_P(Communicators, Meanwhile, testing::Bool(), nameOf);

// Where participants have a thread for each processor, nobody takes time from them.
TEST(Helpers, ComeOnlyWhereThereAreProcessorsToSpare) {
  for (auto [processors, threads, hasHelpers] : {std::tuple{3, 1, false}, std::tuple{4, 1, true},
                                                 std::tuple{6, 2, false}, std::tuple{7, 2, true}}) {
    World world(makeInProcess(processors), 60000, {}, threads);
    Operation gather = longOperations()[3];
    hlort_program program = makeProgram(kParticipants);
    Descriptor descriptor(gather, program);
    auto operands = makeOperands(gather, kParticipants, 0);
    std::barrier gate(kParticipants);
    world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
      Side side(gather, operands[self]);
      hlort_ticket *ticket = nullptr;
      hlort_collective_start(context, &descriptor.what, side.operandPointers.data(),
                             side.resultPointers.data(), &ticket, status);
      if (hasHelpers) {
        EXPECT_TRUE(comesTrue([&] { return trafficOf(world).bytes_meanwhile > 0; }));
      }
      gate.arrive_and_wait();
      return hlort_collective_done(context, ticket, status);
    });
    EXPECT_EQ(trafficOf(world).bytes_meanwhile > 0, hasHelpers);
  }
}

} // namespace
