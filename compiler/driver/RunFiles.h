// SPDX-License-Identifier: Apache-2.0
// The sources and destinations of hlo-run's arrays: files, random numbers, comparisons, summaries.

#ifndef HLOC_COMPILER_DRIVER_RUNFILES_H
#define HLOC_COMPILER_DRIVER_RUNFILES_H

#include "compiler/driver/RunOptions.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/Support/Error.h"

namespace hloc {

/// The arrays of each participant: the leaves of tuples in order, without tokens.
using ParticipantArrays = std::vector<std::vector<HostArray>>;

/// The entry computation; null if there is none.
hlo::ComputationOp findEntry(mlir::ModuleOp module);

/// The array types in a type, depth first, without layouts but with their bounds.
llvm::SmallVector<mlir::RankedTensorType> flattenType(mlir::Type type);

enum class InputError { None, Refused, WrongUsage };

/// The inputs of the participants in this process, or of all if the evaluator runs as well, from
/// files or random numbers as the options say. Errors are printed.
InputError readInputs(hlo::ComputationOp entry, const RunOptions &options,
                      ParticipantArrays &inputs);

/// Number `index` of the data that the host feeds to a participant: infeed0.npy, ... of
/// --inputs-from, or random where the inputs are random.
llvm::Expected<HostArray> readInfeed(mlir::RankedTensorType type, size_t index, size_t participant,
                                     const RunOptions &options);

// Results are the files out0.npy, ...; data from outfeed are outfeed0.npy, ...: `prefix` is that
// name.

/// Writes the arrays to --outputs-to. Errors are printed.
mlir::LogicalResult writeOutputs(llvm::StringRef prefix, const ParticipantArrays &outputs,
                                 const RunOptions &options);

/// Compares the arrays with --expect-from, and prints what differs.
mlir::LogicalResult compareWithExpected(llvm::StringRef prefix, const ParticipantArrays &outputs,
                                        const RunOptions &options);

/// Compares two sets of arrays, which messages call `what`, with a tolerance for each array (that
/// of the options for those after the last one), and prints the differences.
mlir::LogicalResult compareResults(llvm::StringRef what, const ParticipantArrays &outputs,
                                   const ParticipantArrays &expected,
                                   llvm::ArrayRef<Tolerance> tolerances, const RunOptions &options);

/// Prints a line for each array.
void printSummaries(llvm::StringRef prefix, const ParticipantArrays &outputs);

} // namespace hloc

#endif
