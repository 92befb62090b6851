// SPDX-License-Identifier: Apache-2.0
// The forms that --describe prints. Test: test/tools/describe.test.

#ifndef HLOC_COMPILER_DRIVER_MANUAL_H
#define HLOC_COMPILER_DRIVER_MANUAL_H

#include "compiler/driver/HelpText.h"

namespace hloc {

/// A page of the manual, for man.
std::string writeManual(const HelpText &help);

/// What completes the names of options, and the values of those that take one of a few; other
/// words are files.
std::string writeBashCompletion(const HelpText &help);
std::string writeZshCompletion(const HelpText &help);
std::string writeFishCompletion(const HelpText &help);

} // namespace hloc

#endif
