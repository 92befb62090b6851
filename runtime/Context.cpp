// SPDX-License-Identifier: Apache-2.0
// Making and destroying contexts.

#include "Context.h"

#include <memory>
#include <new>

hlort_context *hlort_context_create(const hlort_context_options *options, hlort_status *status) {
  hlort_context_options chosen = options ? *options : hlort_context_options{};
  if (chosen.threads < 0 || chosen.threads > 4096 || chosen.reserved != 0) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                     "context options: expected 0 to 4096 threads and reserved 0, got %d and %d",
                     chosen.threads, chosen.reserved);
    return nullptr;
  }
  try {
    auto context = std::make_unique<hlort_context>();
    if (chosen.threads > 1) {
      context->threads = chosen.threads;
      context->crew.emplace(chosen.threads);
    }
    return context.release();
  } catch (const std::bad_alloc &) {
    hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a context");
  } catch (const std::exception &error) {
    hlort_status_set(status, HLORT_INTERNAL, "cannot make a context: %s", error.what());
  }
  return nullptr;
}

void hlort_context_destroy(hlort_context *context) { delete context; }

int32_t hlort_context_threads(const hlort_context *context) {
  return context ? context->threads : 1;
}
