// SPDX-License-Identifier: Apache-2.0
// Adding up the events of traced calls.
#include "compiler/driver/Profile.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

const hlort_trace_label first = {"add.1", "kernel", "", "add_1"},
                        again = {"add.7", "kernel", "", "add_1"}, // another launch of that kernel
    task = {"add.1", "task", "", "add_1"}, loop = {"while", "loop", "", ""},
                        copy = {"add.1", "copy", "", ""};

hlort_trace_event event(const hlort_trace_label &label, int64_t begin, int64_t end) {
  return {&label, begin, end, 0, 0};
}

} // namespace

TEST(ProfileTest, LaunchesOfAKernelAreSummedAndTheMedianCallCounts) {
  Profile profile(/*overhead=*/20);
  for (int64_t time : {300, 100, 200})
    profile.addCall({event(first, 0, time + 20), event(again, 1000, 1000 + time + 20)});
  std::vector<ProfileRow> rows = profile.getRows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "add_1");
  EXPECT_EQ(rows[0].times, 2);
  EXPECT_DOUBLE_EQ(rows[0].time, 400);
}

TEST(ProfileTest, TasksAndLoopsAreNotCountedTwice) {
  Profile profile(0);
  profile.addCall({event(task, 10, 90), event(first, 0, 100), event(loop, 0, 500)});
  std::vector<ProfileRow> rows = profile.getRows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].time, 100);
}

TEST(ProfileTest, CopiesAreRowsOfTheirOwnAndTheLongestComesFirst) {
  Profile profile(0);
  profile.addCall({event(copy, 0, 10), event(first, 10, 100)});
  std::vector<ProfileRow> rows = profile.getRows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "add_1");
  EXPECT_EQ(rows[1].name, "add.1");
  EXPECT_EQ(rows[1].category, "copy");
}

TEST(ProfileTest, NothingIsLessThanNothing) {
  Profile profile(/*overhead=*/50);
  profile.addCall({event(first, 0, 30)});
  EXPECT_DOUBLE_EQ(profile.getRows()[0].time, 0);
}
