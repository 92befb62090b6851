// SPDX-License-Identifier: Apache-2.0
// Compiles a module and runs it in this process: a Runner for hlo-run.

#ifndef HLOC_COMPILER_DRIVER_RUNCOMPILED_H
#define HLOC_COMPILER_DRIVER_RUNCOMPILED_H

#include "compiler/driver/HloRunMain.h"

namespace hloc {

/// A Preparation: localizes the entry to one partition, and binds parameters as the options say.
RunStatus prepareModule(mlir::ModuleOp module, const RunOptions &options);

/// A Runner; the module is not changed. --benchmark repeats the call, with the arguments that the
/// call before has left where results share their memory.
RunStatus runCompiled(mlir::ModuleOp source, const RunOptions &options,
                      const ParticipantArrays &inputs, ParticipantArrays &outputs,
                      ParticipantArrays &outfeed, Measurements &measured);

} // namespace hloc

#endif
