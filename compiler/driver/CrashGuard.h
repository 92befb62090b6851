// SPDX-License-Identifier: Apache-2.0
// What a crash of compiled code does to the process that runs it. Test:
// test/driver/CrashGuardTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_CRASHGUARD_H
#define HLOC_COMPILER_DRIVER_CRASHGUARD_H

#include <csignal>
#include <iterator>
#include <memory>

namespace hloc {

/// While one lives, a fault on any thread (a bad address, a bad instruction; on the thread that
/// made the guard also the end of its stack) ends the process at once, with a message and status 1.
/// LLVM's own handlers would look up a backtrace first, which says nothing of code that was
/// compiled just now and can take minutes. Not for nesting.
class CrashGuard {
public:
  CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  ~CrashGuard();

private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  struct sigaction before[std::size(kSignals)];
  /// A handler for the end of the stack needs another one.
  std::unique_ptr<char[]> stack;
  stack_t stackBefore;
};

} // namespace hloc

#endif
