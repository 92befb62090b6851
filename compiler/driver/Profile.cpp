// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Profile.h"
#include "compiler/driver/Report.h"
#include "passes/schedule/Prediction.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using llvm::formatv;

namespace hloc {

/// Number of empty events, from which the time of an event itself is measured.
static constexpr int kEmptyEvents = 1000;

double getMedian(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void Profile::addCall(ArrayRef<hlort_trace_event> events) {
  std::map<std::pair<std::string, std::string>, Sums> call;
  for (const hlort_trace_event &event : events) {
    StringRef category = event.label->category, kernel = event.label->kernel;
    if (category == "loop" || category == "task")
      continue;
    Sums &sum = call[{category.str(), kernel.empty() ? event.label->name : kernel.str()}];
    ++sum.times;
    sum.time += std::max(0.0, double(event.end - event.begin) - overhead);
  }
  for (auto &[key, sum] : call)
    sums[key].push_back(sum);
}

std::vector<ProfileRow> Profile::getRows() const {
  std::vector<ProfileRow> rows;
  for (const auto &[key, calls] : sums) {
    std::vector<double> times, counts;
    for (const Sums &call : calls) {
      times.push_back(call.time);
      counts.push_back(double(call.times));
    }
    ProfileRow row;
    std::tie(row.category, row.name) = key;
    row.time = getMedian(std::move(times));
    row.times = int64_t(getMedian(std::move(counts)));
    rows.push_back(std::move(row));
  }
  llvm::stable_sort(rows, [](const ProfileRow &x, const ProfileRow &y) { return x.time > y.time; });
  return rows;
}

double measureTraceOverhead(hlort_context *context) {
  static const hlort_trace_label label = {"", "", "", ""};
  hlort_trace_start(context, nullptr);
  for (int i = 0; i < kEmptyEvents; ++i)
    hlort_trace_end(context, &label, hlort_trace_begin(context));
  int64_t count = 0;
  const hlort_trace_event *events = hlort_trace_stop(context, &count);
  std::vector<double> times;
  for (const hlort_trace_event &event : ArrayRef(events, count))
    times.push_back(double(event.end - event.begin));
  return times.empty() ? 0 : getMedian(std::move(times));
}

void addPredictions(std::vector<ProfileRow> &rows, ModuleOp program, const Target &target) {
  SymbolTable symbols(program);
  for (ProfileRow &row : rows) {
    if (row.category != "kernel")
      continue;
    SmallVector<StringRef> names;
    StringRef(row.name).split(names, '+');
    for (StringRef name : names) {
      auto kernel = symbols.lookup<hlo::KernelFunctionOp>(name);
      if (!kernel)
        continue;
      KernelPrediction one = predictKernel(kernel, target);
      row.predicted = row.predicted.value_or(0) + double(row.times) * one.time;
      row.limit = row.limit.value_or(0) + double(row.times) * one.limit;
      // Of several kernels the last one is the purpose of the others.
      row.kind = hlo::stringifyKernelKind(kernel.getKind()).str();
      row.place = printPlace(kernel.getLoc());
      row.schedule.clear();
      if (one.schedule)
        llvm::raw_string_ostream(row.schedule) << Attribute(one.schedule);
    }
  }
}

std::string printProfile(const ProfileSummary &summary, ArrayRef<ProfileRow> rows) {
  double whole = summary.callSeconds * 1e9, sum = 0;
  for (const ProfileRow &row : rows)
    sum += row.time;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << formatv("{0} on {1}, {2} thread{3}: a call takes {4}; traced {5}, of which {6} are in "
                 "what follows\n",
                 summary.module, summary.cpu, summary.threads, summary.threads == 1 ? "" : "s",
                 printDuration(whole), printDuration(summary.tracedSeconds * 1e9),
                 printDuration(sum));
  out << formatv("{0,10} {1,6} {2,9} {3,10} {4,10}  {5}\n", "measured", "share", "times",
                 "predicted", "at least", "name");
  auto print = [](std::optional<double> time) { return time ? printDuration(*time) : "-"; };
  for (const ProfileRow &row : rows)
    out << formatv("{0,10} {1,5:f1}% {2,9} {3,10} {4,10}  {5} ({6})\n", printDuration(row.time),
                   whole > 0 ? 100 * row.time / whole : 0.0, row.times, print(row.predicted),
                   print(row.limit), row.name, row.kind.empty() ? row.category : row.kind);
  return text;
}

std::string writeProfile(const ProfileSummary &summary, ArrayRef<ProfileRow> rows) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out, 1);
  auto writeRow = [&](const ProfileRow &row) {
    json.attribute("name", row.name);
    json.attribute("category", row.category);
    json.attribute("times", row.times);
    json.attribute("seconds", row.time / 1e9);
    json.attribute("share", summary.callSeconds > 0 ? row.time / 1e9 / summary.callSeconds : 0.0);
    if (!row.predicted)
      return;
    json.attribute("predicted_seconds", *row.predicted / 1e9);
    json.attribute("limit_seconds", *row.limit / 1e9);
    json.attribute("kind", row.kind);
    json.attribute("at", row.place);
    json.attribute("schedule", row.schedule);
  };
  json.object([&] {
    json.attribute("module", summary.module);
    json.attribute("cpu", summary.cpu);
    json.attribute("threads", summary.threads);
    json.attribute("calls", summary.calls);
    json.attribute("call_seconds", summary.callSeconds);
    json.attribute("traced_call_seconds", summary.tracedSeconds);
    json.attribute("event_seconds", summary.overhead / 1e9);
    json.attributeArray("rows", [&] {
      for (const ProfileRow &row : rows)
        json.object([&] { writeRow(row); });
    });
  });
  out << '\n';
  return text;
}

} // namespace hloc
