// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Plan.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

//===- Plans ---------------------------------------------------------------===//

Plan::Plan(Operation *computation, int64_t maxBytes) : computation(computation) {
  Block &block = computation->getRegion(0).front();
  llvm::DenseMap<mlir::Value, int> slotOf;
  for (BlockArgument argument : block.getArguments())
    slotOf[argument] = slots++;

  for (Operation &op : block.without_terminator()) {
    int first = slots;
    for (OpResult result : op.getResults())
      slotOf[result] = slots++;
    // A constant may be larger than its text, so one past the limit becomes a step that fails.
    if (auto constant = dyn_cast<ConstantOp>(op);
        constant && evaluator::getByteCount(constant.getType()) <= maxBytes) {
      constants.emplace_back(first, fromAttribute(constant.getValue()));
      continue;
    }
    Step step;
    step.op = &op;
    step.firstResult = first;
    step.kernel = getElementKernel(&op);
    auto handler = getHandlers().find(op.getName().getStringRef());
    step.handler = handler == getHandlers().end() ? nullptr : handler->second;
    for (Type type : op.getResultTypes())
      step.bytes = std::max(step.bytes, evaluator::getByteCount(type));
    for (mlir::Value operand : op.getOperands())
      step.operands.push_back({slotOf.lookup(operand), false});
    if (auto element = dyn_cast<GetTupleElementOp>(op)) {
      step.isElement = true;
      step.index = element.getIndex();
      step.bytes = 0;
    }
    steps.push_back(std::move(step));
  }
  for (mlir::Value value : block.getTerminator()->getOperands())
    results.push_back({slotOf.lookup(value), false});

  // Last uses, found backwards. Constants are kept for the next run.
  llvm::BitVector used(slots);
  for (auto &[slot, value] : constants)
    used.set(slot);
  auto markLast = [&](MutableArrayRef<Use> uses) {
    for (Use &use : llvm::reverse(uses)) {
      use.last = !used.test(use.slot);
      used.set(use.slot);
    }
  };
  markLast(results);
  llvm::DenseSet<std::pair<int, int64_t>> usedElements;
  llvm::BitVector usedWhole(slots);
  for (const Use &use : results)
    usedWhole.set(use.slot);
  for (auto &[slot, value] : constants)
    usedWhole.set(slot);
  for (Step &step : llvm::reverse(steps)) {
    markLast(step.operands);
    int slot = step.operands.empty() ? 0 : step.operands[0].slot;
    if (step.isElement)
      step.takesElement = !usedWhole.test(slot) && usedElements.insert({slot, step.index}).second;
    else
      for (const Use &use : step.operands)
        usedWhole.set(use.slot);
  }
}

//===- Element programs ----------------------------------------------------===//

namespace {
/// Builds the program of a computation, with the computations that it calls.
class ProgramBuilder {
public:
  std::unique_ptr<ElementProgram> program = std::make_unique<ElementProgram>();

  bool accumulates = false;

  bool build(Operation *computation) {
    Block &block = computation->getRegion(0).front();
    for (BlockArgument argument : block.getArguments())
      if (!addParameter(argument, argument.getType()))
        return false;
    program->parameters = program->registers;
    return addBody(block, program->results, 0);
  }

private:
  using Registers = SmallVector<int, 2>;
  llvm::DenseMap<mlir::Value, Registers> registersOf;

  static bool isScalar(Type type) {
    auto array = getArrayType(type);
    return array && array->second.empty();
  }

  bool addParameter(mlir::Value value, Type type) {
    if (auto tuple = dyn_cast<TupleType>(type))
      return llvm::all_of(tuple.getTypes(),
                          [&](Type element) { return addParameter(value, element); });
    registersOf[value].push_back(program->registers++);
    return isScalar(type);
  }

  bool addBody(Block &block, SmallVectorImpl<int> &results, int depth) {
    for (Operation &op : block.without_terminator())
      if (!addOperation(op, depth))
        return false;
    for (mlir::Value value : block.getTerminator()->getOperands())
      llvm::append_range(results, registersOf[value]);
    return true;
  }

  bool addOperation(Operation &op, int depth) {
    if (op.getNumResults() != 1)
      return false;
    Registers &result = registersOf[op.getResult(0)];
    if (auto tuple = dyn_cast<TupleOp>(op)) {
      Registers all;
      for (mlir::Value element : tuple.getElements())
        llvm::append_range(all, registersOf[element]);
      registersOf[tuple.getResult()] = all;
      return true;
    }
    if (auto element = dyn_cast<GetTupleElementOp>(op))
      return addElement(element);
    if (isa<CallOp, FusionOp>(op))
      return addCall(op, depth);
    if (!isScalar(op.getResult(0).getType()))
      return false;
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      program->constants.emplace_back(program->registers,
                                      fromAttribute(constant.getValue()).getArray().get(0));
      result = {program->registers++};
      return true;
    }
    for (mlir::Value operand : op.getOperands())
      if (!isScalar(operand.getType()))
        return false;
    if (isa<CopyOp, ReshapeOp, BroadcastOp, TransposeOp>(op)) {
      Registers same = registersOf[op.getOperand(0)];
      registersOf[op.getResult(0)] = same;
      return true;
    }
    ElementKernel kernel = getElementKernel(&op);
    if (!kernel)
      return false;
    if (accumulates && !isa<ConvertOp, ReducePrecisionOp, StochasticConvertOp>(op))
      kernel.rounding = getAccumulationType(kernel.rounding);
    ElementProgram::Step step{kernel, {}, program->registers++};
    for (mlir::Value operand : op.getOperands())
      step.operands.push_back(registersOf[operand].front());
    registersOf[op.getResult(0)] = {step.result};
    program->steps.push_back(std::move(step));
    return true;
  }

  static int countLeaves(Type type) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple)
      return 1;
    int count = 0;
    for (Type element : tuple.getTypes())
      count += countLeaves(element);
    return count;
  }

  bool addElement(GetTupleElementOp op) {
    auto tuple = cast<TupleType>(op.getOperand().getType());
    int first = 0;
    for (int64_t i = 0; i < int64_t(op.getIndex()); ++i)
      first += countLeaves(tuple.getType(i));
    Registers all = registersOf[op.getOperand()];
    auto part = ArrayRef<int>(all).slice(first, countLeaves(tuple.getType(op.getIndex())));
    registersOf[op.getResult()] = Registers(part);
    return true;
  }

  bool addCall(Operation &op, int depth) {
    auto symbol =
        isa<CallOp>(op) ? cast<CallOp>(op).getToApplyAttr() : cast<FusionOp>(op).getCallsAttr();
    Operation *callee = SymbolTable::lookupNearestSymbolFrom(&op, symbol);
    if (!callee || depth > 32)
      return false;
    Block &block = callee->getRegion(0).front();
    for (auto [argument, operand] : llvm::zip(block.getArguments(), op.getOperands())) {
      Registers same = registersOf[operand];
      registersOf[argument] = same;
    }
    Registers results;
    if (!addBody(block, results, depth + 1))
      return false;
    // Another call of the same computation needs new registers.
    for (Operation &inner : block)
      for (mlir::Value value : inner.getResults())
        registersOf.erase(value);
    registersOf[op.getResult(0)] = results;
    return true;
  }
};
} // namespace

/// A copy of a computation that consists of one operation on its two parameters, with another
/// element type; null for other computations.
static OwningOpRef<Operation *> retype(Operation *computation, Type element) {
  Block &body = computation->getRegion(0).front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2) ||
      body.front().getNumOperands() != 2 || body.front().getNumResults() != 1)
    return nullptr;
  OwningOpRef<Operation *> copy(computation->clone());
  Block &block = copy->getRegion(0).front();
  auto type = RankedTensorType::get({}, element);
  for (BlockArgument argument : block.getArguments())
    argument.setType(type);
  block.front().getResult(0).setType(type);
  return copy;
}

std::unique_ptr<ElementProgram> ElementProgram::make(Operation *computation, bool accumulates,
                                                     Type element) {
  OwningOpRef<Operation *> retyped;
  if (element) {
    retyped = retype(computation, element);
    if (!retyped)
      return nullptr;
    computation = retyped.get();
  }
  ProgramBuilder builder;
  builder.accumulates = accumulates;
  if (!builder.build(computation))
    return nullptr;
  // A sum of f16 alone is in f32, as in compiled code; in other computations each step rounds.
  std::vector<Step> &steps = builder.program->steps;
  if (accumulates && steps.size() == 1 && steps[0].kernel.rounding == ElementType::F16)
    steps[0].kernel.rounding = ElementType::F32;
  return std::move(builder.program);
}

//===- Whole arrays --------------------------------------------------------===//

/// The operand with its dimensions of size 1 repeated to `shape`; nothing if others differ.
static std::optional<Array> repeat(const Array &operand, ArrayRef<int64_t> shape) {
  Shape strides = rowMajorStrides(operand.shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (operand.shape[d] != shape[d] && operand.shape[d] != 1)
      return std::nullopt;
    if (operand.shape[d] != shape[d])
      strides[d] = 0;
  }
  Array result(operand.type, shape);
  if (result.getCount())
    copyBox({operand.data(), strides}, {result.mutableData(), rowMajorStrides(shape)}, shape,
            getBytes(operand.type));
  return result;
}

/// The same for all operands, which get equal sizes.
static std::optional<Array> runRepeated(const ElementKernel &kernel,
                                        ArrayRef<const Array *> operands, size_t rank) {
  Shape shape(rank, 1);
  for (const Array *operand : operands)
    for (size_t d = 0; operand->shape.size() == rank && d < rank; ++d)
      if (operand->shape[d] != 1)
        shape[d] = operand->shape[d];
  std::vector<Array> repeated;
  for (const Array *operand : operands) {
    std::optional<Array> array = operand->shape.size() == rank ? repeat(*operand, shape) : *operand;
    if (!array)
      return std::nullopt;
    repeated.push_back(*array);
  }
  SmallVector<const Array *, 3> pointers;
  for (const Array &array : repeated)
    pointers.push_back(&array);
  return runKernel(kernel, pointers);
}

std::optional<Array> runKernel(const ElementKernel &kernel, ArrayRef<const Array *> operands) {
  const Array *largest = operands[0];
  for (const Array *operand : operands)
    if (operand->shape.size() > largest->shape.size())
      largest = operand;
  for (const Array *operand : operands) {
    size_t rank = operand->shape.size();
    if (rank != largest->shape.size() && rank != 0)
      return std::nullopt;
    if (rank && operand->shape != largest->shape)
      return runRepeated(kernel, operands, rank);
  }
  Array result(kernel.info.result, largest->shape);
  int64_t count = result.getCount();
  std::vector<Scalar> columns((operands.size() + 1) *
                              std::min(kColumn, std::max<int64_t>(count, 1)));
  SmallVector<const Scalar *, 3> pointers;
  int64_t width = std::min(kColumn, std::max<int64_t>(count, 1));
  for (size_t i = 0; i < operands.size(); ++i)
    pointers.push_back(columns.data() + i * width);
  Scalar *out = columns.data() + operands.size() * width;
  char *bytes = result.mutableData();
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand->shape.size() < largest->shape.size()) // a scalar is used for all elements
      std::fill_n(columns.data() + i * width, width, operand->get(0));
  for (int64_t start = 0; start < count; start += width) {
    int64_t size = std::min(width, count - start);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand->shape.size() == largest->shape.size())
        load(operand->type, operand->data() + start * getBytes(operand->type), size,
             columns.data() + i * width);
    kernel(pointers.data(), out, size);
    store(result.type, out, size, bytes + start * getBytes(result.type));
  }
  return result;
}

} // namespace hloc::evaluator
