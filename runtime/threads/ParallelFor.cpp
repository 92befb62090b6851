// SPDX-License-Identifier: Apache-2.0
// Parallel loops on the context's threads.

#include "Context.h"

#include <algorithm>
#include <utility>

namespace {

/// Chunks a thread, at most: small enough that a thread which comes late, or is held up, costs
/// little.
constexpr int64_t kChunks = 8;

/// True while this thread runs a body on behalf of a parallel loop: loops inside stay serial.
thread_local bool insideLoop = false;

/// Tasks [0, tasks) in chunks.
struct Chunks {
  int64_t tasks;
  int64_t chunks;
  hlort_loop_body body;
  void *frame;

  /// Where chunk `i` begins: shares are even, those one task larger are spread evenly.
  int64_t begin(int64_t i) const { return tasks / chunks * i + tasks % chunks * i / chunks; }

  void run(int64_t chunk) {
    // Even if it throws, the mark is taken back.
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
