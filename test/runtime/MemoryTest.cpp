// SPDX-License-Identifier: Apache-2.0
// Memory of the runtime: any allocation may fail, and many calls do not make it grow.
// HLORT_TEST_CALLS is the number of calls; with a million every single allocation fails once.

#include "Allocations.h"
#include "collective/QueueTransport.h"
#include "collective/World.h"
#include "hlort/transfer.h"

#include <barrier>
#include <cstdlib>
#include <set>

using namespace hloc::test;

namespace {

constexpr int32_t kParticipants = 3;

hlort_communicator *makeCommunicator(bool isOverMessages) {
  return isOverMessages ? QueueTransport::create(kParticipants)
                        : hlort_in_process_create(kParticipants, nullptr);
}

/// Operations of each kind with all that it takes to run them, made once.
class Program {
public:
  Program() {
    std::set<std::pair<std::string, bool>> known;
    for (Operation &operation : makeOperations(kParticipants))
      if (known.emplace(operation.name, operation.isInPlace).second)
        operations.push_back(operation);
    // In two steps over messages, in several messages each.
    Shape shape{HLORT_F32, {5000}}, part{HLORT_F32, {3}};
    operations.push_back({"long", HLORT_ALL_REDUCE, {shape}, {shape}});
    operations.push_back({"longer", HLORT_ALL_REDUCE, {shape, part}, {shape, part}});
    addTransfers(part);
    for (const Operation &operation : operations) {
      descriptors.push_back(std::make_unique<Descriptor>(operation, program));
      std::vector<std::vector<Bytes>> operands = makeOperands(operation, kParticipants, 0);
      for (int32_t self = 0; self < kParticipants; ++self)
        sides[self].push_back(std::make_unique<Side>(operation, operands[self]));
    }
  }

  size_t size() const { return operations.size(); }

  /// One run on one participant.
  int32_t run(int64_t self, hlort_context *context, hlort_status *status) {
    int32_t code = hlort_program_begin(context, &program, status);
    if (code)
      return code;
    for (size_t i = 0; i < operations.size() && !code; ++i) {
      hlort_ticket *ticket = nullptr;
      code = start(self, i, context, &ticket, status);
      between();
      code = code ? code : hlort_collective_done(context, ticket, status);
    }
    return hlort_program_end(context, &program, code, status);
  }

  /// What participants do between a start and its done.
  std::function<void()> between = [] {};

private:
  int32_t start(int64_t self, size_t i, hlort_context *context, hlort_ticket **ticket,
                hlort_status *status) {
    return hlort_collective_start(context, &descriptors[i]->what,
                                  sides[self][i]->operandPointers.data(),
                                  sides[self][i]->resultPointers.data(), ticket, status);
  }

  /// Sends to the next participant, and to oneself.
  void addTransfers(const Shape &shape) {
    Operation send{"out", HLORT_PEER_SEND, {shape}, {}}, recv{"in", HLORT_PEER_RECV, {}, {shape}};
    for (int64_t shift : {0, 1}) {
      send.pairs.clear();
      for (int64_t i = 0; i < kParticipants; ++i)
        send.pairs.insert(send.pairs.end(), {i, (i + shift) % kParticipants});
      recv.pairs = send.pairs;
      operations.insert(operations.end(), {send, send, recv, recv});
    }
  }

  hlort_program program = makeProgram(kParticipants);
  std::vector<Operation> operations;
  std::vector<std::unique_ptr<Descriptor>> descriptors;
  std::vector<std::unique_ptr<Side>> sides[kParticipants];
};

/// A run of all; with who >= 0, that one's request of memory after `after` others fails. Returns
/// whether it came to that.
bool runOnce(Program &program, World &world, std::vector<hlort_status> &outcomes, int32_t who = -1,
             int64_t after = 0) {
  outcomes.assign(kParticipants, {});
  bool hasFailed = false;
  std::vector<std::thread> threads;
  for (int32_t self = 0; self < kParticipants; ++self)
    threads.emplace_back([&, self] {
      if (self != who) {
        program.run(self, world.contexts[self], &outcomes[self]);
        return;
      }
      FailingAllocation fault(after);
      program.run(self, world.contexts[self], &outcomes[self]);
      hasFailed = fault.hasFailed();
    });
  for (std::thread &thread : threads)
    thread.join();
  return hasFailed;
}

int64_t callsWanted() {
  const char *calls = std::getenv("HLORT_TEST_CALLS");
  return calls ? std::atoll(calls) : 20000;
}

bool isLong() { return callsWanted() >= 1000000; }

bool isGood(const std::vector<hlort_status> &outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(),
                     [](const hlort_status &status) { return status.code == HLORT_OK; });
}

class Memory : public testing::TestWithParam<bool> {};

TEST_P(Memory, AnyRequestMayFailInARun) {
  World world(makeCommunicator(GetParam()), 300);
  Program program;
  std::vector<hlort_status> outcomes;
  int64_t faults = 0;
  for (int32_t who = 0; who < kParticipants; ++who)
    for (int64_t after = who; runOnce(program, world, outcomes, who, after); ++faults) {
      after += isLong() ? 1 : 7;
      for (const hlort_status &status : outcomes)
        EXPECT_TRUE(status.code == HLORT_OK || status.code == HLORT_OUT_OF_MEMORY ||
                    status.code == HLORT_CANCELLED || status.code == HLORT_DEADLINE_EXCEEDED)
            << status.message;
      // Who did not begin a run is in step again by the second one; a busy machine makes some late.
      for (int run = 0; run < 5 && (run == 0 || !isGood(outcomes)); ++run)
        runOnce(program, world, outcomes);
      ASSERT_TRUE(isGood(outcomes)) << "after request " << after << " of " << who;
    }
  EXPECT_GT(faults, 50);
}

// What the communicator's thread has no memory for, the participant is told by its done.
TEST(MemoryMeanwhile, AnyRequestMayFail) {
  World world(makeCommunicator(/*isOverMessages=*/true), 300);
  Program program;
  std::vector<hlort_status> outcomes;
  int64_t faults = 0;
  for (int64_t after = 0, missed = 0; missed < 3; ++after) {
    bool hasFailed;
    {
      FailingAllocationElsewhere fault(after);
      program.between = [&] { // leaves the thread some time
        FailingAllocationElsewhere::ofTest();
        if (!fault.hasFailed())
          std::this_thread::sleep_for(std::chrono::microseconds(200));
      };
      outcomes.assign(kParticipants, {});
      std::vector<std::thread> threads;
      for (int32_t self = 0; self < kParticipants; ++self)
        threads.emplace_back([&, self] {
          FailingAllocationElsewhere::ofTest();
          program.run(self, world.contexts[self], &outcomes[self]);
        });
      for (std::thread &thread : threads)
        thread.join();
      hasFailed = fault.hasFailed();
    }
    program.between = [] {};
    faults += hasFailed;
    missed += !hasFailed;
    for (const hlort_status &status : outcomes)
      EXPECT_TRUE(status.code == HLORT_OK || status.code == HLORT_OUT_OF_MEMORY ||
                  status.code == HLORT_CANCELLED || status.code == HLORT_DEADLINE_EXCEEDED)
          << status.message;
    EXPECT_EQ(isGood(outcomes), !hasFailed);
    for (int run = 0; run < 5 && (run == 0 || !isGood(outcomes)); ++run)
      runOnce(program, world, outcomes);
    ASSERT_TRUE(isGood(outcomes)) << "after request " << after;
  }
  EXPECT_GT(faults, 0);
}

TEST_P(Memory, AnyRequestMayFailWhenJoining) {
  int64_t before = countLiveBlocks();
  for (int64_t after = 0;; ++after) {
    hlort_transport transport = QueueTransport::make(kParticipants);
    FailingAllocation fault(after);
    hlort_status status{};
    hlort_communicator *all = GetParam() ? hlort_communicator_create(&transport, &status)
                                         : hlort_in_process_create(kParticipants, &status);
    if (!all || !GetParam()) // else the communicator does
      transport.destroy(transport.user);
    hlort_context *context = hlort_context_create(nullptr, &status);
    if (all && context)
      hlort_context_join(context, all, 1, nullptr, &status);
    // That it has joined is not told where there is no memory for that.
    EXPECT_TRUE(status.code == HLORT_OK || status.code == HLORT_OUT_OF_MEMORY) << status.message;
    if (all && context && status.code) // it can try again
      EXPECT_EQ(hlort_context_join(context, all, 1, nullptr, nullptr), HLORT_OK);
    hlort_context_destroy(context);
    hlort_communicator_destroy(all);
    EXPECT_EQ(countLiveBlocks(), before) << "after request " << after;
    if (!fault.hasFailed())
      break;
  }
}

/// Calls `some`, which makes `calls` calls, until that many have been made. The memory in use after
/// a quarter of them is that at the end, but for a few blocks that depend on timing.
void expectNoGrowth(int64_t calls, const std::function<void()> &some) {
  int64_t done = 0, blocks = 0;
  while (done < callsWanted()) {
    some();
    done += calls;
    if (!blocks && done >= callsWanted() / 4)
      blocks = countLiveBlocks();
  }
  EXPECT_LE(countLiveBlocks(), blocks + 200);
}

TEST_P(Memory, DoesNotGrowWithCalls) {
  World world(makeCommunicator(GetParam()), 60000);
  Program program;
  constexpr int kRuns = 10;
  std::barrier gate(kParticipants + 1);
  std::atomic<bool> more = true;
  std::vector<std::thread> threads;
  for (int32_t self = 0; self < kParticipants; ++self)
    threads.emplace_back([&, self] {
      while (gate.arrive_and_wait(), more) {
        for (int run = 0; run < kRuns; ++run) {
          hlort_status status{};
          EXPECT_EQ(program.run(self, world.contexts[self], &status), HLORT_OK) << status.message;
        }
        gate.arrive_and_wait();
      }
    });
  expectNoGrowth(kRuns * int64_t(program.size()), [&] {
    gate.arrive_and_wait();
    gate.arrive_and_wait();
  });
  more = false;
  gate.arrive_and_wait();
  for (std::thread &thread : threads)
    thread.join();
}

// Meetings are what a collective between threads needs; new ones would make the threads wait for
// each other in the heap.
TEST(MemoryMeetings, AreUsedAgain) {
  World world(makeCommunicator(/*isOverMessages=*/false), 60000);
  Program program;
  std::vector<hlort_status> outcomes;
  for (int run = 0; run < 20; ++run)
    runOnce(program, world, outcomes);
  int64_t before = countAlignedRequests();
  for (int run = 0; run < 20; ++run)
    runOnce(program, world, outcomes);
  ASSERT_TRUE(isGood(outcomes));
  EXPECT_LE(countAlignedRequests(), before + 20) << "of " << 20 * program.size() << " meetings";
}

TEST_P(Memory, DoesNotGrowWithFailures) {
  World world(makeCommunicator(GetParam()), 10000);
  hlort_program program = makeProgram(kParticipants);
  int64_t who = 0;
  // Threads are made each time: fewer calls.
  auto failOnce = [&] {
    for (int i = 0; i < 20; ++i) {
      auto outcomes =
          world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
            Shape shape{HLORT_F32, {3000}};
            Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
            Descriptor descriptor(sum, program);
            Side side(sum, makeOperands(sum, 1, 0)[0]);
            if (self == who % kParticipants)
              return hlort_status_set(status, HLORT_CALL_FAILED, "no more paper");
            return hlort_collective_run(context, &descriptor.what, side.operandPointers.data(),
                                        side.resultPointers.data(), status);
          });
      for (const hlort_status &status : outcomes)
        EXPECT_TRUE(status.code == HLORT_CALL_FAILED || status.code == HLORT_CANCELLED)
            << status.message;
    }
    ++who;
  };
  expectNoGrowth(100, failOnce);
}

static std::string nameOf(const testing::TestParamInfo<bool> &info) {
  return info.param ? "Messages" : "InProcess";
}
INSTANTIATE_TEST_SUITE_P(Communicators, Memory, testing::Bool(), nameOf);

//===- Transfers -----------------------------------------------------------------------------===//

/// The host puts an array, the module takes it and gives it back, the host takes it.
int32_t passThrough(hlort_context *context, hlort_status *status) {
  int64_t size = 5;
  float sent[5] = {1, 2, 3, 4, 5}, inside[5], got[5];
  hlort_buffer from{HLORT_F32, 1, &size, nullptr, sent};
  hlort_buffer module{HLORT_F32, 1, &size, nullptr, inside};
  hlort_buffer to{HLORT_F32, 1, &size, nullptr, got};
  hlort_transfer in{"in", "test.hlo:1:1", HLORT_INFEED, 0, 0, 1, &module};
  hlort_transfer out{"out", "test.hlo:2:1", HLORT_OUTFEED, 0, 0, 1, &module};
  int32_t code = hlort_queue_put(context, HLORT_INFEED, 0, 1, &from, 0, status);
  if (!code)
    code = hlort_transfer_run(context, &in, status);
  if (!code)
    code = hlort_transfer_run(context, &out, status);
  if (!code)
    code = hlort_queue_receive(context, HLORT_OUTFEED, 0, 1, &to, 0, status);
  if (!code)
    EXPECT_EQ(got[4], 5);
  return code;
}

TEST(TransferMemory, AnyRequestMayFail) {
  for (int64_t after = 0;; ++after) {
    hlort_context *context = hlort_context_create(nullptr, nullptr);
    hlort_status status{};
    bool hasFailed;
    {
      FailingAllocation fault(after);
      int32_t code = passThrough(context, &status);
      hasFailed = fault.hasFailed();
      EXPECT_EQ(code, hasFailed ? HLORT_OUT_OF_MEMORY : HLORT_OK) << status.message;
    }
    hlort_context_destroy(context);
    if (!hasFailed)
      break;
  }
}

TEST(TransferMemory, DoesNotGrowWithCalls) {
  hlort_context *context = hlort_context_create(nullptr, nullptr);
  expectNoGrowth(4, [&] {
    hlort_status status{};
    ASSERT_EQ(passThrough(context, &status), HLORT_OK) << status.message;
  });
  hlort_context_destroy(context);
}

} // namespace
