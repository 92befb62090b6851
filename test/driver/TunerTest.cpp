// SPDX-License-Identifier: Apache-2.0
// The search, on an artificial machine.
#include "compiler/driver/Tuner.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

class TunerTest : public testing::Test {
protected:
  TunerTest() { context.loadDialect<hlo::HLODialect>(); }

  /// A schedule with one number.
  hlo::ScheduleAttr make(int64_t number) {
    return hlo::ScheduleAttr::get(&context, "s", {number}, {}, 1, 1, 0, 0, 0, {});
  }
  static int64_t numberOf(hlo::ScheduleAttr schedule) { return schedule.getTile()[0]; }

  /// A kernel whose own schedule is 8, and neighbours of each n are n - 1 and n + 1.
  TunableKernel makeKernel(const std::string &name,
                           std::vector<hlo::ScheduleAttr> candidates = {}) {
    return {name, name, make(8), std::move(candidates), [this](hlo::ScheduleAttr from) {
              return std::vector{make(numberOf(from) - 1), make(numberOf(from) + 1)};
            }};
  }
  int64_t numberOf(const TrialSchedules &schedules, const std::string &name) {
    hlo::ScheduleAttr found = schedules.lookup(name);
    return found ? numberOf(found) : 8;
  }
  /// Kernel `a` is quickest with 3, and all others take as long with any.
  TrialTimes measure(const TrialSchedules &schedules) {
    double a = 100 + 50 * std::abs(double(numberOf(schedules, "a")) - 3);
    return {{{{"a"}, a}, {{"b"}, 500}}, a + 500, 1};
  }

  /// A machine whose runs do not depend on each other.
  Tuner::Measure run(std::function<std::optional<TrialTimes>(const TrialSchedules &)> times) {
    return [times](const TrialSchedules &reference, const TrialSchedules &trial) {
      std::optional<TrialTimes> x = times(reference), y = times(trial);
      return x && y ? std::optional(Comparison{*x, *y}) : std::nullopt;
    };
  }

  mlir::MLIRContext context;
};

TEST_F(TunerTest, FollowsNeighboursToTheQuickest) {
  Tuner tuner({makeKernel("a"), makeKernel("b")},
              run([&](const TrialSchedules &schedules) { return measure(schedules); }));
  ASSERT_TRUE(tuner.run(10));
  std::vector<Tuner::Result> results = tuner.getResults();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "a");
  EXPECT_EQ(numberOf(results[0].schedule), 3);
  EXPECT_DOUBLE_EQ(results[0].before, 350);
  EXPECT_DOUBLE_EQ(results[0].after, 100);
  EXPECT_DOUBLE_EQ(tuner.getBefore(), 850);
  EXPECT_DOUBLE_EQ(tuner.getAfter(), 600);
}

TEST_F(TunerTest, TriesKernelsAtTheSameTime) {
  int most = 0;
  Tuner tuner({makeKernel("a"), makeKernel("b")}, run([&](const TrialSchedules &schedules) {
                most = std::max<int>(most, schedules.size());
                return measure(schedules);
              }));
  ASSERT_TRUE(tuner.run(10));
  EXPECT_EQ(most, 2);
}

TEST_F(TunerTest, WhatFailsIsNoCandidate) {
  Tuner tuner({makeKernel("a")},
              run([&](const TrialSchedules &schedules) -> std::optional<TrialTimes> {
                if (numberOf(schedules, "a") < 6)
                  return std::nullopt;
                return measure(schedules);
              }));
  ASSERT_TRUE(tuner.run(10));
  ASSERT_EQ(tuner.getResults().size(), 1u);
  EXPECT_EQ(numberOf(tuner.getResults()[0].schedule), 6);
}

TEST_F(TunerTest, OtherBitsAreNoCandidate) {
  Tuner tuner({makeKernel("a")}, run([&](const TrialSchedules &schedules) {
                TrialTimes times = measure(schedules);
                times.results = numberOf(schedules, "a") < 6;
                return times;
              }));
  ASSERT_TRUE(tuner.run(10));
  ASSERT_EQ(tuner.getResults().size(), 1u);
  EXPECT_EQ(numberOf(tuner.getResults()[0].schedule), 6);
}

TEST_F(TunerTest, WhatWasQuickOnceIsTakenBack) {
  // Each candidate is quick as a trial, the first time.
  llvm::DenseSet<int64_t> seen;
  auto take = [](double time) { return TrialTimes{{{{"a"}, time}}, time, 1}; };
  Tuner tuner({makeKernel("a")}, [&](const TrialSchedules &, const TrialSchedules &trial) {
    int64_t number = numberOf(trial, "a");
    return Comparison{take(100), take(number != 8 && seen.insert(number).second ? 50 : 100)};
  });
  ASSERT_TRUE(tuner.run(10));
  EXPECT_TRUE(tuner.getResults().empty());
  EXPECT_DOUBLE_EQ(tuner.getAfter(), tuner.getBefore());
}

TEST_F(TunerTest, KernelsThatRunTogetherTakeTurns) {
  int most = 0;
  Tuner tuner({makeKernel("a"), makeKernel("b")}, run([&](const TrialSchedules &schedules) {
                most = std::max<int>(most, schedules.size());
                double a = 100 + 50 * std::abs(double(numberOf(schedules, "a")) - 7);
                double b = 100 + 50 * std::abs(double(numberOf(schedules, "b")) - 9);
                return TrialTimes{{{{"a", "b"}, a + b}}, a + b, 1};
              }));
  ASSERT_TRUE(tuner.run(10));
  ASSERT_EQ(tuner.getResults().size(), 2u);
  for (const Tuner::Result &result : tuner.getResults()) {
    EXPECT_EQ(numberOf(result.schedule), result.name == "a" ? 7 : 9);
    EXPECT_DOUBLE_EQ(result.after, 200);
  }
}

TEST_F(TunerTest, WhatTakesNoTimeIsLeftAlone) {
  bool hasTried = false;
  Tuner tuner({makeKernel("a"), makeKernel("b")}, run([&](const TrialSchedules &schedules) {
                hasTried |= schedules.contains("a");
                return TrialTimes{{{{"a"}, 1}, {{"b"}, 1000}}, 1001, 1};
              }));
  ASSERT_TRUE(tuner.run(10));
  EXPECT_FALSE(hasTried);
}

TEST_F(TunerTest, AProgramThatDoesNotRunIsAnError) {
  Tuner tuner({makeKernel("a")},
              run([](const TrialSchedules &) { return std::optional<TrialTimes>(); }));
  EXPECT_FALSE(tuner.run(10));
}

} // namespace
