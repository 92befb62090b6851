// SPDX-License-Identifier: Apache-2.0
// Statuses, contexts and arenas: their contents and failures.

#include "hlort/hlort.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

extern "C" int hlortHeaderCheck(void);

namespace {

TEST(Header, IsCAndHasTheSizesThatEmittedCodeKnows) { EXPECT_TRUE(hlortHeaderCheck()); }

TEST(Status, HoldsCodeAndMessage) {
  hlort_status status = {};
  EXPECT_EQ(hlort_status_set(&status, HLORT_NOT_FOUND, "no %s, %d", "thing", 3), HLORT_NOT_FOUND);
  EXPECT_EQ(status.code, HLORT_NOT_FOUND);
  EXPECT_STREQ(status.message, "no thing, 3");
}

TEST(Status, MayBeNull) { EXPECT_EQ(hlort_status_set(nullptr, 77, "lost"), 77); }

TEST(Status, CutsLongMessages) {
  hlort_status status = {};
  std::string text(1000, 'x');
  hlort_status_set(&status, HLORT_INTERNAL, "%s", text.c_str());
  EXPECT_EQ(std::strlen(status.message), sizeof status.message - 1);
}

TEST(Status, NamesEveryCode) {
  for (int32_t code = HLORT_OK; code <= HLORT_INTERNAL; ++code)
    EXPECT_STRNE(hlort_code_name(code), "unknown code") << code;
  EXPECT_STREQ(hlort_code_name(-1), "unknown code");
}

TEST(Abi, VersionOfHeaderAndLibraryAgree) { EXPECT_EQ(hlort_abi_version(), HLORT_ABI_VERSION); }

TEST(Context, DefaultsToOneThread) {
  hlort_status status = {};
  hlort_context *context = hlort_context_create(nullptr, &status);
  ASSERT_NE(context, nullptr) << status.message;
  EXPECT_EQ(hlort_context_threads(context), 1);
  hlort_context_destroy(context);
  EXPECT_EQ(hlort_context_threads(nullptr), 1);
  hlort_context_destroy(nullptr);
}

TEST(Context, RefusesBadOptions) {
  for (hlort_context_options options : {hlort_context_options{-1, 0}, {5000, 0}, {1, 9}}) {
    hlort_status status = {};
    EXPECT_EQ(hlort_context_create(&options, &status), nullptr);
    EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(status.message, "expected 0 to 4096 threads"), nullptr);
  }
}

TEST(Arena, IsAlignedAndWritable) {
  for (int64_t size : {0, 1, 63, 4096, 40 << 20})
    for (int64_t alignment : {0, 1, 64, 4096}) {
      hlort_status status = {};
      auto *memory = static_cast<char *>(hlort_arena_allocate(size, alignment, &status));
      ASSERT_NE(memory, nullptr) << status.message;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % (alignment ? alignment : 64), 0u);
      if (size)
        memory[0] = memory[size - 1] = 1;
      hlort_arena_free(memory);
    }
}

TEST(Arena, RefusesBadSizes) {
  hlort_status status = {};
  EXPECT_EQ(hlort_arena_allocate(-1, 64, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_arena_allocate(64, 48, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(hlort_arena_allocate(INT64_MAX, 64, &status), nullptr);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
}

TEST(ElementBits, KnowsEveryType) {
  EXPECT_EQ(hlort_element_bits(HLORT_PRED), 8);
  EXPECT_EQ(hlort_element_bits(HLORT_S1), 1);
  EXPECT_EQ(hlort_element_bits(HLORT_U2), 2);
  EXPECT_EQ(hlort_element_bits(HLORT_F4E2M1FN), 4);
  EXPECT_EQ(hlort_element_bits(HLORT_F8E8M0FNU), 8);
  EXPECT_EQ(hlort_element_bits(HLORT_BF16), 16);
  EXPECT_EQ(hlort_element_bits(HLORT_C64), 64);
  EXPECT_EQ(hlort_element_bits(HLORT_C128), 128);
  EXPECT_EQ(hlort_element_bits(HLORT_TOKEN), 0);
  EXPECT_EQ(hlort_element_bits(1000), 0);
}

} // namespace

TEST(Matrices, PermittedOrRefusedWithAReason) {
  for (int i = 0; i < 2; ++i) {
    hlort_status status = {};
    int32_t code = hlort_matrices_request(&status);
    EXPECT_EQ(code, status.code);
    EXPECT_TRUE(code == HLORT_OK || code == HLORT_UNSUPPORTED);
    EXPECT_EQ(code == HLORT_OK, std::string(status.message).empty());
    EXPECT_EQ(hlort_matrices_request(nullptr), code);
  }
}
