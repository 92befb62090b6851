// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HlocOptions.h"
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Describe.h"
#include "compiler/driver/report/ReportPage.h"
#include "compiler/hlo/Errors.h"
#include "compiler/text/Load.h"
#include "compiler/text/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace hloc {

namespace {

cl::OptionCategory category("hloc options");

const char *getEnding(Emit emit) {
  switch (emit) {
  case Emit::Hlo:
    return "out.hlo";
  case Emit::Mlir:
  case Emit::Kernels:
  case Emit::Code:
  case Emit::LlvmDialect:
    return "mlir";
  case Emit::Llvm:
    return "ll";
  case Emit::Assembly:
    return "s";
  case Emit::Object:
    return "o";
  case Emit::Shared:
    return "so";
  case Emit::Program:
    return "exe";
  case Emit::SelfTest:
    return "selftest";
  }
  return "";
}

/// --explain, which prints and exits like --help.
struct ExplainOption : cl::opt<std::string> {
  ExplainOption()
      : opt("explain", cl::desc("Explain an error code, such as H0100, and stop"),
            cl::value_desc("code"), cl::cat(category),
            cl::callback([](const std::string &code) { printAndExit(code); })) {}

  static void printAndExit(llvm::StringRef code) {
    std::optional<std::string> page = hlo::explain(code);
    if (page)
      llvm::outs() << *page;
    else
      llvm::errs() << "hloc: expected an error code, such as H0100, but got `" << code << "`\n";
    llvm::outs().flush();
    std::exit(page ? 0 : 2);
  }
};

} // namespace

bool parseHlocOptions(int argc, char **argv, HlocOptions &options) {
  removeOptionsOfLlvm();
  cl::opt<std::string, true> module(cl::Positional, cl::desc("<file, or - for standard input>"),
                                    cl::location(options.module), cl::cat(category));
  FieldOption<std::string> output("o", options.output,
                                  "File for the output; the header is written next to it", "file",
                                  category);
  cl::opt<Emit, true> emit(
      "emit", cl::desc("What to write:"), cl::location(options.emit), cl::init(options.emit),
      cl::cat(category),
      cl::values(
          clEnumValN(Emit::Hlo, "hlo", "the parsed module, as HLO text"),
          clEnumValN(Emit::Mlir, "mlir", "the program on memory, as MLIR"),
          clEnumValN(Emit::Kernels, "kernels", "the same, with kernels as loops and vectors"),
          clEnumValN(Emit::Code, "code", "the whole program as loops, vectors and calls"),
          clEnumValN(Emit::LlvmDialect, "llvm-dialect", "the same in MLIR's llvm dialect"),
          clEnumValN(Emit::Llvm, "llvm", "LLVM IR"), clEnumValN(Emit::Assembly, "asm", "assembly"),
          clEnumValN(Emit::Object, "obj", "an object file and its header (default)"),
          clEnumValN(Emit::Shared, "shared",
                     "a shared library, with the parts of the runtime that it needs"),
          clEnumValN(Emit::Program, "exe",
                     "a program that runs the module on .npy files or random arrays; with -o "
                     "NAME.o an object to be linked with the runtime"),
          clEnumValN(Emit::SelfTest, "selftest",
                     "a program that checks on the machine that runs it whether the module gives "
                     "the results of the reference evaluator; with -o NAME.o an object")));
  FieldOption<std::string> name("name", options.name,
                                "Prefix of the symbols (default: from the output's name)",
                                "identifier", category);
  cl::opt<int, true> level("O", cl::desc("Optimization level, 0 to 3 (default 3)"), cl::Prefix,
                           cl::location(options.level), cl::init(options.level), cl::cat(category));
  FieldOption<int> threads(
      "threads", options.threads,
      "1: code that never needs a thread pool; 0 (default): the threads of the host's context", "n",
      category);
  FieldOption<std::string> cpu(
      "mcpu", options.cpu,
      "Processor to compile for (default: this one). Several of x86-64, x86-64-v2, -v3 and -v4, "
      "separated by commas: the object selects the best that its machine supports",
      "name", category);
  FieldOption<std::string> triple("mtriple", options.triple,
                                  "Target triple to compile for (default: that of this machine)",
                                  "triple", category);
  FieldOption<std::string> machineFile("target-file", options.machineFile,
                                       "Read numbers of the processor from this file, in the "
                                       "format of --print-target; others keep their values",
                                       "file", category);
  FieldSwitch printTarget("print-target", options.printTarget,
                          "Print the numbers of the processor (caches, rates, costs) and stop",
                          category);
  FieldSwitch listTargets("list-targets", options.listTargets,
                          "List the supported processors and stop", category);
  FieldSwitch lineTables("g", options.lineTables,
                         "Add line tables: debuggers and profilers show lines of the .hlo file",
                         category);
  FieldSwitch fastMath("fast-math", options.fastMath,
                       "Reassociate sums and products of floats and divide by multiplying with the "
                       "reciprocal: faster, but results differ by rounding errors and intermediate "
                       "results may overflow; NaN and infinity are preserved",
                       category);
  FieldSwitch flushSubnormals(
      "flush-subnormals", options.flushSubnormals,
      "Take subnormal numbers of f32 and f64 for zero, and return zero instead of them: faster on "
      "Intel processors where numbers vanish",
      category);
  FieldSwitch excessPrecision(
      "excess-precision", options.excessPrecision,
      "Compute bf16, f16 and narrower floats in f32 and round only what kernels write to memory, "
      "as XLA does: faster, but the kernels, and so the last bits, depend on the processor",
      category);
  FieldSwitch reproducible(
      "reproducible", options.reproducible,
      "Give the same bits on every processor (x86-64-v2 to -v4, AArch64, RISC-V), except for those "
      "of NaNs: vectors of at most 32 bytes, and multiplications fused with additions only in sums "
      "of products; several times slower on x86-64-v2",
      category);
  Bf16DotOption bf16Dot(options.bf16Dot, category);
  FieldSwitch freestanding("freestanding", options.freestanding,
                           "Make an object for a host without operating system, C library, heap "
                           "and runtime, such as firmware; print what the object needs",
                           category);
  FieldSwitch checkBuffers(
      "check-buffers", options.checkBuffers,
      "Check the memory plan by an independent pass (always on in debug builds)", category);
  cl::opt<std::string> report("report", cl::ValueOptional,
                              cl::desc("Print a report: kernels, memory, sizes; with a file, write "
                                       "a page for browsers, or its data (.json), instead"),
                              cl::value_desc("file.html"), cl::cat(category));
  FieldOption<std::string> profile(
      "profile", options.profileFile,
      "Show the times that hlo-run --profile=file.json measured in --report=file.html", "file.json",
      category);
  FieldSwitch timing("timing", options.timing, "Print the time of each pass", category);
  FieldSwitch progress("progress", options.progress, "Print the name of each stage as it begins",
                       category);
  FieldOption<std::string> dumpDir("dump-dir", options.dumpDir,
                                   "Write the module after each pass that changed it", "folder",
                                   category);

  BindOption bind(category);
  BindAllOption bindAll(category);
  PrepareOption prepare(category);
  FieldOption<std::string> weights(
      "weights", options.weights,
      "File for large constants, to be mapped when the module runs; none: keep them in the object "
      "(default: a file next to the object if parameters are bound, else in the object)",
      "file", category);
  ScheduleOption schedules(category);
  SchedulesFileOption schedulesFile(options.tunedSchedulesFile, category);
  FieldSwitch tune("tune", options.tune,
                   "Measure other schedules of the kernels that take most of the time, on random "
                   "arguments and this machine, compile with the fastest and write them next to "
                   "the object, for --schedules; the bits of the results do not change",
                   category);
  FieldOption<double> tuneSeconds("tune-seconds", options.tuneSeconds,
                                  "Approximate duration of --tune (default 60)", "seconds",
                                  category);
  FieldOption<double> timeBudget(
      "time-budget", options.timeBudget,
      "Limit of the predicted compile time: LLVM optimizes less where that costs the least run "
      "time, and remarks name the kernels; the bits of the results do not change",
      "seconds", category);
  CacheOptions cache(category);
  FieldOption<uint64_t> seed("seed", options.seed,
                             "Seed of the random inputs of --emit=selftest (default 0)", "n",
                             category);
  cl::opt<bool, true> isTuneWorker("tune-worker", cl::ReallyHidden,
                                   cl::location(options.isTuneWorker), cl::cat(category));
  ExplainOption explain;
  DescribeOption describe(category);
  cl::HideUnrelatedOptions(category);
  setVersionPrinter();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  bool right = cl::ParseCommandLineOptions(argc, argv, "hloc: compiles HLO\n", &problems);
  auto require = [&](bool holds, llvm::StringRef message) {
    if (right && !holds) {
      problems << "hloc: " << message << '\n';
      right = false;
    }
  };
  require(options.printTarget || options.listTargets || options.isTuneWorker ||
              !options.module.empty(),
          "expected a file to compile");
  options.report = report.getNumOccurrences() > 0;
  options.reportFile = report;
  std::string fault;
  bool hasRead = readTunedSchedules(options.tunedSchedulesFile, options.tunedSchedules, fault);
  require(hasRead, fault);
  if (std::string fault = schedules.findFault(); !fault.empty())
    require(false, fault);
  require(!options.tune || options.tunedSchedulesFile.empty(),
          "--tune and --schedules exclude each other");
  require(!options.freestanding || options.emit <= Emit::Object,
          "--freestanding makes objects: a program or a shared library has a runtime");
  require(!options.freestanding || !llvm::StringRef(options.cpu).contains(','),
          "--freestanding is for one processor; --mcpu names several");
  require(!options.freestanding || options.weights.empty() || options.weights == "none",
          "--freestanding keeps weights in the object: there are no files to map");
  require(!options.freestanding || !options.tune,
          "--tune runs the code, which --freestanding cannot do here");
  require(prepare.empty() || !options.hasMain(),
          "--prepare is for hosts that call the module: programs run it once");
  require(!options.tune || options.emit >= Emit::Object,
          "--tune needs code: expected --emit=obj or a later stage");
  require(!options.tune || options.output != "-",
          "--tune writes a file next to the output, so -o has to name one");
  require(!options.tune || !options.fastMath,
          "--tune keeps the bits of the results, which --fast-math does not determine");
  require(!options.reproducible || !options.fastMath,
          "--reproducible keeps the bits of the results, which --fast-math does not determine");
  require(!options.reproducible || !options.flushSubnormals,
          "--reproducible excludes --flush-subnormals, which not every processor can");
  require(!options.reproducible || !options.excessPrecision,
          "--reproducible excludes --excess-precision, whose bits depend on the processor");
  require(!options.reproducible || options.bf16Dot != Bf16Dot::Native,
          "--reproducible excludes --bf16-dot=native, whose instruction only some processors have");
  require(!options.tune || !llvm::StringRef(options.cpu).contains(','),
          "--tune measures code for one processor; --mcpu names several");
  require(options.tuneSeconds > 0, "expected --tune-seconds to be more than 0");
  auto readText = [&](const std::string &file, std::string &contents) {
    if (!right || file.empty())
      return;
    auto text = readInputFile(file);
    if (text)
      contents = (*text)->getBuffer().str();
    else
      require(false, file + ": " + llvm::toString(text.takeError()));
  };
  readText(options.machineFile, options.machine);
  readText(options.profileFile, options.profile);
  hasRead = cache.read(options.cache, fault);
  require(hasRead, fault);
  require(!timeBudget.getNumOccurrences() || options.timeBudget > 0,
          "expected --time-budget to be more than 0 seconds");
  require(options.timeBudget == 0 || options.emit >= Emit::Object,
          "--time-budget needs code: expected --emit=obj or a later stage");
  require(!seed.getNumOccurrences() || options.emit == Emit::SelfTest,
          "--seed is only for --emit=selftest");
  require(options.weights != "-", "expected --weights to be a file's name");
  require(options.weights.empty() || options.emit >= Emit::Llvm,
          "--weights needs code: expected --emit=llvm or a later stage");
  require(options.level >= 0 && options.level <= 3, "expected -O0, -O1, -O2 or -O3");
  require(options.threads >= 0 && options.threads <= kMaxThreads,
          ("expected --threads to be 0 to " + llvm::Twine(kMaxThreads)).str());
  require(!options.report || options.emit >= Emit::Object,
          "--report needs code: expected --emit=obj or a later stage");
  require(options.reportFile.empty() || isReportFile(options.reportFile),
          "expected --report to name a file that ends in .html or .json");
  require(options.profileFile.empty() || !options.reportFile.empty(),
          "--profile is shown in a page: expected --report=file.html");
  bool text = options.emit >= Emit::Kernels && options.emit <= Emit::Assembly;
  require(!text || !llvm::StringRef(options.cpu).contains(','),
          "--emit can print the code of only one processor; --mcpu names several");
  if (right && options.output.empty()) {
    llvm::StringRef input = removeOuterEnding(llvm::sys::path::filename(options.module));
    llvm::SmallString<128> file(input == "-" ? "module" : input);
    llvm::sys::path::replace_extension(file, getEnding(options.emit));
    options.output = options.emit < Emit::Object ? "-" : std::string(file);
  }
  if (!right)
    llvm::errs() << problem;
  options.schedules = schedules;
  options.bind.one = bind;
  options.bind.all = bindAll;
  options.bind.prepare = prepare.getNames();
  HlocOptions read = options; // the reset sets every option, and so its field, to its default
  cl::ResetCommandLineParser();
  options = read;
  return right;
}

TargetOptions HlocOptions::getTarget() const {
  TargetOptions target;
  target.cpu = cpu;
  target.triple = triple;
  target.machine = machine;
  target.machineFile = machineFile;
  target.optimization = level;
  target.singleThreaded = threads == 1 || freestanding;
  target.lineTables = lineTables;
  target.fastMath = fastMath;
  target.flushSubnormals = flushSubnormals;
  target.excessPrecision = excessPrecision;
  target.reproducible = reproducible;
  target.bf16Dot = bf16Dot;
  return target;
}

} // namespace hloc
