// SPDX-License-Identifier: Apache-2.0
// A pool of oneTBB's threads. Compiled without the thread sanitizer's checks: they would see one
// half of oneTBB, the half in headers, and report races where the other half orders the accesses.

#include "threads/Pool.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <optional>

namespace hloc::runtime {

struct Pool::Threads {
  /// Set when there are to be more than oneTBB would start by itself.
  std::optional<tbb::global_control> more;
  std::optional<tbb::task_arena> arena;
};

Pool::Pool(int32_t count) : threads(std::make_unique<Threads>()) {
  // oneTBB stops at one thread per core of the machine unless told otherwise. A control that
  // lowers the number would bind the host's own use of oneTBB too, so there is none then.
  if (count > tbb::info::default_concurrency())
    threads->more.emplace(tbb::global_control::max_allowed_parallelism, size_t(count));
  threads->arena.emplace(count);
}

Pool::~Pool() = default;

void Pool::start(void (*work)(void *), void *frame) {
  threads->arena->enqueue([=] { work(frame); });
}

} // namespace hloc::runtime
