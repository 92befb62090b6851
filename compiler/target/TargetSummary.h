// SPDX-License-Identifier: Apache-2.0
// A one-line summary of a target. Test: test/tools/schedules.test.

#ifndef HLOC_COMPILER_TARGET_TARGETSUMMARY_H
#define HLOC_COMPILER_TARGET_TARGETSUMMARY_H

#include "compiler/target/Target.h"

namespace hloc {

/// The parts of printTarget that code depends on: triple, processor, vectors, and the optional
/// instructions.
std::string summarize(const Target &target);

} // namespace hloc

#endif
