// SPDX-License-Identifier: Apache-2.0
// Sends and receives between participants, in process and over messages.

#include "QueueTransport.h"
#include "World.h"

#include <atomic>
#include <functional>
#include <numeric>

using namespace hloc::test;

namespace {

const Shape kSmall{HLORT_F32, {3}}, kLarge{HLORT_S16, {5000}}, kPacked{HLORT_S4, {7}};

/// Descriptors are constant data of an object: they live until the process ends.
Descriptor &makeDescriptor(const Operation &operation, const hlort_program &program) {
  static std::mutex mutex;
  static std::deque<Descriptor> all;
  std::lock_guard lock(mutex);
  return all.emplace_back(operation, program);
}

/// A send or a recv of arrays of those shapes.
class Half {
public:
  Half(const hlort_program &program, hlort_collective_kind kind, std::vector<Shape> shapes,
       Index pairs, int64_t channel = 1)
      : operation{kind == HLORT_PEER_SEND ? "out" : "in", kind, {}, {}}, shapes(std::move(shapes)) {
    (kind == HLORT_PEER_SEND ? operation.operands : operation.results) = this->shapes;
    operation.pairs = std::move(pairs);
    descriptor = &makeDescriptor(operation, program);
    descriptor->what.has_channel = 1;
    descriptor->what.channel = channel;
    for (const Shape &shape : this->shapes)
      arrays.emplace_back(shape.bytes());
  }

  void fill(int seed) {
    for (Bytes &bytes : arrays)
      std::iota(bytes.begin(), bytes.end(), uint8_t(seed));
    for (size_t i = 0; i < shapes.size(); ++i)
      clearPadding(shapes[i], arrays[i]);
  }
  void clear() {
    for (Bytes &bytes : arrays)
      std::fill(bytes.begin(), bytes.end(), 0xcc);
  }
  /// What `fill` with that seed would give.
  void expect(int seed) {
    std::vector<Bytes> got = arrays;
    fill(seed);
    for (size_t i = 0; i < shapes.size(); ++i) {
      clearPadding(shapes[i], got[i]);
      EXPECT_TRUE(got[i] == arrays[i]) << "array " << i;
    }
  }

  int32_t start(hlort_context *context, hlort_status *status) {
    pointers.clear();
    for (Bytes &bytes : arrays)
      pointers.push_back(bytes.data());
    return hlort_collective_start(context, &descriptor->what, pointers.data(), pointers.data(),
                                  &ticket, status);
  }
  int32_t done(hlort_context *context, hlort_status *status) {
    return hlort_collective_done(context, ticket, status);
  }
  int32_t run(hlort_context *context, hlort_status *status) {
    int32_t code = start(context, status);
    return code ? code : done(context, status);
  }

  std::vector<Bytes> arrays;

private:
  Operation operation;
  std::vector<Shape> shapes;
  Descriptor *descriptor;
  std::vector<void *> pointers;
  hlort_ticket *ticket = nullptr;
};

class Peers : public testing::TestWithParam<bool> {
protected:
  explicit Peers(int64_t deadlineMilliseconds = 60000)
      : world(makeWorld(3, deadlineMilliseconds)) {}

  static World makeWorld(int32_t participants, int64_t deadlineMilliseconds = 60000) {
    return {GetParam() ? QueueTransport::create(participants)
                       : hlort_in_process_create(participants, nullptr),
            deadlineMilliseconds};
  }

  using Body = std::function<int32_t(int64_t, hlort_context *, hlort_status *)>;
  void expectGood(const Body &body) {
    for (const hlort_status &status : world.run(program, body))
      EXPECT_EQ(status.code, HLORT_OK) << status.message;
  }
  static bool contains(const hlort_status &status, const char *text) {
    return std::string(status.message).find(text) != std::string::npos;
  }
  /// The next run works.
  void expectGoodRun() {
    expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
      Half out(program, HLORT_PEER_SEND, {kSmall}, ring),
          in(program, HLORT_PEER_RECV, {kSmall}, ring);
      out.fill(int(self));
      int32_t code = out.run(context, status);
      if (code == HLORT_OK)
        code = in.run(context, status);
      in.expect(int((self + 2) % 3));
      return code;
    });
  }

  World world;
  hlort_program program = makeProgram(3);
  const Index ring{0, 1, 1, 2, 2, 0}, chain{0, 1, 1, 2};
};

/// Participants do not wait for long.
class PeerDeadline : public Peers {
protected:
  PeerDeadline() : Peers(500) {}
};

TEST_P(Peers, WhoIsNoTargetReceivesZeros) {
  expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
    Half out(program, HLORT_PEER_SEND, {kSmall, kPacked, kLarge}, chain),
        in(program, HLORT_PEER_RECV, {kSmall, kPacked, kLarge}, chain);
    out.fill(int(self) + 1);
    in.clear();
    int32_t code = in.start(context, status);
    code = code ? code : out.run(context, status);
    code = code ? code : in.done(context, status);
    if (self > 0)
      in.expect(int(self));
    else
      for (const Bytes &bytes : in.arrays)
        EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }));
    return code;
  });
}

// Everybody sends before anybody receives, and overwrites what it has sent.
TEST_P(Peers, SendsDoNotWaitForTheirReceivers) {
  for (const Shape &shape : {kSmall, kLarge})
    expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
      Half out(program, HLORT_PEER_SEND, {shape}, ring),
          in(program, HLORT_PEER_RECV, {shape}, ring);
      int32_t code = HLORT_OK;
      for (int i = 0; i < 10 && !code; ++i) {
        out.fill(int(self) + 3 * i);
        code = out.run(context, status);
        out.clear();
      }
      for (int i = 0; i < 10 && !code; ++i) {
        code = in.run(context, status);
        in.expect(int((self + 2) % 3) + 3 * i);
      }
      return code;
    });
}

TEST_P(Peers, ChannelsAreApart) {
  expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
    int32_t code = HLORT_OK;
    for (int64_t channel : {7, 8, 9}) {
      Half out(program, HLORT_PEER_SEND, {kSmall}, ring, channel);
      out.fill(int(self + 10 * channel));
      code = code ? code : out.run(context, status);
    }
    for (int64_t channel : {9, 7, 8}) {
      Half in(program, HLORT_PEER_RECV, {kSmall}, ring, channel);
      code = code ? code : in.run(context, status);
      in.expect(int((self + 2) % 3 + 10 * channel));
    }
    return code;
  });
}

// More than may be kept: senders wait for their receivers, and nothing is lost.
TEST_P(Peers, ManySendsWait) {
  std::atomic<int> sent = 0;
  expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
    Half out(program, HLORT_PEER_SEND, {kSmall}, {0, 1}),
        in(program, HLORT_PEER_RECV, {kSmall}, {0, 1});
    int32_t code = HLORT_OK;
    if (self == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_EQ(sent, 64);
    }
    for (int i = 0; i < 300 && self < 2 && !code; ++i) {
      out.fill(i);
      code = (self == 0 ? out : in).run(context, status);
      if (self == 0)
        ++sent;
      else
        in.expect(i);
    }
    return code;
  });
}

TEST_P(Peers, RandomDelaysDoNotMatter) {
  for (int32_t count : {2, 3, 4, 8}) {
    World world = makeWorld(count);
    hlort_program program = makeProgram(count);
    Index ring;
    for (int64_t i = 0; i < count; ++i)
      ring.insert(ring.end(), {i, (i + 1) % count});
    auto exchange = [&](uint32_t seed, int64_t self, hlort_context *context, hlort_status *status) {
      std::mt19937 random(seed * uint32_t(count) + uint32_t(self));
      Half out(program, HLORT_PEER_SEND, {kLarge, kPacked}, ring),
          in(program, HLORT_PEER_RECV, {kLarge, kPacked}, ring);
      int32_t code = HLORT_OK;
      for (int i = 0; i < 100 && !code; ++i) {
        if (random() % 4 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        out.fill(int(self) + i);
        code = in.start(context, status);
        code = code ? code : out.run(context, status);
        out.clear();
        code = code ? code : in.done(context, status);
        in.expect(int((self + count - 1) % count) + i);
      }
      return code;
    };
    for (uint32_t seed = 0; seed < 4; ++seed)
      for (const hlort_status &status : world.run(program, std::bind_front(exchange, seed)))
        EXPECT_EQ(status.code, HLORT_OK) << status.message;
  }
}

// With collectives and two programs on the same contexts.
TEST_P(Peers, GoTogetherWithCollectives) {
  std::vector<std::thread> programs;
  for (uint64_t fingerprint : {21, 22})
    programs.emplace_back([&, fingerprint] {
      hlort_program other = makeProgram(3, fingerprint);
      Operation sum{"sum", HLORT_ALL_REDUCE, {{HLORT_U8, {3}}}, {{HLORT_U8, {3}}}};
      Descriptor descriptor(sum, other);
      for (const hlort_status &outcome :
           world.run(other, [&](int64_t self, hlort_context *context, hlort_status *status) {
             Half out(other, HLORT_PEER_SEND, {kSmall}, ring),
                 in(other, HLORT_PEER_RECV, {kSmall}, ring);
             int32_t code = HLORT_OK;
             for (int i = 0; i < 50 && !code; ++i) {
               out.fill(int(self) + i);
               code = out.run(context, status);
               Side side(sum, makeOperands(sum, 1, 0)[0]);
               code = code ? code
                           : hlort_collective_run(context, &descriptor.what,
                                                  side.operandPointers.data(),
                                                  side.resultPointers.data(), status);
               code = code ? code : in.run(context, status);
               in.expect(int((self + 2) % 3) + i);
             }
             return code;
           }))
        EXPECT_EQ(outcome.code, HLORT_OK) << outcome.message;
    });
  for (std::thread &each : programs)
    each.join();
}

TEST_P(PeerDeadline, AReceiverWaitsForNoLonger) {
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        if (self == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(800));
        Half in(program, HLORT_PEER_RECV, {kSmall}, {0, 1});
        return self == 1 ? in.run(context, status) : int32_t(HLORT_OK);
      });
  EXPECT_EQ(outcomes[1].code, HLORT_DEADLINE_EXCEEDED) << outcomes[1].message;
  EXPECT_TRUE(
      contains(outcomes[1], "recv 'in' (test.hlo:1:1): participant 0 did not come within 500 ms"))
      << outcomes[1].message;
  expectGoodRun();
}

TEST_P(PeerDeadline, ASenderFailsAtTheEnd) {
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        if (self == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(800));
        Half out(program, HLORT_PEER_SEND, {kSmall}, {0, 1});
        return self == 0 ? out.run(context, status) : int32_t(HLORT_OK);
      });
  EXPECT_EQ(outcomes[0].code, HLORT_DEADLINE_EXCEEDED) << outcomes[0].message;
  EXPECT_TRUE(
      contains(outcomes[0], "send 'out' (test.hlo:1:1): participant 1 did not come within 500 ms"))
      << outcomes[0].message;
  expectGoodRun();
}

TEST_P(PeerDeadline, WhoEndsEarlyFailsItsPartner) {
  for (bool sends : {false, true}) {
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          Half half(program, sends ? HLORT_PEER_SEND : HLORT_PEER_RECV, {kSmall},
                    sends ? Index{0, 1} : Index{1, 0});
          return self == 0 ? half.run(context, status) : int32_t(HLORT_OK);
        });
    EXPECT_NE(outcomes[0].code, HLORT_OK);
    EXPECT_TRUE(contains(outcomes[0], GetParam()
                                          ? "participant 1 did not come within"
                                          : "participant 1 has ended its run without coming to it"))
        << outcomes[0].message;
    expectGoodRun();
  }
}

TEST_P(Peers, OtherShapesAreTold) {
  auto outcomes =
      world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
        Half out(program, HLORT_PEER_SEND, {kSmall}, {0, 1}),
            in(program, HLORT_PEER_RECV, {kLarge}, {0, 1});
        return self == 2 ? int32_t(HLORT_OK) : (self ? in : out).run(context, status);
      });
  for (int self : {0, 1}) {
    EXPECT_NE(outcomes[self].code, HLORT_OK);
    EXPECT_TRUE(contains(outcomes[self], "their shapes")) << outcomes[self].message;
    EXPECT_TRUE(contains(outcomes[self], "'in'") && contains(outcomes[self], "'out'"))
        << outcomes[self].message;
  }
  expectGoodRun();
}

TEST_P(Peers, AFailingParticipantFailsItsPartners) {
  for (int64_t who : {0, 1}) {
    auto outcomes =
        world.run(program, [&](int64_t self, hlort_context *context, hlort_status *status) {
          if (self == who)
            return hlort_status_set(status, HLORT_CALL_FAILED, "no more paper");
          Half out(program, HLORT_PEER_SEND, {kSmall}, {0, 1}),
              in(program, HLORT_PEER_RECV, {kSmall}, {0, 1});
          return self == 2 ? int32_t(HLORT_OK) : (self ? in : out).run(context, status);
        });
    EXPECT_EQ(outcomes[1 - who].code, HLORT_CANCELLED) << outcomes[1 - who].message;
    EXPECT_TRUE(contains(outcomes[1 - who], "no more paper")) << outcomes[1 - who].message;
    if (GetParam()) // participant 2 may hear of the failed run only now
      world.run(program,
                [&](int64_t, hlort_context *, hlort_status *) { return int32_t(HLORT_OK); });
    expectGoodRun();
  }
}

TEST_P(Peers, ToThemselves) {
  expectGood([&](int64_t self, hlort_context *context, hlort_status *status) {
    Half out(program, HLORT_PEER_SEND, {kLarge}, {0, 0, 1, 1, 2, 2}),
        in(program, HLORT_PEER_RECV, {kLarge}, {0, 0, 1, 1, 2, 2});
    out.fill(int(self));
    int32_t code = in.start(context, status);
    code = code ? code : out.run(context, status);
    code = code ? code : in.done(context, status);
    in.expect(int(self));
    return code;
  });
}

TEST(PeersAlone, WhatIsNotSentOrNotReceivedIsTold) {
  hlort_program program = makeProgram(1);
  hlort_context *context = hlort_context_create(nullptr, nullptr);
  Half out(program, HLORT_PEER_SEND, {kSmall}, {0, 0}),
      in(program, HLORT_PEER_RECV, {kSmall}, {0, 0}),
      other(program, HLORT_PEER_RECV, {kLarge}, {0, 0});
  hlort_status status{};
  auto expectEnd = [&](int32_t code, int32_t expected, const char *text) {
    EXPECT_EQ(hlort_program_end(context, &program, code, &status), expected);
    EXPECT_NE(std::string(status.message).find(text), std::string::npos) << status.message;
  };
  ASSERT_EQ(hlort_program_begin(context, &program, &status), HLORT_OK);
  expectEnd(in.run(context, &status), HLORT_INVALID_ARGUMENT,
            "recv 'in' (test.hlo:1:1) waits for data that its own participant has not sent");
  ASSERT_EQ(hlort_program_begin(context, &program, &status), HLORT_OK);
  expectEnd(out.run(context, &status), HLORT_INVALID_ARGUMENT,
            "send 'out' (test.hlo:1:1): its own participant has not received it");
  ASSERT_EQ(hlort_program_begin(context, &program, &status), HLORT_OK);
  EXPECT_EQ(out.run(context, &status), HLORT_OK);
  expectEnd(other.run(context, &status), HLORT_INVALID_ARGUMENT, "their shapes differ");
  ASSERT_EQ(hlort_program_begin(context, &program, &status), HLORT_OK);
  out.fill(5);
  EXPECT_EQ(out.run(context, &status), HLORT_OK);
  EXPECT_EQ(in.run(context, &status), HLORT_OK);
  in.expect(5);
  EXPECT_EQ(hlort_program_end(context, &program, HLORT_OK, &status), HLORT_OK);
  EXPECT_EQ(out.run(nullptr, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message).find("needs a context"), std::string::npos);
  hlort_context_destroy(context);
}

std::string nameOf(const testing::TestParamInfo<bool> &info) {
  return info.param ? "Messages" : "InProcess";
}
INSTANTIATE_TEST_SUITE_P(Communicators, Peers, testing::Bool(), nameOf);
INSTANTIATE_TEST_SUITE_P(Communicators, PeerDeadline, testing::Bool(), nameOf);

} // namespace
