// SPDX-License-Identifier: Apache-2.0

#include "program/Instance.h"

#include "hlort/async.h"
#include "hlort/transfer.h"

#include <cstring>

// Calls of atexit in the runtime identify the program by this, if no compiler's start files define
// it.
extern "C" __attribute__((weak, visibility("hidden"))) void *__dso_handle = nullptr;

namespace hloc::runtime {

ContextHandle makeContext(const hlort_module &module, int32_t threads, hlort_status &status) {
  hlort_context_options settings = {threads, 0};
  ContextHandle context(hlort_context_create(&settings, &status));
  if (!context)
    return nullptr;
  hlort_transfers_close(context.get(), "this program has no data for it", &status);
  if (threads > 1 && hlort_context_add_threads(context.get(), &module, &status))
    return nullptr;
  return context;
}

bool Instance::allocate(hlort_status &status) {
  auto get = [&](int64_t bytes) {
    return Memory(static_cast<char *>(hlort_arena_allocate(bytes, 0, &status)));
  };
  arena = get(module.arena_bytes);
  for (int64_t i = 0; i < module.argument_count; ++i)
    in.push_back(arguments.emplace_back(get(module.arguments[i].bytes)).get());
  for (int64_t i = 0; i < module.result_count; ++i) {
    const hlort_port &port = module.results[i];
    own.push_back(port.alias >= 0 ? nullptr : get(port.bytes));
    results.push_back(port.alias >= 0 ? getArgument(port.alias) : own.back().get());
  }
  return !status.code;
}

/// The size of a bounded dimension, in the memory of its own argument or result.
static int32_t &sizeIn(void *memory) { return *static_cast<int32_t *>(memory); }

void Instance::setShape(int64_t argument, const ArrayShape &shape) {
  const hlort_port &port = module.arguments[argument];
  for (int32_t d = 0; port.sizes && d < port.rank; ++d)
    if (port.sizes[d] >= 0)
      sizeIn(getArgument(port.sizes[d])) = int32_t(shape[size_t(d)]);
}

ArrayShape Instance::getShape(int64_t result) const {
  const hlort_port &port = module.results[result];
  ArrayShape shape = getBounds(port);
  for (int32_t d = 0; port.sizes && d < port.rank; ++d)
    if (port.sizes[d] >= 0)
      shape[size_t(d)] = sizeIn(results[size_t(port.sizes[d])]);
  return shape;
}

void Instance::fill(int byte) {
  std::memset(arena.get(), byte, size_t(module.arena_bytes));
  for (int64_t i = 0; i < module.result_count; ++i)
    if (char *memory = own[size_t(i)].get())
      std::memset(memory, byte, size_t(module.results[i].bytes));
}

} // namespace hloc::runtime
