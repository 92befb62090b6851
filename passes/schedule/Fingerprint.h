// SPDX-License-Identifier: Apache-2.0
// A hash of what a kernel computes that is the same in every compilation: the key of tuned
// schedules. Test: test/passes/schedule/tuned-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_FINGERPRINT_H
#define HLOC_PASSES_SCHEDULE_FINGERPRINT_H

#include "compiler/hlo/HloDialect.h"
#include <string>

namespace hloc {

/// Sixteen hexadecimal digits. They depend on the kernel's kind, its operations with their
/// attributes and types, and the computations that these name, but not on names or locations.
std::string getFingerprint(hlo::KernelKind kind, mlir::Block &body);

} // namespace hloc

#endif
