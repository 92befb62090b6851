// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: HLO modules interpreted instruction by instruction, slow and simple.
//
// It works on the hlo dialect directly after parsing (computations, tuples, symbols) and needs no
// pass. The semantics of every operation is implemented here once, independently of all lowerings,
// so that tests and fuzzers have a reference; passes fold constants with it. Test: test/evaluator/.

#ifndef HLOC_COMPILER_EVALUATOR_EVALUATOR_H
#define HLOC_COMPILER_EVALUATOR_EVALUATOR_H

#include "compiler/evaluator/core/Value.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace hloc::evaluator {

/// Limits and environment of an evaluation. Exceeding a limit is an error at the instruction that
/// does.
struct Options {
  int64_t replicas = 1, partitions = 1;
  int64_t maxSteps = int64_t(1) << 40;  // instructions, of all participants together
  int64_t maxBytes = int64_t(16) << 30; // bytes of arrays at any time
  double maxSeconds = 1e9;
  uint64_t seed = 42; // of rng
};

/// The inputs and outputs of one participant.
struct Participant {
  std::vector<Value> arguments; // one per parameter of the entry computation
  /// Returns the next data for an infeed, or a receive from the host, of this type; an error says
  /// why there are none. Called on the participant's own thread. Null if the host provides nothing.
  std::function<llvm::Expected<Value>(mlir::Type)> feed;
  std::vector<Value> outfeed; // data of outfeed and of sends to the host, in order
  Value result;
};

/// Called with the results of each operation that is executed separately, by one participant at a
/// time.
using Observer = std::function<void(mlir::Operation *, llvm::ArrayRef<Value>)>;

/// Runs the entry computation of `module` for replicas * partitions participants, numbered
/// replica-major. Emits a diagnostic on failure. Deterministic.
mlir::LogicalResult evaluate(mlir::ModuleOp module, llvm::MutableArrayRef<Participant> participants,
                             const Options &options = {}, const Observer &observer = {});

/// The same for one participant; returns the result.
mlir::FailureOr<Value> evaluate(mlir::ModuleOp module, llvm::ArrayRef<Value> arguments,
                                const Options &options = {});

/// The results of a pure operation whose operands are all known; computations that it applies are
/// looked up as symbols. Fails, without a diagnostic, if the operation depends on more than its
/// operands, a type is not a static array, or results or work exceed `maxElements`.
mlir::FailureOr<llvm::SmallVector<mlir::ElementsAttr>>
foldOperation(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands,
              int64_t maxElements = int64_t(1) << 16);

/// The result of such an operation with one result, for arrays of any size. Elementwise operations
/// also accept arrays of other shapes than those of their operands' types. Memory of `operands`
/// that is not shared may be reused.
mlir::FailureOr<Array> foldArrays(mlir::Operation *op, llvm::MutableArrayRef<Value> operands);

} // namespace hloc::evaluator

#endif
