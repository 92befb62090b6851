// SPDX-License-Identifier: Apache-2.0
// --describe: prints a program's options as a manual page or as a shell completion. Test:
// test/tools/describe.test.

#ifndef HLOC_COMPILER_DRIVER_DESCRIBE_H
#define HLOC_COMPILER_DRIVER_DESCRIBE_H

#include "llvm/Support/CommandLine.h"

namespace hloc {

enum class Description { Manual, Bash, Zsh, Fish };

/// --describe, which prints and exits as --help does.
struct DescribeOption : llvm::cl::opt<Description> {
  explicit DescribeOption(llvm::cl::OptionCategory &category);
};

} // namespace hloc

#endif
