// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/CrashGuard.h"
#include <string_view>
#include <unistd.h>

namespace hloc {

/// Bytes of the handler's stack. SIGSTKSZ is no constant, and may be less than what AVX-512's
/// registers take in a signal's frame.
static constexpr size_t kStackBytes = 64 << 10;

/// Calls nothing but what a signal's handler may.
static void endProcess(int signal) {
  std::string_view message = signal == SIGILL ? "error: the compiled program crashed: an "
                                                "instruction that this processor does not have\n"
                             : signal == SIGFPE
                                 ? "error: the compiled program crashed: an arithmetic fault\n"
                                 : "error: the compiled program crashed: memory that is not its "
                                   "own, or the end of its stack\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(1);
}

CrashGuard::CrashGuard() : stack(new char[kStackBytes]) {
  stack_t own = {};
  own.ss_sp = stack.get();
  own.ss_size = kStackBytes;
  sigaltstack(&own, &stackBefore);
  struct sigaction action = {};
  action.sa_handler = endProcess;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

CrashGuard::~CrashGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &before[i], nullptr);
  sigaltstack(&stackBefore, nullptr);
}

} // namespace hloc
