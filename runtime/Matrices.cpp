// SPDX-License-Identifier: Apache-2.0
// Permission to use matrix registers. Linux saves their 8 KiB only for processes that ask.

#include "hlort/hlort.h"

#if defined(__linux__) && defined(__x86_64__)
#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>
#endif

int32_t hlort_matrices_request(hlort_status *status) {
#if defined(__linux__) && defined(__x86_64__)
  static std::atomic<bool> permitted;
  // ARCH_REQ_XCOMP_PERM, and the number of the registers' state.
  constexpr long requestState = 0x1023, tileData = 18;
  if (!permitted.load(std::memory_order_relaxed) &&
      syscall(SYS_arch_prctl, requestState, tileData) == 0)
    permitted.store(true, std::memory_order_relaxed);
  if (permitted.load(std::memory_order_relaxed))
    return HLORT_OK;
#endif
  return hlort_status_set(
      status, HLORT_UNSUPPORTED,
      "the module was compiled for matrix registers (AMX), which this processor "
      "does not have or the system does not permit");
}
