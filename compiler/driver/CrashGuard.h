// SPDX-License-Identifier: Apache-2.0
// What a crash of a program, or of the compiled code that it runs, does to the process. Test:
// test/driver/CrashGuardTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_CRASHGUARD_H
#define HLOC_COMPILER_DRIVER_CRASHGUARD_H

#include <csignal>
#include <iterator>
#include <memory>

namespace hloc {

/// From now on a crash prints what happened and where, and the signal ends the process whatever
/// state the heap is in. LLVM's own handlers allocate memory to print a stack, so they wait forever
/// after a crash that holds the heap's lock. Must be called after llvm::InitLLVM, whose signal
/// stack it uses.
void installCrashHandler();

/// During its lifetime, a fault on any thread (a bad address, a bad instruction, an abort; on the
/// thread that created the guard also stack overflow) ends the process at once, with a message and
/// status 1. It must live until the program's arrays are freed, because that is where writes past
/// their ends are detected. LLVM's own handlers would first look up a backtrace, which says nothing
/// about code compiled just now, can take minutes, and waits forever if the fault happened under
/// the heap's lock. Guards cannot be nested.
class CrashGuard {
public:
  CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  ~CrashGuard();

private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  struct sigaction before[std::size(kSignals)];
  /// A handler for stack overflow needs a stack of its own.
  std::unique_ptr<char[]> stack;
  stack_t stackBefore;
};

} // namespace hloc

#endif
