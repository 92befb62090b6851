// SPDX-License-Identifier: Apache-2.0
#include "codegen/units/Budget.h"
#include "gtest/gtest.h"

using namespace hloc;

namespace {

/// With figures that are easy to add up.
constexpr CompileCosts kCosts{{{2, 10, 0, 1}, {1, 6, 0, 1.5}, {0, 2, 0, 4}}, 0, 0, 100};

using Levels = std::vector<int>;

TEST(BudgetTest, LeavesAllAsItIsWhereThereIsTime) {
  BudgetPlan plan = planLevels({{100, 5}, {50, 7}}, 3, 1500, kCosts);
  EXPECT_EQ(plan.levels, (Levels{3, 3}));
  EXPECT_EQ(plan.time, 1500);
}

TEST(BudgetTest, TakesFromWhatRunsShortestFirst) {
  // The same to compile: the second's code takes a tenth of the first's.
  BudgetPlan plan = planLevels({{100, 1000}, {100, 100}}, 3, 1600, kCosts);
  EXPECT_EQ(plan.levels, (Levels{3, 1}));
  EXPECT_EQ(plan.time, 1600);
  plan = planLevels({{100, 1000}, {100, 100}}, 3, 1200, kCosts);
  EXPECT_EQ(plan.levels, (Levels{3, 0}));
  plan = planLevels({{100, 1000}, {100, 100}}, 3, 900, kCosts);
  EXPECT_EQ(plan.levels, (Levels{1, 0}));
}

TEST(BudgetTest, TakesFromWhatIsLongToCompileFirst) {
  BudgetPlan plan = planLevels({{10, 100}, {100, 100}}, 3, 1000, kCosts);
  EXPECT_EQ(plan.levels, (Levels{3, 1}));
}

TEST(BudgetTest, UndoesWhatIsNotNeeded) {
  // The large unit's step saves so much that the small one's is given back.
  BudgetPlan plan = planLevels({{10, 0.1}, {1000, 1000}}, 3, 9000, kCosts);
  EXPECT_EQ(plan.levels, (Levels{3, 1}));
}

TEST(BudgetTest, GivesTheLeastWhereThatIsTooMuch) {
  BudgetPlan plan = planLevels({{100, 5}, {50, 7}}, 2, -10, kCosts);
  EXPECT_EQ(plan.levels, (Levels{0, 0}));
  EXPECT_EQ(plan.time, 300);
}

TEST(BudgetTest, StartsAtTheLevelAsked) {
  BudgetPlan plan = planLevels({{100, 5}}, 1, 600, kCosts);
  EXPECT_EQ(plan.levels, (Levels{1}));
  plan = planLevels({{100, 5}}, 0, 0, kCosts);
  EXPECT_EQ(plan.levels, (Levels{0}));
  EXPECT_EQ(plan.time, 200);
}

TEST(BudgetTest, EachStepDownLosesMoreForWhatItSaves) {
  // planLevels counts on it.
  const EffortCosts(&efforts)[3] = kCompileCosts.efforts;
  auto lossOf = [&](int step) {
    return (efforts[step + 1].slowdown - efforts[step].slowdown) /
           (efforts[step].instruction - efforts[step + 1].instruction);
  };
  EXPECT_GT(lossOf(0), 0);
  EXPECT_GT(lossOf(1), lossOf(0));
  for (int step : {0, 1})
    EXPECT_GE(efforts[step].unit, efforts[step + 1].unit);
}

} // namespace
