// SPDX-License-Identifier: Apache-2.0
// The time of memory accesses: relations that predictions depend on, not numbers.
#include "compiler/target/Access.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

const Machine &machine() { return findMachine("x86-64-v3", "x86-64-v3"); }

/// Footprints that only L1, L2, L3 and memory hold.
std::vector<double> levels() {
  return {double(machine().l1.bytes), double(machine().l2.bytes),
          double(machine().getLargestShare()), 2.0 * double(machine().getLargestShare())};
}

} // namespace

TEST(AccessTest, EachLevelIsSlowerThanTheOneBefore) {
  std::vector<double> bytes = levels();
  for (size_t i = 1; i < bytes.size(); ++i) {
    EXPECT_GT(getReadTime(machine(), bytes[i]), getReadTime(machine(), bytes[i - 1]));
    EXPECT_GT(getLatency(machine(), bytes[i]), getLatency(machine(), bytes[i - 1]));
    EXPECT_GT(getApartTime(machine(), bytes[i]), getApartTime(machine(), bytes[i - 1]));
  }
}

TEST(AccessTest, LinesThatAreInNoCacheAreReadBeforeTheyAreWritten) {
  std::vector<double> bytes = levels();
  EXPECT_DOUBLE_EQ(getWriteTime(machine(), bytes[2]), getReadTime(machine(), bytes[2]));
  EXPECT_DOUBLE_EQ(getWriteTime(machine(), bytes[3]), 2 * getReadTime(machine(), bytes[3]));
}

TEST(AccessTest, LoadsThatDoNotWaitForEachOtherOverlap) {
  for (double bytes : levels())
    EXPECT_LT(getApartTime(machine(), bytes), getLatency(machine(), bytes));
  EXPECT_EQ(getApartTime(machine(), double(machine().l1.bytes)), 0);
}
