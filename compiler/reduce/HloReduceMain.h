// SPDX-License-Identifier: Apache-2.0
// The program hlo-reduce: from a module that shows a fault it makes the smallest one that still
// does. Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_HLOREDUCEMAIN_H
#define HLOC_COMPILER_REDUCE_HLOREDUCEMAIN_H

#include "mlir/IR/DialectRegistry.h"

namespace hloc {

/// Runs hlo-reduce. Returns the exit code: 0 success, 1 the module is invalid or shows no fault, 2
/// the command line is wrong.
int hloReduceMain(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace hloc

#endif
