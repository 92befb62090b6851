// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/CrashGuard.h"
#include <gtest/gtest.h>
#include <thread>

using namespace hloc;

namespace {

/// Until the stack ends.
int recurse(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = char(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

void crash() { raise(SIGSEGV); }

TEST(CrashGuardDeath, EndsTheProcessWithAMessage) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        CrashGuard guard;
        crash();
      },
      testing::ExitedWithCode(1), "^error: the compiled program crashed: an invalid memory access");
  EXPECT_EXIT(
      {
        CrashGuard guard;
        raise(SIGILL);
      },
      testing::ExitedWithCode(1), "an instruction that this processor");
  EXPECT_EXIT(
      {
        CrashGuard guard;
        std::thread(crash).join();
      },
      testing::ExitedWithCode(1), "compiled program crashed");
}

TEST(CrashGuardDeath, HasAStackWhereTheProgramsEnded) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        CrashGuard guard;
        recurse(0);
      },
      testing::ExitedWithCode(1), "a stack overflow");
}

TEST(CrashGuardDeath, NeedsNoHeap) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        CrashGuard guard;
        // As a program does that writes past an array: what comes before the next block says how
        // long it is, and the heap aborts over it, holding its lock.
        char *array = static_cast<char *>(malloc(40));
        char *next = static_cast<char *>(malloc(4000));
        volatile size_t past = 40;
        memset(array + past, 0x55, 64);
        free(next);
        free(array);
        abort();
      },
      testing::ExitedWithCode(1), "^.*error: the compiled program crashed: the process was");
}

TEST(CrashHandlerDeath, PrintsAndEndsByTheSignal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        installCrashHandler();
        abort();
      },
      testing::KilledBySignal(SIGABRT), "^error: internal error: this program crashed: it was abo");
}

TEST(CrashGuard, LeavesTheHandlersThatWereThere) {
  struct sigaction before, after;
  sigaction(SIGSEGV, nullptr, &before);
  {
    CrashGuard guard;
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

} // namespace
