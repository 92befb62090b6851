// SPDX-License-Identifier: Apache-2.0
// What a crash of a program, or of the compiled code that it runs, does to the process. Test:
// test/driver/CrashGuardTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_CRASHGUARD_H
#define HLOC_COMPILER_DRIVER_CRASHGUARD_H

#include <csignal>
#include <iterator>
#include <memory>

namespace hloc {

/// From now on a crash prints what it is and where, and the signal ends the process, whatever state
/// the heap is in. LLVM's own handlers take memory to print a stack, and so wait forever after a
/// crash under the heap's lock. To be called after llvm::InitLLVM, whose stack for handlers it
/// uses.
void installCrashHandler();

/// While one lives, a fault on any thread (a bad address, a bad instruction, an abort; on the
/// thread that made the guard also the end of its stack) ends the process at once, with a message
/// and status 1. It must live until the program's arrays are freed: what wrote past one shows
/// there. LLVM's own handlers would look up a backtrace first, which says nothing of code that was
/// compiled just now, can take minutes, and waits forever if the fault came under the heap's lock.
/// Not for nesting.
class CrashGuard {
public:
  CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  ~CrashGuard();

private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  struct sigaction before[std::size(kSignals)];
  /// A handler for the end of the stack needs another one.
  std::unique_ptr<char[]> stack;
  stack_t stackBefore;
};

} // namespace hloc

#endif
