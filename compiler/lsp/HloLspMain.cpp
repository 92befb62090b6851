// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/HloLspMain.h"
#include "compiler/driver/CrashGuard.h"
#include "compiler/driver/Describe.h"
#include "compiler/lsp/MessageLoop.h"
#include "compiler/lsp/Server.h"
#include "compiler/text/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"

namespace cl = llvm::cl;
using namespace llvm::lsp;

namespace hloc {
namespace {

enum ExitCode { Done = 0, Refused = 1, WrongUsage = 2 };

struct Options {
  cl::OptionCategory category{"hlo-lsp options"};
  cl::opt<JSONStreamStyle> input{
      "input-style", cl::desc("Format of messages in the input:"), cl::init(Standard),
      cl::values(clEnumValN(Standard, "standard", "as in the protocol (default)"),
                 clEnumValN(Delimited, "delimited", "between lines of `// -----`")),
      cl::cat(category)};
  cl::opt<Logger::Level> log{
      "log", cl::desc("What to write to the error stream:"), cl::init(Logger::Level::Error),
      cl::values(clEnumValN(Logger::Level::Error, "error", "errors (default)"),
                 clEnumValN(Logger::Level::Info, "info", "also the names of messages"),
                 clEnumValN(Logger::Level::Debug, "debug", "also whole messages")),
      cl::cat(category)};
  cl::opt<bool> pretty{"pretty", cl::desc("Print JSON with line breaks"), cl::cat(category)};
  cl::opt<bool> test{"lit-test",
                     cl::desc("--input-style=delimited --pretty, and each message is handled only "
                              "when the previous one is done"),
                     cl::cat(category)};
  DescribeOption describe{category};
};

} // namespace

int hloLspMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installCrashHandler();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  setVersionPrinter();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, "hlo-lsp: HLO text in editors (a language server)\n",
                                   &problems))
    return llvm::errs() << problem, WrongUsage;
  (void)llvm::sys::ChangeStdinToBinary();
  Logger::setLogLevel(options.log);
  JSONTransportInputOverFile input(stdin, options.test ? Delimited : options.input);
  JSONTransport transport(nullptr, llvm::outs(), options.test || options.pretty);
  lsp::Server server(transport);
  bool isEnded = lsp::serveMessages(input, server.getHandler(), [&] {
    if (options.test)
      server.waitForChecks();
  });
  return isEnded && server.isShutDown() ? Done : Refused;
}

} // namespace hloc
