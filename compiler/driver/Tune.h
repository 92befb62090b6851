// SPDX-License-Identifier: Apache-2.0
// `hloc --tune`: finds quicker schedules for a module's kernels by running it on this machine.
// Test: test/tools/tune.test.

#ifndef HLOC_COMPILER_DRIVER_TUNE_H
#define HLOC_COMPILER_DRIVER_TUNE_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/HlocOptions.h"

namespace hloc {

/// Tunes `module`, which is left as it is and whose text is `source`, and puts what was found into
/// `compile`. `file` is the name of the file of schedules that is to be written: sections of other
/// machines that it has stay. False, with a message, if the file is malformed or the module cannot
/// be run by itself.
bool tune(mlir::ModuleOp module, llvm::StringRef source, const HlocOptions &options,
          llvm::StringRef file, CompileOptions &compile);

} // namespace hloc

#endif
