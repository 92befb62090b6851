// SPDX-License-Identifier: Apache-2.0
// `hloc diff a.o b.o`: what differs between two objects that hloc made. Test: test/tools/diff.test.

#ifndef HLOC_COMPILER_DRIVER_DIFF_DIFF_H
#define HLOC_COMPILER_DRIVER_DIFF_DIFF_H

#include "compiler/driver/diff/ObjectContents.h"

namespace hloc {

/// Whether a command line is `hloc diff FILE FILE`. A module can be called `diff`: hloc takes one
/// file otherwise, so that no other command line has these words.
bool isDiff(int argc, char **argv);

/// Compares the files that such a command line names; 0 if nothing differs, 1 if something does or
/// a file is no object of hloc's, which is said.
int diffMain(char **argv);

/// What differs, in lines; empty if nothing does.
std::string printDifferences(const ObjectContents &before, const ObjectContents &after);

} // namespace hloc

#endif
