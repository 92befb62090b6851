// SPDX-License-Identifier: Apache-2.0
// What a kernel computes, as a number that is the same in every compilation: tuned schedules are
// kept by it. Test: test/passes/schedule/tuned-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_FINGERPRINT_H
#define HLOC_PASSES_SCHEDULE_FINGERPRINT_H

#include "compiler/hlo/HloDialect.h"
#include <string>

namespace hloc {

/// Sixteen hexadecimal digits, made of the kernel's kind, its operations with their attributes and
/// types, and those of the computations that it names; neither of names nor of places.
std::string getFingerprint(hlo::KernelKind kind, mlir::Block &body);

} // namespace hloc

#endif
