// SPDX-License-Identifier: Apache-2.0
// Compiling and running a module in hlo-run.
#include "compiler/driver/RunCompiled.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/KeptResults.h"
#include "compiler/driver/MpiProcess.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/RunProfile.h"
#include "compiler/driver/TraceFile.h"
#include "compiler/driver/numerics/NumericReport.h"
#include "hlort/async.h"
#include "passes/frontend/LocalizeEntry.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;

namespace hloc {

/// Duration of calls before the measured ones.
static constexpr double kWarmUpSeconds = 0.1;

/// A benchmark compiles this often and reports the median: the first compilation of a process also
/// loads the compiler itself into memory. If one takes longer than the second number, that does not
/// matter, and one is enough.
static constexpr size_t kCompilations = 3;
static constexpr double kLongCompilationSeconds = 2;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds the threads that asynchronous computations name to the context.
static bool addThreads(const ModuleInterface &interface, hlort_context *context) {
  for (const std::string &name : interface.threads)
    if (hlort_status status = {}; hlort_context_add_thread(context, name.c_str(), &status)) {
      llvm::errs() << "error: " << status.message << '\n';
      return false;
    }
  return true;
}

/// After a failed run: reports the custom calls that have no registered function, with their
/// locations. Returns whether there are any.
static bool tellUnknownCalls(ModuleOp module, hlort_context *context) {
  bool any = false;
  module.walk([&](hlo::CustomCallOp op) {
    std::string target = op.getCustomCallTarget().str();
    if (hlort_has_custom_call(context, target.c_str()))
      return;
    mlir::emitError(op.getLoc(), "custom call '" + target +
                                     "' is a function that host programs register; "
                                     "hlo-run has none of that name");
    any = true;
  });
  return any;
}

RunStatus prepareModule(ModuleOp module, const RunOptions &options) {
  if (failed(localizeEntry(module)))
    return RunStatus::Unsupported;
  LogicalResult bound = bindModule(
      module, options.bind, [](const std::string &message) { llvm::errs() << message << '\n'; });
  return succeeded(bound) ? RunStatus::Done : RunStatus::Refused;
}

RunStatus runCompiled(ModuleOp source, const RunOptions &options, const ParticipantArrays &inputs,
                      ParticipantArrays &outputs, ParticipantArrays &outfeed,
                      Measurements &measured) {
  // Unsupported modules have another exit code than invalid ones.
  bool unsupported = false;
  ReportRemarks remarks;
  MLIRContext *context = source.getContext();
  DiagnosticEngine::HandlerID handler =
      context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
        if (!options.reportFile.empty() && remarks.take(diagnostic))
          return success();
        unsupported |= isNotSupported(diagnostic);
        return failure(); // others print the message
      });
  llvm::scope_exit unregister([&] { context->getDiagEngine().eraseHandler(handler); });

  CompileOptions compile;
  compile.target.cpu = options.mcpu;
  compile.schedules = options.schedules;
  compile.tunedSchedules = options.tunedSchedules;
  compile.tunedSchedulesFile = options.tunedSchedulesFile;
  compile.target.optimization = options.optimizationLevel;
  compile.target.singleThreaded = options.threads == 1;
  compile.target.fastMath = options.fastMath;
  compile.target.flushSubnormals = options.flushSubnormals;
  compile.target.excessPrecision = options.excessPrecision;
  compile.target.reproducible = options.reproducible;
  compile.target.bf16Dot = options.bf16Dot;
  compile.target.trace = !options.trace.empty();
  compile.checkBuffers = options.checkBuffers;
  compile.remarks = !options.reportFile.empty();
  compile.timeBudget = options.timeBudget;
  auto tell = [](const std::string &what) { llvm::errs() << "hlo-run: " << what << '\n'; };
  std::unique_ptr<CompileCache> cache;
  if (options.benchmarkSeconds <= 0) // since it measures compilations
    cache = openCache(options.cache, tell);
  compile.cache = cache.get();
  llvm::scope_exit close([&] { closeCache(std::move(cache), options.cache, tell); });
  if (auto target = makeTargets(compile.target); !target) {
    llvm::errs() << "hlo-run: " << llvm::toString(target.takeError()) << '\n';
    return RunStatus::WrongUsage;
  }
  std::vector<double> compileTimes;
  std::optional<Executable> executable;
  do {
    auto start = std::chrono::steady_clock::now();
    executable = makeExecutable(source, compile);
    if (!executable)
      return unsupported ? RunStatus::Unsupported : RunStatus::Refused;
    compileTimes.push_back(secondsSince(start));
  } while (options.benchmarkSeconds > 0 && compileTimes.size() < kCompilations &&
           compileTimes.back() < kLongCompilationSeconds);
  measured.compileSeconds = getMedian(compileTimes);
  CompiledModule &compiled = executable->compiled;
  // The processors are divided among the participants on this machine.
  size_t participants =
      options.process ? options.process->getSizeHere() : options.getParticipants();
  measured.threads =
      options.threads ? options.threads
                      : std::max<int64_t>(1, llvm::hardware_concurrency().compute_thread_count() /
                                                 int64_t(participants));
  measured.arenaBytes = compiled.interface.arenaBytes;
  measured.codeBytes = compiled.program.codeBytes;
  measured.constantBytes = compiled.program.constantBytes;

  CrashGuard guard;
  hlort_communicator *communicator = nullptr;
  if (hlort_status status = {};
      options.process && !(communicator = options.process->makeCommunicator(&status))) {
    llvm::errs() << "error: " << status.message << '\n';
    return RunStatus::Refused;
  }
  std::optional<ParticipantTeam> team = ParticipantTeam::create(
      options.countHere, int32_t(measured.threads), communicator, options.firstHere);
  if (!team)
    return RunStatus::Refused;
  std::vector<std::unique_ptr<HostTransfers>> transfers;
  SmallVector<HostTransfers *> hosts;
  for (size_t i = 0; i < team->size(); ++i) {
    transfers.push_back(std::make_unique<HostTransfers>(source, options, options.firstHere + i));
    hosts.push_back(transfers.back().get());
    hosts.back()->attach(team->getContext(i));
    hlort_random_seed(team->getContext(i), options.seed, nullptr);
    if (measured.threads > 1 && !addThreads(compiled.interface, team->getContext(i)))
      return RunStatus::Refused;
  }
  TeamRun run(*team, *executable, hosts, inputs, options);
  if (compiled.interface.preparation) {
    measured.preparedBytes = compiled.interface.preparation->bytes;
    auto start = std::chrono::steady_clock::now();
    if (!run.prepare())
      return RunStatus::Refused;
    measured.prepareSeconds = secondsSince(start);
  }
  auto runOnce = [&] {
    bool isFirst = true;
    return run.run([&] { return std::exchange(isFirst, false); },
                   [&](double seconds) { measured.runSeconds = seconds; });
  };
  SmallVector<hlort_context *> contexts;
  for (size_t i = 0; i < team->size(); ++i)
    contexts.push_back(team->getContext(i));
  if (!options.trace.empty()) {
    // A first call loads code and memory into the caches, which would otherwise dominate the trace.
    if (!runOnce())
      return RunStatus::Refused;
    run.fillArguments();
    for (hlort_context *context : contexts)
      hlort_random_seed(context, options.seed, nullptr);
    startTraces(contexts);
  }
  if (!runOnce())
    return tellUnknownCalls(source, team->getContext(0)) ? RunStatus::Unsupported
                                                         : RunStatus::Refused;
  measured.runs = 1;
  if (!options.trace.empty() && !writeTraces(contexts, options))
    return RunStatus::Refused;
  outputs = run.getResults();
  outfeed.assign(options.getParticipants(), {});
  for (auto [i, host] : llvm::enumerate(hosts))
    outfeed[options.firstHere + i] = host->getGiven();
  if (options.numericReport != NumericReport::None)
    return reportNumerics(source, options, inputs, outputs, runCompiled);
  if (options.profile)
    return runProfile(source, compile, options, *executable, remarks, *team, hosts, inputs,
                      measured)
               ? RunStatus::Done
               : RunStatus::Refused;
  if (options.benchmarkSeconds <= 0)
    return RunStatus::Done;

  auto start = std::chrono::steady_clock::now();
  if (!run.run([&] { return secondsSince(start) < kWarmUpSeconds; }, [](double) {}))
    return RunStatus::Refused;
  std::vector<double> times;
  start = std::chrono::steady_clock::now();
  if (!run.run([&] { return secondsSince(start) < options.benchmarkSeconds || times.size() < 3; },
               [&](double seconds) { times.push_back(seconds); }))
    return RunStatus::Refused;
  measured.runs = times.size();
  measured.runSeconds = getMedian(times);
  return RunStatus::Done;
}

} // namespace hloc
