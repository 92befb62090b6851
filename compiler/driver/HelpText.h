// SPDX-License-Identifier: Apache-2.0
// What a program prints for --help, taken apart: manual pages and the completions of shells are
// made of it, so that options are described once, where they are declared. Test:
// test/tools/describe.test.

#ifndef HLOC_COMPILER_DRIVER_HELPTEXT_H
#define HLOC_COMPILER_DRIVER_HELPTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hloc {

struct HelpText {
  struct Value {
    std::string name, help;
  };
  struct Option {
    /// With its dashes.
    std::string name;
    /// What follows, as `=<file>`, `[=<file>]` or ` <file>`; empty if it takes nothing.
    std::string argument;
    std::string help;
    /// If it takes one of these.
    std::vector<Value> values;
    /// Of the option before it, which is a pass, and written in quotes behind its name.
    bool isOfPass = false;
  };
  struct Section {
    std::string title;
    std::vector<Option> options;
  };

  std::string program, summary;
  /// What may stand on the command line, after the program's name.
  std::string usage;
  std::vector<Section> sections;
};

/// Reads what llvm::cl prints for --help.
HelpText parseHelp(llvm::StringRef text);

} // namespace hloc

#endif
