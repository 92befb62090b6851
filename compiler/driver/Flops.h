// SPDX-License-Identifier: Apache-2.0
// How much a kernel computes and moves, as a report tells it. Test: test/tools/report.hlo.

#ifndef HLOC_COMPILER_DRIVER_FLOPS_H
#define HLOC_COMPILER_DRIVER_FLOPS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Operations on floats in one run: a product with its sum counts two, any other operation one for
/// each element, one for each part of a complex number. What fusion computes several times counts
/// once.
int64_t countFlops(hlo::KernelFunctionOp kernel, mlir::ModuleOp program);

struct Traffic {
  int64_t read = 0, written = 0;
};

/// Bytes of the arrays that one run reads and writes. Of what is updated in place only the updates
/// count; what is gathered counts whole.
Traffic countTraffic(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
