// SPDX-License-Identifier: Apache-2.0
// `hloc diff a.o b.o`: the differences between two objects that hloc made. Test:
// test/tools/diff.test.

#ifndef HLOC_COMPILER_DRIVER_DIFF_DIFF_H
#define HLOC_COMPILER_DRIVER_DIFF_DIFF_H

#include "compiler/driver/diff/ObjectContents.h"

namespace hloc {

/// True if a command line is `hloc diff FILE FILE`. This is unambiguous even for a module called
/// `diff`, because otherwise hloc takes a single file.
bool isDiff(int argc, char **argv);

/// Compares the files that the command line names. Returns 0 if nothing differs, 1 if something
/// does or, after printing a message, if a file is not an object of hloc's.
int diffMain(char **argv);

/// The differences, as lines; empty if there are none.
std::string printDifferences(const ObjectContents &before, const ObjectContents &after);

} // namespace hloc

#endif
