// SPDX-License-Identifier: Apache-2.0
// The program hlo-run: reads a module and its inputs, runs it compiled or evaluated, and writes,
// compares or summarizes the results. Test: test/evaluator/*.test.

#ifndef HLOC_COMPILER_DRIVER_HLORUNMAIN_H
#define HLOC_COMPILER_DRIVER_HLORUNMAIN_H

#include "compiler/driver/ErrorBounds.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/evaluator/core/Evaluator.h"
#include <functional>

namespace hloc {

/// What --json prints.
struct Measurements {
  double compileSeconds = 0,
         runSeconds = 0; // medians: of several compilations in a benchmark, and of one call
  int64_t runs = 0, threads = 1, arenaBytes = 0, codeBytes = 0, constantBytes = 0;
  // With --prepare: the block's bytes, and the time to fill it, which is done once.
  int64_t preparedBytes = 0;
  double prepareSeconds = 0;
};

enum class RunStatus { Done, Refused, WrongUsage, Unsupported };

/// A way to run a module. `outfeed` gets what the module sends to the host. Reports errors itself.
using Runner = std::function<RunStatus(mlir::ModuleOp module, const RunOptions &options,
                                       const ParticipantArrays &inputs, ParticipantArrays &outputs,
                                       ParticipantArrays &outfeed, Measurements &measurements)>;

/// The evaluator. `observer`, unless empty, is called with the results of operations.
RunStatus runEvaluated(mlir::ModuleOp module, const RunOptions &options,
                       const ParticipantArrays &inputs, ParticipantArrays &outputs,
                       ParticipantArrays &outfeed, Measurements &measurements,
                       const evaluator::Observer &observer = {});

/// The tolerance of each result, derived from the module, the magnitudes of its inputs, and what
/// was observed when it was evaluated on them.
std::vector<ErrorBound> deriveErrorBounds(hlo::ComputationOp entry, const ParticipantArrays &inputs,
                                          const Observations &observations, bool flushes);

/// Prepares a module before hlo-run asks for the entry's arrays. Reports errors itself.
using Preparation = std::function<RunStatus(mlir::ModuleOp module, const RunOptions &options)>;

/// Runs hlo-run. `registry` has the dialects that are needed; `compiled` runs compiled code, if
/// there is a compiler. Returns the exit code: 0 done or all equal, 1 the input was refused or
/// results differ, 2 the command line was wrong, 3 not supported.
int hloRunMain(int argc, char **argv, mlir::DialectRegistry &registry, const Runner &compiled = {},
               const Preparation &prepare = {});

} // namespace hloc

#endif
