// SPDX-License-Identifier: Apache-2.0
// Compiles a module and runs it in this process: a Runner for hlo-run.

#ifndef HLOC_COMPILER_DRIVER_RUNCOMPILED_H
#define HLOC_COMPILER_DRIVER_RUNCOMPILED_H

#include "compiler/driver/HloRunMain.h"

namespace hloc {

/// A Preparation: the entry becomes that of one partition, and parameters are bound as the options
/// say.
RunStatus prepareModule(mlir::ModuleOp module, const RunOptions &options);

/// The module is left as it is. --benchmark repeats the call, on the arguments as the last one left
/// them where results share their memory.
RunStatus runCompiled(mlir::ModuleOp source, const RunOptions &options,
                      const ParticipantArrays &inputs, ParticipantArrays &outputs,
                      ParticipantArrays &outfeed, Measurements &measured);

} // namespace hloc

#endif
