// SPDX-License-Identifier: Apache-2.0
// Parallel loops on the context's threads.

#include "Context.h"

#include <algorithm>
#include <utility>

namespace {

/// Maximum number of chunks per thread: small enough that a thread which comes late, or is delayed,
/// costs little.
constexpr int64_t kChunks = 8;

/// True while this thread runs a body on behalf of a parallel loop: loops inside stay serial.
thread_local bool insideLoop = false;

/// Tasks [0, tasks) in chunks.
struct Chunks {
  int64_t tasks;
  int64_t chunks;
  hlort_loop_body body;
  void *frame;

  /// The first task of chunk `i`: chunks differ by at most one task, and the larger ones are spread
  /// evenly.
  int64_t begin(int64_t i) const { return tasks / chunks * i + tasks % chunks * i / chunks; }

  void run(int64_t chunk) {
    // Restores the flag even if the body throws.
    struct Mark {
      bool outer = std::exchange(insideLoop, true);
      ~Mark() { insideLoop = outer; }
    } mark;
    body(frame, begin(chunk), begin(chunk + 1));
  }
};

} // namespace

void hlort_parallel_for(hlort_context *context, int64_t tasks, hlort_loop_body body, void *frame) {
  if (tasks <= 0)
    return;
  if (!context || !context->crew || tasks == 1 || insideLoop) {
    body(frame, 0, tasks);
    return;
  }
  Chunks chunks{tasks, std::min(tasks, context->threads * kChunks), body, frame};
  context->crew->run(
      chunks.chunks, [](void *frame, int64_t chunk) { static_cast<Chunks *>(frame)->run(chunk); },
      &chunks);
}
