// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/CrashGuard.h"
#include "llvm/Support/Signals.h"
#include <string_view>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace hloc {

/// Bytes of the handler's stack. SIGSTKSZ is not a constant, and may be less than AVX-512's
/// registers need in a signal frame.
static constexpr size_t kStackBytes = 64 << 10;

/// Time limit of the crash handler: if something blocks it, the process ends.
static constexpr unsigned kHandlerSeconds = 5;

static void print(std::string_view text) {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

/// Allocates no heap memory, whose lock may be held by the crashed code.
static void reportCrash(int signal) {
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  sigaction(SIGALRM, &byDefault, nullptr);
  alarm(kHandlerSeconds); // a stack trace may wait for the loader's lock
  print("error: internal error: this program crashed: ");
  print(signal == SIGABRT   ? "it was aborted"
        : signal == SIGFPE  ? "an arithmetic fault"
        : signal == SIGILL  ? "an invalid instruction"
        : signal == SIGTRAP ? "a trap"
                            : "an invalid memory access or a stack overflow");
  print("\nPlease report this with the input, which hlo-reduce can make small. Stack trace:\n");
#if __has_include(<execinfo.h>)
  void *frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, std::size(frames)), STDERR_FILENO);
#endif
  llvm::sys::RunInterruptHandlers(); // removes unfinished files
  raise(signal);
}

void installCrashHandler() {
#if __has_include(<execinfo.h>)
  void *frame;
  backtrace(&frame, 1); // the first call loads a library
#endif
  struct sigaction action = {};
  action.sa_handler = reportCrash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    sigaction(signal, &action, nullptr);
}

/// Calls only functions that are allowed in signal handlers.
static void endProcess(int signal) {
  std::string_view message =
      signal == SIGILL   ? "error: the compiled program crashed: an "
                           "instruction that this processor does not have\n"
      : signal == SIGFPE ? "error: the compiled program crashed: an arithmetic fault\n"
      : signal == SIGABRT
          ? "error: the compiled program crashed: the process was aborted, "
            "perhaps because its heap is corrupted\n"
          : "error: the compiled program crashed: an invalid memory access or a stack overflow\n";
  print(message);
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
