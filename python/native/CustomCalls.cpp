// SPDX-License-Identifier: Apache-2.0
#include "CustomCalls.h"
#include "Arrays.h"
#include "hlort/async.h"
#include <nanobind/stl/string.h>
#include <span>

namespace hloc::python {

CustomCalls::CustomCalls(nb::dict given) {
  for (auto [target, function] : given)
    functions.push_back({nb::cast<std::string>(target), nb::borrow(function)});
}

CustomCalls::~CustomCalls() {
  for (auto [threads, context] : contexts)
    hlort_context_destroy(context);
}

int CustomCalls::traverse(visitproc visit, void *argument) {
  for (Function &function : functions)
    if (int stop = visit(function.function.ptr(), argument))
      return stop;
  return 0;
}

static nb::tuple makeTuple(const std::vector<int64_t> &numbers) {
  nb::list list;
  for (int64_t number : numbers)
    list.append(number);
  return nb::tuple(list);
}

/// (element type, shape, minor to major, memory as a NumPy array) for each buffer except tokens.
static nb::list describe(const hlort_buffer *buffers, int64_t count) {
  nb::list list;
  for (const hlort_buffer &buffer : std::span(buffers, count)) {
    if (buffer.element_type == HLORT_TOKEN)
      continue;
    std::vector<int64_t> shape(buffer.dims, buffer.dims + buffer.rank), order(buffer.rank);
    int64_t elements = 1;
    for (int32_t i = 0; i < buffer.rank; ++i) {
      order[i] = buffer.minor_to_major ? buffer.minor_to_major[i] : buffer.rank - 1 - i;
      elements *= shape[i];
    }
    int64_t bytes = (elements * hlort_element_bits(buffer.element_type) + 7) / 8;
    hlort_port port = {"",
                       buffer.element_type,
                       buffer.rank,
                       shape.data(),
                       order.data(),
                       bytes,
                       /*alias=*/-1,
                       nullptr,
                       -1};
    static char nothing; // the address of arrays without elements
    void *memory = buffer.data ? buffer.data : &nothing;
    list.append(nb::make_tuple(buffer.element_type, makeTuple(shape), makeTuple(order),
                               makeArray(port, memory, nb::handle())));
  }
  return list;
}

static nb::object getValue(const hlort_attribute &attribute) {
  switch (attribute.kind) {
  case HLORT_ATTRIBUTE_INTEGER:
    return nb::int_(attribute.integer);
  case HLORT_ATTRIBUTE_FLOAT:
    return nb::float_(attribute.real);
  case HLORT_ATTRIBUTE_BOOL:
    return nb::bool_(attribute.integer != 0);
  case HLORT_ATTRIBUTE_STRING:
    return nb::str(static_cast<const char *>(attribute.data), attribute.count);
  default:
    break;
  }
  nb::list list;
  for (int64_t i = 0; i < attribute.count; ++i)
    if (attribute.kind == HLORT_ATTRIBUTE_INTEGERS)
      list.append(static_cast<const int64_t *>(attribute.data)[i]);
    else
      list.append(static_cast<const double *>(attribute.data)[i]);
  return nb::tuple(list);
}

/// The call's attributes by name; if they are not a dictionary, the text as `backend_config`.
static nb::dict getAttributes(const hlort_custom_call_frame &frame) {
  nb::dict attributes;
  for (int64_t i = 0; i < frame.attribute_count; ++i)
    attributes[frame.attributes[i].name] = getValue(frame.attributes[i]);
  bool isDictionary = frame.backend_config_size == 0 || frame.backend_config[0] == '{';
  if (!isDictionary)
    attributes["backend_config"] = nb::str(frame.backend_config, frame.backend_config_size);
  return attributes;
}

/// The exception in the form of the last line of its traceback.
static std::string describe(const nb::python_error &error) {
  return nb::cast<std::string>(
      nb::str("{}: {}").format(error.type().attr("__name__"), error.value()));
}

static int32_t call(void *function, const hlort_custom_call_frame *frame, hlort_status *status) {
  nb::gil_scoped_acquire locked;
  try {
    nb::handle(static_cast<PyObject *>(function))(describe(frame->operands, frame->operand_count),
                                                  describe(frame->results, frame->result_count),
                                                  getAttributes(*frame));
    return 0;
  } catch (const nb::python_error &error) {
    return hlort_status_set(status, HLORT_CALL_FAILED, "custom call `%s`: %s", frame->target,
                            describe(error).c_str());
  } catch (const std::exception &error) {
    return hlort_status_set(status, HLORT_CALL_FAILED, "custom call `%s`: %s", frame->target,
                            error.what());
  }
}

hlort_context *CustomCalls::getContext(int threads, const hlort_module &module,
                                       hlort_status &status) {
  std::lock_guard lock(mutex);
  auto &context = contexts[threads];
  if (!context) {
    hlort_context_options options = {threads, 0};
    context = hlort_context_create(&options, &status);
    for (Function &function : functions)
      if (context)
        hlort_register_custom_call(context, function.target.c_str(), &call, function.function.ptr(),
                                   &status);
  }
  if (context && threads > 1 && module.thread_count > 0)
    hlort_context_add_threads(context, &module, &status);
  return status.code ? nullptr : context;
}

} // namespace hloc::python
