// SPDX-License-Identifier: Apache-2.0
// Meetings that are over, for the next ones. Test: test/runtime/MemoryTest.cpp.
#ifndef HLOC_RUNTIME_MEETINGPOOL_H
#define HLOC_RUNTIME_MEETINGPOOL_H

#include <memory>
#include <mutex>
#include <vector>

namespace hloc::runtime {

struct Meeting;

/// Memory that one thread requests and another frees makes the threads of a process wait for each
/// other in the heap, which takes longer than a short collective. So meetings are kept, with the
/// memory that they have.
class MeetingPool : public std::enable_shared_from_this<MeetingPool> {
public:
  MeetingPool();
  ~MeetingPool();
  /// A meeting as if new. It returns to the pool when nobody refers to it any more.
  std::shared_ptr<Meeting> get();

private:
  void put(std::unique_ptr<Meeting> meeting);

  std::mutex mutex;
  std::vector<std::unique_ptr<Meeting>> spare; // has room for kMaxSpare
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MEETINGPOOL_H
