// SPDX-License-Identifier: Apache-2.0
#include "compiler/reduce/HloReduceMain.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Describe.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/StandardOutput.h"
#include "compiler/reduce/FaultCheck.h"
#include "compiler/reduce/Reducer.h"
#include "compiler/text/Load.h"
#include "compiler/text/Printer.h"
#include "compiler/text/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace hloc {
namespace {

enum ExitCode { Done = 0, Refused = 1, WrongUsage = 2 };

struct Options {
  cl::OptionCategory category{"hlo-reduce options"};
  cl::opt<std::string> input{cl::Positional, cl::Required, cl::desc("<file>"), cl::cat(category)};
  cl::list<std::string> command{cl::Positional, cl::ZeroOrMore, cl::cat(category),
                                cl::desc("-- <command that fails on {}; hlo-run {} --compare>")};
  cl::opt<std::string> output{"o", cl::desc("Write the smaller module to this file"),
                              cl::value_desc("file"), cl::Required, cl::cat(category)};
  cl::opt<std::string> message{
      "message", cl::value_desc("text"), cl::cat(category),
      cl::desc("The fault is that the command prints this text, instead of how it ends")};
  cl::opt<unsigned> seconds{"seconds", cl::desc("Stop after this time (default 300)"),
                            cl::value_desc("seconds"), cl::init(300), cl::cat(category)};
  cl::opt<unsigned> timeout{"timeout", cl::value_desc("seconds"), cl::init(60), cl::cat(category),
                            cl::desc("Limit of the time of a run of the command (default 60)")};
  DescribeOption describe{category};
};

/// The default command: hlo-run next to this program.
std::vector<std::string> getDefaultCommand(const char *program) {
  static int anchor;
  llvm::SmallString<128> path(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(program, &anchor)));
  llvm::sys::path::append(path, "hlo-run");
  return {path.str().str(), "{}", "--compare"};
}

int fail(const llvm::Twine &message) {
  llvm::errs() << "hlo-reduce: error: " << message << '\n';
  return WrongUsage;
}

int reduceFile(const Options &options, reduce::FaultCheck &check, const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = loadModuleFile(options.input, &context);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!module || failed(printHlo(*module, out)))
    return Refused;
  unsigned before = reduce::countInstructions(*module), runs = 1;
  const std::string fault = check.run(text);
  auto isShown = [&](const std::string &ended) {
    return options.message.empty() ? ended == fault
                                   : llvm::StringRef(check.getOutput()).contains(options.message);
  };
  if ((options.message.empty() && fault.empty()) || !isShown(fault)) {
    llvm::errs() << options.input << ": error: the command "
                 << (options.message.empty() ? "ends with status 0" : "does not print that")
                 << " on this module, as hlo-opt prints it: there is nothing to reduce\n";
    return Refused;
  }
  bool isWritten = writeFile(options.output, text);
  reduce::Reducer reducer(
      std::move(module), text,
      [&](StringRef smaller) { return ++runs, isShown(check.run(smaller)); },
      [&](StringRef smaller) { isWritten = isWritten && writeFile(options.output, smaller); },
      std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds));
  if (isWritten)
    reducer.run();
  if (!isWritten)
    return Refused;
  llvm::outs() << options.output << ": " << before << " instructions are now "
               << reduce::countInstructions(reducer.getModule()) << ", after " << runs
               << " runs of the command\n"
               << "the fault: " << (options.message.empty() ? fault : options.message) << '\n';
  return Done;
}

} // namespace

int hloReduceMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  installCrashHandler();
  checkOutputAtExit();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  setVersionPrinter();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, "hlo-reduce: reduces a module that shows a fault\n",
                                   &problems))
    return llvm::errs() << problem, WrongUsage;
  std::vector<std::string> command(options.command.begin(), options.command.end());
  auto check = reduce::FaultCheck::create(command.empty() ? getDefaultCommand(argv[0]) : command,
                                          options.timeout);
  if (!check)
    return fail(llvm::toString(check.takeError()));
  return reduceFile(options, *check, registry);
}

} // namespace hloc
