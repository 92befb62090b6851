// SPDX-License-Identifier: Apache-2.0
#include "collective/MeetingPool.h"
#include "collective/InProcess.h"
#include "threads/LookOut.h"

namespace hloc::runtime {

/// More meetings are over at a time only after many were open at once.
static constexpr size_t kMaxSpare = 64;

MeetingPool::MeetingPool() { spare.reserve(kMaxSpare); }
MeetingPool::~MeetingPool() = default;

std::shared_ptr<Meeting> MeetingPool::get() {
  std::unique_ptr<Meeting> meeting;
  {
    std::unique_lock lock = lockSoon(mutex);
    if (!spare.empty()) {
      meeting = std::move(spare.back());
      spare.pop_back();
    }
  }
  if (meeting)
    meeting->reset();
  else
    meeting = std::make_unique<Meeting>();
  return std::shared_ptr<Meeting>(meeting.release(), [pool = shared_from_this()](Meeting *over) {
    pool->put(std::unique_ptr<Meeting>(over));
  });
}

void MeetingPool::put(std::unique_ptr<Meeting> meeting) {
  meeting->kept.clear(); // may be large
  std::unique_lock lock = lockSoon(mutex);
  if (spare.size() < kMaxSpare)
    spare.push_back(std::move(meeting));
}

} // namespace hloc::runtime
