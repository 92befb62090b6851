// SPDX-License-Identifier: Apache-2.0
// The threads of a context. All of oneTBB is behind this, in Pool.cpp.
#ifndef HLOC_RUNTIME_POOL_H
#define HLOC_RUNTIME_POOL_H

#include <cstdint>
#include <memory>

namespace hloc::runtime {

class Pool {
public:
  /// Threads that one caller may use, itself included. Throws if there is no memory.
  explicit Pool(int32_t threads);
  ~Pool();

  /// Has one of the threads, but not the caller, call work(frame) when it is free, be that after
  /// the pool is gone. No more than threads - 1 work at a time. Throws if there is no memory.
  void start(void (*work)(void *frame), void *frame);

private:
  struct Threads;
  std::unique_ptr<Threads> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_POOL_H
