// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/RunProfile.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/report/ReportData.h"
#include "compiler/driver/report/ReportPage.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;

namespace hloc {

/// The duration of the calls, unless --benchmark gives one, and the minimum number of them; the
/// first ones load code and memory into the caches.
static constexpr double kProfileSeconds = 0.3, kWarmUpShare = 0.2;
static constexpr size_t kLeastCalls = 3;

namespace {

/// The calls of one executable. All of them have the same arguments and random numbers, even if a
/// call overwrites its arguments.
class Calls {
public:
  Calls(Executable &executable, const RunOptions &options, ParticipantTeam &team,
        ArrayRef<HostTransfers *> hosts, const ParticipantArrays &inputs)
      : run(team, executable, hosts, inputs, options), team(team), options(options),
        overwrites(!executable.compiled.interface.aliases.empty()),
        seconds(options.benchmarkSeconds > 0 ? options.benchmarkSeconds : kProfileSeconds) {}

  /// Runs the program, calling `begins` and `ended` for each call that is measured. False, with a
  /// message, if a call fails.
  bool time(llvm::function_ref<void()> begins, llvm::function_ref<void()> ended) {
    times.clear();
    auto start = std::chrono::steady_clock::now();
    auto passed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    bool isWarm = false;
    size_t calls = 0;
    return run.run(
        [&] {
          if (!isWarm && calls > 0 && passed() > kWarmUpShare * seconds) {
            isWarm = true;
            start = std::chrono::steady_clock::now();
          }
          if (isWarm && passed() > seconds && times.size() >= kLeastCalls)
            return false;
          prepare();
          if (isWarm)
            begins();
          return true;
        },
        [&](double call) {
          ++calls;
          if (!isWarm)
            return;
          times.push_back(call);
          ended();
        });
  }

  /// The results of the first participant's last call.
  std::vector<HostArray> getResults() { return std::move(run.getResults().front()); }

  /// The times of the measured calls.
  std::vector<double> times;

private:
  void prepare() {
    if (overwrites)
      run.fillArguments();
    for (size_t i = 0; i < team.size(); ++i)
      hlort_random_seed(team.getContext(i), options.seed, nullptr);
  }

  TeamRun run;
  ParticipantTeam &team;
  const RunOptions &options;
  bool overwrites;
  double seconds;
};

} // namespace

std::optional<TracedCalls> traceCalls(Executable &traced, const RunOptions &options,
                                      ParticipantTeam &team, ArrayRef<HostTransfers *> hosts,
                                      const ParticipantArrays &inputs) {
  hlort_context *context = team.getContext(0);
  TracedCalls traces;
  traces.overhead = measureTraceOverhead(context);
  Profile profile(traces.overhead);
  Calls calls(traced, options, team, hosts, inputs);
  bool done = calls.time([&] { hlort_trace_start(context, nullptr); },
                         [&] {
                           int64_t count = 0;
                           const hlort_trace_event *events = hlort_trace_stop(context, &count);
                           profile.addCall(ArrayRef(events, count));
                         });
  if (!done)
    return std::nullopt;
  traces.calls = int64_t(calls.times.size());
  traces.seconds = getMedian(calls.times);
  traces.rows = profile.getRows();
  traces.results = calls.getResults();
  return traces;
}

/// Writes the report, with the profile that was written as `profile`.
static bool writeReport(const RunOptions &options, StringAttr frames, const Executable &executable,
                        const ReportRemarks &remarks, StringRef profile) {
  ReportSource origin(*options.sources, frames);
  ReportInput input{*executable.program, executable.compiled, remarks, origin,
                    llvm::cantFail(llvm::json::parse(profile))};
  FailureOr<llvm::json::Value> data = makeReportData(input);
  return succeeded(data) && writeFile(options.reportFile, printReport(options.reportFile, *data));
}

bool runProfile(ModuleOp source, CompileOptions compile, const RunOptions &options,
                Executable &plain, const ReportRemarks &remarks, ParticipantTeam &team,
                ArrayRef<HostTransfers *> hosts, const ParticipantArrays &inputs,
                Measurements &measured) {
  ProfileSummary summary;
  {
    Calls calls(plain, options, team, hosts, inputs);
    if (!calls.time([] {}, [] {}))
      return false;
    summary.callSeconds = measured.runSeconds = getMedian(calls.times);
    measured.runs = int64_t(calls.times.size());
  }
  compile.target.trace = true;
  compile.remarks = false;
  std::optional<Executable> traced = makeExecutable(source, compile);
  if (!traced)
    return false;
  std::optional<TracedCalls> calls = traceCalls(*traced, options, team, hosts, inputs);
  if (!calls)
    return false;
  const Target &target = traced->compiled.targets.back();
  summary.module = traced->compiled.interface.name;
  summary.cpu = target.cpu;
  summary.threads = hlort_context_threads(team.getContext(0));
  summary.calls = calls->calls;
  summary.tracedSeconds = calls->seconds;
  summary.overhead = calls->overhead;
  std::vector<ProfileRow> &rows = calls->rows;
  addPredictions(rows, *traced->program, target);
  if (!options.json)
    llvm::outs() << printProfile(summary, rows);
  std::string profile = writeProfile(summary, rows);
  if (!options.profileFile.empty() && !writeFile(options.profileFile, profile))
    return false;
  return options.reportFile.empty() ||
         writeReport(options, source->getAttrOfType<StringAttr>("hlo.stack_frames"), plain, remarks,
                     profile);
}

} // namespace hloc
