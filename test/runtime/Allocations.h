// SPDX-License-Identifier: Apache-2.0
// Memory in tests: how much is in use, and simulated lack of memory. A program that links
// Allocations.cpp uses its operator new and delete.
#ifndef HLOC_TEST_RUNTIME_ALLOCATIONS_H
#define HLOC_TEST_RUNTIME_ALLOCATIONS_H

#include <cstdint>

namespace hloc::test {

/// Blocks of memory that operator new has given out and that have not come back.
int64_t countLiveBlocks();

/// Requests so far of memory with a greater alignment than usual, such as a cache line's.
int64_t countAlignedRequests();

/// While it lives, one request of memory by this thread fails: the one after that many.
class FailingAllocation {
public:
  explicit FailingAllocation(int64_t after);
  FailingAllocation(const FailingAllocation &) = delete;
  ~FailingAllocation();
  /// Whether it has come to that.
  bool hasFailed() const;
};

/// The same of threads that are not the test's own, such as those of a communicator.
class FailingAllocationElsewhere {
public:
  explicit FailingAllocationElsewhere(int64_t after);
  FailingAllocationElsewhere(const FailingAllocationElsewhere &) = delete;
  ~FailingAllocationElsewhere();
  bool hasFailed() const;
  /// Says that the calling thread is one of the test's.
  static void ofTest();
};

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_ALLOCATIONS_H
