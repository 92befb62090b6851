// SPDX-License-Identifier: Apache-2.0
// Parallel loops on the context's threads.

#include "Context.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace {

/// True while this thread runs a body on behalf of a parallel loop: loops inside stay serial.
thread_local bool insideLoop = false;

/// One loop under way. The counter orders the caller's writes before the bodies and the bodies'
/// before what the caller does next. The pool does so too, but where sanitizers cannot see it.
struct Loop {
  int64_t tasks;
  int64_t chunks;
  hlort_loop_body body;
  void *frame;
  std::atomic<int64_t> done{0};

  void run(int64_t chunk) {
    done.load(std::memory_order_acquire);
    // Even shares, the first tasks % chunks of them one task larger.
    int64_t share = tasks / chunks, larger = tasks % chunks;
    int64_t begin = chunk * share + std::min(chunk, larger);
    int64_t end = begin + share + (chunk < larger ? 1 : 0);
    // A body that waits in the host's own oneTBB loop may be handed a range of another of ours.
    struct Mark {
      bool outer = std::exchange(insideLoop, true);
      ~Mark() { insideLoop = outer; }
    } mark;
    body(frame, begin, end);
    done.fetch_add(1, std::memory_order_release);
  }
};

} // namespace

void hlort_parallel_for(hlort_context *context, int64_t tasks, hlort_loop_body body, void *frame) {
  if (tasks <= 0)
    return;
  if (!context || !context->pool || tasks == 1 || insideLoop) {
    body(frame, 0, tasks);
    return;
  }
  Loop loop{tasks, std::min<int64_t>(tasks, context->threads), body, frame};
  loop.done.store(0, std::memory_order_release);
  context->pool->run(
      loop.chunks, [](void *frame, int64_t chunk) { static_cast<Loop *>(frame)->run(chunk); },
      &loop);
  loop.done.load(std::memory_order_acquire);
}
