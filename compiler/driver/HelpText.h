// SPDX-License-Identifier: Apache-2.0
// The parsed --help text of a program: manual pages and shell completions are made from it, so that
// options are described once, where they are declared. Test: test/tools/describe.test.

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
    /// What follows the name, as `=<file>`, `[=<file>]` or ` <file>`; empty if it takes no value.
    std::string argument;
    std::string help;
    /// The values, if it takes one of a few.
    std::vector<Value> values;
    /// It belongs to the pass option before it, and is written in quotes after its name.
    bool isOfPass = false;
  };
  struct Section {
    std::string title;
    std::vector<Option> options;
  };

  std::string program, summary;
  /// The form of the command line, after the program's name.
  std::string usage;
  std::vector<Section> sections;
};

/// Parses what llvm::cl prints for --help.
HelpText parseHelp(llvm::StringRef text);

} // namespace hloc

#endif
