// SPDX-License-Identifier: Apache-2.0
// How much a kernel computes and moves, for reports. Test: test/tools/report.hlo.

#ifndef HLOC_COMPILER_DRIVER_FLOPS_H
#define HLOC_COMPILER_DRIVER_FLOPS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Floating-point operations in one run: a multiply-add counts as two, any other operation as one
/// per element (and per part of a complex number). What fusion computes repeatedly counts once.
int64_t countFlops(hlo::KernelFunctionOp kernel, mlir::ModuleOp program);

struct Traffic {
  int64_t read = 0, written = 0;
};

/// Bytes of the arrays that one run reads and writes. For updates in place only the updates count;
/// a gather's operand counts as a whole.
Traffic countTraffic(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
