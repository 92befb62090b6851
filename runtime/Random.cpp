// SPDX-License-Identifier: Apache-2.0
// The states of random number generators, which a context keeps.

#include "Context.h"

#include <new>

/// The initial state of XLA's generators.
static constexpr uint64_t kFirstState = 0x7012395;

int32_t hlort_random_seed(hlort_context *context, uint64_t seed, hlort_status *status) {
  if (!context)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "random seed: expected a context");
  std::lock_guard lock(context->random.mutex);
  context->random.seed = seed;
  context->random.states.clear();
  return hlort_status_set(status, HLORT_OK, "%s", "");
}

int32_t hlort_random_state(hlort_context *context, const char *generator, uint64_t delta,
                           uint64_t *state, hlort_status *status) {
  if (!context || !generator || !state)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "random state: expected a context, which keeps the generators' states");
  try {
    std::lock_guard lock(context->random.mutex);
    auto [entry, isNew] = context->random.states.try_emplace(generator);
    auto &[low, high] = entry->second;
    if (isNew)
      entry->second = {kFirstState, context->random.seed};
    state[0] = low;
    state[1] = high;
    low += delta;
    high += low < delta;
    return HLORT_OK;
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for a generator's state");
  }
}
