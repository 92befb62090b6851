// SPDX-License-Identifier: Apache-2.0
// Participants on threads of this process, on any communicator.
#ifndef HLOC_TEST_RUNTIME_COLLECTIVE_WORLD_H
#define HLOC_TEST_RUNTIME_COLLECTIVE_WORLD_H

#include "Operation.h"
#include "hlort/communicator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <thread>

namespace hloc::test {

class World {
public:
  /// Takes the communicator. `here`: the participants of this process; empty means all.
  World(hlort_communicator *communicator, int64_t deadlineMilliseconds, Index here = {},
        int32_t threads = 1)
      : communicator(communicator), here(std::move(here)) {
    count = hlort_communicator_participants(communicator);
    if (this->here.empty())
      for (int64_t i = 0; i < count; ++i)
        this->here.push_back(i);
    contexts.resize(count);
    options.deadline_milliseconds = deadlineMilliseconds;
    for (int64_t i : this->here)
      join(i, threads);
  }
  ~World() {
    for (hlort_context *context : contexts)
      hlort_context_destroy(context);
    hlort_communicator_destroy(communicator);
  }
  World(const World &) = delete;

  void join(int64_t participant, int32_t threads = 1) {
    hlort_context_options contextOptions{threads, 0};
    contexts[participant] = hlort_context_create(&contextOptions, nullptr);
    hlort_status status{};
    ASSERT_EQ(hlort_context_join(contexts[participant], communicator, int32_t(participant),
                                 &options, &status),
              HLORT_OK)
        << status.message;
  }

  /// Runs body(participant, context, status) as a run of the program, each on a thread of its own.
  std::vector<hlort_status>
  run(const hlort_program &program,
      const std::function<int32_t(int64_t, hlort_context *, hlort_status *)> &body) {
    std::vector<hlort_status> outcomes(count);
    std::vector<std::thread> threads;
    for (int64_t i : here)
      threads.emplace_back([&, i] {
        hlort_status *status = &outcomes[i];
        int32_t code = hlort_program_begin(contexts[i], &program, status);
        if (code == HLORT_OK)
          code = hlort_program_end(contexts[i], &program, body(i, contexts[i], status), status);
        EXPECT_EQ(status->code, code);
      });
    for (std::thread &thread : threads)
      thread.join();
    return outcomes;
  }

  hlort_communicator *communicator;
  int64_t count;
  Index here;
  std::vector<hlort_context *> contexts;
  hlort_join_options options{};
};

inline hlort_program makeProgram(int64_t participants, uint64_t fingerprint = 1) {
  return {"test", fingerprint, int32_t(participants), 1};
}

/// An operation on one participant's memory.
struct Side {
  Side(const Operation &operation, std::vector<Bytes> values) : operands(std::move(values)) {
    for (Bytes &bytes : operands)
      operandPointers.push_back(bytes.data());
    for (size_t i = 0; i < operation.results.size(); ++i) {
      results.emplace_back(operation.results[i].bytes(), 0xcc);
      int64_t alias = operation.aliasOf(int64_t(i));
      resultPointers.push_back(alias < 0 ? results[i].data() : operands[alias].data());
    }
  }
  void expectResults(const Operation &operation, const std::vector<Bytes> &expected) {
    for (size_t i = 0; i < operation.results.size(); ++i) {
      int64_t alias = operation.aliasOf(int64_t(i));
      Bytes &got = alias < 0 ? results[i] : operands[alias];
      clearPadding(operation.results[i], got);
      EXPECT_TRUE(got == expected[i]) << operation.name << ", result " << i;
    }
  }

  std::vector<Bytes> operands, results;
  std::vector<const void *> operandPointers;
  std::vector<void *> resultPointers;
};

/// Runs the operations one after the other in one run, and compares with their definitions. With
/// `window` > 1 that many are under way at a time. Random delays, unless 0.
inline void expectDefinitions(World &world, const std::vector<Operation> &operations,
                              size_t window = 1, int delayMicroseconds = 0,
                              uint64_t fingerprint = 1) {
  hlort_program program = makeProgram(world.count, fingerprint);
  std::vector<std::unique_ptr<Descriptor>> descriptors;
  std::vector<std::vector<std::vector<Bytes>>> operands;
  for (const Operation &operation : operations) {
    descriptors.push_back(std::make_unique<Descriptor>(operation, program));
    operands.push_back(makeOperands(operation, world.count, uint32_t(operands.size())));
  }
  auto body = [&](int64_t self, hlort_context *context, hlort_status *status) {
    std::mt19937 random(static_cast<uint32_t>(self));
    auto delay = [&] {
      if (delayMicroseconds && random() % 4 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % delayMicroseconds));
    };
    for (size_t first = 0; first < operations.size(); first += window) {
      size_t last = std::min(first + window, operations.size());
      std::vector<std::unique_ptr<Side>> sides;
      std::vector<hlort_ticket *> tickets(last - first);
      for (size_t i = first; i < last; ++i) {
        delay();
        sides.push_back(std::make_unique<Side>(operations[i], operands[i][self]));
        Side &side = *sides.back();
        if (int32_t code =
                hlort_collective_start(context, &descriptors[i]->what, side.operandPointers.data(),
                                       side.resultPointers.data(), &tickets[i - first], status))
          return code;
      }
      for (size_t i = first; i < last; ++i) {
        delay();
        if (int32_t code = hlort_collective_done(context, tickets[i - first], status))
          return code;
        sides[i - first]->expectResults(operations[i],
                                        resultsByDefinition(operations[i], self, operands[i]));
      }
    }
    return int32_t(HLORT_OK);
  };
  for (const hlort_status &status : world.run(program, body))
    EXPECT_EQ(status.code, HLORT_OK) << status.message;
}

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_COLLECTIVE_WORLD_H
