// SPDX-License-Identifier: Apache-2.0
// Collectives over a communicator that the host provides.

#include "QueueTransport.h"
#include "World.h"

#include <atomic>

using namespace hloc::test;

TEST(Transport, ComputesWhatTheDefinitionsSay) {
  for (int32_t participants : {2, 3, 4}) {
    World world(QueueTransport::create(participants), 60000);
    expectDefinitions(world, makeOperations(participants));
  }
}

TEST(Transport, KeepsSeveralOperationsUnderWay) {
  World world(QueueTransport::create(4), 60000);
  expectDefinitions(world, makeOperations(4), 5, 100);
}

TEST(Transport, DoesNotDependOnTiming) {
  for (int32_t participants : {2, 4, 8}) {
    World world(QueueTransport::create(participants), 60000);
    Shape shape{HLORT_F32, {3000}};
    Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
    Operation exchange{"exchange", HLORT_ALL_TO_ALL, {shape}, {shape}};
    expectDefinitions(world, {sum, exchange, sum, exchange, sum}, 3, 200);
  }
}

TEST(Transport, RunsProgramsAtTheSameTime) {
  World world(QueueTransport::create(3), 60000);
  std::vector<Operation> operations = makeOperations(3);
  std::vector<std::thread> programs;
  for (uint64_t fingerprint : {11, 12})
    programs.emplace_back(
        [&, fingerprint] { expectDefinitions(world, operations, 2, 50, fingerprint); });
  for (std::thread &program : programs)
    program.join();
}

TEST(Transport, LeavingAfterARunHarmsNobody) {
  Shape shape{HLORT_F32, {3}};
  Operation root{"root", HLORT_COLLECTIVE_BROADCAST, {shape}, {shape}};
  for (int repeat = 0; repeat < 100; ++repeat) {
    World world(QueueTransport::create(3, uint32_t(repeat)), 60000);
    hlort_program program = makeProgram(3);
    Descriptor descriptor(root, program);
    std::atomic<int> started = 0;
    std::atomic<bool> hasLeft = false;
    auto run = [&](int64_t self) {
      hlort_context *context = world.contexts[self];
      Side side(root, makeOperands(root, 1, 0)[0]);
      hlort_status status{};
      hlort_ticket *ticket = nullptr;
      hlort_program_begin(context, &program, &status);
      while (self == 0 && started < 2)
        std::this_thread::yield();
      int32_t code = hlort_collective_start(context, &descriptor.what, side.operandPointers.data(),
                                            side.resultPointers.data(), &ticket, &status);
      ++started;
      while (self != 0 && !hasLeft)
        std::this_thread::yield();
      if (code == HLORT_OK)
        code = hlort_collective_done(context, ticket, &status);
      EXPECT_EQ(hlort_program_end(context, &program, code, &status), HLORT_OK) << status.message;
      hlort_context_leave(context);
      hasLeft = true;
    };
    std::vector<std::thread> threads;
    for (int64_t self = 0; self < 3; ++self)
      threads.emplace_back(run, self);
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(Transport, IsCheckedWhenItIsMade) {
  hlort_transport transport{};
  hlort_status status{};
  EXPECT_EQ(hlort_communicator_create(&transport, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_communicator_create(nullptr, nullptr), nullptr);
}
