// SPDX-License-Identifier: Apache-2.0
// The events of one trace.
#ifndef HLOC_RUNTIME_TRACE_H
#define HLOC_RUNTIME_TRACE_H

#include "hlort/hlort.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace hloc::runtime {

struct Trace {
  std::atomic<bool> active = false;
  std::chrono::steady_clock::time_point origin;

  mutable std::mutex mutex;
  std::vector<hlort_trace_event> events;
  std::map<std::thread::id, int32_t> threads;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRACE_H
