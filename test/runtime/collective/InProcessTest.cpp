// SPDX-License-Identifier: Apache-2.0
// Collectives between threads of a process, and of one participant alone.

#include "World.h"

using namespace hloc::test;

static hlort_communicator *inProcess(int32_t participants) {
  return hlort_in_process_create(participants, nullptr);
}

TEST(InProcess, ComputesWhatTheDefinitionsSay) {
  for (int32_t participants : {2, 3, 4, 8}) {
    World world(inProcess(participants), 60000);
    expectDefinitions(world, makeOperations(participants));
  }
}

TEST(InProcess, KeepsSeveralOperationsUnderWay) {
  World world(inProcess(4), 60000);
  expectDefinitions(world, makeOperations(4), 7);
}

TEST(InProcess, DoesNotDependOnTiming) {
  for (int32_t participants : {2, 4, 8}) {
    World world(inProcess(participants), 60000);
    expectDefinitions(world, makeOperations(participants), 3, 200);
  }
}

TEST(InProcess, RunsProgramsAtTheSameTime) {
  World world(inProcess(3), 60000);
  std::vector<Operation> operations = makeOperations(3);
  std::vector<std::thread> programs;
  for (uint64_t fingerprint : {11, 12, 13})
    programs.emplace_back([&, fingerprint] {
      for (int run = 0; run < 3; ++run)
        expectDefinitions(world, operations, 2, 50, fingerprint);
    });
  for (std::thread &program : programs)
    program.join();
}

TEST(InProcess, AParticipantAloneNeedsNoCommunicator) {
  hlort_program program = makeProgram(1);
  ASSERT_EQ(hlort_program_begin(nullptr, &program, nullptr), HLORT_OK);
  for (const Operation &operation : makeOperations(1)) {
    Descriptor descriptor(operation, program);
    auto operands = makeOperands(operation, 1, 7);
    Side side(operation, operands[0]);
    ASSERT_EQ(hlort_collective_run(nullptr, &descriptor.what, side.operandPointers.data(),
                                   side.resultPointers.data(), nullptr),
              HLORT_OK);
    side.expectResults(operation, resultsByDefinition(operation, 0, operands));
  }
  EXPECT_EQ(hlort_program_end(nullptr, &program, 0, nullptr), HLORT_OK);
  EXPECT_EQ(hlort_participant(nullptr), 0);
}

TEST(InProcess, KnowsReplicasAndPartitions) {
  World world(inProcess(6), 60000);
  hlort_program program{"grid", 1, 2, 3};
  EXPECT_EQ(hlort_participant(world.contexts[5]), 5);
  EXPECT_EQ(hlort_replica_id(world.contexts[5], &program), 1u);
  EXPECT_EQ(hlort_partition_id(world.contexts[5], &program), 2u);
  EXPECT_EQ(hlort_partition_id(world.contexts[3], &program), 0u);
}
