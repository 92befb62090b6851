// SPDX-License-Identifier: Apache-2.0
// What code can be made for. Test: test/tools/target.test.

#ifndef HLOC_COMPILER_TARGET_TARGETLIST_H
#define HLOC_COMPILER_TARGET_TARGETLIST_H

#include <string>

namespace hloc {

/// A table with a line for each processor, as --mcpu takes it: its architecture, what its vectors
/// are, and the machine whose numbers choices are made by.
std::string listTargets();

} // namespace hloc

#endif
