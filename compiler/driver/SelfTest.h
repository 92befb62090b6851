// SPDX-License-Identifier: Apache-2.0
// Self-tests: what `hloc --emit=selftest` links with a compiled module, so that the program says by
// itself whether the module computes right where it runs. The reference evaluator computes here
// what is expected, on random inputs that the program makes again, and each result is held to the
// bound that follows from the module's operations, as by `hlo-run --compare`. Test:
// test/tools/selftest.test.

#ifndef HLOC_COMPILER_DRIVER_SELFTEST_H
#define HLOC_COMPILER_DRIVER_SELFTEST_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/RunFiles.h"

namespace hloc {

/// What a result has to be; of those that are the sizes of others, nothing.
struct ExpectedResult {
  llvm::SmallVector<int64_t> shape;
  /// All elements, or a sample (runtime/program/Sample.h), in the form of files.
  std::vector<char> elements;
  int64_t count = 0;
  runtime::Tolerance tolerance;
  /// That in words; empty if the result must be exact.
  std::string bound;
};

struct SelfTest {
  uint64_t seed = 0;
  int64_t participants = 1;
  /// Of the processor that the code needs.
  std::vector<std::string> features;
  /// Of each argument (findIndexBound).
  std::vector<int64_t> indexBounds;
  /// The fingerprint of all inputs.
  uint64_t inputs = 0;
  /// Of each participant all of the module's results.
  std::vector<ExpectedResult> results;
  /// The fingerprint of what the code gave here, if this machine runs it.
  std::optional<uint64_t> bits;
};

/// Fails, with an error at its place, if the module exchanges data with its host while it runs,
/// which a program by itself has none of.
mlir::LogicalResult checkSelfTest(mlir::ModuleOp source);

/// Evaluates `source`, and, where this machine can, runs the code once: what differs already is a
/// warning. `source` is the module of `file` before it was compiled, with its parameters bound.
/// Says on the error stream what it is doing, if that takes long. Fails with errors at their
/// places.
mlir::FailureOr<SelfTest> makeSelfTest(mlir::ModuleOp source, llvm::StringRef file,
                                       const CompiledModule &compiled, uint64_t seed);

/// What the code gives on these inputs in this process; nothing if this machine does not run such
/// code.
llvm::Expected<ParticipantArrays> trySelfTest(const SelfTest &test, const CompiledModule &compiled,
                                              const ParticipantArrays &inputs);

/// An object file with the test's data and a function main. To be linked with that of the module.
llvm::Error emitSelfTest(const SelfTest &test, const CompiledModule &compiled,
                         llvm::SmallVectorImpl<char> &object);

} // namespace hloc

#endif
