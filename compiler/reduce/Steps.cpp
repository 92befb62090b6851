// SPDX-License-Identifier: Apache-2.0
#include "compiler/reduce/Steps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Computations.h"

using namespace mlir;

namespace hloc::reduce {

using hlo::ComputationOp;

/// Arrays of this size are as easy to read as a parameter.
static constexpr int64_t kFewElements = 16;

static Operation *getReturn(ComputationOp computation) {
  return computation.getBody().front().getTerminator();
}

static bool isSmallConstant(Operation *op) {
  auto array = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  return isa<hlo::ConstantOp>(op) && array && array.hasStaticShape() &&
         array.getNumElements() <= kFewElements;
}

/// Operations with one result that is used, in all computations or only in the entry, for which
/// `holds` is true.
template <typename Holds>
static SmallVector<Operation *> findValues(ModuleOp module, bool entryOnly, Holds holds) {
  SmallVector<Operation *> found;
  for (auto computation : module.getOps<ComputationOp>())
    if (computation.getEntry() || !entryOnly)
      for (Operation &op : computation.getBody().front().without_terminator())
        if (op.getNumResults() == 1 && !op.use_empty() && holds(&op))
          found.push_back(&op);
  return found;
}

/// Updates the type after a change of arguments or results.
static void updateType(ComputationOp computation) {
  computation.setFunctionType(FunctionType::get(computation.getContext(),
                                                computation.getBody().getArgumentTypes(),
                                                getReturn(computation)->getOperandTypes()));
  if (computation.getEntry())
    computation->getParentOfType<ModuleOp>()->removeAttr("hlo.entry_computation_layout");
}

//===- The steps -------------------------------------------------------------===//

static SmallVector<Operation *> findParameterPlaces(ModuleOp module) {
  return findValues(module, /*entryOnly=*/true, [](Operation *op) {
    return isa<RankedTensorType>(op->getResult(0).getType()) && !isSmallConstant(op);
  });
}

/// Replaces a value of the entry by a parameter.
static void makeParameter(Operation *place) {
  auto entry = place->getParentOfType<ComputationOp>();
  unsigned number = entry.getNumArguments();
  if (failed(entry.insertArgument(number, place->getResult(0).getType(), {}, place->getLoc())))
    return;
  place->getResult(0).replaceAllUsesWith(entry.getArgument(number));
  updateType(entry);
}

/// A value that can replace the operation: an operand of the result's type, or the element of a
/// tuple; null if there is none.
static Value findStandIn(Operation *op) {
  if (auto element = dyn_cast<hlo::GetTupleElementOp>(op))
    if (auto tuple = element.getOperand().getDefiningOp<hlo::TupleOp>())
      return tuple->getOperand(element.getIndex());
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType())
      return operand;
  return {};
}

static SmallVector<Operation *> findOperandPlaces(ModuleOp module) {
  return findValues(module, /*entryOnly=*/false,
                    [](Operation *op) { return bool(findStandIn(op)); });
}

/// Removes an operation: one of its operands replaces it.
static void takeOperand(Operation *place) {
  place->getResult(0).replaceAllUsesWith(findStandIn(place));
}

/// The computation that `op` runs, or one that it may run, and its operands; null for other
/// operations.
static std::pair<ComputationOp, ValueRange> getCallee(Operation *op) {
  if (auto call = dyn_cast<hlo::CallOp>(op))
    return {lookupComputation(op, call.getToApplyAttr()), call.getInputs()};
  if (auto loop = dyn_cast<hlo::WhileOp>(op))
    return {lookupComputation(op, loop.getBodyAttr()), loop.getState()};
  if (auto conditional = dyn_cast<hlo::ConditionalOp>(op))
    return {lookupComputation(op, cast<FlatSymbolRefAttr>(
                                      conditional.getBranchComputations().getValue().front())),
            conditional.getBranchOperands().take_front()};
  return {};
}

static SmallVector<Operation *> findInlinePlaces(ModuleOp module) {
  return findValues(module, /*entryOnly=*/false,
                    [](Operation *op) { return bool(getCallee(op).first); });
}

/// Replaces an operation by the computation that it runs: that of a call, the first branch of a
/// conditional or the body of a loop, once.
static void inlineCallee(Operation *place) {
  auto [computation, operands] = getCallee(place);
  OpBuilder builder(place);
  place->getResult(0).replaceAllUsesWith(inlineComputation(builder, computation, operands).front());
}

static SmallVector<Operation *> findZeroPlaces(ModuleOp module) {
  return findValues(module, /*entryOnly=*/false, [](Operation *op) {
    auto array = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool isBroadcastConstant =
        isa<hlo::BroadcastOp>(op) && op->getOperand(0).getDefiningOp<hlo::ConstantOp>();
    return array && array.hasStaticShape() && array.getElementType().isIntOrFloat() &&
           !isSmallConstant(op) && !isBroadcastConstant;
  });
}

/// Replaces a value by 0.
static void makeZero(Operation *place) {
  OpBuilder builder(place);
  auto type = cast<RankedTensorType>(place->getResult(0).getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = hlo::ConstantOp::create(
      builder, place->getLoc(), scalar,
      DenseElementsAttr::get(scalar, Attribute(builder.getZeroAttr(type.getElementType()))));
  if (type != scalar) {
    OperationState state(place->getLoc(), "hlo.broadcast", zero, type);
    state.addAttribute("dimensions", builder.getDenseI64ArrayAttr({}));
    zero = builder.create(state)->getResult(0);
  }
  place->getResult(0).replaceAllUsesWith(zero);
}

static SmallVector<Operation *> findUnusedPlaces(ModuleOp module) {
  SmallVector<Operation *> found;
  for (auto computation : module.getOps<ComputationOp>())
    for (Operation &op : computation.getBody().front().without_terminator())
      if (op.use_empty())
        found.push_back(&op);
  return found;
}

/// Removes an operation that has only side effects.
static void erase(Operation *place) { place->erase(); }

static SmallVector<Operation *> findAttributePlaces(ModuleOp module) {
  SmallVector<Operation *> found;
  for (auto computation : module.getOps<ComputationOp>()) {
    if (!computation->getDiscardableAttrs().empty() || computation.getArgAttrs())
      found.push_back(computation);
    for (Operation &op : computation.getBody().front())
      if (!op.getDiscardableAttrs().empty())
        found.push_back(&op);
  }
  return found;
}

/// Removes metadata, shardings, frontend attributes and the like.
static void dropAttributes(Operation *place) {
  place->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  if (auto computation = dyn_cast<ComputationOp>(place)) {
    computation.removeArgAttrsAttr();
    computation.removeResAttrsAttr();
  }
}

ArrayRef<Step> getSteps() {
  static constexpr Step steps[] = {
      {"parameters", findParameterPlaces, makeParameter},
      {"operands", findOperandPlaces, takeOperand},
      {"unused", findUnusedPlaces, erase},
      {"inlined", findInlinePlaces, inlineCallee},
      {"zeros", findZeroPlaces, makeZero},
      {"attributes", findAttributePlaces, dropAttributes},
  };
  return steps;
}

//===- Results and prefixes of the entry -------------------------------------===//

unsigned getResultCount(ModuleOp module) {
  auto tuple = getReturn(getEntry(module))->getOperand(0).getDefiningOp<hlo::TupleOp>();
  return tuple ? tuple->getNumOperands() : 1;
}

/// Makes the entry return one value, or a tuple of several.
static void setResults(ComputationOp entry, ArrayRef<Value> values) {
  Operation *end = getReturn(entry);
  OpBuilder builder(end);
  Value result =
      values.size() == 1
          ? values.front()
          : hlo::TupleOp::create(builder, entry.getLoc(),
                                 TupleType::get(entry.getContext(), TypeRange(ValueRange(values))),
                                 values)
                .getResult();
  end->setOperands(result);
  updateType(entry);
  for (StringRef name : {"hlo.input_output_alias", "hlo.buffer_donor"})
    entry->getParentOfType<ModuleOp>()->removeAttr(name);
}

void keepResults(ModuleOp module, ArrayRef<unsigned> kept) {
  ComputationOp entry = getEntry(module);
  auto tuple = getReturn(entry)->getOperand(0).getDefiningOp<hlo::TupleOp>();
  if (!tuple)
    return;
  SmallVector<Value> values;
  for (unsigned number : kept)
    values.push_back(tuple->getOperand(number));
  setResults(entry, values);
}

unsigned getEntrySize(ModuleOp module) {
  return llvm::range_size(getEntry(module).getBody().front().without_terminator());
}

bool cutAfter(ModuleOp module, unsigned count) {
  ComputationOp entry = getEntry(module);
  SmallVector<Operation *> kept, rest;
  for (Operation &op : entry.getBody().front().without_terminator())
    (kept.size() < count ? kept : rest).push_back(&op);
  llvm::SmallPtrSet<Operation *, 32> gone(llvm::from_range, rest);
  SmallVector<Value> values;
  for (Operation *op : kept)
    for (Value value : op->getResults()) {
      bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
        return gone.contains(user) || user == getReturn(entry);
      });
      if (isRead && isa<RankedTensorType>(value.getType()) && !isa<hlo::ConstantOp>(op))
        values.push_back(value);
    }
  if (values.empty())
    return false;
  setResults(entry, values);
  for (Operation *op : llvm::reverse(rest))
    op->erase();
  return true;
}

//===- What is left ----------------------------------------------------------===//

unsigned countInstructions(ModuleOp module) {
  unsigned count = 0;
  for (auto computation : module.getOps<ComputationOp>())
    count += computation.getNumArguments() +
             llvm::range_size(computation.getBody().front().without_terminator());
  return count;
}

/// True if it has side effects; for calls and the like, if what they run has any.
static bool hasEffects(Operation *op) {
  if (!isa<hlo::CallOp, hlo::WhileOp, hlo::ConditionalOp>(op))
    return !isMemoryEffectFree(op);
  bool found = false;
  op->getAttrDictionary().walk([&](FlatSymbolRefAttr symbol) {
    if (ComputationOp computation = lookupComputation(op, symbol))
      for (Operation &inner : computation.getBody().front())
        found |= hasEffects(&inner);
  });
  return found;
}

void removeUnused(ModuleOp module) {
  for (auto computation : module.getOps<ComputationOp>()) {
    SmallVector<Operation *> operations;
    for (Operation &op : computation.getBody().front().without_terminator())
      operations.push_back(&op);
    for (Operation *op : llvm::reverse(operations))
      if (op->use_empty() && !hasEffects(op))
        op->erase();
  }
  ComputationOp entry = getEntry(module);
  if (!module->hasAttr("hlo.input_output_alias") && !module->hasAttr("hlo.buffer_donor")) {
    llvm::BitVector unused(entry.getNumArguments());
    for (BlockArgument argument : entry.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    if (unused.any() && succeeded(entry.eraseArguments(unused)))
      updateType(entry);
  }
  eraseUnreachableComputations(module);
}

} // namespace hloc::reduce
