// SPDX-License-Identifier: Apache-2.0
// Runs a command on a module, to see whether it fails as another one did.
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
  /// `command` is a program, as the shell would find it, and its arguments, in which `{}` stands
  /// for the module's file; if none has it, the file is the last one. It has so many seconds.
  /// Fails if there is no such program or no room for files.
  static llvm::Expected<FaultCheck> create(std::vector<std::string> command, unsigned seconds);
  FaultCheck(FaultCheck &&other) = default;
  ~FaultCheck();

  /// How the command ends on a module of this text: the signal, that it came to no end, or the
  /// status and the first line that names an error, without names, numbers and quoted parts, so
  /// that it reads the same for another module. Empty if the status was 0.
  std::string run(llvm::StringRef text);

  /// What it printed then.
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
