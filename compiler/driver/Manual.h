// SPDX-License-Identifier: Apache-2.0
// The outputs of --describe. Test: test/tools/describe.test.

#ifndef HLOC_COMPILER_DRIVER_MANUAL_H
#define HLOC_COMPILER_DRIVER_MANUAL_H

#include "compiler/driver/HelpText.h"

namespace hloc {

/// A manual page, for man.
std::string writeManual(const HelpText &help);

/// Completes the names of options, and the values of those that take one of a few; other words are
/// files.
std::string writeBashCompletion(const HelpText &help);
std::string writeZshCompletion(const HelpText &help);
std::string writeFishCompletion(const HelpText &help);

} // namespace hloc

#endif
