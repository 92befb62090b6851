// SPDX-License-Identifier: Apache-2.0
#include "Ffi.h"
#include "Program.h"
#include "XlaFfi.h"
#include <cstring>
#include <deque>
#include <string>

namespace hloc::python {

namespace {

/// Never destroyed, as code that XLA has compiled may call it at any time.
struct Entry {
  std::unique_ptr<Program> program;
  std::shared_ptr<Threads> threads;
};

/// All that is registered; never destroyed.
struct Table {
  std::mutex mutex;
  std::deque<Entry> entries;

  static Table &get() {
    static Table *table = new Table;
    return *table;
  }

  int64_t add(Entry entry) {
    std::lock_guard lock(mutex);
    entries.push_back(std::move(entry));
    return int64_t(entries.size()) - 1;
  }
  /// Null if there is none with that number.
  Entry *find(int64_t number) {
    std::lock_guard lock(mutex);
    return number >= 0 && number < int64_t(entries.size()) ? &entries[number] : nullptr;
  }
};

} // namespace

static xla::Error *fail(const xla::CallFrame &frame, int32_t code, const std::string &message) {
  xla::ErrorArguments arguments = {sizeof arguments, nullptr, message.c_str(), code};
  return frame.functions->createError(&arguments);
}

/// Answers XLA's request for the version with its own one, since all versions have the fields that
/// are used. False if it is no such request.
static bool answerMetadata(const xla::CallFrame &frame) {
  for (xla::Extension *extension = frame.extensions; extension; extension = extension->next)
    if (extension->kind == xla::kMetadata) {
      xla::Metadata &metadata = *reinterpret_cast<xla::MetadataExtension *>(extension)->metadata;
      metadata.version.major = frame.functions->version.major;
      metadata.version.minor = frame.functions->version.minor;
      metadata.traits = 0;
      return true;
    }
  return false;
}

/// The program that the call's attribute refers to; null if there is none.
static Entry *findEntry(const xla::Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const xla::Text &name = *attributes.names[i];
    if (std::string_view(name.data, name.size) != "program" || attributes.kinds[i] != xla::kScalar)
      continue;
    const auto &scalar = *static_cast<const xla::Scalar *>(attributes.values[i]);
    if (scalar.elementType == HLORT_S64)
      return Table::get().find(*static_cast<const int64_t *>(scalar.value));
  }
  return nullptr;
}

/// What is wrong with the buffers for these ports; empty if they are valid.
static std::string check(const xla::Buffers &buffers, const hlort_port *ports, int64_t count) {
  if (buffers.count != count)
    return "expected " + std::to_string(count) + " arrays but got " + std::to_string(buffers.count);
  for (int64_t i = 0; i < count; ++i) {
    const xla::Buffer &buffer = *buffers.values[i];
    bool same = buffers.kinds[i] == xla::kBuffer && buffer.elementType == ports[i].element_type &&
                buffer.rank == ports[i].rank &&
                std::equal(buffer.dims, buffer.dims + buffer.rank, ports[i].dims);
    if (!same)
      return std::string("the array for `") + ports[i].name + "` has another type or shape";
  }
  return "";
}

static xla::Error *handle(xla::CallFrame *frame) noexcept {
  if (answerMetadata(*frame) || frame->stage != xla::kExecute)
    return nullptr;
  Entry *entry = findEntry(frame->attributes);
  if (!entry)
    return fail(*frame, xla::kInvalidArgument,
                "hloc has no such program in this process: it was registered in another one");
  const hlort_module &module = entry->program->getModule();
  std::string fault = check(frame->arguments, module.arguments, module.argument_count);
  if (fault.empty())
    fault = check(frame->results, module.results, module.result_count);
  if (!fault.empty())
    return fail(*frame, xla::kInvalidArgument, std::string(module.name) + ": " + fault);
  std::vector<const void *> arguments;
  std::vector<void *> results;
  for (int64_t i = 0; i < module.argument_count; ++i)
    arguments.push_back(frame->arguments.values[i]->data);
  for (int64_t i = 0; i < module.result_count; ++i)
    results.push_back(frame->results.values[i]->data);
  hlort_status status = {};
  if (!entry->program->run(entry->threads.get(), arguments.data(), results.data(), status))
    return nullptr;
  return fail(*frame, xla::kInternal, std::string(module.name) + ": " + status.message);
}

void bindFfi(nb::module_ &m) {
  m.def("ffi_handler", [] { return nb::capsule(reinterpret_cast<void *>(&handle)); });
  m.def(
      "ffi_register",
      [](const Program &program, const Context *context) {
        // A copy that Python's garbage collector, which visits the functions of the program's
        // calls, does not see.
        auto calls = program.getCustomCalls()
                         ? std::make_shared<CustomCalls>(*program.getCustomCalls())
                         : nullptr;
        auto copy =
            std::make_unique<Program>(program.getResult(), program.wasOpened(), std::move(calls));
        return Table::get().add({std::move(copy), context ? context->threads : nullptr});
      },
      nb::arg("program"), nb::arg("context").none());
}

} // namespace hloc::python
