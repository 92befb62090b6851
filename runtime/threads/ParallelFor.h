// SPDX-License-Identifier: Apache-2.0
// Parallel loops over C++ callables, for the runtime's own use.
#ifndef HLOC_RUNTIME_LOOP_H
#define HLOC_RUNTIME_LOOP_H

#include "hlort/hlort.h"

namespace hloc::runtime {

/// Calls body(begin, end) as hlort_parallel_for does. Exceptions reach the caller.
template <typename Body> void parallelFor(hlort_context *context, int64_t tasks, Body body) {
  hlort_parallel_for(
      context, tasks,
      [](void *frame, int64_t begin, int64_t end) { (*static_cast<Body *>(frame))(begin, end); },
      &body);
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_LOOP_H
