// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HloOptMain.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Describe.h"
#include "compiler/driver/StandardOutput.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Load.h"
#include "compiler/text/Printer.h"
#include "compiler/text/Version.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace hloc {
namespace {

enum ExitCode { Done = 0, Refused = 1, WrongUsage = 2, Unsupported = 3 };
enum class Emit { Input, Hlo, Mlir };

struct Options {
  cl::OptionCategory category{"hlo-opt options"};
  cl::list<std::string> inputs{cl::Positional, cl::desc("<file, or - for standard input>"),
                               cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Write to this file"), cl::init("-"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<Emit> emit{
      "emit", cl::desc("What to print (default: the input's form)"), cl::init(Emit::Input),
      cl::values(clEnumValN(Emit::Hlo, "hlo", "HLO text"), clEnumValN(Emit::Mlir, "mlir", "MLIR")),
      cl::cat(category)};
  cl::opt<bool> strict{"strict", cl::desc("Unknown attributes are errors"), cl::cat(category)};
  cl::opt<ElidedConstants> elided{
      "elided-constants", cl::desc("Treatment of constant({...})"), cl::init(ElidedConstants::Keep),
      cl::values(clEnumValN(ElidedConstants::Keep, "keep", "print it as {...} again (default)"),
                 clEnumValN(ElidedConstants::Zero, "zero", "replace it by zeros"),
                 clEnumValN(ElidedConstants::Refuse, "refuse", "refuse it")),
      cl::cat(category)};
  cl::opt<bool> verifyOnly{"verify-only",
                           cl::desc("Only check the files; prints `FILE: ok` or the first error"),
                           cl::cat(category)};
  cl::opt<bool> noVerify{"no-verify", cl::desc("Only parse, without verification"),
                         cl::cat(category)};
  cl::opt<bool> verifyDiagnostics{"verify-diagnostics",
                                  cl::desc("Check diagnostics against expected-* comments"),
                                  cl::cat(category)};
  cl::opt<bool> splitInput{"split-input-file",
                           cl::desc("Treat the parts between `// -----` lines as files"),
                           cl::cat(category)};
  cl::opt<bool> debugInfo{"print-locations", cl::desc("Print locations in MLIR"),
                          cl::cat(category)};
  DescribeOption describe{category};
  PassPipelineCLParser passes{"", "Passes to run"};

  LoadOptions load() const {
    LoadOptions options;
    options.strict = strict;
    options.elidedConstants = elided;
    options.verify = !noVerify;
    return options;
  }
};

/// `FILE: ok`, or `FILE:line:column: error: message` of the first error, for each file.
ExitCode verifyFiles(const Options &options, const DialectRegistry &registry) {
  ExitCode code = Done;
  for (const std::string &path : options.inputs) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    std::string first;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !first.empty())
        return success();
      llvm::raw_string_ostream out(first);
      FileLineColLoc place;
      diagnostic.getLocation()->walk([&](Location inner) {
        place = dyn_cast<FileLineColLoc>(inner);
        return place ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (place)
        out << place.getFilename().getValue() << ':' << place.getLine() << ':' << place.getColumn();
      else
        out << path;
      out << ": error: " << diagnostic.str();
      return success();
    });
    auto sources = std::make_shared<llvm::SourceMgr>();
    std::string problem;
    bool opened = openModule(path, *sources, &problem);
    if (opened && loadModule(sources, &context, options.load())) {
      llvm::outs() << path << ": ok\n";
      continue;
    }
    code = Refused;
    llvm::outs() << (opened ? first.empty() ? path + ": error: refused" : first
                            : path + ": error: " + problem)
                 << '\n';
  }
  return code;
}

ExitCode print(ModuleOp module, ModuleForm form, const Options &options) {
  std::string message;
  auto file = openOutputFile(options.output, &message);
  if (!file) {
    llvm::errs() << message << '\n';
    return WrongUsage;
  }
  bool asHlo =
      options.emit == Emit::Hlo || (options.emit == Emit::Input && form == ModuleForm::Hlo);
  if (asHlo) {
    if (failed(printHlo(module, file->os())))
      return Unsupported;
  } else {
    OpPrintingFlags flags;
    if (options.debugInfo)
      flags.enableDebugInfo(true, true);
    module->print(file->os(), flags);
    file->os() << '\n';
  }
  file->keep();
  return Done;
}

ExitCode processModule(const std::shared_ptr<llvm::SourceMgr> &sources, const Options &options,
                       const DialectRegistry &registry) {
  MLIRContext context(registry);
  ModuleForm form;
  auto process = [&]() -> ExitCode {
    OwningOpRef<ModuleOp> module = loadModule(sources, &context, options.load(), &form);
    if (!module)
      return Refused;
    // Passes on functions are nested automatically.
    PassManager manager(&context, ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
    if (failed(applyPassManagerCLOptions(manager)))
      return WrongUsage;
    applyDefaultTimingPassManagerCLOptions(manager);
    auto report = [&](const Twine &message) {
      emitError(UnknownLoc::get(&context)) << message.str();
      return failure();
    };
    if (failed(options.passes.addToPipeline(manager, report)))
      return WrongUsage;
    if (failed(manager.run(*module)))
      return Refused;
    return print(*module, form, options);
  };
  if (options.verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
    (void)process();
    return succeeded(handler.verify()) ? Done : Refused;
  }
  SourceMgrDiagnosticHandler handler(*sources, &context);
  return process();
}

ExitCode processFile(const Options &options, const DialectRegistry &registry) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  if (!openModule(options.inputs[0], *sources))
    return Refused;
  if (!options.splitInput)
    return processModule(sources, options, registry);
  const llvm::MemoryBuffer &whole = *sources->getMemoryBuffer(sources->getMainFileID());
  ExitCode worst = Done;
  (void)splitAndProcessBuffer(
      llvm::MemoryBuffer::getMemBuffer(whole.getMemBufferRef()),
      [&](std::unique_ptr<llvm::MemoryBuffer> part, llvm::raw_ostream &) {
        auto partSources = std::make_shared<llvm::SourceMgr>();
        // The parser needs a NUL at the end, which a part of a larger buffer lacks.
        partSources->AddNewSourceBuffer(
            llvm::MemoryBuffer::getMemBufferCopy(part->getBuffer(), part->getBufferIdentifier()),
            llvm::SMLoc());
        worst = std::max(worst, processModule(partSources, options, registry));
        return success();
      },
      llvm::outs());
  return worst;
}

} // namespace

int hloOptMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  installCrashHandler();
  checkOutputAtExit();
  registry.insert<hlo::HLODialect>();
  registerMLIRContextCLOptions();
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  Options options;
  setVersionPrinter();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, "hlo-opt: reads, checks and transforms HLO\n",
                                   &problems)) {
    llvm::errs() << problem;
    return WrongUsage;
  }
  if (options.inputs.empty())
    options.inputs.push_back("-");
  if (options.verifyOnly)
    return verifyFiles(options, registry);
  if (options.inputs.size() > 1) {
    llvm::errs() << "hlo-opt: expected one file (only --verify-only takes several)\n";
    return WrongUsage;
  }
  return processFile(options, registry);
}

} // namespace hloc
