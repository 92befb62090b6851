// SPDX-License-Identifier: Apache-2.0
// Evaluation of whole modules: one thread per participant, and error reporting.
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/evaluator/core/Communicator.h"
#include "compiler/evaluator/core/Plan.h"
#include <thread>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// The entry computation; null if there is none.
static ComputationOp findEntry(ModuleOp module) {
  for (auto computation : module.getOps<ComputationOp>())
    if (computation.getEntry())
      return computation;
  return nullptr;
}

/// True if a value has the type: equal element types, and sizes equal or within bounds.
static bool isOfType(const Value &value, Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (!value.isTuple() || value.getTupleSize() != tuple.size())
      return false;
    for (auto [i, element] : llvm::enumerate(tuple.getTypes()))
      if (!isOfType(value.getElement(i), element))
        return false;
    return true;
  }
  if (auto buffer = dyn_cast<BufferType>(type))
    return isOfType(value, buffer.getContents());
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto array = getArrayType(type);
  if (!tensor)
    return true;
  if (!array) // a dimension without a bound may have any size
    return value.isArray();
  if (!value.isArray() || value.getArray().type != array->first ||
      value.getArray().shape.size() != array->second.size())
    return false;
  for (auto [d, size] : llvm::enumerate(value.getArray().shape))
    if (tensor.isDynamicDim(d) ? size > array->second[d] : size != array->second[d])
      return false;
  return true;
}

LogicalResult evaluate(ModuleOp module, MutableArrayRef<Participant> participants,
                       const Options &options, const Observer &observer) {
  ComputationOp entry = findEntry(module);
  if (!entry)
    return module.emitError("expected a module with an entry computation to evaluate");
  // Each takes a thread.
  constexpr int64_t kMaxParticipants = 1024;
  if (options.replicas * options.partitions > kMaxParticipants)
    return module.emitError("expected at most ") << kMaxParticipants << " participants";
  if (int64_t(participants.size()) != options.replicas * options.partitions)
    return module.emitError("expected ") << options.replicas * options.partitions
                                         << " participants but got " << participants.size();
  for (Participant &participant : participants) {
    if (participant.arguments.size() != entry.getNumArguments())
      return entry.emitError("expected ")
             << entry.getNumArguments() << " arguments but got " << participant.arguments.size();
    for (auto [i, argument] : llvm::enumerate(participant.arguments))
      if (!isOfType(argument, entry.getArgumentTypes()[i]))
        return emitError(entry.getArgument(i).getLoc())
               << "the value given for parameter " << i << " is not of type "
               << entry.getArgumentTypes()[i];
  }

  Evaluation evaluation(module, options);
  evaluation.observer = observer;
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  for (auto [id, participant] : llvm::enumerate(participants))
    interpreters.push_back(std::make_unique<Interpreter>(evaluation, participant, id));
  auto body = [&](Interpreter &interpreter) {
    MemoryScope scope(evaluation.memory);
    std::vector<Value> arguments = interpreter.participant.arguments;
    FailureOr<Values> results = interpreter.run(entry, arguments);
    if (succeeded(results))
      interpreter.participant.result = results->front();
    else
      evaluation.stopped = true;
    evaluation.communicator->leave(failed(results));
  };
  // The participants' threads; even a single one has its own, for the stack that nested calls need.
  std::vector<std::thread> threads;
  for (auto &interpreter : llvm::drop_begin(interpreters))
    threads.emplace_back(body, std::ref(*interpreter));
  body(*interpreters.front());
  for (std::thread &thread : threads)
    thread.join();

  Interpreter *failing = nullptr;
  for (auto &interpreter : interpreters)
    if (interpreter->failedOp &&
        (!failing || (failing->isConsequence && !interpreter->isConsequence)))
      failing = interpreter.get();
  if (!failing)
    return success();
  InFlightDiagnostic diagnostic = emitError(failing->failedOp->getLoc(), failing->message);
  for (auto &[op, text] : evaluation.communicator->deadlock)
    diagnostic.attachNote(op->getLoc()) << text;
  return diagnostic;
}

FailureOr<Value> evaluate(ModuleOp module, ArrayRef<Value> arguments, const Options &options) {
  Participant participant;
  participant.arguments.assign(arguments.begin(), arguments.end());
  if (failed(evaluate(module, MutableArrayRef(participant), options)))
    return failure();
  return participant.result;
}

/// True if the operation's results depend only on its operands.
static bool canFold(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && !isa<ReplicaIdOp, PartitionIdOp>(op);
}

static FailureOr<Values> fold(Operation *op, MutableArrayRef<Value> operands,
                              const Options &options) {
  if (ElementKernel kernel = getElementKernel(op)) {
    SmallVector<const Array *, 3> arrays;
    for (Value &operand : operands)
      arrays.push_back(&operand.getArray());
    std::optional<Array> result = runKernel(kernel, arrays);
    if (!result)
      return failure();
    return Values{std::move(*result)};
  }
  auto handler = getHandlers().find(op->getName().getStringRef());
  if (handler == getHandlers().end())
    return failure();
  Evaluation evaluation(ModuleOp(), options);
  Participant participant;
  Interpreter interpreter(evaluation, participant, 0);
  return interpreter.runOperation(op, handler->second, operands);
}

FailureOr<Array> foldArrays(Operation *op, MutableArrayRef<Value> operands) {
  if (!canFold(op) || operands.size() != op->getNumOperands() || op->getNumResults() != 1 ||
      !llvm::all_of(operands, [](const Value &operand) { return operand.isArray(); }))
    return failure();
  FailureOr<Values> results = fold(op, operands, Options());
  if (failed(results) || results->size() != 1 || !results->front().isArray())
    return failure();
  return std::move(results->front().getArray());
}

FailureOr<SmallVector<ElementsAttr>> foldOperation(Operation *op, ArrayRef<ElementsAttr> operands,
                                                   int64_t maxElements) {
  if (!canFold(op) || operands.size() != op->getNumOperands())
    return failure();
  for (Type type : op->getResultTypes()) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array || !array.hasStaticShape() || !getArrayType(type) ||
        array.getNumElements() > maxElements)
      return failure();
  }
  SmallVector<Value, 4> values;
  for (ElementsAttr operand : operands) {
    if (!operand || operand.getNumElements() > maxElements ||
        !getElementType(operand.getElementType()))
      return failure();
    values.push_back(fromAttribute(operand));
  }
  Options options;
  options.maxSteps = 64 * maxElements;
  FailureOr<Values> results = fold(op, values, options);
  if (failed(results) || results->size() != op->getNumResults())
    return failure();
  SmallVector<ElementsAttr> literals;
  for (auto [result, type] : llvm::zip(*results, op->getResultTypes())) {
    if (!result.isArray() ||
        ArrayRef<int64_t>(result.getArray().shape) != cast<RankedTensorType>(type).getShape())
      return failure();
    literals.push_back(toAttribute(op->getContext(), result.getArray()));
  }
  return literals;
}

} // namespace hloc::evaluator
