// SPDX-License-Identifier: Apache-2.0
// Turns a program on global arrays in which each partition works on its own part (JAX's shard_map)
// into the program that one partition runs. Test: test/passes/frontend/localize-entry.hlo.
#include "passes/frontend/LocalizeEntry.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "mlir/IR/Builders.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_LOCALIZEENTRY
#include "passes/Passes.h.inc"
} // namespace hloc

static bool hasTarget(Operation *op, ArrayRef<StringRef> targets) {
  auto call = dyn_cast_or_null<CustomCallOp>(op);
  return call && llvm::is_contained(targets, call.getCustomCallTarget());
}
static bool isToLocal(Operation *op) {
  return hasTarget(op, {"SPMDFullToShardShape", "xla.sdy.GlobalToLocalShape"});
}
static bool isToGlobal(Operation *op) {
  return hasTarget(op, {"SPMDShardToFullShape", "xla.sdy.LocalToGlobalShape"});
}
static bool isSharding(Operation *op) {
  return hasTarget(op, {"Sharding", "xla.sdy.FuncResultSharding"}) && op->getNumOperands() == 1;
}

static StringRef getText(Operation *op, StringRef name) {
  auto text = op->getAttrOfType<StringAttr>(name);
  return text ? text.getValue() : StringRef();
}

/// True if a sharding does not partition: every device has everything, or a single device does.
static bool isWhole(StringRef sharding) {
  return sharding.empty() || sharding.contains("manual") ||
         (sharding.contains("replicated") && !sharding.contains("devices")) ||
         sharding.contains("maximal");
}

namespace {

class EntryLocalizer {
public:
  EntryLocalizer(ModuleOp module, ComputationOp entry)
      : module(module), entry(entry), builder(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult dropAnnotations();
  LogicalResult localizeArguments(CustomCallOp call);
  LogicalResult localizeResults(CustomCallOp call);
  LogicalResult checkBetween();
  void updateLayout(FunctionType before);
  void setPartitionCount();
  Value makeTuple(Operation *call, ValueRange elements, Type type);

  ModuleOp module;
  ComputationOp entry;
  OpBuilder builder;
};

} // namespace

/// `elements` as a value of `type`: a tuple, or the only element.
Value EntryLocalizer::makeTuple(Operation *call, ValueRange elements, Type type) {
  if (!isa<TupleType>(type))
    return elements.front();
  builder.setInsertionPoint(call);
  SmallVector<Type> types = llvm::to_vector(elements.getTypes());
  return TupleOp::create(builder, call->getLoc(), builder.getTupleType(types), elements);
}

/// Replaces annotations by their operands, unless they would move data.
LogicalResult EntryLocalizer::dropAnnotations() {
  for (Operation &op : llvm::make_early_inc_range(entry.getBody().front())) {
    if (!isSharding(&op))
      continue;
    auto parameter = dyn_cast<BlockArgument>(op.getOperand(0));
    StringRef from;
    if (parameter)
      if (auto text = entry.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), "hlo.sharding"))
        from = text.getValue();
    StringRef to = getText(&op, "hlo.sharding");
    if (!from.empty() && !to.empty() && from != to)
      return emitNotSupported(op.getLoc(), "a change of sharding outside manual code (partition "
                                           "the module first)");
    op.getResult(0).replaceAllUsesWith(op.getOperand(0));
    op.erase();
  }
  return success();
}

/// Changes the parameters that `call` takes to the parts that it returns.
LogicalResult EntryLocalizer::localizeArguments(CustomCallOp call) {
  auto tuple = dyn_cast<TupleType>(call.getResult(0).getType());
  SmallVector<Type> types =
      tuple ? llvm::to_vector(tuple.getTypes()) : SmallVector<Type>{call.getResult(0).getType()};
  if (types.size() != call.getInputs().size())
    return call.emitOpError("expected a part of each operand");
  for (auto [operand, type] : llvm::zip(call.getInputs(), types)) {
    if (operand.getType() == type) // the part is all of it
      continue;
    auto parameter = dyn_cast<BlockArgument>(operand);
    if (!parameter || !llvm::all_of(parameter.getUsers(), isToLocal))
      return emitNotSupported(call.getLoc(), "a part of an array that is computed outside manual "
                                             "code (partition the module first)");
    for (Operation *user : parameter.getUsers())
      if (user != call)
        return emitNotSupported(user->getLoc(), "a parameter that is divided twice");
    parameter.setType(type);
    entry.removeArgAttr(parameter.getArgNumber(), "hlo.sharding");
  }
  call.getResult(0).replaceAllUsesWith(
      makeTuple(call, call.getInputs(), call.getResult(0).getType()));
  call.erase();
  return success();
}

/// Changes the results to the parts that `call` takes.
LogicalResult EntryLocalizer::localizeResults(CustomCallOp call) {
  SmallVector<Operation *> work{call};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Operation *user : op->getUsers()) {
      if (!isa<GetTupleElementOp, TupleOp, ReturnOp>(user))
        return emitNotSupported(user->getLoc(), "work on a global array outside manual code "
                                                "(partition the module first)");
      work.push_back(user);
    }
  }
  Value local = makeTuple(call, call.getInputs(), call.getResult(0).getType());
  call.getResult(0).replaceAllUsesWith(local);
  // Update the types on the way to the root.
  work.assign(local.getUsers().begin(), local.getUsers().end());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (auto get = dyn_cast<GetTupleElementOp>(op))
      get.getResult().setType(cast<TupleType>(get.getOperand().getType()).getType(get.getIndex()));
    else if (auto tuple = dyn_cast<TupleOp>(op))
      tuple.getResult().setType(
          builder.getTupleType(llvm::to_vector(tuple.getElements().getTypes())));
    work.append(op->user_begin(), op->user_end());
  }
  call.erase();
  return success();
}

/// Updates the shapes in the header's layout; their orders of dimensions are kept.
void EntryLocalizer::updateLayout(FunctionType before) {
  auto attribute = module->getAttrOfType<TypeAttr>("hlo.entry_computation_layout");
  auto layout = attribute ? dyn_cast<FunctionType>(attribute.getValue()) : FunctionType();
  if (!layout || layout.getNumInputs() != before.getNumInputs() || layout.getNumResults() != 1)
    return;
  std::function<Type(Type, Type)> withOrder = [&](Type shape, Type order) -> Type {
    auto tuple = dyn_cast<TupleType>(shape), orders = dyn_cast<TupleType>(order);
    if (tuple && orders && tuple.size() == orders.size()) {
      SmallVector<Type> elements;
      for (auto [element, other] : llvm::zip(tuple.getTypes(), orders.getTypes()))
        elements.push_back(withOrder(element, other));
      return builder.getTupleType(elements);
    }
    auto array = dyn_cast<RankedTensorType>(shape), other = dyn_cast<RankedTensorType>(order);
    if (!array || !other)
      return shape;
    return RankedTensorType::get(array.getShape(), array.getElementType(), other.getEncoding());
  };
  SmallVector<Type> inputs, results;
  for (auto [shape, order] : llvm::zip(entry.getArgumentTypes(), layout.getInputs()))
    inputs.push_back(withOrder(shape, order));
  for (auto [shape, order] : llvm::zip(entry.getResultTypes(), layout.getResults()))
    results.push_back(withOrder(shape, order));
  module->setAttr("hlo.entry_computation_layout",
                  TypeAttr::get(builder.getFunctionType(inputs, results)));
}

/// Takes the number of partitions from Shardy's mesh if the header has none: `<["x"=2, "y"=2]>` has
/// four.
void EntryLocalizer::setPartitionCount() {
  if (module->hasAttr("hlo.num_partitions"))
    return;
  StringRef mesh = getText(module, "hlo.frontend_attributes");
  size_t start = mesh.find("sdy.mesh<[");
  if (start == StringRef::npos)
    return;
  StringRef axes = mesh.drop_front(start).take_until([](char c) { return c == ']'; });
  int64_t count = 1, size;
  for (size_t at = axes.find('='); at != StringRef::npos; at = axes.find('=')) {
    axes = axes.drop_front(at + 1);
    if (StringRef(axes).consumeInteger(10, size) || size < 1 || count > (1 << 20))
      return;
    count *= size;
  }
  module->setAttr("hlo.num_partitions", builder.getI64IntegerAttr(count));
}

/// Checks that the remaining operations are not sharded, since they work on parts now.
LogicalResult EntryLocalizer::checkBetween() {
  auto partitions = module->getAttrOfType<IntegerAttr>("hlo.num_partitions");
  if (!partitions || partitions.getInt() == 1)
    return success();
  WalkResult result = module.walk([&](Operation *op) {
    StringRef sharding = getText(op, "hlo.sharding");
    if (isa<ComputationOp>(op) || isWhole(sharding))
      return WalkResult::advance();
    emitNotSupported(op->getLoc(), "a module that is annotated with shardings, but not manual,")
            .attachNote(op->getLoc())
        << "partition it first: print the module after XLA's SPMD partitioner or after "
           "shard_map, where each partition works on its own part";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (BlockArgument parameter : entry.getArguments())
    if (auto sharding =
            entry.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), "hlo.sharding");
        sharding && !isWhole(sharding.getValue()) && !parameter.use_empty()) {
      emitNotSupported(parameter.getLoc(), "a parameter that is sharded in code that is not manual")
              .attachNote(parameter.getLoc())
          << "partition the module first";
      return failure();
    }
  return success();
}

LogicalResult EntryLocalizer::run() {
  setPartitionCount();
  auto before = cast<FunctionType>(entry.getFunctionType());
  SmallVector<CustomCallOp> toLocal, toGlobal;
  Block &body = entry.getBody().front();
  for (auto call : body.getOps<CustomCallOp>()) {
    if (isToLocal(call))
      toLocal.push_back(call);
    else if (isToGlobal(call))
      toGlobal.push_back(call);
  }
  if (!toLocal.empty() || !toGlobal.empty()) {
    if (failed(dropAnnotations()))
      return failure();
    for (CustomCallOp call : toLocal)
      if (failed(localizeArguments(call)))
        return failure();
    for (CustomCallOp call : toGlobal)
      if (failed(localizeResults(call)))
        return failure();
    entry.setFunctionType(
        builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    updateLayout(before);
  }
  return checkBetween();
}

LogicalResult hloc::localizeEntry(ModuleOp module) {
  ComputationOp entry = getEntry(module);
  return entry ? EntryLocalizer(module, entry).run() : success();
}

namespace {

struct LocalizeEntry : hloc::impl::LocalizeEntryBase<LocalizeEntry> {
  void runOnOperation() override {
    if (failed(localizeEntry(getOperation())))
      signalPassFailure();
  }
};

} // namespace
