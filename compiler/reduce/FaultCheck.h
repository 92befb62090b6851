// SPDX-License-Identifier: Apache-2.0
// Runs a command on a module, to see whether it fails in the same way as on another one.
// Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_FAULTCHECK_H
#define HLOC_COMPILER_REDUCE_FAULTCHECK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hloc::reduce {

class FaultCheck {
public:
  /// `command` is a program, searched on PATH, and its arguments, in which `{}` stands for
  /// the module's file; if no argument contains it, the file is appended. `seconds` is its time
  /// limit. Fails if there is no such program or no room for files.
  static llvm::Expected<FaultCheck> create(std::vector<std::string> command, unsigned seconds);
  FaultCheck(FaultCheck &&other) = default;
  ~FaultCheck();

  /// How the command ends on a module of this text: the signal, that it exceeded the time limit, or
  /// the status and the first line with an error, without names, numbers and quoted parts, so that
  /// it is the same for other modules. Empty if the status was 0.
  std::string run(llvm::StringRef text);

  /// The output of the last run.
  const std::string &getOutput() const { return output; }

private:
  FaultCheck() = default;
  struct Files {
    llvm::SmallString<128> module, output;
  };
  std::string program, output;
  std::vector<std::string> command;
  unsigned seconds = 0;
  std::unique_ptr<Files> files;
};

} // namespace hloc::reduce

#endif
