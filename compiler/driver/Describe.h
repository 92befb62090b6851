// SPDX-License-Identifier: Apache-2.0
// --describe: a program's options as a manual page, or for the completion of a shell. Test:
// test/tools/describe.test.

#ifndef HLOC_COMPILER_DRIVER_DESCRIBE_H
#define HLOC_COMPILER_DRIVER_DESCRIBE_H

#include "llvm/Support/CommandLine.h"

namespace hloc {

enum class Description { Manual, Bash, Zsh, Fish };

/// --describe, which prints and ends the program as --help does.
struct DescribeOption : llvm::cl::opt<Description> {
  explicit DescribeOption(llvm::cl::OptionCategory &category);
};

} // namespace hloc

#endif
