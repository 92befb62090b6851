// SPDX-License-Identifier: Apache-2.0
// Looking up and calling custom calls.

#include "Context.h"
#include "custom/Call.h"

#include <cinttypes>
#include <mutex>
#include <new>

using namespace hloc::runtime;

int32_t hlort_register_custom_call(hlort_context *context, const char *target,
                                   hlort_custom_call_function function, void *user,
                                   hlort_status *status) {
  if (!context || !target || !function)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "registering a custom call: expected a context, a target and a "
                            "function, got a null %s",
                            !context  ? "context"
                            : !target ? "target"
                                      : "function");
  try {
    std::unique_lock lock(context->customCallsMutex);
    context->customCalls.insert_or_assign(target, CustomCall{function, user});
    return HLORT_OK;
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory to register custom call '%s'",
                            target);
  }
}

/// The call that the host registered; its function is null if there is none.
static CustomCall findRegistered(const hlort_context *context, std::string_view target) {
  if (!context)
    return {};
  std::shared_lock lock(context->customCallsMutex);
  auto found = context->customCalls.find(target);
  return found == context->customCalls.end() ? CustomCall{} : found->second;
}

int32_t hlort_has_custom_call(const hlort_context *context, const char *target) {
  return findRegistered(context, target).function || findBuiltinCall(target);
}

static int32_t checkBuffers(const char *target, const char *what, const hlort_buffer *buffers,
                            int64_t count, hlort_status *status) {
  for (int64_t i = 0; i < count; ++i)
    if (buffers[i].rank < 0 || buffers[i].rank > maxRank)
      return hlort_status_set(status, HLORT_UNSUPPORTED,
                              "%s: %s %" PRId64 " has %d dimensions, expected 0 to %d", target,
                              what, i, buffers[i].rank, maxRank);
  return HLORT_OK;
}

static int32_t callBuiltin(BuiltinCall call, const hlort_custom_call_frame &frame,
                           hlort_status *status) {
  for (auto [what, buffers, count] : {std::tuple("operand", frame.operands, frame.operand_count),
                                      std::tuple("result", frame.results, frame.result_count)})
    if (int32_t code = checkBuffers(frame.target, what, buffers, count, status))
      return code;
  try {
    call(frame);
    return HLORT_OK;
  } catch (const CallFailure &failure) {
    return hlort_status_set(status, failure.code, "%s", failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "%s: no memory for scratch space",
                            frame.target);
  }
}

/// True for targets with which pure_callback, io_callback, debug.print and buffer_callback of JAX
/// call Python.
static bool isPythonCallback(std::string_view target) {
  return target.starts_with("xla_") && target.ends_with("_python_cpu_callback");
}

int32_t hlort_custom_call(hlort_context *context, const hlort_custom_call_frame *frame,
                          hlort_status *status) {
  hlort_custom_call_frame call = *frame;
  call.context = context;
  CustomCall registered = findRegistered(context, call.target);
  if (!registered.function) {
    if (BuiltinCall builtin = findBuiltinCall(call.target))
      return callBuiltin(builtin, call, status);
    return hlort_status_set(status, HLORT_NOT_FOUND,
                            "custom call target '%s'%s is neither registered nor built in",
                            call.target,
                            isPythonCallback(call.target)
                                ? ", a Python function of the process that printed the module,"
                                : "");
  }
  hlort_status own = {};
  int32_t code = registered.function(registered.user, &call, &own);
  if (code == HLORT_OK)
    code = own.code;
  if (code == HLORT_OK)
    return HLORT_OK;
  if (own.message[0])
    return hlort_status_set(status, code, "%s", own.message);
  return hlort_status_set(status, code, "custom call '%s' failed with code %d", call.target, code);
}
