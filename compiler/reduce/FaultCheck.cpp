// SPDX-License-Identifier: Apache-2.0
#include "compiler/reduce/FaultCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <regex>

namespace hloc::reduce {

llvm::Expected<FaultCheck> FaultCheck::create(std::vector<std::string> command, unsigned seconds) {
  FaultCheck check;
  auto program = llvm::sys::findProgramByName(command.front());
  if (!program)
    return llvm::createStringError(program.getError(), "%s: %s", command.front().c_str(),
                                   program.getError().message().c_str());
  check.files = std::make_unique<Files>();
  for (auto [path, ending] :
       {std::pair(&check.files->module, "hlo"), {&check.files->output, "txt"}})
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("hlo-reduce", ending, *path))
      return llvm::createStringError(error, "a temporary file: %s", error.message().c_str());
  bool isNamed = false;
  for (std::string &word : command)
    for (size_t at; (at = word.find("{}")) != std::string::npos; isNamed = true)
      word.replace(at, 2, check.files->module.str());
  if (!isNamed)
    command.push_back(check.files->module.str().str());
  check.program = *program;
  check.command = std::move(command);
  check.seconds = seconds;
  return check;
}

FaultCheck::~FaultCheck() {
  if (!files)
    return;
  llvm::sys::fs::remove(files->module);
  llvm::sys::fs::remove(files->output);
}

/// The first line with `error`, or the last.
static std::string findMessage(llvm::StringRef output) {
  llvm::SmallVector<llvm::StringRef> lines;
  output.split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty())
    return "";
  auto named = llvm::find_if(lines, [](llvm::StringRef line) { return line.contains("error"); });
  return (named == lines.end() ? lines.back() : *named).str();
}

std::string FaultCheck::run(llvm::StringRef text) {
  {
    std::error_code error;
    llvm::raw_fd_ostream out(files->module, error);
    out << text;
    out.close();
    if (error || out.has_error()) {
      out.clear_error();
      return "the module cannot be written";
    }
  }
  llvm::SmallVector<llvm::StringRef> words(command.begin(), command.end());
  std::optional<llvm::StringRef> streams[] = {llvm::StringRef(""), files->output.str(),
                                              files->output.str()};
  llvm::sys::fs::remove(files->output); // it is overwritten, not truncated
  std::string problem;
  int status =
      llvm::sys::ExecuteAndWait(program, words, std::nullopt, streams, seconds, 0, &problem);
  auto printed = llvm::MemoryBuffer::getFile(files->output);
  output = printed ? (*printed)->getBuffer().str() : "";
  if (status == 0)
    return "";
  if (status < 0) // a signal or the time limit
    return problem.empty() ? "it crashed" : problem;
  static const std::regex particular(R"(\S*hlo-reduce\S*|`[^`]*`|'[^']*'|"[^"]*"|%?\b\w*\d[\w.]*)");
  return "status " + std::to_string(status) + ": " +
         std::regex_replace(findMessage(output), particular, "_");
}

} // namespace hloc::reduce
