// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Describe.h"
#include "compiler/driver/Manual.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

/// The output of --help of this program: of another run of it, as this one is still parsing its
/// options.
static llvm::ErrorOr<HelpText> getHelp() {
  llvm::SmallString<128> file;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("hloc-help", "txt", file))
    return error;
  llvm::FileRemover remover(file);
  std::string program =
      llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&getHelp));
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, file.str(), std::nullopt};
  if (llvm::sys::ExecuteAndWait(program, {program, "--help"}, std::nullopt, redirects))
    return std::make_error_code(std::errc::no_child_process);
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return text.getError();
  return parseHelp((*text)->getBuffer());
}

static std::string write(const HelpText &help, Description form) {
  switch (form) {
  case Description::Manual:
    return writeManual(help);
  case Description::Bash:
    return writeBashCompletion(help);
  case Description::Zsh:
    return writeZshCompletion(help);
  case Description::Fish:
    return writeFishCompletion(help);
  }
  llvm_unreachable("a description of another kind");
}

static void printAndExit(Description form) {
  llvm::ErrorOr<HelpText> help = getHelp();
  if (help)
    llvm::outs() << write(*help, form);
  else
    llvm::errs() << "cannot run this program for its help: " << help.getError().message() << '\n';
  llvm::outs().flush();
  std::exit(help ? 0 : 1);
}

DescribeOption::DescribeOption(llvm::cl::OptionCategory &category)
    : opt("describe", llvm::cl::desc("Print the options in another form and stop:"),
          llvm::cl::cat(category),
          llvm::cl::callback([](const Description &form) { printAndExit(form); }),
          llvm::cl::values(
              clEnumValN(Description::Manual, "man", "a page of the manual"),
              clEnumValN(Description::Bash, "bash", "completion for bash, to be sourced"),
              clEnumValN(Description::Zsh, "zsh", "completion for zsh, a file of its fpath"),
              clEnumValN(Description::Fish, "fish", "completion for fish, to be sourced"))) {}

} // namespace hloc
