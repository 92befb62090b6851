// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: HLO modules interpreted instruction by instruction, slow and obvious.
//
// It works on the hlo dialect as the text reader makes it (computations, tuples, symbols) and needs
// no pass. Every operation's meaning is stated here once, independently of all lowerings, so that
// tests and fuzzers have something to compare with; passes fold constants with it.
// Test: test/evaluator/.

#ifndef HLOC_COMPILER_EVALUATOR_EVALUATOR_H
#define HLOC_COMPILER_EVALUATOR_EVALUATOR_H

#include "compiler/evaluator/core/Value.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace hloc::evaluator {

/// Limits and surroundings of an evaluation. Whatever exceeds a limit ends with an error at the
/// instruction that did.
struct Options {
  int64_t replicas = 1, partitions = 1;
  int64_t maxSteps = int64_t(1) << 40;  // instructions, all participants together
  int64_t maxBytes = int64_t(16) << 30; // arrays held at any time
  double maxSeconds = 1e9;
  uint64_t seed = 42; // of rng
};

/// What one participant gets and gives.
struct Participant {
  std::vector<Value> arguments; // one a parameter of the entry computation
  /// The next data for an infeed, or a receive from the host, of this type; an error says why there
  /// is none. Called on a thread of the participant's own. Null if the host gives nothing.
  std::function<llvm::Expected<Value>(mlir::Type)> feed;
  std::vector<Value> outfeed; // data that outfeed and sends to the host gave, in order
  Value result;
};

/// Called with what each operation that is run by itself gave, by one participant at a time.
using Observer = std::function<void(mlir::Operation *, llvm::ArrayRef<Value>)>;

/// Runs the entry computation of `module` for replicas * partitions participants, numbered
/// replica-major. Emits a diagnostic on failure. Deterministic.
mlir::LogicalResult evaluate(mlir::ModuleOp module, llvm::MutableArrayRef<Participant> participants,
                             const Options &options = {}, const Observer &observer = {});

/// The same for one participant: the result.
mlir::FailureOr<Value> evaluate(mlir::ModuleOp module, llvm::ArrayRef<Value> arguments,
                                const Options &options = {});

/// The results of a pure operation whose operands are all known; computations that it applies are
/// looked up as symbols. Fails, without a diagnostic, if the operation is not one that depends on
/// its operands alone, a type is no static array, or results or work exceed `maxElements`.
mlir::FailureOr<llvm::SmallVector<mlir::ElementsAttr>>
foldOperation(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands,
              int64_t maxElements = int64_t(1) << 16);

/// The one result of such an operation, of arrays of any size. Elementwise operations take arrays
/// of other shapes than their operands have, too. What nobody else holds of `operands` may be used
/// up.
mlir::FailureOr<Array> foldArrays(mlir::Operation *op, llvm::MutableArrayRef<Value> operands);

} // namespace hloc::evaluator

#endif
