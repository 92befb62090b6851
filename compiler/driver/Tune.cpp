// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Tune.h"
#include "compiler/driver/Report.h"
#include "compiler/driver/TuneWorker.h"
#include "compiler/driver/WorkerProcess.h"
#include "compiler/hlo/Location.h"
#include "compiler/target/TargetAttribute.h"
#include "passes/collectives/Participants.h"
#include "passes/schedule/Candidates.h"
#include "passes/schedule/Fingerprint.h"
#include "passes/schedule/ScheduleFile.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <chrono>

using namespace mlir;
using llvm::formatv;

namespace hloc {

/// How long the program may take to load and run once, in addition to the time for tuning; and how
/// many times longer than that a trial may take.
static constexpr double kFirstSeconds = 300, kLeastSeconds = 10, kSlower = 10;

namespace {

/// Runs trials in a worker process, and in another one when that is lost.
class Trials {
public:
  Trials(std::vector<std::string> command, std::string request, std::string machine,
         double firstSeconds)
      : command(std::move(command)), request(std::move(request)), machine(std::move(machine)),
        deadline(firstSeconds) {}

  std::optional<Comparison> run(const TrialSchedules &reference, const TrialSchedules &trial) {
    if (!worker && !start())
      return std::nullopt;
    auto begin = std::chrono::steady_clock::now();
    std::optional<std::string> answer =
        worker->ask(writeTrial(write(reference), write(trial)), deadline);
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::optional<Comparison> times = answer ? readComparison(*answer) : std::nullopt;
    if (!times) {
      giveUp(deadline);
      return std::nullopt;
    }
    deadline = std::max(kLeastSeconds, kSlower * took);
    return times;
  }

  /// The failure of the last run.
  std::string complaint;

private:
  bool start() {
    llvm::Expected<std::unique_ptr<WorkerProcess>> started = WorkerProcess::start(command);
    if (!started) {
      complaint = llvm::toString(started.takeError());
      return false;
    }
    worker = std::move(*started);
    if (worker->ask(request, kFirstSeconds))
      return true;
    giveUp(kFirstSeconds);
    return false;
  }

  void giveUp(double seconds) {
    complaint = worker->getComplaint();
    if (complaint.empty())
      complaint = worker->hasEnded() ? "its process was ended"
                                     : formatv("it took more than {0:f0} seconds", seconds).str();
    worker.reset();
  }

  std::string write(const TrialSchedules &schedules) const {
    ScheduleFile file;
    ScheduleFile::Section &section = file.sections.emplace_back();
    section.machine = machine;
    for (const auto &entry : schedules)
      section.lines.push_back({{"trial", entry.getKey().str(), entry.getValue(), {}}, ""});
    return printScheduleFile(file);
  }

  std::vector<std::string> command;
  std::string request, machine;
  double deadline;
  std::unique_ptr<WorkerProcess> worker;
};

/// A terminal line that shows the progress.
class ProgressLine {
public:
  explicit ProgressLine(bool isShown)
      : isTerminal(llvm::sys::Process::StandardErrIsDisplayed()), isShown(isShown || isTerminal) {}
  ~ProgressLine() {
    if (isShown && isTerminal)
      llvm::errs() << '\n';
  }

  void show(const Twine &text) {
    if (isShown)
      llvm::errs() << (isTerminal ? "\r\033[K" : "") << "hloc: " << text
                   << (isTerminal ? "" : "\n");
  }

private:
  bool isTerminal, isShown;
};

} // namespace

/// The kernels of `module` whose schedules were chosen, not written by a user. The module must
/// outlive them.
static std::vector<TunableKernel> findKernels(ModuleOp module, const Target &target) {
  std::vector<TunableKernel> kernels;
  llvm::StringSet<> seen;
  auto written = module->getAttrOfType<DictionaryAttr>(kWrittenSchedules);
  module.walk([&](hlo::KernelOp kernel) {
    StringRef name = hlo::getInstructionName(kernel.getLoc());
    ArrayAttr schedules = kernel.getSchedulesAttr();
    std::string problem = getFingerprint(kernel.getKind(), kernel.getBody().front());
    if (!schedules || (written && written.contains(name)) || !seen.insert(problem).second)
      return;
    auto own = cast<hlo::ScheduleAttr>(schedules[target.number]);
    auto list = [kernel, &target](auto function) mutable {
      SmallVector<hlo::ScheduleAttr> all = function(makeProblem(kernel, target));
      return std::vector<hlo::ScheduleAttr>(all.begin(), all.end());
    };
    kernels.push_back(
        {(name.empty() ? hlo::stringifyKernelKind(kernel.getKind()) : name).str(), problem, own,
         list([&](const KernelProblem &problem) { return listCandidates(problem, own); }),
         [=](hlo::ScheduleAttr from) mutable {
           return list(
               [&](const KernelProblem &problem) { return listNeighbours(problem, own, from); });
         }});
  });
  return kernels;
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Why the module cannot be run alone here; empty if it can.
static std::string refuse(ModuleOp module, const Target &target) {
  if (int64_t count = ParticipantCounts::of(module).total(); count > 1)
    return "it is for " + std::to_string(count) + " participants, but tuning runs one";
  llvm::Triple here(llvm::sys::getProcessTriple()), there(target.triple);
  if (here.getArch() != there.getArch() || here.getOS() != there.getOS())
    return "code for " + target.triple + " does not run on this machine";
  return "";
}

/// The sections of `file` for other machines; nothing if it exists and is malformed.
static std::optional<ScheduleFile> readOthers(StringRef file, StringRef machine,
                                              MLIRContext *context) {
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return ScheduleFile();
  FailureOr<ScheduleFile> read = parseScheduleFile((*text)->getBuffer(), file, context);
  if (failed(read))
    return std::nullopt;
  llvm::erase_if(read->sections,
                 [&](const ScheduleFile::Section &section) { return section.machine == machine; });
  return std::move(*read);
}

bool tune(ModuleOp module, StringRef source, const HlocOptions &options, StringRef file,
          CompileOptions &compile) {
  Target target = llvm::cantFail(makeTarget(compile.target));
  auto fail = [&](const std::string &why) {
    module.emitError("the module cannot be tuned: ") << why;
    return false;
  };
  if (std::string why = refuse(module, target); !why.empty())
    return fail(why);
  std::string machine = getMachineName(target);
  std::optional<ScheduleFile> written = readOthers(file, machine, module.getContext());
  if (!written)
    return false;

  OwningOpRef<ModuleOp> scheduled = module.clone();
  if (failed(scheduleModule(*scheduled, compile)))
    return false;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  Trials trials(getTuneWorkerCommand(options, program), options.module + "\n" + source.str(),
                machine, kFirstSeconds + options.tuneSeconds);
  ProgressLine line(options.progress);
  Tuner tuner(
      findKernels(*scheduled, target),
      [&](const TrialSchedules &reference, const TrialSchedules &trial) {
        return trials.run(reference, trial);
      },
      [&](int64_t runs, double seconds, double before, double now) {
        line.show(formatv("tuning: {0} trials in {1:f0} of {2:f0} s; a call takes {3}, before {4}",
                          runs, seconds, options.tuneSeconds, printDuration(now),
                          printDuration(before)));
      });
  if (!tuner.run(options.tuneSeconds))
    return fail("it fails with its own schedules: " + trials.complaint);

  ScheduleFile::Section &section = written->sections.emplace_back();
  section.machine = machine;
  for (const Tuner::Result &result : tuner.getResults())
    section.lines.push_back({{result.name, result.problem, result.schedule, {}},
                             formatv("{0} a call, before {1} with {2}", printDuration(result.after),
                                     printDuration(result.before), print(result.own))});
  line.show(formatv("tuned: {0} kernels have other schedules; a call takes {1}, before {2}",
                    section.lines.size(), printDuration(tuner.getAfter()),
                    printDuration(tuner.getBefore())));
  compile.tunedSchedules = printScheduleFile(*written);
  compile.tunedSchedulesFile = file.str();
  return true;
}

} // namespace hloc
