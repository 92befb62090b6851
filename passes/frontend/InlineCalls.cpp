// SPDX-License-Identifier: Apache-2.0
// Replaces calls by the callee's operations, and erases operations that only wrap values: fusions,
// asynchronous pairs (except those that may run on a thread of their own), barriers, shardings.
// Test: test/passes/frontend/inline-calls.mlir.
#include "compiler/hlo/Buffers.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/frontend/AsyncThreads.h"
#include "passes/frontend/BindAsyncOperands.h"
#include "passes/frontend/RandomGenerators.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// True for custom calls that are annotations: their result is their operand.
bool isAnnotation(CustomCallOp op) {
  static constexpr StringLiteral targets[] = {"Sharding",
                                              "SPMDFullToShardShape",
                                              "SPMDShardToFullShape",
                                              "MoveToHost",
                                              "MoveToDevice",
                                              "annotate_device_placement",
                                              "LayoutConstraint",
                                              "CustomSPMDPartitioning",
                                              "xla.sdy.FuncResultSharding",
                                              "xla.sdy.GlobalToLocalShape",
                                              "xla.sdy.LocalToGlobalShape"};
  return op.getInputs().size() == 1 && op.getNumResults() == 1 &&
         op.getInputs()[0].getType() == op.getResult(0).getType() &&
         llvm::is_contained(targets, op.getCustomCallTarget());
}

class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module), threads(module) {}

  /// Inlines everything in `computation`, callees first.
  LogicalResult process(ComputationOp computation) {
    auto [state, isNew] = states.try_emplace(computation, State::Open);
    if (!isNew) {
      if (state->second == State::Done)
        return success();
      return computation.emitError("expected no computation to call itself");
    }
    for (Operation &op : llvm::make_early_inc_range(computation.getBody().front()))
      if (failed(processOp(&op)))
        return failure();
    states[computation] = State::Done;
    return success();
  }

private:
  enum class State { Open, Done };

  LogicalResult processOp(Operation *op) {
    OpBuilder builder(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](CallOp call) { return inlineCall(call, call.getToApplyAttr()); })
        .Case([&](FusionOp fusion) { return inlineCall(fusion, fusion.getCallsAttr()); })
        .Case([&](MapOp map) { return inlineMap(map); })
        .Case([&](AsyncStartOp start) { return makePlain(start); })
        .Case<AsyncUpdateOp, OptBarrierOp, AllReduceDoneOp>([&](Operation *op) {
          replace(op, op->getOperands());
          return success();
        })
        .Case<DomainOp, AddDependencyOp>([&](Operation *op) {
          replace(op, op->getOperand(0));
          return success();
        })
        .Case([&](AsyncDoneOp done) -> LogicalResult {
          if (done.getOperand(0).getDefiningOp<AsyncStartOp>())
            return success(); // computations that run on a thread are kept
          return replaceByElement(done, 1);
        })
        .Case<AllGatherDoneOp, CollectivePermuteDoneOp>(
            [&](Operation *op) { return replaceByElement(op, 1); })
        .Case([&](CopyDoneOp done) { return replaceByElement(done, 0); })
        .Case([&](CopyStartOp start) {
          auto types = cast<TupleType>(start.getType()).getTypes();
          replaceByTuple(builder, start,
                         {withLayout(builder, start.getOperand(), types[0]),
                          withLayout(builder, start.getOperand(), types[1])});
          return success();
        })
        .Case([&](AllGatherStartOp start) { return makePlain<AllGatherOp>(start); })
        .Case([&](CollectivePermuteStartOp start) { return makePlain<CollectivePermuteOp>(start); })
        .Case([&](AllReduceStartOp start) {
          Operation *plain =
              createPlain(builder, start, AllReduceOp::getOperationName(), start->getResultTypes());
          replace(start, plain->getResults());
          return success();
        })
        .Case([&](CustomCallOp call) {
          if (isAnnotation(call))
            replace(call, call.getInputs());
          return success();
        })
        .Default(success());
  }

  void replace(Operation *op, ValueRange values) {
    OpBuilder builder(op);
    for (auto [result, value] : llvm::zip(op->getResults(), values))
      result.replaceAllUsesWith(withLayout(builder, value, result.getType()));
    op->erase();
  }

  /// Replaces `op`, the end of an asynchronous pair, by an element of its operand, the tuple that
  /// the start returned.
  LogicalResult replaceByElement(Operation *op, int64_t index) {
    auto tuple = dyn_cast<TupleType>(op->getOperand(0).getType());
    if (!tuple || int64_t(tuple.size()) <= index || op->getNumResults() != 1)
      return op->emitOpError("expected the tuple of its start");
    OpBuilder builder(op);
    replace(op, GetTupleElementOp::create(builder, op->getLoc(), tuple.getType(index),
                                          op->getOperand(0), index)
                    .getResult());
    return success();
  }

  /// Replaces `op`, which returns a tuple, by a tuple of `elements`, followed by zeros for the
  /// remaining context types.
  void replaceByTuple(OpBuilder &builder, Operation *op, SmallVector<Value> elements) {
    auto type = cast<TupleType>(op->getResult(0).getType());
    for (Type rest : type.getTypes().drop_front(elements.size())) {
      if (auto array = dyn_cast<RankedTensorType>(rest))
        elements.push_back(Build(builder, op->getLoc()).zero(array));
      else if (auto inner = dyn_cast<TupleType>(rest); inner && inner.size() == 0)
        elements.push_back(TupleOp::create(builder, op->getLoc(), rest, ValueRange()));
    }
    elements.resize(type.size(), elements.back());
    op->getResult(0).replaceAllUsesWith(TupleOp::create(builder, op->getLoc(), type, elements));
    op->erase();
  }

  Operation *createPlain(OpBuilder &builder, Operation *start, StringRef name, TypeRange types) {
    OperationState state(start->getLoc(), name, start->getOperands(), types);
    for (NamedAttribute attribute : start->getAttrs())
      state.attributes.set(attribute.getName(), attribute.getValue());
    return builder.create(state);
  }

  /// Handles the start of a collective whose result is (operands, results, contexts...).
  template <typename PlainOp> LogicalResult makePlain(Operation *start) {
    OpBuilder builder(start);
    auto type = dyn_cast<TupleType>(start->getResult(0).getType());
    if (!type || type.size() < 2)
      return start->emitOpError("expected a tuple of operands and results");
    Operation *plain = createPlain(builder, start, PlainOp::getOperationName(), type.getType(1));
    Value operand = start->getOperand(0);
    if (isa<TupleType>(type.getType(0)))
      operand = TupleOp::create(builder, start->getLoc(), type.getType(0), start->getOperands());
    replaceByTuple(builder, start, {operand, plain->getResult(0)});
    return success();
  }

  LogicalResult makePlain(AsyncStartOp start) {
    OpBuilder builder(start);
    auto type = dyn_cast<TupleType>(start.getType());
    if (!type || type.size() < 2 || !isa<TupleType>(type.getType(0)))
      return start.emitOpError("expected a tuple of operands and results");
    FailureOr<ComputationOp> callee = getCallee(start, start.getCallsAttr());
    if (failed(callee))
      return failure();
    if (threads.runsOnThread(start, *callee))
      return success();
    FailureOr<SmallVector<Value>> results = cloneBody(start, start.getCallsAttr());
    if (failed(results))
      return failure();
    Value operands = TupleOp::create(builder, start.getLoc(), type.getType(0), start.getInputs());
    replaceByTuple(builder, start,
                   {operands, withLayout(builder, results->front(), type.getType(1))});
    return success();
  }

  LogicalResult inlineCall(Operation *call, FlatSymbolRefAttr symbol) {
    FailureOr<SmallVector<Value>> results = cloneBody(call, symbol);
    if (succeeded(results))
      replace(call, *results);
    return results;
  }

  /// The callee, with everything in it inlined.
  FailureOr<ComputationOp> getCallee(Operation *call, FlatSymbolRefAttr symbol) {
    auto callee = symbols.lookup<ComputationOp>(symbol.getAttr());
    if (!callee || callee.getNumArguments() != call->getNumOperands())
      return call->emitOpError("expected ")
             << symbol << " to be a computation of " << call->getNumOperands() << " parameters";
    if (failed(process(callee)))
      return failure();
    return callee;
  }

  /// Clones the callee's operations before `call` and returns its results.
  FailureOr<SmallVector<Value>> cloneBody(Operation *call, FlatSymbolRefAttr symbol) {
    FailureOr<ComputationOp> callee = getCallee(call, symbol);
    if (failed(callee))
      return failure();
    OpBuilder builder(call);
    IRMapping mapping;
    for (auto [argument, operand] : llvm::zip(callee->getArguments(), call->getOperands()))
      mapping.map(argument, withLayout(builder, operand, argument.getType()));
    Block &body = callee->getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    return results;
  }

  /// Replaces `map` by the callee's operations on whole arrays, if they are elementwise.
  LogicalResult inlineMap(MapOp map) {
    FailureOr<ComputationOp> callee = getCallee(map, map.getToApplyAttr());
    if (failed(callee))
      return failure();
    auto isLater = [](Operation &op) { return isa<GetTupleElementOp, DotOp>(op); };
    if (!isLanewise(*callee) || llvm::any_of(callee->getBody().front(), isLater))
      return success(); // expanded after tuples are gone and control flow is structured
    OpBuilder builder(map);
    auto type = cast<RankedTensorType>(map.getType());
    SmallVector<Value> operands;
    for (Value operand : map.getInputs()) // give all the same layout
      operands.push_back(
          withLayout(builder, operand,
                     RankedTensorType::get(type.getShape(), getElementTypeOrSelf(operand),
                                           type.getEncoding())));
    FailureOr<SmallVector<Value>> results =
        applyToArrays(builder, map.getLoc(), *callee, operands, type);
    if (failed(results))
      return failure();
    replace(map, *results);
    return success();
  }

  SymbolTable symbols;
  AsyncThreads threads;
  DenseMap<Operation *, State> states;
};

/// Numbers the instructions that draw random numbers, before they are copied.
void numberGenerators(ModuleOp module) {
  int64_t count = 0;
  Builder builder(module.getContext());
  module.walk([&](Operation *op) {
    if (isa<RngOp, RngGetAndUpdateStateOp>(op))
      op->setAttr(kGeneratorAttr, builder.getI64IntegerAttr(count++));
  });
}

struct InlineCalls : hloc::impl::InlineCallsBase<InlineCalls> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    replaceBuffers(module);
    numberGenerators(module);
    if (failed(bindAsyncOperands(module)))
      return signalPassFailure();
    Inliner inliner(module);
    for (auto computation : module.getOps<ComputationOp>())
      if (failed(inliner.process(computation)))
        return signalPassFailure();
    eraseUnreachableComputations(module);
  }
};

} // namespace
