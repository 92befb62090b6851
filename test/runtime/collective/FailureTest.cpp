// SPDX-License-Identifier: Apache-2.0
// Participants that come late, fail, leave, are cancelled or do something else: the others are
// notified, and the next run works.

#include "QueueTransport.h"
#include "World.h"

#include <atomic>

using namespace hloc::test;

namespace {

/// An all-reduce of three floats, and what may be done instead of it.
class Failure : public testing::TestWithParam<bool> {
protected:
  explicit Failure(int64_t deadlineMilliseconds = 60000)
      : world(isOverMessages() ? QueueTransport::create(3) : hlort_in_process_create(3, nullptr),
              deadlineMilliseconds) {}

  static bool isOverMessages() { return GetParam(); }

  int32_t reduce(hlort_context *context, hlort_status *status, const Operation &operation) {
    Descriptor descriptor(operation, program);
    Side side(operation, makeOperands(operation, 1, 0)[0]);
    return hlort_collective_run(context, &descriptor.what, side.operandPointers.data(),
                                side.resultPointers.data(), status);
  }
  int32_t reduce(hlort_context *context, hlort_status *status) {
    return reduce(context, status, sum);
  }

  /// All that is there works again.
  void expectGoodRun() { expectDefinitions(world, {sum, sum}); }

  /// Over messages the first whose deadline is over tells the others.
  static void expectTooLate(const hlort_status &status) {
    EXPECT_TRUE(status.code == HLORT_DEADLINE_EXCEEDED ||
                (isOverMessages() && status.code == HLORT_CANCELLED))
        << status.message;
  }

  static bool contains(const hlort_status &status, const char *text) {
    return std::string(status.message).find(text) != std::string::npos;
  }

  World world;
  hlort_program program = makeProgram(3);
  Operation sum{"sum", HLORT_ALL_REDUCE, {{HLORT_F32, {3}}}, {{HLORT_F32, {3}}}};
};

/// Participants do not wait for long.
class Deadline : public Failure {
protected:
  Deadline() : Failure(1000) {}
};

TEST_P(Deadline, NamesTheOperationAndWhoIsMissing) {
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        if (self == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1500));
          int32_t code = reduce(context, status);
          EXPECT_EQ(code, HLORT_CANCELLED);
          return code;
        }
        return reduce(context, status);
      });
  for (int self : {0, 2}) {
    expectTooLate(outcomes[self]);
    EXPECT_TRUE(contains(outcomes[self], "all-reduce 'sum' (test.hlo:1:1): participant 1 did not "
                                         "come within 1000 ms"))
        << outcomes[self].message;
  }
  EXPECT_TRUE(contains(outcomes[1], "participant 1 did not come")) << outcomes[1].message;
  expectGoodRun();
}

TEST_P(Deadline, AParticipantThatMissedARunIsBackInStep) {
  world.here = {0, 2};
  for (int i = 0; i < 2; ++i) {
    auto outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
      return reduce(context, status);
    });
    expectTooLate(outcomes[0]);
    if (!isOverMessages())
      EXPECT_TRUE(contains(outcomes[0], "participant 1 is not in this run")) << outcomes[0].message;
  }
  world.here = {0, 1, 2};
  auto outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
    return reduce(context, status);
  });
  EXPECT_EQ(outcomes[1].code, HLORT_CANCELLED);
  EXPECT_TRUE(contains(outcomes[1], "participant 1 did not come")) << outcomes[1].message;
  expectGoodRun();
}

TEST_P(Failure, AFailingParticipantFailsTheOthersAtOnce) {
  for (int64_t who : {0, 1, 2}) {
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          if (self == who)
            return hlort_status_set(status, HLORT_CALL_FAILED, "no more paper");
          return reduce(context, status);
        });
    for (int64_t self = 0; self < 3; ++self) {
      EXPECT_EQ(outcomes[self].code, self == who ? HLORT_CALL_FAILED : HLORT_CANCELLED);
      EXPECT_TRUE(contains(outcomes[self], "no more paper")) << outcomes[self].message;
    }
    expectGoodRun();
  }
}

TEST_P(Failure, OperationsUnderWayAreGivenUp) {
  for (bool othersCome : {false, true}) {
    std::atomic<bool> isStarted = false;
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          while (self != 0 && !isStarted)
            std::this_thread::yield();
          if (self != 0)
            return othersCome ? reduce(context, status) : int32_t(HLORT_OK);
          Descriptor descriptor(sum, program);
          Side side(sum, makeOperands(sum, 1, 0)[0]);
          hlort_ticket *ticket;
          EXPECT_EQ(hlort_collective_start(context, &descriptor.what, side.operandPointers.data(),
                                           side.resultPointers.data(), &ticket, status),
                    HLORT_OK);
          isStarted = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          // `side` must live until the end of the run, which is here.
          hlort_status failure{};
          hlort_status_set(status, HLORT_CALL_FAILED, "lost");
          int32_t code = hlort_program_end(context, &program, HLORT_CALL_FAILED, &failure);
          return code;
        });
    EXPECT_EQ(outcomes[0].code, HLORT_CALL_FAILED);
    expectGoodRun();
  }
}

TEST_P(Failure, DifferentOperationsAreToldWithBothPlaces) {
  Operation gather{"other", HLORT_ALL_GATHER, {{HLORT_F32, {3}}}, {{HLORT_F32, {9}}}};
  Operation wider{"wider", HLORT_ALL_REDUCE, {{HLORT_F32, {4}}}, {{HLORT_F32, {4}}}};
  for (const auto &[other, why] :
       {std::pair{gather, "they are not the same operation"}, std::pair{wider, "their shapes"}}) {
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          return reduce(context, status, self == 1 ? other : sum);
        });
    int told = 0;
    for (const hlort_status &status : outcomes) {
      EXPECT_NE(status.code, HLORT_OK);
      EXPECT_TRUE(contains(status, why)) << status.message;
      EXPECT_TRUE(contains(status, "all-reduce 'sum' (test.hlo:1:1)")) << status.message;
      EXPECT_TRUE(contains(status, ("'" + other.name + "'").c_str())) << status.message;
      told += status.code == HLORT_INVALID_ARGUMENT;
    }
    EXPECT_GE(told, 1);
    expectGoodRun();
  }
}

TEST_P(Failure, DifferentRootsAreTold) {
  Operation rooted{"rooted",
                   HLORT_COLLECTIVE_BROADCAST,
                   {{HLORT_F32, {3}}, {HLORT_S32, {}}},
                   {{HLORT_F32, {3}}}};
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        Operation mine = rooted;
        mine.integers = {{1, {{self == 0 ? 0 : 1}}}};
        return reduce(context, status, mine);
      });
  // Over messages, participant 0 sends to the others and is sent nothing.
  if (!isOverMessages())
    EXPECT_TRUE(contains(outcomes[0], "their roots differ")) << outcomes[0].message;
  rooted.integers = {{1, {{3}}}};
  outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
    return reduce(context, status, rooted);
  });
  EXPECT_TRUE(contains(outcomes[0], "root 3 is not a member")) << outcomes[0].message;
  expectGoodRun();
}

TEST_P(Failure, SlicesOutsideTheirArraysAreRefused) {
  Shape rows{HLORT_F32, {4}}, numbers{HLORT_S32, {3}};
  Operation ragged{
      "ragged", HLORT_RAGGED_ALL_TO_ALL, {rows, rows, numbers, numbers, numbers, numbers}, {rows}};
  ragged.integers = {{2, {{0, 0, 0}}}, {3, {{1, 1, 1}}}, {4, {{3, 3, 4}}}, {5, {{1, 1, 1}}}};
  auto outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
    return reduce(context, status, ragged);
  });
  for (const hlort_status &status : outcomes) {
    EXPECT_TRUE(status.code == HLORT_INVALID_ARGUMENT ||
                (isOverMessages() && status.code == HLORT_CANCELLED));
    EXPECT_TRUE(contains(status, "is outside")) << status.message;
  }
  expectGoodRun();
}

TEST_P(Deadline, WhoEndsEarlyFailsTheOthers) {
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        return self == 2 ? int32_t(HLORT_OK) : reduce(context, status);
      });
  EXPECT_EQ(outcomes[2].code, HLORT_OK);
  for (int self : {0, 1})
    EXPECT_TRUE(contains(outcomes[self],
                         isOverMessages() ? "participant 2 did not come"
                                          : "participant 2 has ended its run without coming to it"))
        << outcomes[self].message;
  expectGoodRun();
}

TEST_P(Deadline, WhoLeavesFailsTheOthersUntilItIsBack) {
  world.here = {0, 2};
  std::thread leaver([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    hlort_context_leave(world.contexts[1]);
  });
  for (int i = 0; i < 2; ++i) {
    auto outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
      return reduce(context, status);
    });
    for (int self : {0, 2})
      EXPECT_TRUE(contains(outcomes[self], "participant 1 has left")) << outcomes[self].message;
  }
  leaver.join();
  hlort_context_destroy(world.contexts[1]);
  world.join(1);
  world.here = {0, 1, 2};
  if (isOverMessages()) // participant 1 may hear of the failed runs only now
    world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
      return reduce(context, status);
    });
  expectGoodRun();
}

TEST_P(Failure, AnotherThreadCancels) {
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    hlort_context_cancel(world.contexts[0], "shutting down");
  });
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        if (self == 2)
          std::this_thread::sleep_for(std::chrono::milliseconds(150));
        return reduce(context, status);
      });
  canceller.join();
  for (const hlort_status &status : outcomes) {
    EXPECT_EQ(status.code, HLORT_CANCELLED);
    EXPECT_TRUE(contains(status, "participant 0 was cancelled: shutting down")) << status.message;
  }
  expectGoodRun();
}

TEST_P(Failure, WrongNumbersOfParticipantsAreRefused) {
  hlort_program four = makeProgram(4);
  hlort_status status{};
  EXPECT_EQ(hlort_program_begin(world.contexts[0], &four, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(status, "compiled for 4 participants")) << status.message;
  EXPECT_TRUE(contains(status, "is one of 3")) << status.message;
  EXPECT_EQ(hlort_program_begin(nullptr, &four, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(status, "has joined no communicator")) << status.message;
  EXPECT_EQ(hlort_context_join(world.contexts[0], world.communicator, 0, nullptr, &status),
            HLORT_INVALID_ARGUMENT);
  hlort_context *context = hlort_context_create(nullptr, nullptr);
  EXPECT_EQ(hlort_context_join(context, world.communicator, 0, nullptr, &status),
            HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_context_join(context, world.communicator, 3, nullptr, &status),
            HLORT_INVALID_ARGUMENT);
  hlort_context_destroy(context);
}

TEST_P(Failure, AProgramRunsOnceAtATimeOnAParticipant) {
  hlort_status status{};
  ASSERT_EQ(hlort_program_begin(world.contexts[0], &program, &status), HLORT_OK);
  EXPECT_EQ(hlort_program_begin(world.contexts[0], &program, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_program_end(world.contexts[0], &program, HLORT_CANCELLED, &status),
            HLORT_CANCELLED);
  world.here = {1, 2};
  auto outcomes = world.run(program, [&](int64_t, hlort_context *context, hlort_status *status) {
    return reduce(context, status);
  });
  EXPECT_EQ(outcomes[1].code, HLORT_CANCELLED);
  EXPECT_EQ(outcomes[2].code, HLORT_CANCELLED);
  world.here = {0, 1, 2};
  expectGoodRun();
}

TEST_P(Failure, AnyParticipantMayFailAtAnyOperation) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::mt19937 random(repeat);
    int64_t who = random() % 3, when = random() % 5;
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          for (int64_t i = 0; i < 5; ++i) {
            if (self == who && i == when)
              return hlort_status_set(status, HLORT_CALL_FAILED, "failed at %d", int(i));
            if (int32_t code = reduce(context, status))
              return code;
          }
          return int32_t(HLORT_OK);
        });
    for (int64_t self = 0; self < 3; ++self)
      EXPECT_EQ(outcomes[self].code, self == who ? HLORT_CALL_FAILED : HLORT_CANCELLED);
    if (repeat % 10 == 0)
      expectGoodRun();
  }
}

static std::string nameOf(const testing::TestParamInfo<bool> &info) {
  return info.param ? "Messages" : "InProcess";
}
INSTANTIATE_TEST_SUITE_P(Communicators, Failure, testing::Bool(), nameOf);
INSTANTIATE_TEST_SUITE_P(Communicators, Deadline, testing::Bool(), nameOf);

} // namespace
