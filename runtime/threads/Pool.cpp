// SPDX-License-Identifier: Apache-2.0
// A pool of oneTBB's threads. Compiled without instrumentation by the thread sanitizer: it would
// see only the part of oneTBB in headers, and report races where the other part orders the
// accesses.

#include "threads/Pool.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <optional>

namespace hloc::runtime {

struct Pool::Threads {
  /// Set if there are to be more threads than oneTBB would start by default.
  std::optional<tbb::global_control> more;
  std::optional<tbb::task_arena> arena;
};

Pool::Pool(int32_t count) : threads(std::make_unique<Threads>()) {
  // oneTBB limits itself to one thread per core of the machine by default. A control that lowers
  // the number would also limit the host's own use of oneTBB, so there is none then.
  if (count > tbb::info::default_concurrency())
    threads->more.emplace(tbb::global_control::max_allowed_parallelism, size_t(count));
  threads->arena.emplace(count);
}

Pool::~Pool() = default;

void Pool::start(void (*work)(void *), void *frame) {
  threads->arena->enqueue([=] { work(frame); });
}

} // namespace hloc::runtime
