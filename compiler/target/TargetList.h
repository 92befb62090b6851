// SPDX-License-Identifier: Apache-2.0
// The targets that code can be compiled for. Test: test/tools/target.test.

#ifndef HLOC_COMPILER_TARGET_TARGETLIST_H
#define HLOC_COMPILER_TARGET_TARGETLIST_H

#include <string>

namespace hloc {

/// A table with a line for each processor that --mcpu accepts: its architecture, its vectors, and
/// the machine whose numbers are used for choices.
std::string listTargets();

} // namespace hloc

#endif
