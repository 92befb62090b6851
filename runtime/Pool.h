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

  /// Calls chunk(frame, i) for every 0 <= i < chunks, on any of the threads, and returns when all
  /// have returned. Exceptions reach the caller.
  void run(int64_t chunks, void (*chunk)(void *frame, int64_t i), void *frame);

private:
  struct Threads;
  std::unique_ptr<Threads> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_POOL_H
