// SPDX-License-Identifier: Apache-2.0
// One participant misbehaves at each kind of operation: it fails, ends its run, leaves or comes too
// late. The others are notified, and the next run works. Runs are cancelled at any time, and a
// communicator's functions fail at any call.

#include "QueueTransport.h"
#include "World.h"

#include <atomic>
#include <set>

using namespace hloc::test;

namespace {

constexpr int32_t kParticipants = 3;
constexpr int64_t kShort = 200, kLong = 60000; // deadlines in milliseconds

/// One operation of each kind and form, some that are long, and an all-reduce of everybody after
/// each.
std::vector<Operation> oneOfEach() {
  std::set<std::pair<std::string, bool>> known;
  std::vector<Operation> result;
  Shape shape{HLORT_F32, {3}}, part{HLORT_F32, {9000}}, whole{HLORT_F32, {kParticipants * 9000}};
  Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
  Operation longSum{"long sum", HLORT_ALL_REDUCE, {part}, {part}};
  Operation longGather{"long gather", HLORT_ALL_GATHER, {part}, {whole}};
  result.insert(result.end(), {longSum, sum, longGather, sum});
  for (const Operation &operation : makeOperations(kParticipants))
    if (known.emplace(operation.name, operation.isInPlace).second)
      result.insert(result.end(), {operation, sum});
  return result;
}

int32_t runOne(const Operation &operation, const hlort_program &program, int64_t self,
               hlort_context *context, hlort_status *status) {
  Descriptor descriptor(operation, program);
  Side side(operation, makeOperands(operation, kParticipants, 0)[self]);
  hlort_ticket *ticket = nullptr;
  int32_t code = hlort_collective_start(context, &descriptor.what, side.operandPointers.data(),
                                        side.resultPointers.data(), &ticket, status);
  return code ? code : hlort_collective_done(context, ticket, status);
}

/// Runs until everybody is in step again: two runs, but a busy machine makes some late.
void expectRecovery(World &world) {
  Shape shape{HLORT_F32, {3}};
  Operation sum{"sum", HLORT_ALL_REDUCE, {shape}, {shape}};
  hlort_program program = makeProgram(kParticipants);
  bool isGood = false;
  for (int run = 0; run < 10 && !isGood; ++run) {
    isGood = true;
    for (const hlort_status &status :
         world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
           return runOne(sum, program, self, context, status);
         }))
      isGood &= status.code == HLORT_OK;
  }
  EXPECT_TRUE(isGood);
}

hlort_communicator *makeCommunicator(bool isOverMessages) {
  return isOverMessages ? QueueTransport::create(kParticipants)
                        : hlort_in_process_create(kParticipants, nullptr);
}

class EveryOperation : public testing::TestWithParam<bool> {
protected:
  explicit EveryOperation(int64_t deadline = kLong)
      : world(makeCommunicator(GetParam()), deadline) {}

  /// Everybody comes to all operations, but participant 1, which instead of one of them does what
  /// `instead` says.
  using Instead = std::function<int32_t(hlort_context *, hlort_status *)>;
  std::vector<hlort_status> runBut(size_t wrong, const Instead &instead) {
    return world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
      for (size_t i = wrong; i < operations.size(); ++i) {
        if (self == 1 && i == wrong)
          return instead(context, status);
        if (int32_t code = runOne(operations[i], program, self, context, status))
          return code;
      }
      return int32_t(HLORT_OK);
    });
  }
  void expectFailures(const std::vector<hlort_status> &outcomes, size_t wrong) {
    for (int self : {0, 2})
      EXPECT_NE(outcomes[self].code, HLORT_OK) << operations[wrong].name;
  }

  World world;
  hlort_program program = makeProgram(kParticipants);
  std::vector<Operation> operations = oneOfEach();
};

/// Participants do not wait for long.
class EveryOperationSoon : public EveryOperation {
protected:
  EveryOperationSoon() : EveryOperation(kShort) {}
};

TEST_P(EveryOperation, AParticipantFails) {
  for (size_t wrong = 0; wrong < operations.size(); wrong += 2) {
    auto outcomes = runBut(wrong, [](hlort_context *, hlort_status *status) {
      return hlort_status_set(status, HLORT_CALL_FAILED, "no more paper");
    });
    for (int self : {0, 2}) {
      EXPECT_EQ(outcomes[self].code, HLORT_CANCELLED) << operations[wrong].name;
      EXPECT_NE(std::string(outcomes[self].message).find("no more paper"), std::string::npos);
    }
    expectRecovery(world);
  }
}

TEST_P(EveryOperationSoon, AParticipantEndsItsRun) {
  for (size_t wrong = 0; wrong < operations.size(); wrong += 2) {
    expectFailures(runBut(wrong, [](auto...) { return int32_t(HLORT_OK); }), wrong);
    expectRecovery(world);
  }
}

TEST_P(EveryOperationSoon, AParticipantLeaves) {
  for (size_t wrong = 0; wrong < operations.size(); wrong += 2) {
    auto outcomes = runBut(wrong, [&](hlort_context *context, hlort_status *status) {
      hlort_program_end(context, &program, HLORT_OK, status);
      hlort_context_leave(context);
      return int32_t(HLORT_OK);
    });
    expectFailures(outcomes, wrong);
    hlort_context_destroy(world.contexts[1]);
    world.join(1);
    expectRecovery(world);
  }
}

TEST_P(EveryOperationSoon, AParticipantComesTooLate) {
  for (size_t wrong = 0; wrong < operations.size(); wrong += 2) {
    auto outcomes = runBut(wrong, [&](hlort_context *context, hlort_status *status) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kShort * 2));
      for (size_t i = wrong; i < operations.size(); ++i)
        if (int32_t code = runOne(operations[i], program, 1, context, status))
          return code;
      return int32_t(HLORT_OK);
    });
    EXPECT_NE(outcomes[1].code, HLORT_OK) << operations[wrong].name;
    expectFailures(outcomes, wrong);
    expectRecovery(world);
  }
}

TEST_P(EveryOperation, CancelledAtAnyTime) {
  for (uint32_t repeat = 0; repeat < 100; ++repeat) {
    std::mt19937 random(repeat);
    auto pause = std::chrono::microseconds(random() % 3000);
    hlort_context *context = world.contexts[random() % kParticipants];
    std::thread canceller([&] {
      std::this_thread::sleep_for(pause);
      hlort_context_cancel(context, "shutting down");
    });
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          int32_t code = HLORT_OK;
          for (size_t i = 0; i < operations.size() && !code; ++i)
            code = runOne(operations[i], program, self, context, status);
          return code;
        });
    canceller.join();
    for (const hlort_status &status : outcomes)
      EXPECT_TRUE(status.code == HLORT_OK || status.code == HLORT_CANCELLED) << status.message;
    expectRecovery(world);
  }
}

static std::string nameOf(const testing::TestParamInfo<bool> &info) {
  return info.param ? "Messages" : "InProcess";
}
INSTANTIATE_TEST_SUITE_P(Communicators, EveryOperation, testing::Bool(), nameOf);
INSTANTIATE_TEST_SUITE_P(Communicators, EveryOperationSoon, testing::Bool(), nameOf);

//===- Functions of a communicator that fail -------------------------------------------------===//

/// A transport of which one call of one function fails.
class FailingTransport {
public:
  enum Function { Send, Receive, Test };

  static hlort_communicator *create(std::shared_ptr<FailingTransport> self) {
    hlort_transport transport = self->inner;
    transport.user = new std::shared_ptr<FailingTransport>(std::move(self));
    transport.send = [](void *user, int32_t self, int32_t peer, hlort_tag tag, const void *data,
                        int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
      FailingTransport &all = of(user);
      return all.fails(Send, status)
                 ? status->code
                 : all.inner.send(all.inner.user, self, peer, tag, data, bytes, transfer, status);
    };
    transport.receive = [](void *user, int32_t self, int32_t peer, hlort_tag tag, void *data,
                           int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
      FailingTransport &all = of(user);
      return all.fails(Receive, status) ? status->code
                                        : all.inner.receive(all.inner.user, self, peer, tag, data,
                                                            bytes, transfer, status);
    };
    transport.test = [](void *user, int32_t self, hlort_delivery *transfer, int32_t *done,
                        int64_t *bytes, hlort_status *status) {
      FailingTransport &all = of(user);
      if (!all.fails(Test, status))
        return all.inner.test(all.inner.user, self, transfer, done, bytes, status);
      all.inner.cancel(all.inner.user, self, transfer);
      return status->code;
    };
    transport.cancel = [](void *user, int32_t self, hlort_delivery *transfer) {
      of(user).inner.cancel(of(user).inner.user, self, transfer);
    };
    transport.discard = [](void *user, int32_t self, uint64_t conversation) {
      of(user).inner.discard(of(user).inner.user, self, conversation);
    };
    transport.destroy = [](void *user) {
      of(user).inner.destroy(of(user).inner.user);
      delete static_cast<std::shared_ptr<FailingTransport> *>(user);
    };
    return hlort_communicator_create(&transport, nullptr);
  }

  /// The call of that function after `calls` others fails.
  void failOnce(Function which, int64_t calls) {
    function = which;
    untilFailure = calls;
  }
  bool hasFailed() const { return untilFailure < 0; }

private:
  static FailingTransport &of(void *user) {
    return **static_cast<std::shared_ptr<FailingTransport> *>(user);
  }
  bool fails(Function which, hlort_status *status) {
    if (which != function || untilFailure < 0 || untilFailure-- != 0)
      return false;
    hlort_status_set(status, HLORT_CALL_FAILED, "the wire is cut");
    return true;
  }

  hlort_transport inner = QueueTransport::make(kParticipants);
  std::atomic<int> function = Send;
  std::atomic<int64_t> untilFailure = -1;
};

/// Whether it came to the failure.
bool expectOneFault(FailingTransport &transport, World &world,
                    const std::vector<Operation> &operations, FailingTransport::Function function,
                    int64_t calls) {
  hlort_program program = makeProgram(kParticipants);
  transport.failOnce(function, calls);
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        int32_t code = HLORT_OK;
        for (size_t i = 0; i < operations.size() && !code; ++i)
          code = runOne(operations[i], program, self, context, status);
        return code;
      });
  bool hasFailed = transport.hasFailed();
  transport.failOnce(function, -1);
  for (const hlort_status &status : outcomes)
    EXPECT_TRUE(status.code == HLORT_OK || status.code == HLORT_CALL_FAILED ||
                status.code == HLORT_CANCELLED || status.code == HLORT_DEADLINE_EXCEEDED)
        << status.message;
  expectRecovery(world);
  return hasFailed;
}

TEST(FailingTransport, AnyCallMayFail) {
  auto transport = std::make_shared<FailingTransport>();
  World world(FailingTransport::create(transport), kShort);
  std::vector<Operation> operations = oneOfEach();
  for (auto function : {FailingTransport::Send, FailingTransport::Receive})
    for (int64_t calls = 0; expectOneFault(*transport, world, operations, function, calls);)
      ++calls;
  // How often is asked depends on timing.
  for (int64_t calls = 0; calls < 200; ++calls)
    expectOneFault(*transport, world, operations, FailingTransport::Test, calls * 3);
}

} // namespace
