// SPDX-License-Identifier: Apache-2.0
// hlo-run's way of running a module: compiled.
#include "compiler/driver/RunCompiled.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Execute.h"
#include "compiler/driver/HostTransfers.h"
#include "compiler/driver/OutputFiles.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;

namespace hloc {

/// Calls before the ones that count.
static constexpr double kWarmUpSeconds = 0.1;

/// A benchmark compiles this often, and the median counts: the first compilation of a process also
/// brings the compiler itself into memory. Where one takes longer than the second figure, that is
/// lost in it, and one is enough.
static constexpr size_t kCompilations = 3;
static constexpr double kLongCompilationSeconds = 2;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static double getMedian(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

namespace {

struct Executable {
  CompiledModule compiled;
  LoadedModule loaded;
};

/// Compiles a copy of `source` and links it into this process; nothing if that fails, which is
/// reported.
std::optional<Executable> makeExecutable(ModuleOp source, const CompileOptions &options) {
  OwningOpRef<ModuleOp> module = source.clone();
  FailureOr<CompiledModule> compiled = compileModule(*module, options);
  if (failed(compiled))
    return std::nullopt;
  llvm::Expected<LoadedModule> loaded =
      LoadedModule::load(compiled->program.code, compiled->interface.name);
  if (!loaded) {
    llvm::errs() << "error: " << llvm::toString(loaded.takeError()) << '\n';
    return std::nullopt;
  }
  return Executable{std::move(*compiled), std::move(*loaded)};
}

/// Memory of one array, aligned as hosts align it.
using Buffer = std::unique_ptr<char, void (*)(void *)>;
Buffer allocate(int64_t bytes) {
  return Buffer(static_cast<char *>(hlort_arena_allocate(std::max<int64_t>(bytes, 1), 0, nullptr)),
                hlort_arena_free);
}

/// A loaded module with its memory, ready to be called.
class Instance {
public:
  Instance(const ModuleInterface &interface, LoadedModule &module, hlort_context *context,
           HostTransfers &host, ArrayRef<HostArray> inputs)
      : interface(interface), module(module), context(context), host(host), inputs(inputs),
        arena(allocate(interface.arenaBytes)) {
    for (const Port &port : interface.arguments)
      arguments.push_back(allocate(port.bytes));
    for (const Port &port : interface.results)
      results.push_back(allocate(port.bytes));
    for (auto [result, argument] : interface.aliases)
      aliasOf[result] = argument;
    fillArguments();
  }

  void fillArguments() {
    for (auto [array, port, buffer] : llvm::zip(inputs, interface.arguments, arguments))
      toMemory(array, port.minorToMajor, buffer.get());
  }

  bool call() {
    SmallVector<const void *> in;
    SmallVector<void *> out;
    for (Buffer &buffer : arguments)
      in.push_back(buffer.get());
    for (size_t i = 0; i < results.size(); ++i)
      out.push_back(resultMemory(i));
    host.restart();
    hlort_status status = {};
    if (module.getRun()(context, in.data(), out.data(), arena.get(), &status) == 0)
      return true;
    llvm::errs() << "error: " << status.message << '\n';
    return false;
  }

  std::vector<HostArray> getResults() {
    std::vector<HostArray> arrays;
    for (auto [i, port] : llvm::enumerate(interface.results))
      arrays.push_back(fromMemory(port.type, port.minorToMajor, resultMemory(i)));
    return arrays;
  }

private:
  char *resultMemory(size_t i) {
    auto alias = aliasOf.find(i);
    return (alias == aliasOf.end() ? results[i] : arguments[alias->second]).get();
  }

  const ModuleInterface &interface;
  LoadedModule &module;
  hlort_context *context;
  HostTransfers &host;
  ArrayRef<HostArray> inputs;
  Buffer arena;
  std::vector<Buffer> arguments, results;
  DenseMap<size_t, size_t> aliasOf;
};

/// Ends the trace and writes it in the form that Perfetto and Chrome read; false if that fails.
bool writeTrace(hlort_context *runtime, StringRef path) {
  int64_t count = 0;
  const hlort_trace_event *events = hlort_trace_stop(runtime, &count);
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (const hlort_trace_event &event : ArrayRef(events, count))
        json.object([&] {
          json.attribute("name", event.label->name);
          json.attribute("cat", event.label->category);
          json.attribute("ph", "X"); // a complete event; times are in microseconds
          json.attribute("ts", double(event.begin) / 1000);
          json.attribute("dur", double(event.end - event.begin) / 1000);
          json.attribute("pid", 1);
          json.attribute("tid", event.thread);
          json.attributeObject("args", [&] {
            if (*event.label->detail)
              json.attribute("op_name", event.label->detail);
          });
        });
    });
  });
  out << '\n';
  OutputFiles files;
  llvm::Error error = files.add(path, text);
  if (!error)
    error = files.commit();
  if (!error)
    return true;
  llvm::errs() << llvm::toString(std::move(error)) << '\n';
  return false;
}

} // namespace

RunStatus runCompiled(ModuleOp source, const RunOptions &options, const ParticipantArrays &inputs,
                      ParticipantArrays &outputs, ParticipantArrays &outfeed,
                      Measurements &measured) {
  if (options.getParticipants() > 1) {
    emitNotSupported(source.getLoc(), "compiled code for several participants");
    return RunStatus::Unsupported;
  }
  // What the compiler cannot do yet is another exit code than what is wrong.
  bool unsupported = false;
  MLIRContext *context = source.getContext();
  DiagnosticEngine::HandlerID handler =
      context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
        unsupported |= isNotSupported(diagnostic);
        return failure(); // others print it
      });
  auto unregister = llvm::make_scope_exit([&] { context->getDiagEngine().eraseHandler(handler); });

  CompileOptions compile;
  compile.target.cpu = options.mcpu;
  compile.schedules = options.schedules;
  compile.target.optimization = options.optimizationLevel;
  compile.target.singleThreaded = options.threads == 1;
  compile.target.fastMath = options.fastMath;
  compile.target.bf16Dot = options.bf16Dot;
  compile.target.trace = !options.trace.empty();
  compile.checkBuffers = options.checkBuffers;
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
  measured.threads =
      options.threads ? options.threads : llvm::hardware_concurrency().compute_thread_count();
  measured.arenaBytes = compiled.interface.arenaBytes;
  measured.codeBytes = compiled.program.codeBytes;
  measured.constantBytes = compiled.program.constantBytes;

  hlort_context_options contextOptions = {int32_t(measured.threads), 0};
  hlort_status status = {};
  hlort_context *runtime = hlort_context_create(&contextOptions, &status);
  if (!runtime) {
    llvm::errs() << "error: " << status.message << '\n';
    return RunStatus::Refused;
  }
  auto destroy = llvm::make_scope_exit([&] { hlort_context_destroy(runtime); });
  HostTransfers host(source, options, /*participant=*/0);
  host.attach(runtime);
  Instance instance(compiled.interface, executable->loaded, runtime, host, inputs[0]);
  CrashGuard guard;
  if (!options.trace.empty()) {
    // A first call brings code and memory into the caches, which would be most of what is seen.
    if (!instance.call())
      return RunStatus::Refused;
    instance.fillArguments();
    hlort_trace_start(runtime, nullptr);
  }
  auto start = std::chrono::steady_clock::now();
  if (!instance.call())
    return RunStatus::Refused;
  measured.runSeconds = secondsSince(start);
  measured.runs = 1;
  if (!options.trace.empty() && !writeTrace(runtime, options.trace))
    return RunStatus::Refused;
  outputs = {instance.getResults()};
  outfeed = {host.getGiven()};
  if (options.benchmarkSeconds <= 0)
    return RunStatus::Done;

  start = std::chrono::steady_clock::now();
  while (secondsSince(start) < kWarmUpSeconds)
    instance.call();
  std::vector<double> times;
  start = std::chrono::steady_clock::now();
  while (secondsSince(start) < options.benchmarkSeconds || times.size() < 3) {
    auto before = std::chrono::steady_clock::now();
    if (!instance.call())
      return RunStatus::Refused;
    times.push_back(secondsSince(before));
  }
  measured.runs = times.size();
  measured.runSeconds = getMedian(times);
  return RunStatus::Done;
}

} // namespace hloc
