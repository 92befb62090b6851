// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/TuneWorker.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/RunCompiled.h"
#include "compiler/driver/RunProfile.h"
#include "compiler/driver/WorkerProcess.h"
#include "compiler/text/Load.h"
#include "passes/schedule/Fingerprint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace mlir;

namespace hloc {

/// How long one program is called before the other one's turn; the number of turns, of which one is
/// enough if a call takes longer than the last number.
static constexpr double kTurnSeconds = 0.03;
static constexpr int kTurns = 4;
static constexpr double kLongCall = 0.1;
/// How long a worker waits for the next request.
static constexpr double kPatience = 1e6;

std::vector<std::string> getTuneWorkerCommand(const HlocOptions &options,
                                              const std::string &program) {
  std::vector<std::string> command{program, "--tune-worker", "-O" + std::to_string(options.level),
                                   "--threads=" + std::to_string(options.threads)};
  auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      command.push_back(std::string("--") + name + "=" + value);
  };
  add("mcpu", options.cpu);
  add("mtriple", options.triple);
  add("target-file", options.machineFile);
  add("bf16-dot", toText(options.bf16Dot).str());
  if (options.cache.folder.empty())
    command.push_back("--no-cache");
  add("cache", options.cache.folder);
  add("cache-size", std::to_string(options.cache.maxBytes));
  for (const std::string &schedule : options.schedules)
    add("schedule", schedule);
  for (const std::string &one : options.bind.one)
    add("bind", one);
  for (const std::string &all : options.bind.all)
    add("bind-all", all);
  for (const std::string &name : options.bind.prepare)
    add("prepare", name);
  return command;
}

std::string writeTrial(StringRef reference, StringRef trial) {
  return (Twine(reference.size()) + "\n" + reference + trial).str();
}

static std::pair<StringRef, StringRef> readTrial(StringRef request) {
  auto [digits, text] = request.split('\n');
  size_t size = 0;
  (void)digits.getAsInteger(10, size);
  return {text.take_front(size), text.drop_front(std::min(size, text.size()))};
}

static uint64_t hashResults(ArrayRef<HostArray> results) {
  uint64_t hash = 0;
  for (const HostArray &array : results)
    hash = 31 * hash +
           llvm::xxh3_64bits(
               ArrayRef(reinterpret_cast<const uint8_t *>(array.bytes.data()), array.bytes.size()));
  return hash;
}

static void writeTimes(llvm::json::OStream &json, const TrialTimes &times) {
  json.attribute("call", times.call);
  json.attribute("results", std::to_string(times.results)); // JSON's numbers have 53 bits
  json.attributeArray("rows", [&] {
    for (const TrialTimes::Row &row : times.rows)
      json.object([&] {
        json.attribute("time", row.time);
        json.attribute("problems", llvm::join(row.problems, "+"));
      });
  });
}

static bool readTimes(const llvm::json::Object *object, TrialTimes &times) {
  const llvm::json::Array *rows = object ? object->getArray("rows") : nullptr;
  std::optional<double> call = object ? object->getNumber("call") : std::nullopt;
  std::optional<StringRef> results = object ? object->getString("results") : std::nullopt;
  if (!rows || !call || !results || results->getAsInteger(10, times.results))
    return false;
  times.call = *call;
  for (const llvm::json::Value &value : *rows) {
    const llvm::json::Object *row = value.getAsObject();
    std::optional<StringRef> problems = row ? row->getString("problems") : std::nullopt;
    std::optional<double> time = row ? row->getNumber("time") : std::nullopt;
    if (!problems || !time)
      return false;
    SmallVector<StringRef> names;
    problems->split(names, '+');
    TrialTimes::Row &added = times.rows.emplace_back();
    added.time = *time;
    added.problems.assign(names.begin(), names.end());
  }
  return true;
}

std::optional<Comparison> readComparison(StringRef answer) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(answer);
  if (!json) {
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *object = json->getAsObject();
  Comparison both;
  bool good = object && readTimes(object->getObject("reference"), both.reference) &&
              readTimes(object->getObject("trial"), both.trial);
  return good ? std::optional(std::move(both)) : std::nullopt;
}

/// A program with schedules, and the shortest times of its calls.
struct TimedProgram {
  std::string schedules;
  Executable executable;
  /// Rows by the names of their kernels, joined by "+".
  llvm::StringMap<double> rows;
  double call = std::numeric_limits<double>::infinity();
  uint64_t results = 0;

  void clear() {
    rows.clear();
    call = std::numeric_limits<double>::infinity();
  }

  void add(const TracedCalls &calls) {
    call = std::min(call, calls.seconds * 1e9);
    results = hashResults(calls.results);
    for (const ProfileRow &row : calls.rows)
      if (row.category == "kernel") {
        auto [least, isNew] = rows.try_emplace(row.name, row.time);
        least->second = std::min(least->second, row.time);
      }
  }

  TrialTimes getTimes() const {
    llvm::StringMap<std::string> problems;
    for (auto kernel : executable.program.get().getOps<hlo::KernelFunctionOp>())
      problems[kernel.getSymName()] = getFingerprint(kernel.getKind(), kernel.getBody().front());
    TrialTimes times{{}, call, results};
    for (const auto &row : rows) {
      TrialTimes::Row &added = times.rows.emplace_back();
      added.time = row.second;
      SmallVector<StringRef> names;
      row.first().split(names, '+');
      for (StringRef name : names)
        added.problems.push_back(problems.lookup(name));
    }
    return times;
  }
};

namespace {

/// The module with everything that is needed to run it.
class Worker {
public:
  explicit Worker(const HlocOptions &options) : context(makeRegistry()) {
    compile.target = options.getTarget();
    compile.target.trace = true;
    run.bind = options.bind;
    compile.schedules = options.schedules;
    run.threads = options.threads ? options.threads
                                  : int64_t(llvm::hardware_concurrency().compute_thread_count());
    run.benchmarkSeconds = kTurnSeconds;
  }

  /// False, with a message, if the module cannot be run here.
  bool load(StringRef name, StringRef text) {
    run.module = name.str();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
    printer.emplace(*sources, &context);
    module = loadModule(sources, &context);
    if (!module || prepareModule(*module, run) != RunStatus::Done)
      return false;
    hlo::ComputationOp entry = findEntry(*module);
    if (!entry || readInputs(entry, run, inputs) != InputError::None)
      return false;
    team = ParticipantTeam::create(1, int32_t(run.threads));
    if (!team)
      return false;
    transfers.emplace(*module, run, 0);
    transfers->attach(team->getContext(0));
    return true;
  }

  /// Nothing, with a message, if the program cannot be compiled or fails.
  std::optional<std::string> answer(StringRef request) {
    auto [first, second] = readTrial(request);
    // The reference is usually that of the last request, or its trial.
    std::unique_ptr<TimedProgram> before = std::exchange(reference, nullptr);
    for (std::unique_ptr<TimedProgram> *known : {&before, &trial})
      if (!reference && *known && (*known)->schedules == first)
        reference = std::move(*known);
    if (!reference)
      reference = make(first);
    trial = make(second);
    if (!reference || !trial || !time())
      return std::nullopt;
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::json::OStream json(out);
    json.object([&] {
      json.attributeObject("reference", [&] { writeTimes(json, reference->getTimes()); });
      json.attributeObject("trial", [&] { writeTimes(json, trial->getTimes()); });
    });
    return text;
  }

private:
  std::unique_ptr<TimedProgram> make(StringRef schedules) {
    compile.tunedSchedules = schedules.str();
    compile.tunedSchedulesFile = "trial";
    std::optional<Executable> executable = makeExecutable(*module, compile);
    return executable ? std::make_unique<TimedProgram>(
                            TimedProgram{schedules.str(), std::move(*executable), {}})
                      : nullptr;
  }

  /// Measures both alternately.
  bool time() {
    HostTransfers *host = &*transfers;
    reference->clear();
    for (int turn = 0; turn < kTurns; ++turn)
      for (TimedProgram *program : {&*reference, &*trial}) {
        std::optional<TracedCalls> calls =
            traceCalls(program->executable, run, *team, host, inputs);
        if (!calls)
          return false;
        program->add(*calls);
        if (calls->seconds > kLongCall)
          turn = kTurns;
      }
    return true;
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();
  std::optional<SourceMgrDiagnosticHandler> printer;
  OwningOpRef<ModuleOp> module;
  CompileOptions compile;
  RunOptions run;
  ParticipantArrays inputs;
  std::optional<ParticipantTeam> team;
  std::optional<HostTransfers> transfers;
  std::unique_ptr<TimedProgram> reference, trial;
};

} // namespace

int tuneWorkerMain(const HlocOptions &options) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody waits for an endless program whose hloc is gone
#endif
  const int socket = 0;
  std::optional<std::string> source = readMessage(socket, kPatience);
  if (!source)
    return 1;
  auto [name, text] = StringRef(*source).split('\n');
  CrashGuard guard;
  Worker worker(options);
  if (!worker.load(name, text) || !writeMessage(socket, "", kPatience))
    return 1;
  while (std::optional<std::string> request = readMessage(socket, kPatience)) {
    std::optional<std::string> answer = worker.answer(*request);
    if (!answer || !writeMessage(socket, *answer, kPatience))
      return 1;
  }
  return 0;
}

} // namespace hloc
