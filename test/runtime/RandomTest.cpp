// SPDX-License-Identifier: Apache-2.0
// States of random number generators.
#include "hlort/hlort.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>

namespace {

constexpr uint64_t kFirst = 0x7012395;

class RandomTest : public testing::Test {
protected:
  std::array<uint64_t, 2> draw(const char *generator, uint64_t delta) {
    std::array<uint64_t, 2> state{};
    EXPECT_EQ(hlort_random_state(context.get(), generator, delta, state.data(), &status), HLORT_OK);
    return state;
  }

  std::unique_ptr<hlort_context, decltype(&hlort_context_destroy)> context{
      hlort_context_create(nullptr, nullptr), hlort_context_destroy};
  hlort_status status = {};
};

using State = std::array<uint64_t, 2>;

TEST_F(RandomTest, EachGeneratorGoesOnByItself) {
  EXPECT_EQ(draw("a", 16), (State{kFirst, 0}));
  EXPECT_EQ(draw("a", 1), (State{kFirst + 16, 0}));
  EXPECT_EQ(draw("b", 1), (State{kFirst, 0}));
  EXPECT_EQ(draw("a", 1), (State{kFirst + 17, 0}));
}

TEST_F(RandomTest, CarriesIntoTheHighWord) {
  draw("a", UINT64_MAX);
  EXPECT_EQ(draw("a", 1), (State{kFirst - 1, 1}));
}

TEST_F(RandomTest, SeedsStartAnew) {
  draw("a", 5);
  EXPECT_EQ(hlort_random_seed(context.get(), 9, &status), HLORT_OK);
  EXPECT_EQ(draw("a", 5), (State{kFirst, 9}));
  EXPECT_EQ(hlort_random_seed(context.get(), 9, nullptr), HLORT_OK);
  EXPECT_EQ(draw("a", 5), (State{kFirst, 9}));
}

TEST_F(RandomTest, WantsAContext) {
  State state{};
  EXPECT_EQ(hlort_random_state(nullptr, "a", 1, state.data(), &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message,
               "random state: expected a context, which keeps the generators' states");
  EXPECT_EQ(hlort_random_seed(nullptr, 1, &status), HLORT_INVALID_ARGUMENT);
}

} // namespace
