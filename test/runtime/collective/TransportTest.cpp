// SPDX-License-Identifier: Apache-2.0
// Collectives over a communicator that the host brings.

#include "QueueTransport.h"
#include "World.h"

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

TEST(Transport, IsCheckedWhenItIsMade) {
  hlort_transport transport{};
  hlort_status status{};
  EXPECT_EQ(hlort_communicator_create(&transport, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_communicator_create(nullptr, nullptr), nullptr);
}
