// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HlocMain.h"
#include "codegen/object/Link.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Descriptor.h"
#include "compiler/driver/HlocOptions.h"
#include "compiler/driver/KeptResults.h"
#include "compiler/driver/LinkRuntime.h"
#include "compiler/driver/Needs.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/PassDumps.h"
#include "compiler/driver/Report.h"
#include "compiler/driver/SelfTest.h"
#include "compiler/driver/StandardOutput.h"
#include "compiler/driver/Tune.h"
#include "compiler/driver/TuneWorker.h"
#include "compiler/driver/diff/Diff.h"
#include "compiler/driver/report/ReportData.h"
#include "compiler/driver/report/ReportPage.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetList.h"
#include "compiler/text/Load.h"
#include "compiler/text/Printer.h"
#include "compiler/text/SourceNotes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <csignal>

using namespace mlir;

namespace hloc {

namespace {

enum ExitCode { Done = 0, Refused = 1, WrongUsage = 2, Unsupported = 3 };

/// One run of the program.
class Driver {
public:
  explicit Driver(const HlocOptions &options)
      : options(options), context(makeRegistry()), dumps(options.dumpDir) {
    context.loadAllAvailableDialects();
    timing.setEnabled(options.timing);
    timingScope = timing.getRootScope();
    if (!options.dumpDir.empty())
      context.disableMultithreading(); // for dumps of whole modules
  }

  ExitCode run() {
    ExitCode code = compile();
    closeCache(std::move(cache), options.cache, tell);
    return code;
  }

private:
  ExitCode compile() {
    // The target options are checked before any file is read.
    auto targets = makeTargets(getCompileOptions().target);
    if (!targets) {
      llvm::errs() << "hloc: " << llvm::toString(targets.takeError()) << '\n';
      return WrongUsage;
    }
    if (options.listTargets) {
      llvm::outs() << listTargets();
      return Done;
    }
    if (options.printTarget) {
      for (const Target &target : *targets)
        llvm::outs() << printTarget(target);
      return Done;
    }
    for (const std::string &fault : {findClash(), findForeignLink(targets->front())})
      if (!fault.empty()) {
        llvm::errs() << "hloc: " << fault << '\n';
        return WrongUsage;
      }
    if (std::error_code error = makeDumpFolder()) {
      llvm::errs() << options.dumpDir << ": error: cannot create the folder: " << error.message()
                   << '\n';
      return Refused;
    }
    auto sources = std::make_shared<llvm::SourceMgr>();
    if (!openModule(options.module, *sources))
      return Refused;
    SourceMgrDiagnosticHandler printer(*sources, &context);
    ScopedDiagnosticHandler watcher(&context, [&](Diagnostic &diagnostic) {
      if (options.report && remarks.take(diagnostic))
        return success();
      hasSpoken = true;
      notSupported |= isNotSupported(diagnostic);
      return failure(); // for the printer
    });
    source = sources->getMemoryBuffer(sources->getMainFileID())->getBuffer();
    if (options.emit >= Emit::Llvm)
      cache = openCache(options.cache, tell);
    if (std::optional<KeptResult> kept = findKept()) {
      OutputFiles files;
      return addCode(*kept, files) && report(files.commit()) ? Done : Refused;
    }
    stage("reading");
    OwningOpRef<ModuleOp> module = loadModule(sources, &context);
    std::optional<SourceNotes> notes;
    if (module) {
      notes.emplace(*module);
      origin = ReportSource(*sources, (*module)->getAttrOfType<StringAttr>("hlo.stack_frames"));
    }
    bool done = module && bind(*module) &&
                (options.emit < Emit::Llvm ? writeText(*module) : writeCode(*module));
    return done ? Done : notSupported ? Unsupported : Refused;
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static void tell(const std::string &what) { llvm::errs() << "hloc: " << what << '\n'; }

  void stage(StringRef name) {
    if (options.progress)
      llvm::errs() << "hloc: " << name << '\n';
  }

  bool writesHeader() const {
    return !options.hasMain() && options.emit >= Emit::Object && options.output != "-";
  }

  /// The file next to the output with this extension.
  std::string getFileBeside(StringRef ending) const {
    SmallString<128> file(options.output);
    llvm::sys::path::replace_extension(file, ending);
    return std::string(file);
  }

  /// Which two of the files that are read and written have the same name, as a message; empty if
  /// none have.
  std::string findClash() const {
    std::string header = writesHeader() ? getFileBeside("h") : "",
                schedules = options.tune ? getFileBeside("schedules") : "",
                weights = getWeightsFile();
    if (header == options.output)
      return "expected another name than '" + options.output +
             "' for the object: its header has that name";
    if (schedules == options.output)
      return "expected another name than '" + options.output +
             "' for the object: its file of schedules has that name";
    if (!weights.empty() && llvm::is_contained({options.output, header, schedules}, weights))
      return "expected another name than '" + weights +
             "' for the weights: another output file has that name";
    if (llvm::is_contained({options.output, header, schedules, weights}, options.reportFile) &&
        !options.reportFile.empty())
      return "expected another name than '" + options.reportFile +
             "' for the report: another output file has that name";
    for (const std::string &file : {options.output, header, schedules, weights, options.reportFile})
      if (options.module != "-" && llvm::sys::fs::equivalent(file, options.module))
        return "expected another name than '" + file + "' for the output: that is the module";
    return "";
  }

  /// Why the code cannot be linked here, as a message; empty if it can, or is not linked.
  std::string findForeignLink(const Target &target) const {
    std::string machine = llvm::Triple(target.triple).getArchName().str(),
                here = llvm::Triple(llvm::sys::getProcessTriple()).getArchName().str();
    if (!options.isLinked() || machine == here)
      return "";
    return ("a " + Twine(options.hasMain() ? "program" : "shared library") + " for " + machine +
            " cannot be linked on " + here + ", as the runtime here is for " + here + ": " +
            (options.hasMain() ? "-o NAME.o makes an object" : "--emit=obj makes an object") +
            ", to be linked there (c++ NAME.o libhlort.a -ltbb -ldl)")
        .str();
  }

  std::error_code makeDumpFolder() {
    if (options.dumpDir.empty())
      return {};
    if (std::error_code error = llvm::sys::fs::create_directories(options.dumpDir))
      return error;
    bool isFolder = llvm::sys::fs::is_directory(options.dumpDir); // it may be the name of a file
    return isFolder ? std::error_code() : std::make_error_code(std::errc::not_a_directory);
  }

  /// Prints the error, if there is one. Returns true if there is none.
  static bool report(llvm::Error error) {
    bool good = !error;
    llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &fault) {
      llvm::errs() << fault.message() << '\n';
    });
    return good;
  }

  /// The prefix of the symbols: --name, or the output's name, or the input's.
  std::string getName() const {
    if (!options.name.empty())
      return makeIdentifier(options.name);
    StringRef file = options.output == "-" ? removeOuterEnding(options.module) : options.output;
    return makeIdentifier(file == "-" ? "module" : llvm::sys::path::stem(file));
  }

  CompileOptions getCompileOptions() {
    CompileOptions result;
    result.target = options.getTarget();
    result.schedules = options.schedules;
    result.tunedSchedules = options.tunedSchedules;
    result.tunedSchedulesFile = options.tunedSchedulesFile;
    result.checkBuffers = options.checkBuffers;
    result.cache = cache.get();
    result.timeBudget = options.timeBudget;
    result.remarks = options.report;
    result.freestanding = options.freestanding;
    result.standAlone = options.emit == Emit::Program;
    result.name = getName();
    if (options.emit >= Emit::Object && !options.isLinked())
      result.moduleHash = llvm::formatv("{0:x-16}", llvm::xxh3_64bits(source)).str();
    result.weightsFile = llvm::sys::path::filename(getWeightsFile());
    result.form = options.emit == Emit::Llvm       ? CodeForm::LlvmIr
                  : options.emit == Emit::Assembly ? CodeForm::Assembly
                                                   : CodeForm::Object;
    result.timing = options.timing ? &timingScope : nullptr;
    if (!options.dumpDir.empty())
      result.configure = [this](PassManager &passes) { dumps.attach(passes); };
    return result;
  }

  /// Makes constants of the parameters that the options bind.
  bool bind(ModuleOp module) {
    if (!options.bind.empty())
      stage("binding");
    return succeeded(bindModule(
        module, options.bind, [](const std::string &message) { llvm::errs() << message << '\n'; }));
  }

  /// The file of weights; empty if constants stay in the code.
  std::string getWeightsFile() const {
    if (options.weights == "none" || options.emit < Emit::Llvm || options.freestanding)
      return "";
    if (options.weights.empty() && !options.bind.empty() && options.output != "-")
      return getFileBeside("weights");
    return options.weights;
  }

  /// Runs the passes up to the stage of --emit.
  LogicalResult lower(ModuleOp module) {
    CompileOptions compile = getCompileOptions();
    switch (options.emit) {
    case Emit::Kernels:
      return lowerToCode(module, compile, CodeStage::Kernels);
    case Emit::Code:
      return lowerToCode(module, compile, CodeStage::Program);
    case Emit::LlvmDialect:
      return lowerToCode(module, compile, CodeStage::Llvm);
    default:
      return lowerModule(module, compile);
    }
  }

  /// Writes HLO text, or MLIR at any of its stages.
  bool writeText(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (options.emit == Emit::Hlo) {
      if (failed(printHlo(module, out)))
        return false;
    } else {
      if (failed(lower(module)))
        return false;
      module.print(out, OpPrintingFlags().elideLargeElementsAttrs(64));
      out << '\n';
    }
    OutputFiles files;
    return report(files.add(options.output, text)) && report(files.commit());
  }

  /// The cached result of the same compilation, if only its outputs are requested.
  std::optional<KeptResult> findKept() {
    bool isPlain = cache && options.bind.empty() && options.bind.prepare.empty() &&
                   options.emit != Emit::SelfTest &&
                   !(options.freestanding || options.tune || options.report || options.timing ||
                     options.progress || options.checkBuffers || !options.dumpDir.empty());
    if (isPlain)
      wholeKey = getWholeKey(source, options.module, getCompileOptions());
    return wholeKey ? findWhole(*cache, *wholeKey) : std::nullopt;
  }

  bool writeCode(ModuleOp module) {
    CompileOptions compile = getCompileOptions();
    OwningOpRef<ModuleOp> asRead; // compiling changes the module in place
    if (options.emit == Emit::SelfTest) {
      if (failed(checkSelfTest(module)))
        return false;
      asRead = module.clone();
    }
    if (options.tune) {
      stage("tuning");
      if (!tune(module, source, options, getFileBeside("schedules"), compile))
        return false;
    }
    stage("compiling");
    FailureOr<CompiledModule> compiled = compileModule(module, compile);
    if (failed(compiled))
      return false;
    OutputFiles files;
    if (options.report && !writeReport(module, *compiled, files))
      return false;
    if (asRead && !addSelfTest(*asRead, *compiled))
      return false;
    KeptResult result{std::move(compiled->program.code), ""};
    if (writesHeader())
      result.header = makeHeader(compiled->interface, llvm::sys::path::filename(options.module));
    // Messages of a compilation are not cached; it has to print them every time.
    if (wholeKey && !hasSpoken)
      keepWhole(*cache, *wholeKey, result);
    if (!addCode(result, files))
      return false;
    if (compiled->weights && !report(files.add(getWeightsFile(), [&](llvm::raw_ostream &out) {
          compiled->weights->write(out);
        })))
      return false;
    if (options.tune && !report(files.add(getFileBeside("schedules"), compile.tunedSchedules)))
      return false;
    if (!report(files.commit()))
      return false;
    if (compiled->needs)
      (options.output == "-" ? llvm::errs() : llvm::outs())
          << describeNeeds(*compiled->needs, compiled->interface, compiled->targets.front());
    return true;
  }

  /// Links the code, if requested, and adds it and its header to the files.
  bool addCode(KeptResult &result, OutputFiles &files) {
    CompileCache::Bytes &code = result.code;
    if (options.isLinked()) {
      stage("linking");
      SmallVector<char, 0> linked;
      if (!report(options.emit == Emit::Shared ? linkShared(code, linked)
                                               : linkProgram(code, linked)))
        return false;
      code = std::move(linked);
    }
    if (!report(files.add(options.output, StringRef(code.data(), code.size()),
                          /*executable=*/options.hasMain() && options.isLinked())))
      return false;
    return !writesHeader() || report(files.add(getFileBeside("h"), result.header));
  }

  /// Prints the report, or adds it to the files.
  bool writeReport(ModuleOp program, const CompiledModule &compiled, OutputFiles &files) {
    if (options.reportFile.empty()) {
      (options.output == "-" ? llvm::errs() : llvm::outs())
          << makeReport(program, compiled, std::move(remarks.notFused));
      return true;
    }
    stage("reporting");
    ReportInput input{program, compiled, remarks, origin};
    if (!options.profile.empty()) {
      auto profile = readProfile(options.profile, program);
      if (!profile) {
        llvm::errs() << options.profileFile << ": error: " << llvm::toString(profile.takeError())
                     << '\n';
        return false;
      }
      input.profile = std::move(*profile);
    }
    FailureOr<llvm::json::Value> data = makeReportData(input);
    return succeeded(data) &&
           report(files.add(options.reportFile, printReport(options.reportFile, *data)));
  }

  /// Turns the module's object into that of a self-test.
  bool addSelfTest(ModuleOp asRead, CompiledModule &compiled) {
    stage("evaluating");
    FailureOr<SelfTest> test = makeSelfTest(asRead, options.module, compiled, options.seed);
    if (failed(test))
      return false;
    SmallVector<char, 0> object, both;
    if (!report(emitSelfTest(*test, compiled, object)) ||
        !report(linkObjects({compiled.program.code, object}, both)))
      return false;
    compiled.program.code = std::move(both);
    return true;
  }

  const HlocOptions &options;
  MLIRContext context;
  DefaultTimingManager timing;
  TimingScope timingScope;
  PassDumps dumps;
  StringRef source; // the module's text
  bool notSupported = false;
  /// True if a diagnostic was printed.
  bool hasSpoken = false;
  std::unique_ptr<CompileCache> cache;
  /// The key of the whole compilation, if it may be cached.
  std::optional<CacheKey> wholeKey;
  ReportRemarks remarks;
  ReportSource origin;
};

} // namespace

int hlocMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installCrashHandler();
  checkOutputAtExit();
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
#endif
  if (isDiff(argc, argv))
    return diffMain(argv);
  HlocOptions options;
  if (!parseHlocOptions(argc, argv, options))
    return WrongUsage;
  return options.isTuneWorker ? tuneWorkerMain(options) : int(Driver(options).run());
}

} // namespace hloc
