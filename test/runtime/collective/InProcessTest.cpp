// SPDX-License-Identifier: Apache-2.0
// Collectives between threads of a process, and with a single participant.

#include "World.h"
#include "collective/Exchange.h"

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

// In as many units as there are pieces, those of a member's own result first in its share; what is
// short in one.
TEST(InProcess, WorkIsCutIntoUnits) {
  using namespace hloc::runtime;
  for (int64_t pieces : {0, 8}) {
    Shape shape{HLORT_F32, {pieces ? pieces * Pieces::kBytes / 4 : 16}};
    Operation exchange{"exchange", HLORT_ALL_TO_ALL, {shape}, {shape}};
    hlort_program program = makeProgram(2);
    Descriptor descriptor(exchange, program);
    auto operands = makeOperands(exchange, 2, 0);
    Side sides[] = {{exchange, operands[0]}, {exchange, operands[1]}};
    Member members[2];
    Group group = findGroup(descriptor.what, 0, 2);
    for (int32_t i : {0, 1})
      ASSERT_EQ(members[i].read(descriptor.what, i, group, sides[i].operandPointers.data(),
                                sides[i].resultPointers.data(), nullptr),
                HLORT_OK);
    Exchange work(group, {&members[0], &members[1]});
    ASSERT_EQ(work.plan(nullptr), HLORT_OK);
    ASSERT_EQ(work.units(), pieces ? 2 * pieces : 1);
    for (int64_t unit = 0; unit < (work.units() + 1) / 2; ++unit)
      work.run(unit);
    sides[0].expectResults(exchange, resultsByDefinition(exchange, 0, operands));
  }
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
