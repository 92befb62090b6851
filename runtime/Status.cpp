// SPDX-License-Identifier: Apache-2.0
// Statuses: a code and a message in memory that the caller owns.

#include "hlort/hlort.h"

#include <cstdarg>
#include <cstdio>

int32_t hlort_status_set(hlort_status *status, int32_t code, const char *format, ...) {
  if (!status)
    return code;
  status->code = code;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(status->message, sizeof status->message, format, arguments);
  va_end(arguments);
  return code;
}

int32_t hlort_require(int32_t holds, const char *message, hlort_status *status) {
  return holds ? int32_t(HLORT_OK)
               : hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s", message);
}

const char *hlort_code_name(int32_t code) {
  switch (code) {
  case HLORT_OK:
    return "ok";
  case HLORT_INVALID_ARGUMENT:
    return "invalid argument";
  case HLORT_NOT_FOUND:
    return "not found";
  case HLORT_OUT_OF_MEMORY:
    return "out of memory";
  case HLORT_UNSUPPORTED:
    return "unsupported";
  case HLORT_DEADLINE_EXCEEDED:
    return "deadline exceeded";
  case HLORT_CANCELLED:
    return "cancelled";
  case HLORT_CALL_FAILED:
    return "call failed";
  case HLORT_INTERNAL:
    return "internal";
  default:
    return "unknown code";
  }
}

int32_t hlort_module_check(const hlort_module *module, hlort_status *status) {
  if (!module)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "the module is null");
  if (module->abi_version != HLORT_ABI_VERSION)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s was compiled for version %d of the runtime's interface, this is %d",
                            module->name, module->abi_version, HLORT_ABI_VERSION);
  return HLORT_OK;
}

int32_t hlort_abi_version(void) { return HLORT_ABI_VERSION; }
