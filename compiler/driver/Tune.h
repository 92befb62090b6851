// SPDX-License-Identifier: Apache-2.0
// `hloc --tune`: finds faster schedules for a module's kernels by running it on this machine. Test:
// test/tools/tune.test.

#ifndef HLOC_COMPILER_DRIVER_TUNE_H
#define HLOC_COMPILER_DRIVER_TUNE_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/HlocOptions.h"

namespace hloc {

/// Tunes `module`, whose text is `source`, without changing it, and stores the schedules found in
/// `compile`. `file` is the name of the schedules file to be written; sections that it has for
/// other machines are kept. Returns false after printing a message if the file is malformed or the
/// module cannot be run on its own.
bool tune(mlir::ModuleOp module, llvm::StringRef source, const HlocOptions &options,
          llvm::StringRef file, CompileOptions &compile);

} // namespace hloc

#endif
