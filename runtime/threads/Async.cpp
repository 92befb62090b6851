// SPDX-License-Identifier: Apache-2.0
// The C interface of asynchronous computations: see hlort/async.h.

#include "Context.h"

#include <exception>
#include <memory>
#include <new>

using namespace hloc::runtime;

int32_t hlort_context_add_thread(hlort_context *context, const char *name, hlort_status *status) {
  if (!context || !name || !*name)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "a thread needs a context, not null, and a name");
  try {
    if (context->namedThreads.add(name))
      return HLORT_OK;
  } catch (const std::exception &error) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "cannot start thread '%s': %s", name,
                            error.what());
  }
  return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "the context has a thread '%s' already",
                          name);
}

int32_t hlort_context_add_threads(hlort_context *context, const hlort_module *module,
                                  hlort_status *status) {
  if (int32_t code = hlort_module_check(module, status))
    return code;
  for (int64_t i = 0; i < module->thread_count; ++i)
    if (!hlort_context_has_thread(context, module->threads[i]))
      if (int32_t code = hlort_context_add_thread(context, module->threads[i], status))
        return code;
  return HLORT_OK;
}

int32_t hlort_context_has_thread(const hlort_context *context, const char *name) {
  return context && name && context->namedThreads.find(name);
}

int32_t hlort_async_start(hlort_context *context, const char *name, hlort_async_body body,
                          int64_t count, void *const *pointers, hlort_async **scope,
                          hlort_async **ticket, hlort_status *status) {
  *ticket = nullptr;
  NamedThread *thread = context ? context->namedThreads.find(name) : nullptr;
  if (!thread || NamedThread::isCaller())
    return body(pointers, status);
  try {
    auto computation = std::make_unique<hlort_async>();
    computation->thread = thread;
    computation->body = body;
    computation->pointers.assign(pointers, pointers + count);
    computation->after = *scope;
    if (*scope)
      (*scope)->before = computation.get();
    *scope = *ticket = computation.release();
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory to start a computation on '%s'",
                            name);
  }
  thread->start(**ticket);
  return HLORT_OK;
}

int32_t hlort_async_wait(hlort_async **scope, hlort_async **ticket, hlort_status *status) {
  hlort_async *computation = *ticket;
  if (!computation)
    return HLORT_OK;
  *ticket = nullptr;
  computation->thread->wait(*computation);
  (computation->before ? computation->before->after : *scope) = computation->after;
  if (computation->after)
    computation->after->before = computation->before;
  int32_t code = computation->status.code;
  if (code && status)
    *status = computation->status;
  delete computation;
  return code;
}

void hlort_async_abandon(hlort_async **scope) {
  while (hlort_async *computation = *scope)
    hlort_async_wait(scope, &computation, nullptr);
}
