// SPDX-License-Identifier: Apache-2.0
// A target in a line. Test: test/tools/schedules.test.

#ifndef HLOC_COMPILER_TARGET_TARGETSUMMARY_H
#define HLOC_COMPILER_TARGET_TARGETSUMMARY_H

#include "compiler/target/Target.h"

namespace hloc {

/// What code may use on it, as printTarget says it: triple, processor, vectors, and the
/// instructions that kernels ask for.
std::string summarize(const Target &target);

} // namespace hloc

#endif
