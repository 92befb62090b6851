// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/TraceFile.h"
#include "compiler/driver/MpiProcess.h"
#include "compiler/driver/OutputFiles.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <set>

using llvm::ArrayRef;

namespace hloc {

void startTraces(ArrayRef<hlort_context *> participants) {
  for (hlort_context *context : participants)
    hlort_trace_start(context, nullptr);
}

static void writeEvent(llvm::json::OStream &json, const hlort_trace_event &event, size_t row) {
  json.object([&] {
    json.attribute("name", event.label->name);
    json.attribute("cat", event.label->category);
    json.attribute("ph", "X"); // a complete event; times are in microseconds
    json.attribute("ts", double(event.begin) / 1000);
    json.attribute("dur", double(event.end - event.begin) / 1000);
    json.attribute("pid", int64_t(row + 1));
    json.attribute("tid", event.thread);
    json.attributeObject("args", [&] {
      if (*event.label->detail)
        json.attribute("op_name", event.label->detail);
    });
  });
}

/// A metadata event: the viewer's name of a participant, or of one of its threads.
static void writeName(llvm::json::OStream &json, size_t row, const llvm::Twine &name,
                      std::optional<int32_t> thread = std::nullopt) {
  json.object([&] {
    json.attribute("name", thread ? "thread_name" : "process_name");
    json.attribute("ph", "M");
    json.attribute("pid", int64_t(row + 1));
    if (thread)
      json.attribute("tid", *thread);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
}

/// Names the threads of asynchronous computations; others are numbers.
static void writeThreadNames(llvm::json::OStream &json, size_t row, const hlort_context *context,
                             ArrayRef<hlort_trace_event> events) {
  std::set<int32_t> threads;
  for (const hlort_trace_event &event : events)
    threads.insert(event.thread);
  for (int32_t thread : threads)
    if (const char *name = hlort_trace_thread_name(context, thread); *name)
      writeName(json, row, name, thread);
}

/// The events of this process's participants, separated by commas.
static std::string makeEvents(ArrayRef<hlort_context *> participants, const RunOptions &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.array([&] {
    for (auto [i, context] : llvm::enumerate(participants)) {
      size_t row = options.firstHere + i;
      int64_t count = 0;
      const hlort_trace_event *events = hlort_trace_stop(context, &count);
      if (options.getParticipants() > 1)
        writeName(json, row, "participant " + llvm::Twine(row));
      writeThreadNames(json, row, context, ArrayRef(events, count));
      for (const hlort_trace_event &event : ArrayRef(events, count))
        writeEvent(json, event, row);
    }
  });
  return text.substr(1, text.size() - 2);
}

bool writeTraces(ArrayRef<hlort_context *> participants, const RunOptions &options) {
  std::vector<std::string> parts{makeEvents(participants, options)};
  if (options.process)
    parts = options.process->gather(parts[0]);
  if (parts.empty()) // another process writes the file
    return true;
  llvm::erase_if(parts, [](const std::string &part) { return part.empty(); });
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (const std::string &part : parts)
        json.rawValue(part);
    });
  });
  out << '\n';
  return writeFile(options.trace, text);
}

} // namespace hloc
