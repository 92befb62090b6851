// SPDX-License-Identifier: Apache-2.0
// What the programs' command lines have in common.

#ifndef HLOC_COMPILER_DRIVER_COMMANDLINE_H
#define HLOC_COMPILER_DRIVER_COMMANDLINE_H

#include "llvm/Support/CommandLine.h"

namespace hloc {

/// Forgets the options of LLVM's own passes, some of which have the names of ours. A program that has
/// read its options ends with llvm::cl::ResetCommandLineParser(), for the linker's sake, which
/// registers and resets options as if it were alone.
inline void removeOptionsOfLlvm() {
  llvm::SmallVector<llvm::cl::Option *> removed;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      removed.push_back(option);
  for (llvm::cl::Option *option : removed)
    option->removeArgument();
}

/// An option that writes to a field, whose value is the default.
template <typename T> struct FieldOption : llvm::cl::opt<T, true> {
  FieldOption(llvm::StringRef name, T &field, llvm::StringRef help, llvm::StringRef value,
              llvm::cl::OptionCategory &category)
      : llvm::cl::opt<T, true>(name, llvm::cl::desc(help), llvm::cl::location(field),
                               llvm::cl::value_desc(value), llvm::cl::init(field),
                               llvm::cl::cat(category)) {}
};

/// An option without a value that sets a field.
struct FieldSwitch : llvm::cl::opt<bool, true> {
  FieldSwitch(llvm::StringRef name, bool &field, llvm::StringRef help,
              llvm::cl::OptionCategory &category)
      : llvm::cl::opt<bool, true>(name, llvm::cl::desc(help), llvm::cl::location(field),
                                  llvm::cl::cat(category)) {}
};

} // namespace hloc

#endif
