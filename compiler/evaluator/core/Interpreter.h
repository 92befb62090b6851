// SPDX-License-Identifier: Apache-2.0
// The inside of the evaluator: how a computation is executed, and how opcodes map to their
// implementations.
//
// Each opcode has a Handler, a function from operands to results; the files *Ops.cpp register
// theirs in a table by operation name. A computation is planned once: the slot of each value, and
// its last use, so that values are moved rather than copied and updates happen in place.

#ifndef HLOC_COMPILER_EVALUATOR_INTERPRETER_H
#define HLOC_COMPILER_EVALUATOR_INTERPRETER_H

#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/evaluator/ops/ElementKernels.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <chrono>
#include <map>
#include <mutex>

namespace hloc::evaluator {

class Interpreter;
class ElementProgram;
class Communicator;
class Plan;

using Values = llvm::SmallVector<Value, 2>;

/// One operation that is about to be executed.
struct Call {
  Interpreter &interpreter;
  mlir::Operation *op;
  llvm::MutableArrayRef<Value> operands; // may be moved from and changed

  Array &array(unsigned index) { return operands[index].getArray(); }
  /// Fails with an error at the operation.
  mlir::LogicalResult fail(const llvm::Twine &message);
};

using Handler = mlir::FailureOr<Values> (*)(Call &call);

/// Handlers by operation name ("hlo.add").
using HandlerTable = llvm::StringMap<Handler>;

/// The handler of operations whose results are their operands.
llvm::FailureOr<Values> passOperands(Call &call);

// Each file's part of the table.
void addDataOps(HandlerTable &table);
void addDynamicShapeOps(HandlerTable &table);
void addIndexOps(HandlerTable &table);
void addReduceOps(HandlerTable &table);
void addWindowOps(HandlerTable &table);
void addSortOps(HandlerTable &table);
void addDotOps(HandlerTable &table);
void addConvolutionOps(HandlerTable &table);
void addFftOps(HandlerTable &table);
void addLinearAlgebraOps(HandlerTable &table);
void addNormalizationOps(HandlerTable &table);
void addRandomOps(HandlerTable &table);
void addControlOps(HandlerTable &table);
void addHostOps(HandlerTable &table);
void addCollectiveOps(HandlerTable &table);
void addCustomCallOps(HandlerTable &table);

const HandlerTable &getHandlers();

/// The state that all participants of an evaluation share.
struct Evaluation {
  Evaluation(mlir::ModuleOp module, const Options &options);
  ~Evaluation();

  mlir::ModuleOp module; // null when a single operation is folded
  Options options;
  std::shared_ptr<MemoryCount> memory = std::make_shared<MemoryCount>(0);
  std::atomic<int64_t> steps = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::atomic<bool> stopped = false; // some participant failed
  Observer observer;                 // may be null
  std::unique_ptr<Communicator> communicator;

  /// Notifies the observer, if there is one.
  void observe(mlir::Operation *op, llvm::ArrayRef<Value> results);

  /// The plan of a computation, made on its first use.
  const Plan *getPlan(mlir::Operation *computation);
  /// The element program of a computation, null if it has none.
  const ElementProgram *getProgram(mlir::Operation *computation, bool accumulates,
                                   mlir::Type element = {});

private:
  std::mutex mutex;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Plan>> plans;
  std::map<std::tuple<mlir::Operation *, bool, const void *>, std::unique_ptr<ElementProgram>>
      programs;
};

/// Runs computations for one participant.
class Interpreter {
public:
  Interpreter(Evaluation &evaluation, Participant &participant, int64_t id)
      : evaluation(evaluation), participant(participant), id(id) {}

  /// Runs a computation. The arguments are moved from.
  mlir::FailureOr<Values> run(mlir::Operation *computation, llvm::MutableArrayRef<Value> arguments);

  /// Runs one operation on its operands; tuples are packed according to the result types.
  mlir::FailureOr<Values> runOperation(mlir::Operation *op, Handler handler,
                                       llvm::MutableArrayRef<Value> operands);

  /// The computation that `symbol` names.
  mlir::Operation *lookup(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

  /// Counts work of `amount` elements; fails if that exceeds a limit. Long loops call it regularly.
  mlir::LogicalResult work(mlir::Operation *op, int64_t amount);

  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);

  int64_t getReplica() const { return id / evaluation.options.partitions; }
  int64_t getPartition() const { return id % evaluation.options.partitions; }

  Evaluation &evaluation;
  Participant &participant;
  int64_t id; // replica-major
  // The first error.
  mlir::Operation *failedOp = nullptr;
  std::string message;
  bool isConsequence = false; // stopped because another participant failed

  uint64_t randomState[2] = {0x7012395, 0}; // of rng_get_and_update_state, by its default
  llvm::DenseMap<mlir::Operation *, std::pair<uint64_t, uint64_t>> randomStates;
  uint64_t randomCounter = 0; // of rng
  int64_t nextTicket = 0;     // of recv

private:
  int64_t depth = 0;
};

/// Applies a computation of scalars to columns of them: by its element program if it has one,
/// otherwise by running the computation for each element.
class Applier {
public:
  /// Finds the computation; `inputs` are the element types of its parameters. If `accumulates`, its
  /// results become its operands again, and small floats are kept in their accumulation type: the
  /// caller rounds at the end. With `element`, the computation represents one operation, which is
  /// executed on that type.
  static mlir::FailureOr<Applier> get(Call &call, mlir::FlatSymbolRefAttr symbol,
                                      llvm::ArrayRef<ElementType> inputs, bool accumulates = false,
                                      mlir::Type element = {});

  /// Computes `count` (at most kColumn) results from columns of arguments.
  mlir::LogicalResult operator()(llvm::ArrayRef<const Scalar *> arguments,
                                 llvm::ArrayRef<Scalar *> results, int64_t count);

private:
  Interpreter *interpreter = nullptr;
  mlir::Operation *op = nullptr, *computation = nullptr;
  const ElementProgram *program = nullptr;
  llvm::SmallVector<ElementType, 4> inputs;
  std::vector<Scalar> registers;
};

} // namespace hloc::evaluator

#endif
