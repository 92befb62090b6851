// SPDX-License-Identifier: Apache-2.0

#include "Allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<int64_t> liveBlocks = 0, alignedRequests = 0;
/// Requests of this thread until one fails; negative: none does.
static thread_local int64_t untilFailure = -1;
/// The same, of all threads together that do not say that they are the test's.
static std::atomic<int64_t> untilFailureElsewhere = -1;
static thread_local bool isOfTest = false;

static void *allocate(size_t bytes, size_t alignment) {
  if (untilFailure >= 0 && untilFailure-- == 0)
    throw std::bad_alloc();
  if (!isOfTest && untilFailureElsewhere >= 0 && untilFailureElsewhere-- == 0)
    throw std::bad_alloc();
  size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory)
    throw std::bad_alloc();
  ++liveBlocks;
  return memory;
}

static void release(void *memory) {
  liveBlocks -= memory != nullptr;
  std::free(memory);
}

void *operator new(size_t bytes) { return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void *operator new(size_t bytes, std::align_val_t alignment) {
  ++alignedRequests;
  return allocate(bytes, size_t(alignment));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { release(memory); }

namespace hloc::test {

int64_t countLiveBlocks() { return liveBlocks; }
int64_t countAlignedRequests() { return alignedRequests; }

FailingAllocation::FailingAllocation(int64_t after) { untilFailure = after; }
FailingAllocation::~FailingAllocation() { untilFailure = -1; }
bool FailingAllocation::hasFailed() const { return untilFailure < 0; }

FailingAllocationElsewhere::FailingAllocationElsewhere(int64_t after) {
  ofTest();
  untilFailureElsewhere = after;
}
FailingAllocationElsewhere::~FailingAllocationElsewhere() { untilFailureElsewhere = -1; }
bool FailingAllocationElsewhere::hasFailed() const { return untilFailureElsewhere < 0; }
void FailingAllocationElsewhere::ofTest() { isOfTest = true; }

} // namespace hloc::test
