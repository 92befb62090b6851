// SPDX-License-Identifier: Apache-2.0
// Collectives between processes: run by mpirun. The first argument is how many participants each
// process has.

#include "hlort/mpi.h"
#include "World.h"

using namespace hloc::test;

static int32_t participantsHere = 1;

static std::unique_ptr<World> makeWorld(int64_t deadline) {
  int32_t first = -1;
  hlort_status status{};
  hlort_communicator *communicator =
      hlort_mpi_create(MPI_COMM_WORLD, participantsHere, &first, &status);
  EXPECT_NE(communicator, nullptr) << status.message;
  Index here;
  for (int32_t i = 0; i < participantsHere; ++i)
    here.push_back(first + i);
  return std::make_unique<World>(communicator, deadline, here);
}

TEST(Mpi, ComputesWhatTheDefinitionsSay) {
  std::unique_ptr<World> world = makeWorld(60000);
  expectDefinitions(*world, makeOperations(world->count));
}

TEST(Mpi, KeepsSeveralOperationsUnderWay) {
  std::unique_ptr<World> world = makeWorld(60000);
  expectDefinitions(*world, makeOperations(world->count), 4, 100);
}

TEST(Mpi, MessagesOfManyChunks) {
  std::unique_ptr<World> world = makeWorld(60000);
  Shape shape{HLORT_F32, {500000}};
  Operation ring{"ring", HLORT_COLLECTIVE_PERMUTE, {shape}, {shape}};
  for (int64_t i = 0; i < world->count; ++i)
    ring.pairs.insert(ring.pairs.end(), {i, (i + 1) % world->count});
  expectDefinitions(*world, {ring, ring});
}

// Everybody sends twice to the next one before it receives; short messages and long ones.
TEST(Mpi, SendsAndReceives) {
  std::unique_ptr<World> world = makeWorld(60000);
  for (int64_t elements : {3, 500000}) {
    Shape shape{HLORT_F32, {elements}};
    Operation send{"out", HLORT_PEER_SEND, {shape}, {}}, recv{"in", HLORT_PEER_RECV, {}, {shape}};
    for (int64_t i = 0; i < world->count; ++i)
      send.pairs.insert(send.pairs.end(), {i, (i + 1) % world->count});
    recv.pairs = send.pairs;
    hlort_program program = makeProgram(world->count);
    Descriptor out(send, program), in(recv, program);
    for (const hlort_status &status :
         world->run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
           int64_t source = (self + world->count - 1) % world->count;
           std::vector<float> data(elements);
           int32_t code = HLORT_OK;
           for (int i = 0; i < 2 && !code; ++i) {
             data.assign(elements, float(10 * self + i));
             const void *operands[] = {data.data()};
             code = hlort_collective_run(context, &out.what, operands, nullptr, status);
           }
           for (int i = 0; i < 2 && !code; ++i) {
             void *results[] = {data.data()};
             code = hlort_collective_run(context, &in.what, nullptr, results, status);
             EXPECT_EQ(data, std::vector<float>(elements, float(10 * source + i)));
           }
           return code;
         }))
      EXPECT_EQ(status.code, HLORT_OK) << status.message;
  }
}

TEST(Mpi, AFailingParticipantFailsTheOthers) {
  std::unique_ptr<World> world = makeWorld(60000);
  Shape shape{HLORT_F32, {300000}};
  Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
  hlort_program program = makeProgram(world->count);
  Descriptor descriptor(sum, program);
  for (int repeat = 0; repeat < 5; ++repeat) {
    auto outcomes =
        world->run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          if (self == world->count - 1)
            return hlort_status_set(status, HLORT_CALL_FAILED, "no more paper");
          Side side(sum, makeOperands(sum, 1, 0)[0]);
          return hlort_collective_run(context, &descriptor.what, side.operandPointers.data(),
                                      side.resultPointers.data(), status);
        });
    for (int64_t self : world->here) {
      EXPECT_EQ(outcomes[self].code,
                self == world->count - 1 ? HLORT_CALL_FAILED : HLORT_CANCELLED);
      EXPECT_NE(std::string(outcomes[self].message).find("no more paper"), std::string::npos);
    }
    expectDefinitions(*world, {sum});
  }
}

int main(int argc, char **argv) {
  int level = 0;
  hlort_status status{};
  if (hlort_mpi_create(MPI_COMM_WORLD, 1, nullptr, &status) ||
      status.code != HLORT_INVALID_ARGUMENT)
    return 1; // MPI is not initialized yet
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1)
    participantsHere = std::stoi(argv[1]);
  int code = RUN_ALL_TESTS();
  MPI_Finalize();
  return code;
}
