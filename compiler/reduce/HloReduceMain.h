// SPDX-License-Identifier: Apache-2.0
// What the program hlo-reduce does: a module that shows a fault in, the smallest that still does
// out. Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_HLOREDUCEMAIN_H
#define HLOC_COMPILER_REDUCE_HLOREDUCEMAIN_H

#include "mlir/IR/DialectRegistry.h"

namespace hloc {

/// Runs hlo-reduce. Returns the exit code: 0 done, 1 the module was refused or shows no fault, 2
/// the command line was wrong.
int hloReduceMain(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace hloc

#endif
