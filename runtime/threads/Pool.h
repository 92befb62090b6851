// SPDX-License-Identifier: Apache-2.0
// The threads of a context. oneTBB is used only in Pool.cpp.
#ifndef HLOC_RUNTIME_POOL_H
#define HLOC_RUNTIME_POOL_H

#include <cstdint>
#include <memory>

namespace hloc::runtime {

class Pool {
public:
  /// `threads`: the number that one caller may use, including itself. Throws if there is no memory.
  explicit Pool(int32_t threads);
  ~Pool();

  /// Makes one of the threads, not the caller, call work(frame) when it is free, possibly after the
  /// pool is destroyed. No more than threads - 1 work at a time. Throws if there is no memory.
  void start(void (*work)(void *frame), void *frame);

private:
  struct Threads;
  std::unique_ptr<Threads> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_POOL_H
