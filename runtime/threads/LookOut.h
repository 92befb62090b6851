// SPDX-License-Identifier: Apache-2.0
// Spinning for a short time before going to sleep. The processor is not yielded meanwhile: on a
// busy machine that costs a time slice of the scheduler.
#ifndef HLOC_RUNTIME_LOOK_OUT_H
#define HLOC_RUNTIME_LOOK_OUT_H

#include <chrono>
#include <mutex>

namespace hloc::runtime {

/// About twice the time of falling asleep and being woken.
constexpr std::chrono::microseconds kAlert{50};

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#elif defined(__riscv)
  asm volatile(".4byte 0x0100000f" ::: "memory"); // pause, a hint that old assemblers do not know
#endif
}

/// Spins until `condition` is true, for at most `alert`. Returns whether it is.
template <typename Condition>
bool lookOut(Condition condition, std::chrono::nanoseconds alert = kAlert) {
  if (condition())
    return true;
  auto end = std::chrono::steady_clock::now() + alert;
  do {
    for (int i = 0; i < 16; ++i) {
      if (condition())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

/// Locks a mutex that is never held for long: sleeping would take longer than spinning.
inline std::unique_lock<std::mutex> lockSoon(std::mutex &mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < 100 && !lock; ++i) {
    relax();
    if (lock.try_lock())
      return lock;
  }
  if (!lock)
    lock.lock();
  return lock;
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_LOOK_OUT_H
