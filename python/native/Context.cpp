// SPDX-License-Identifier: Apache-2.0
#include "Context.h"
#include "hlort/async.h"
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace hloc::python {

void throwRunError(const hlort_status &status) {
  nb::object type = nb::module_::import_("hloc._errors").attr("RunError");
  nb::object error = type(hlort_code_name(status.code), status.message);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

Threads::Threads(int count) : count(count) {
  if (count < 1)
    throw nb::value_error("expected one thread or more");
}

Threads::~Threads() {
  hlort_context_destroy(shared);
  for (auto &[result, context] : opened)
    hloc_destroy_context(result.get(), context);
}

hlort_context *Threads::get(const SharedResult &result, bool isOpened, hlort_status &status) {
  std::lock_guard lock(mutex);
  hlort_context_options options = {count, 0};
  hlort_context *&context = isOpened ? opened[result] : shared;
  if (!context)
    context = isOpened ? hloc_create_context(result.get(), &options, &status)
                       : hlort_context_create(&options, &status);
  const hlort_module *module = hloc_get_module(result.get());
  bool needsMore = !isOpened && count > 1 && module->thread_count > 0;
  if (context && needsMore)
    hlort_context_add_threads(context, module, &status);
  return status.code ? nullptr : context;
}

} // namespace hloc::python
