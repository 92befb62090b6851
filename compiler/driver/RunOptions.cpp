// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/RunOptions.h"
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Describe.h"
#include "compiler/driver/report/ReportPage.h"
#include "compiler/text/Version.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace hloc {

namespace {
cl::OptionCategory category("hlo-run options");

template <class T> struct Option : FieldOption<T> {
  Option(llvm::StringRef name, T &field, llvm::StringRef help, llvm::StringRef value)
      : FieldOption<T>(name, field, help, value, category) {}
};
struct Switch : FieldSwitch {
  Switch(llvm::StringRef name, bool &field, llvm::StringRef help)
      : FieldSwitch(name, field, help, category) {}
};
} // namespace

bool parseRunOptions(int argc, char **argv, RunOptions &options) {
  removeOptionsOfLlvm();
  cl::opt<std::string> module(cl::Positional, cl::desc("<file, or - for standard input>"),
                              cl::Required, cl::cat(category));
  cl::list<std::string> inputs(
      "input", cl::desc("Array for the next parameter; repeat it for each, in order"),
      cl::value_desc("file.npy"), cl::cat(category));
  Option<std::string> inputsFrom(
      "inputs-from", options.inputsFrom,
      "Read in0.npy, in1.npy, ..., and infeed0.npy, ... for infeed, from this folder", "folder");
  Option<std::string> outputsTo(
      "outputs-to", options.outputsTo,
      "Write out0.npy, ..., and outfeed0.npy, ... for outfeed, to this folder", "folder");
  Option<std::string> expectFrom("expect-from", options.expectFrom,
                                 "Compare the results with out0.npy, ... of this folder", "folder");
  Option<double> rtol("rtol", options.tolerance.rtol, "Relative difference allowed", "x");
  Option<double> atol("atol", options.tolerance.atol, "Absolute difference allowed", "x");
  Option<int64_t> ulp("ulp", options.tolerance.ulp,
                      "Difference allowed in units in the last place; 0 for the same bits", "n");
  Option<int64_t> replicas("replicas", options.replicas, "Replicas to run in one process", "n");
  Option<int64_t> partitions("partitions", options.partitions, "Partitions of each replica", "n");
  Switch mpi("mpi", options.mpi,
             "Run as one of the participants that mpirun started; by default --replicas and "
             "--partitions are the module's, or else there is a partition for each process");
  Option<uint64_t> seed("seed", options.seed,
                        "Seed of random inputs and of the generators of random numbers", "n");
  Switch evaluate("evaluate", options.evaluate,
                  "Interpret with the reference evaluator instead of compiling");
  Switch compare("compare", options.compare,
                 "Run compiled code and the evaluator, and report differences greater than the "
                 "errors of the operations, or than --rtol, --atol and --ulp if given");
  Switch json("json", options.json, "Print one JSON object with times and sizes");
  Option<double> benchmark("benchmark", options.benchmarkSeconds,
                           "Measure for at least this time, after warm-up; compile three times",
                           "seconds");
  Option<std::string> trace(
      "trace", options.trace,
      "Write when each kernel ran, and on which thread, for Perfetto; from the second run",
      "file.json");
  cl::opt<std::string> profile(
      "profile", cl::ValueOptional,
      cl::desc("Run several times and print the measured and the predicted time of each kernel; "
               "with a file, also write them there"),
      cl::value_desc("file.json"), cl::cat(category));
  FieldOption<std::string> report(
      "report", options.reportFile,
      "Profile, and write a page for browsers that shows the program, its kernels with their "
      "times, its memory and its code; or the page's data (.json)",
      "file.html", category);
  cl::opt<NumericReport> numericReport(
      "numeric-report", cl::ValueOptional,
      cl::desc("Print the errors of each instruction compared with f64 and their bounds, in this "
               "order; the first that exceeds its bound is an error"),
      cl::values(clEnumValN(NumericReport::Program, "program", "in the order of the program"),
                 clEnumValN(NumericReport::Loss, "loss", "the greatest loss first"),
                 clEnumValN(NumericReport::Program, "", "")),
      cl::cat(category));
  cl::opt<int, true> level("O", cl::desc("Optimization level, 0 to 3 (default 2)"), cl::Prefix,
                           cl::location(options.optimizationLevel),
                           cl::init(options.optimizationLevel), cl::cat(category));
  Option<int64_t> threads("threads", options.threads,
                          "Threads of compiled code (default: all processors)", "n");
  Option<std::string> mcpu("mcpu", options.mcpu, "Processor to compile for (default: this one)",
                           "name");
  Switch fastMath("fast-math", options.fastMath,
                  "As for hloc: reassociate sums and products of floats");
  Switch flushSubnormals("flush-subnormals", options.flushSubnormals,
                         "As for hloc: take subnormal numbers for zero");
  Switch excessPrecision("excess-precision", options.excessPrecision,
                         "As for hloc: round bf16, f16 and narrower floats less often");
  Switch reproducible("reproducible", options.reproducible,
                      "As for hloc: the same bits on every processor");
  Bf16DotOption bf16Dot(options.bf16Dot, category);
  Switch checkBuffers("check-buffers", options.checkBuffers,
                      "Check the memory plan by an independent pass (always on in debug builds)");
  Option<double> timeBudget("time-budget", options.timeBudget,
                            "As for hloc: limit of the predicted compile time", "seconds");
  CacheOptions cache(category);
  Option<int64_t> maxSteps("max-steps", options.maxSteps, "Evaluator: limit of elements computed",
                           "n");
  Option<double> maxSeconds("max-seconds", options.maxSeconds, "Evaluator: limit of time",
                            "seconds");
  Option<int64_t> maxMegabytes("max-memory", options.maxMegabytes, "Evaluator: limit of memory",
                               "MiB");

  BindOption bind(category);
  BindAllOption bindAll(category);
  PrepareOption prepare(category);
  ScheduleOption schedules(category);
  SchedulesFileOption schedulesFile(options.tunedSchedulesFile, category);
  DescribeOption describe(category);

  cl::HideUnrelatedOptions(category);
  setVersionPrinter();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  bool isRight = cl::ParseCommandLineOptions(argc, argv, "hlo-run: runs HLO\n", &problems);
  options.module = module;
  options.schedules = schedules;
  options.bind.one = bind;
  options.bind.all = bindAll;
  options.bind.prepare = prepare.getNames();
  options.hasTolerance =
      rtol.getNumOccurrences() + atol.getNumOccurrences() + ulp.getNumOccurrences() > 0;
  options.tolerance.sameBits = ulp.getNumOccurrences() > 0 && options.tolerance.ulp == 0 &&
                               options.tolerance.rtol == 0 && options.tolerance.atol == 0;
  options.profile = profile.getNumOccurrences() > 0 || !options.reportFile.empty();
  options.profileFile = profile;
  options.numericReport = numericReport;
  options.inputs.assign(inputs.begin(), inputs.end());
  auto require = [&](bool holds, llvm::StringRef message) {
    if (isRight && !holds) {
      problems << "hlo-run: " << message << '\n';
      isRight = false;
    }
  };
  std::string fault;
  bool hasRead = readTunedSchedules(options.tunedSchedulesFile, options.tunedSchedules, fault);
  require(hasRead, fault);
  if (std::string fault = schedules.findFault(); !fault.empty())
    require(false, fault);
  hasRead = cache.read(options.cache, fault);
  require(hasRead, fault);
  require(!timeBudget.getNumOccurrences() || options.timeBudget > 0,
          "expected --time-budget to be more than 0 seconds");
  if (options.mpi) {
    options.replicas = replicas.getNumOccurrences() ? options.replicas : 0;
    options.partitions = partitions.getNumOccurrences() ? options.partitions : 0;
  }
  require(!options.mpi || !options.evaluate, "--mpi is of compiled code, not of --evaluate");
  bool reports = options.numericReport != NumericReport::None;
  require(
      !reports || !(options.mpi || options.evaluate || options.profile || options.json ||
                    options.benchmarkSeconds > 0 || !options.trace.empty()),
      "--numeric-report excludes --mpi, --evaluate, --profile, --json, --benchmark and --trace");
  require(!options.mpi || !options.profile,
          "--profile and --report are of one process, not of --mpi");
  require(options.reportFile.empty() || isReportFile(options.reportFile),
          "expected --report to name a file that ends in .html or .json");
  require((options.replicas >= 1 || !replicas.getNumOccurrences()) &&
              (options.partitions >= 1 || !partitions.getNumOccurrences()) &&
              options.replicas <= 1024 && options.partitions <= 1024 &&
              options.getParticipants() <= 1024,
          "expected between 1 and 1024 participants");
  require(options.inputs.empty() || options.inputsFrom.empty(),
          "--input and --inputs-from exclude each other");
  require(options.inputs.empty() || (!options.mpi && options.getParticipants() == 1),
          "--input is for one participant; use --inputs-from");
  require(options.optimizationLevel >= 0 && options.optimizationLevel <= 3,
          "expected -O0, -O1, -O2 or -O3");
  require(options.threads >= 0 && options.threads <= kMaxThreads,
          ("expected --threads to be 0 to " + llvm::Twine(kMaxThreads)).str());
  require(options.benchmarkSeconds >= 0, "expected --benchmark to be 0 or more seconds");
  require(options.tolerance.rtol >= 0 && options.tolerance.atol >= 0 && options.tolerance.ulp >= 0,
          "expected --rtol, --atol and --ulp to be 0 or more");
  require(!options.reproducible || (!options.fastMath && !options.flushSubnormals &&
                                    !options.excessPrecision && options.bf16Dot != Bf16Dot::Native),
          "--reproducible excludes --fast-math, --flush-subnormals, --excess-precision and "
          "--bf16-dot=native");
  require(!options.evaluate || options.trace.empty(),
          "--trace is of compiled code, not of --evaluate");
  require(!options.evaluate || !options.profile,
          "--profile and --report are of compiled code, not of --evaluate");
  require(options.trace.empty() || !options.profile,
          "--profile or --report, and --trace exclude each other");
  require(!(options.evaluate && options.compare), "--evaluate and --compare exclude each other");
  if (!isRight)
    llvm::errs() << problem;
  RunOptions read = options;    // the reset sets every option, and so its field, to its default
  cl::ResetCommandLineParser(); // LLD has options of the same names
  options = read;
  return isRight;
}

} // namespace hloc
