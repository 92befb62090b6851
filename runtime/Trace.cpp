// SPDX-License-Identifier: Apache-2.0
// Recording of the events of traced modules.

#include "Context.h"

#include <new>

using namespace hloc::runtime;

static int64_t sinceOrigin(const Trace &trace) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              trace.origin)
      .count();
}

int32_t hlort_trace_start(hlort_context *context, hlort_status *status) {
  if (!context)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "a trace needs a context, not null");
  std::lock_guard lock(context->trace.mutex);
  context->trace.events.clear();
  context->trace.threads.clear();
  context->trace.origin = std::chrono::steady_clock::now();
  context->trace.active = true;
  return HLORT_OK;
}

const hlort_trace_event *hlort_trace_stop(hlort_context *context, int64_t *count) {
  *count = 0;
  if (!context)
    return nullptr;
  std::lock_guard lock(context->trace.mutex);
  context->trace.active = false;
  *count = int64_t(context->trace.events.size());
  return context->trace.events.data();
}

const char *hlort_trace_thread_name(const hlort_context *context, int32_t thread) {
  if (!context)
    return "";
  std::lock_guard lock(context->trace.mutex);
  for (const auto &[id, number] : context->trace.threads)
    if (number == thread)
      return context->namedThreads.getName(id);
  return "";
}

int64_t hlort_trace_begin(hlort_context *context) {
  return context && context->trace.active ? sinceOrigin(context->trace) : -1;
}

void hlort_trace_end(hlort_context *context, const hlort_trace_label *label, int64_t begin) {
  if (begin < 0 || !context->trace.active)
    return;
  Trace &trace = context->trace;
  int64_t end = sinceOrigin(trace);
  std::lock_guard lock(trace.mutex);
  try {
    auto [thread, isNew] =
        trace.threads.try_emplace(std::this_thread::get_id(), int32_t(trace.threads.size()));
    trace.events.push_back({label, begin, end, thread->second, 0});
  } catch (const std::bad_alloc &) {
    trace.active = false; // a shorter trace is better than the end of the process
  }
}
