// SPDX-License-Identifier: Apache-2.0
// Self-tests: `hloc --emit=selftest` links a compiled module with data and code that check, on the
// machine where it runs, whether the module computes correctly there. The reference evaluator
// computes the expected results at compile time, on random inputs that the program generates again;
// each result is checked against the bound that follows from the module's operations, as for
// `hlo-run --compare`. Test: test/tools/selftest.test.

#ifndef HLOC_COMPILER_DRIVER_SELFTEST_H
#define HLOC_COMPILER_DRIVER_SELFTEST_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/RunFiles.h"

namespace hloc {

/// The expected value of a result; empty for results that are sizes of others.
struct ExpectedResult {
  llvm::SmallVector<int64_t> shape;
  /// All elements, or a sample (runtime/program/Sample.h), in the form of files.
  std::vector<char> elements;
  int64_t count = 0;
  runtime::Tolerance tolerance;
  /// The tolerance in words; empty if the result must be exact.
  std::string bound;
};

struct SelfTest {
  uint64_t seed = 0;
  int64_t participants = 1;
  /// Features of the processor that the code requires.
  std::vector<std::string> features;
  /// For each argument (findIndexBound).
  std::vector<int64_t> indexBounds;
  /// A hash of all inputs.
  uint64_t inputs = 0;
  /// For each participant, all of the module's results.
  std::vector<ExpectedResult> results;
  /// A hash of the code's results on this machine, if it can run the code.
  std::optional<uint64_t> bits;
};

/// Fails, with an error at the location, if the module exchanges data with its host during a run,
/// which a stand-alone program cannot.
mlir::LogicalResult checkSelfTest(mlir::ModuleOp source);

/// Evaluates `source` and, if this machine can, runs the code once; a difference is a warning.
/// `source` is the module of `file` before it was compiled, with its parameters bound. Prints
/// progress on the error stream if this takes long. Fails with errors at their locations.
mlir::FailureOr<SelfTest> makeSelfTest(mlir::ModuleOp source, llvm::StringRef file,
                                       const CompiledModule &compiled, uint64_t seed);

/// The results of the code on these inputs in this process; empty if this machine cannot run it.
llvm::Expected<ParticipantArrays> trySelfTest(const SelfTest &test, const CompiledModule &compiled,
                                              const ParticipantArrays &inputs);

/// An object file with the test's data and a main function, to be linked with that of the module.
llvm::Error emitSelfTest(const SelfTest &test, const CompiledModule &compiled,
                         llvm::SmallVectorImpl<char> &object);

} // namespace hloc

#endif
