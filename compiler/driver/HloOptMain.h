// SPDX-License-Identifier: Apache-2.0
// The program hlo-opt. Test: test/text/hlo-opt.test.

#ifndef HLOC_COMPILER_TEXT_HLOOPTMAIN_H
#define HLOC_COMPILER_TEXT_HLOOPTMAIN_H

#include "mlir/IR/DialectRegistry.h"

namespace hloc {

/// Runs hlo-opt with the passes that have been registered, and the dialects of `registry` besides
/// hlo. Returns the exit code: 0 done, 1 the input was refused or a pass failed, 2 the command line
/// was wrong, 3 not supported.
int hloOptMain(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace hloc

#endif
