// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Communicator.h"
#include "compiler/evaluator/core/Plan.h"
#include "compiler/evaluator/core/Strided.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// The maximum depth of calls.
static constexpr int64_t kMaxDepth = 400;

const HandlerTable &getHandlers() {
  static const HandlerTable table = [] {
    HandlerTable made;
    addDataOps(made);
    addDynamicShapeOps(made);
    addIndexOps(made);
    addReduceOps(made);
    addWindowOps(made);
    addSortOps(made);
    addDotOps(made);
    addConvolutionOps(made);
    addFftOps(made);
    addLinearAlgebraOps(made);
    addNormalizationOps(made);
    addRandomOps(made);
    addControlOps(made);
    addHostOps(made);
    addCollectiveOps(made);
    addCustomCallOps(made);
    return made;
  }();
  return table;
}

LogicalResult Call::fail(const Twine &message) { return interpreter.fail(op, message); }

//===- What participants share ---------------------------------------------===//

Evaluation::Evaluation(ModuleOp module, const Options &options)
    : module(module), options(options),
      communicator(std::make_unique<Communicator>(options.replicas, options.partitions)) {}
Evaluation::~Evaluation() = default;

void Evaluation::observe(Operation *op, ArrayRef<Value> results) {
  if (!observer)
    return;
  std::scoped_lock lock(mutex);
  observer(op, results);
}

const Plan *Evaluation::getPlan(Operation *computation) {
  std::scoped_lock lock(mutex);
  auto &plan = plans[computation];
  if (!plan)
    plan = std::make_unique<Plan>(computation, options.maxBytes);
  return plan.get();
}

const ElementProgram *Evaluation::getProgram(Operation *computation, bool accumulates,
                                             Type element) {
  std::scoped_lock lock(mutex);
  auto [entry, isNew] =
      programs.try_emplace({computation, accumulates, element.getAsOpaquePointer()});
  if (isNew)
    entry->second = ElementProgram::make(computation, accumulates, element);
  return entry->second.get();
}

//===- Running -------------------------------------------------------------===//

LogicalResult Interpreter::fail(Operation *op, const Twine &message) {
  if (!failedOp) {
    failedOp = op;
    this->message = message.str();
  }
  return failure();
}

LogicalResult Interpreter::work(Operation *op, int64_t amount) {
  const Options &options = evaluation.options;
  int64_t total, before = evaluation.steps.fetch_add(amount, std::memory_order_relaxed);
  if (llvm::AddOverflow(before, amount, total) || total > options.maxSteps)
    return fail(op, "evaluation exceeds its limit of " + Twine(options.maxSteps) + " steps");
  if (evaluation.stopped.load(std::memory_order_relaxed)) {
    isConsequence = true;
    return fail(op, "evaluation stopped");
  }
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - evaluation.start;
  if (elapsed.count() > options.maxSeconds)
    return fail(op, "evaluation exceeds its limit of " + Twine(int64_t(options.maxSeconds)) +
                        " seconds");
  return success();
}

Operation *Interpreter::lookup(Operation *from, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom(from, symbol);
}

FailureOr<Values> Interpreter::runOperation(Operation *op, Handler handler,
                                            MutableArrayRef<Value> operands) {
  Call call{*this, op, operands};
  FailureOr<Values> results = handler(call);
  if (failed(results))
    return failure();
  auto tuple =
      op->getNumResults() == 1 ? dyn_cast<TupleType>(op->getResult(0).getType()) : TupleType();
  bool isPacked = results->size() == 1 && results->front().isTuple();
  if (tuple && !isPacked)
    return Values{Value::makeTuple(std::vector<Value>(results->begin(), results->end()))};
  if (results->size() != op->getNumResults() && isPacked && !tuple) {
    Values elements;
    for (size_t i = 0; i < results->front().getTupleSize(); ++i)
      elements.push_back(results->front().getElement(i));
    return elements;
  }
  return results;
}

/// True if an array's shape is one of the type; bounded dimensions may have any size.
static bool fitsType(const Value &value, Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    bool fits = value.isTuple() && value.getTupleSize() == tuple.size();
    for (size_t i = 0; fits && i < tuple.size(); ++i)
      fits = fitsType(value.getElement(i), tuple.getType(i));
    return fits;
  }
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array)
    return true;
  if (!value.isArray() || value.getArray().shape.size() != array.getShape().size())
    return false;
  for (auto [size, expected] : llvm::zip(value.getArray().shape, array.getShape()))
    if (size != expected && !ShapedType::isDynamic(expected))
      return false;
  auto element = getElementType(array.getElementType());
  return element && *element == value.getArray().type;
}

/// If some operands of an elementwise operation are bounded, cuts its static operands to the same
/// run-time sizes.
static void cutToBounded(Operation *op, MutableArrayRef<Value> operands) {
  auto tensor = [&](size_t i) { return cast<RankedTensorType>(op->getOperand(i).getType()); };
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  for (int64_t d = 0; d < result.getRank(); ++d) {
    std::optional<int64_t> size;
    for (size_t i = 0; i < operands.size(); ++i)
      if (tensor(i).getRank() == result.getRank() && tensor(i).isDynamicDim(d))
        size = !size || *size == 1 ? operands[i].getArray().shape[d] : *size;
    for (size_t i = 0; size && i < operands.size(); ++i) {
      Array &array = operands[i].getArray();
      if (tensor(i).getRank() != result.getRank() || tensor(i).isDynamicDim(d) ||
          array.shape[d] <= *size)
        continue;
      Shape shape = array.shape;
      shape[d] = *size;
      array = cut(array, shape);
    }
  }
}

FailureOr<Values> Interpreter::run(Operation *computation, MutableArrayRef<Value> arguments) {
  if (depth >= kMaxDepth)
    return fail(computation, "calls are nested more than " + Twine(kMaxDepth) + " deep");
  ++depth;
  llvm::scope_exit leave([&] { --depth; });

  const Plan &plan = *evaluation.getPlan(computation);
  std::vector<Value> slots(plan.slots);
  for (auto [slot, argument] : llvm::zip(slots, arguments))
    slot = std::move(argument);
  for (auto &[slot, value] : plan.constants)
    slots[slot] = value;
  auto take = [&](Plan::Use use) {
    return use.last ? std::move(slots[use.slot]) : slots[use.slot];
  };

  SmallVector<Value, 4> operands;
  for (const Plan::Step &step : plan.steps) {
    if (failed(work(step.op, 1)))
      return failure();
    if (step.isElement) {
      Value &tuple = slots[step.operands[0].slot];
      slots[step.firstResult] =
          step.takesElement ? tuple.takeElement(step.index) : tuple.getElement(step.index);
      if (step.operands[0].last)
        tuple = Value();
      continue;
    }
    const MemoryCount &held = *evaluation.memory;
    if (step.bytes > evaluation.options.maxBytes - held)
      return fail(step.op, "evaluation exceeds its limit of " + Twine(evaluation.options.maxBytes) +
                               " bytes: this result takes " + Twine(step.bytes) + ", " +
                               Twine(held.load()) + " are in use");
    operands.clear();
    for (Plan::Use use : step.operands)
      operands.push_back(take(use));
    if (step.kernel) {
      cutToBounded(step.op, operands);
      SmallVector<const Array *, 3> arrays;
      for (const Value &operand : operands)
        arrays.push_back(&operand.getArray());
      std::optional<Array> result = runKernel(step.kernel, arrays);
      if (!result)
        return fail(step.op, "the operands differ in their sizes at run time");
      slots[step.firstResult] = std::move(*result);
      evaluation.observe(step.op, slots[step.firstResult]);
      if (failed(work(step.op, arrays.back()->getCount())))
        return failure();
      continue;
    }
    if (!step.handler)
      return fail(step.op,
                  "'" + step.op->getName().getStringRef() + "' has no meaning for these types");
    FailureOr<Values> results = runOperation(step.op, step.handler, operands);
    if (failed(results))
      return failure();
    if (results->size() != step.op->getNumResults())
      return fail(step.op, "the evaluator's result is not of the type that the text gives");
    for (auto [i, value] : llvm::enumerate(*results)) {
      // Operations rely on the shapes of their operands. Functions of the host may return others,
      // and so may collectives among fewer participants than the text is for. Other tuples consist
      // of values that were checked.
      Type type = step.op->getResult(i).getType();
      bool looksInside =
          isa<CustomCallOp, AllGatherOp, AllGatherStartOp, ReduceScatterOp, AllToAllOp,
              CollectivePermuteOp, InfeedOp, RecvOp, RecvDoneOp>(step.op);
      if ((looksInside || !isa<TupleType>(type)) && !fitsType(value, type))
        return fail(step.op, "the evaluator's result is not of the type that the text gives");
      slots[step.firstResult + i] = std::move(value);
    }
    evaluation.observe(step.op, ArrayRef(slots).slice(step.firstResult, results->size()));
  }
  Values results;
  for (Plan::Use use : plan.results)
    results.push_back(take(use));
  return results;
}

//===- Applying computations of scalars ------------------------------------===//

FailureOr<Applier> Applier::get(Call &call, FlatSymbolRefAttr symbol, ArrayRef<ElementType> inputs,
                                bool accumulates, Type element) {
  Applier applier;
  applier.interpreter = &call.interpreter;
  applier.op = call.op;
  applier.computation = call.interpreter.lookup(call.op, symbol);
  if (!applier.computation)
    return call.fail("no computation is named @" + symbol.getValue());
  applier.inputs.assign(inputs.begin(), inputs.end());
  Evaluation &evaluation = call.interpreter.evaluation;
  // Operations that an observer must see are executed one by one.
  if (!evaluation.observer || !isa<MapOp>(call.op))
    applier.program = evaluation.getProgram(applier.computation, accumulates, element);
  if (element && !applier.program)
    return call.fail("@" + symbol.getValue() + " takes other types than it is given");
  if (applier.program && applier.program->parameters != int(inputs.size()))
    return call.fail("@" + symbol.getValue() + " takes " + Twine(applier.program->parameters) +
                     " scalars but is given " + Twine(inputs.size()));
  if (applier.program) {
    applier.registers.resize(applier.program->registers * kColumn);
    for (auto &[slot, value] : applier.program->constants)
      std::fill_n(applier.registers.data() + slot * kColumn, kColumn, value);
  }
  return applier;
}

LogicalResult Applier::operator()(ArrayRef<const Scalar *> arguments, ArrayRef<Scalar *> results,
                                  int64_t count) {
  if (!program) {
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value, 4> scalars;
      for (auto [type, column] : llvm::zip(inputs, arguments)) {
        Array scalar(type, {});
        scalar.set(0, column[i]);
        scalars.push_back(std::move(scalar));
      }
      FailureOr<Values> out = interpreter->run(computation, scalars);
      if (failed(out))
        return failure();
      SmallVector<Value> leaves;
      for (const Value &value : *out)
        value.flatten(leaves);
      if (leaves.size() < results.size())
        return interpreter->fail(op, "the applied computation gives too few results");
      for (auto [leaf, column] : llvm::zip(leaves, results))
        column[i] = leaf.getArray().get(0);
    }
    return success();
  }
  if (program->results.size() < results.size())
    return interpreter->fail(op, "the applied computation gives too few results");
  auto column = [&](int slot) -> const Scalar * {
    return slot < program->parameters ? arguments[slot] : registers.data() + slot * kColumn;
  };
  const Scalar *operands[3];
  for (const ElementProgram::Step &step : program->steps) {
    for (auto [i, slot] : llvm::enumerate(step.operands))
      operands[i] = column(slot);
    step.kernel(operands, registers.data() + step.result * kColumn, count);
  }
  // A result may be an argument that an earlier result overwrites: all are read before any is
  // written.
  if (results.size() == 1) {
    std::copy_n(column(program->results[0]), count, results[0]);
    return success();
  }
  SmallVector<Scalar, 64> copy(results.size() * count);
  for (size_t i = 0; i < results.size(); ++i)
    std::copy_n(column(program->results[i]), count, copy.data() + i * count);
  for (size_t i = 0; i < results.size(); ++i)
    std::copy_n(copy.data() + i * count, count, results[i]);
  return success();
}

} // namespace hloc::evaluator
