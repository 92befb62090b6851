// SPDX-License-Identifier: Apache-2.0
// Registered custom calls and the built-in ones that need no library.

#include "Frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

using namespace hloc::test;

namespace {

class CustomCall : public testing::Test {
protected:
  hlort_context *context = hlort_context_create(nullptr, nullptr);
  ~CustomCall() override { hlort_context_destroy(context); }

  int32_t add(const char *target, hlort_custom_call_function function, void *user = nullptr) {
    return hlort_register_custom_call(context, target, function, user, nullptr);
  }
};

int32_t scale(void *user, const hlort_custom_call_frame *frame, hlort_status *) {
  auto *in = static_cast<const float *>(frame->operands[0].data);
  auto *out = static_cast<float *>(frame->results[0].data);
  for (int64_t i = 0; i < frame->operands[0].dims[0]; ++i)
    out[i] = in[i] * float(frame->attributes[0].integer);
  *static_cast<hlort_context **>(user) = frame->context;
  return 0;
}

TEST_F(CustomCall, CallsWhatTheHostRegistered) {
  hlort_context *seen = nullptr;
  EXPECT_FALSE(hlort_has_custom_call(context, "scale"));
  EXPECT_EQ(add("scale", scale, &seen), HLORT_OK);
  EXPECT_TRUE(hlort_has_custom_call(context, "scale"));
  EXPECT_FALSE(hlort_has_custom_call(nullptr, "scale"));
  std::vector<float> in = {1, 2, 3}, out;
  EXPECT_EQ(Frame("scale").operand(in, {3}).result(out, {3}).integer("by", 4).call(context), "");
  EXPECT_EQ(out, (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(seen, context);
}

TEST_F(CustomCall, ReportsUnknownTargets) {
  EXPECT_EQ(Frame("nobody").call(context),
            "not found: custom call target 'nobody' is neither registered nor built in");
  EXPECT_EQ(Frame("nobody").call(nullptr, nullptr), HLORT_NOT_FOUND);
}

TEST_F(CustomCall, PassesOnFailures) {
  add("silent", [](void *, const hlort_custom_call_frame *, hlort_status *) { return 42; });
  add("loud", [](void *, const hlort_custom_call_frame *, hlort_status *status) {
    return hlort_status_set(status, HLORT_CANCELLED, "enough");
  });
  add("forgetful", [](void *, const hlort_custom_call_frame *, hlort_status *status) {
    hlort_status_set(status, HLORT_CALL_FAILED, "returned 0 all the same");
    return 0;
  });
  EXPECT_EQ(Frame("silent").call(context),
            "unknown code: custom call 'silent' failed with code 42");
  EXPECT_EQ(Frame("loud").call(context), "cancelled: enough");
  EXPECT_EQ(Frame("forgetful").call(context), "call failed: returned 0 all the same");
}

TEST_F(CustomCall, RegisteringAgainReplaces) {
  auto returning = [](void *user, const hlort_custom_call_frame *, hlort_status *) {
    return int32_t(reinterpret_cast<intptr_t>(user));
  };
  add("code", returning, reinterpret_cast<void *>(5));
  add("code", returning, reinterpret_cast<void *>(6));
  EXPECT_EQ(Frame("code").call(context, nullptr), 6);
}

TEST_F(CustomCall, ComesBeforeBuiltInOnes) {
  add("Sharding", [](void *, const hlort_custom_call_frame *, hlort_status *) { return 9; });
  EXPECT_EQ(Frame("Sharding").call(context, nullptr), 9);
  EXPECT_EQ(Frame("Sharding").call(nullptr, nullptr), HLORT_OK);
}

TEST_F(CustomCall, RefusesNullRegistrations) {
  hlort_status status = {};
  EXPECT_EQ(hlort_register_custom_call(nullptr, "x", scale, nullptr, &status),
            HLORT_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(status.message, "null context"), nullptr);
  EXPECT_EQ(add(nullptr, scale), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(add("x", nullptr), HLORT_INVALID_ARGUMENT);
}

TEST_F(CustomCall, MayBeRegisteredWhileOthersCall) {
  add("zero", [](void *, const hlort_custom_call_frame *, hlort_status *) { return 0; });
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i)
      add(("target" + std::to_string(i % 50)).c_str(), scale);
  });
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(Frame("zero").call(context, nullptr), 0);
  other.join();
}

TEST(IdentityCall, CopiesItsOperands) {
  for (const char *target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "MoveToHost", "MoveToDevice",
        "annotate_device_placement", "xla.sdy.FuncResultSharding"}) {
    std::vector<float> in = {1, 2, 3, 4, 5, 6}, out;
    EXPECT_EQ(Frame(target).operand(in, {2, 3}).result(out, {2, 3}).call(), "");
    EXPECT_EQ(out, in);
  }
}

TEST(IdentityCall, ChangesLayouts) {
  std::vector<int32_t> in = {1, 2, 3, 4, 5, 6}, out;
  EXPECT_EQ(Frame("Sharding").operand(in, {2, 3}).result(out, {2, 3}, {0, 1}).call(), "");
  EXPECT_EQ(out, (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(IdentityCall, RefusesChangesOfShape) {
  std::vector<float> in = {1, 2}, out;
  EXPECT_EQ(Frame("SPMDFullToShardShape").operand(in, {2}).result(out, {1}).call(),
            "unsupported: SPMDFullToShardShape: expected the result to have the operand's type and "
            "dimensions");
  EXPECT_EQ(Frame("Sharding").operand(in, {2}).call(),
            "invalid argument: Sharding: expected 1 operands and 1 results, got 1 and 0");
}

TEST(TopKCall, GivesTheLargestFirst) {
  std::vector<float> in = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, -0.0f, 0, NAN, -NAN, -INFINITY, INFINITY};
  std::vector<float> values;
  std::vector<int32_t> indices;
  EXPECT_EQ(Frame("TopK").operand(in, {2, 8}).result(values, {2, 3}).result(indices, {2, 3}).call(),
            "");
  EXPECT_EQ(indices, (std::vector<int32_t>{5, 7, 4, 4, 7, 0}));
  EXPECT_EQ(values[0], 9);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[4], INFINITY);
}

TEST(TopKCall, KeepsTheFirstOfEqualOnes) {
  std::vector<int32_t> in(10000), values, indices;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int32_t(i * 7919 % 100) - 50;
  EXPECT_EQ(Frame("TopK").operand(in, {10000}).result(values, {150}).result(indices, {150}).call(),
            "");
  std::vector<int32_t> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return in[size_t(a)] > in[size_t(b)] || (in[size_t(a)] == in[size_t(b)] && a < b);
  });
  order.resize(150);
  EXPECT_EQ(indices, order);
}

TEST(TopKCall, KnowsBrainFloats) {
  std::vector<uint16_t> in = {0x3f80, 0xbf80, 0x4000, 0x0000}, values;
  std::vector<int32_t> indices;
  EXPECT_EQ(Frame("TopK").operand(in, {4}).result(values, {4}).result(indices, {4}).call(), "");
  EXPECT_EQ(indices, (std::vector<int32_t>{2, 0, 3, 1}));
}

TEST(TopKCall, RefusesTooManyResults) {
  std::vector<float> in = {1, 2}, values;
  std::vector<int32_t> indices;
  EXPECT_NE(Frame("TopK").operand(in, {2}).result(values, {3}).result(indices, {3}).call(), "");
}

} // namespace
