// SPDX-License-Identifier: Apache-2.0
// Turns a program on global arrays in which each partition works on its own part (JAX's shard_map)
// into the program that one partition runs. Test: test/passes/frontend/localize-entry.test.
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

static LogicalResult refuse(Location location, const Twine &what) {
  emitNotSupported(location, what).attachNote(location)
      << "partition the module first, as XLA does when it compiles it: JAX prints the result with "
         "`jax.jit(f).lower(...).compile().as_text()`";
  return failure();
}

/// True if a sharding does not partition: every device has everything, or a single device does.
static bool isWhole(StringRef sharding) {
  return sharding.empty() || sharding.contains("manual") ||
         (sharding.contains("replicated") && !sharding.contains("devices")) ||
         sharding.contains("maximal");
}

/// Splits a list, without its brackets, at commas: `<@mesh, [{"x"}, {}]>, <@mesh, [{}]>`, or
/// `{devices=[2,1]<=[2]}, {replicated}`, whose `<=` is not a bracket.
static SmallVector<StringRef> splitElements(StringRef list) {
  SmallVector<StringRef> elements;
  size_t begin = 0, depth = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    StringRef rest = list.drop_front(at);
    if (rest.empty() || (rest.starts_with(",") && depth == 0)) {
      elements.push_back(list.slice(begin, at).trim());
      begin = at + 1;
    } else if (StringRef("[{").contains(rest[0]) || rest.starts_with("<@")) {
      ++depth;
    } else if (StringRef("]}>").contains(rest[0]) && depth > 0) {
      --depth;
    }
  }
  return elements;
}

/// Shardy's sharding of value `i` in the attribute `name`, without quotation marks and without the
/// marks of open dimensions (`?`); empty if there is none.
static std::string getShardy(Operation *op, StringRef name, size_t i) {
  StringRef text = getText(op, "hlo.frontend_attributes");
  size_t at = text.find((name + "=").str());
  if (at == StringRef::npos)
    return {};
  text = text.drop_front(at);
  at = text.find("per_value<[");
  if (at == StringRef::npos)
    return {};
  text = text.drop_front(at + strlen("per_value<["));
  SmallVector<StringRef> elements = splitElements(text.take_front(text.find("]>\"")));
  if (i >= elements.size())
    return {};
  std::string sharding;
  for (char c : elements[i])
    if (!StringRef("\\\"? ").contains(c))
      sharding += c;
  for (size_t comma; (comma = sharding.find(",}")) != std::string::npos;)
    sharding.erase(comma, 1);
  return sharding;
}

/// True if Shardy divides no dimension: `<@mesh,[{},{}]>`.
static bool dividesNothing(StringRef shardy) {
  StringRef dimensions = shardy.drop_front(std::min(shardy.find('['), shardy.size()));
  return dimensions.find_if([](char c) { return llvm::isAlnum(c); }) == StringRef::npos;
}

namespace {

/// A global array of which each partition has a part. If `type`, the global type, is null, each
/// partition has the whole array.
struct Part {
  Type type;
  std::string sharding; // as in the text; empty if the text has none
};

/// Walks over the entry in order. Global arrays that manual code takes or returns become parts,
/// also in tuples and annotations; nothing else may use them.
class EntryLocalizer {
public:
  EntryLocalizer(ModuleOp module, ComputationOp entry)
      : module(module), entry(entry), builder(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult visit(Operation *op);
  LogicalResult dropAnnotation(Operation *op);
  LogicalResult localizeArguments(CustomCallOp call);
  void localizeResults(CustomCallOp call);
  void makePart(GetTupleElementOp get);
  void makePart(TupleOp tuple);
  LogicalResult checkBetween();
  void updateLayout(FunctionType before);
  void setPartitionCount();
  Value makeTuple(Operation *call, ValueRange elements, Type type);
  bool isPart(Value value) const;

  ModuleOp module;
  ComputationOp entry;
  OpBuilder builder;
  /// One part for an array; one per element for a tuple.
  DenseMap<Value, SmallVector<Part>> parts;
  /// Shardings from annotations of arrays that are not divided yet.
  DenseMap<Value, std::string> announced;
  SmallVector<CustomCallOp> borders;
};

} // namespace

bool EntryLocalizer::isPart(Value value) const {
  auto found = parts.find(value);
  return found != parts.end() &&
         llvm::any_of(found->second, [](const Part &part) { return part.type; });
}

/// `elements` as a value of `type`: a tuple, or the only element.
Value EntryLocalizer::makeTuple(Operation *call, ValueRange elements, Type type) {
  if (!isa<TupleType>(type))
    return elements.front();
  builder.setInsertionPoint(call);
  SmallVector<Type> types = llvm::to_vector(elements.getTypes());
  return TupleOp::create(builder, call->getLoc(), builder.getTupleType(types), elements);
}

static SmallVector<Type> getElementTypes(Type type) {
  auto tuple = dyn_cast<TupleType>(type);
  return tuple ? llvm::to_vector(tuple.getTypes()) : SmallVector<Type>{type};
}

/// Replaces an annotation by its operand, unless it would move data.
LogicalResult EntryLocalizer::dropAnnotation(Operation *op) {
  Value array = op->getOperand(0);
  StringRef to = getText(op, "hlo.sharding");
  std::string shardy = getShardy(op, "xla.sdy.sharding", 0);
  bool isWhole = ::isWhole(to) && dividesNothing(shardy), moves = false;
  if (isPart(array)) {
    const std::string &from = parts[array][0].sharding;
    moves = (!shardy.empty() && !from.empty() && shardy != from) ||
            (!to.empty() && !StringRef(from).contains('@') && !from.empty() && to != from);
  } else if (auto parameter = dyn_cast<BlockArgument>(array)) {
    auto from = entry.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), "hlo.sharding");
    moves = from && !from.getValue().empty() && !to.empty() && from.getValue() != to;
    announced[array] = shardy.empty() ? to.str() : shardy;
  } else {
    moves = !isWhole;
  }
  if (moves)
    return refuse(op->getLoc(), "a change of sharding outside manual code");
  op->getResult(0).replaceAllUsesWith(array);
  op->erase();
  return success();
}

/// Changes the parameters that `call` takes to the parts that it returns. An array that manual code
/// has returned must be divided in the same way.
LogicalResult EntryLocalizer::localizeArguments(CustomCallOp call) {
  SmallVector<Type> types = getElementTypes(call.getResult(0).getType());
  if (types.size() != call.getInputs().size())
    return call.emitOpError("expected a part of each operand");
  for (auto [i, operand, type] : llvm::enumerate(call.getInputs(), types)) {
    std::string sharding = getShardy(call, "xla.sdy.in_shardings", i);
    if (sharding.empty())
      sharding = announced.lookup(operand);
    if (isPart(operand)) {
      if (operand.getType() == type && !sharding.empty() && parts[operand][0].sharding == sharding)
        continue;
      return emitNotSupported(call.getLoc(), "an array that is divided in two ways");
    }
    if (operand.getType() == type) // the part is all of it
      continue;
    auto parameter = dyn_cast<BlockArgument>(operand);
    if (!parameter || !llvm::all_of(parameter.getUsers(), [](Operation *user) {
          return isToLocal(user) || isSharding(user);
        }))
      return refuse(call.getLoc(), "a part of an array that is computed outside manual code");
    parts[operand] = {{operand.getType(), sharding}};
    parameter.setType(type);
    entry.removeArgAttr(parameter.getArgNumber(), "hlo.sharding");
  }
  borders.push_back(call);
  return success();
}

/// Changes the result of `call` to the parts that it takes.
void EntryLocalizer::localizeResults(CustomCallOp call) {
  Value result = call.getResult(0);
  SmallVector<Part> given;
  for (auto [i, operand, type] :
       llvm::enumerate(call.getInputs(), getElementTypes(result.getType()))) {
    std::string sharding = getShardy(call, "xla.sdy.out_shardings", i);
    if (sharding.empty())
      sharding = getText(call, "hlo.sharding").str();
    given.push_back(operand.getType() == type ? Part() : Part{type, sharding});
  }
  parts[result] = given;
  result.setType(isa<TupleType>(result.getType())
                     ? builder.getTupleType(llvm::to_vector(call.getInputs().getTypes()))
                     : call.getInputs().front().getType());
  borders.push_back(call);
}

void EntryLocalizer::makePart(GetTupleElementOp get) {
  SmallVector<Part> &elements = parts[get.getOperand()];
  Part part = elements[std::min<size_t>(get.getIndex(), elements.size() - 1)];
  get.getResult().setType(cast<TupleType>(get.getOperand().getType()).getType(get.getIndex()));
  if (part.type)
    get->removeAttr("hlo.sharding");
  parts[get.getResult()] = {part};
}

void EntryLocalizer::makePart(TupleOp tuple) {
  SmallVector<Part> elements;
  for (Value element : tuple.getElements())
    elements.push_back(isPart(element) ? parts[element][0] : Part());
  tuple.getResult().setType(builder.getTupleType(llvm::to_vector(tuple.getElements().getTypes())));
  // The sharding stays if it divides an element that is not a part, so that it can be refused.
  StringRef sharding = getText(tuple, "hlo.sharding");
  sharding.consume_front("{");
  sharding.consume_back("}");
  SmallVector<StringRef> said = splitElements(sharding);
  if (said.size() == elements.size() &&
      llvm::all_of_zip(said, elements,
                       [](StringRef text, Part part) { return part.type || isWhole(text); }))
    tuple->removeAttr("hlo.sharding");
  parts[tuple.getResult()] = elements;
}

LogicalResult EntryLocalizer::visit(Operation *op) {
  if (isSharding(op))
    return dropAnnotation(op);
  if (isToLocal(op))
    return localizeArguments(cast<CustomCallOp>(op));
  if (isToGlobal(op)) {
    localizeResults(cast<CustomCallOp>(op));
    return success();
  }
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return isPart(operand); }) ||
      isa<ReturnOp>(op))
    return success();
  if (auto get = dyn_cast<GetTupleElementOp>(op)) {
    makePart(get);
    return success();
  }
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    makePart(tuple);
    return success();
  }
  // JAX annotates results by reshapes that change nothing.
  if (isa<ReshapeOp>(op) && op->getResult(0).getType() == parts[op->getOperand(0)][0].type) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
    return success();
  }
  return refuse(op->getLoc(), "work on a global array outside manual code");
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
    if ((isToLocal(op) || isToGlobal(op)) &&
        op->getOperandTypes() != getElementTypes(op->getResult(0).getType()))
      return WalkResult(refuse(op->getLoc(), "manual code outside the entry computation"));
    StringRef sharding = getText(op, "hlo.sharding");
    if (isa<ComputationOp>(op) || isWhole(sharding))
      return WalkResult::advance();
    return WalkResult(
        refuse(op->getLoc(), "a module that is annotated with shardings, but not manual,"));
  });
  if (result.wasInterrupted())
    return failure();
  for (BlockArgument parameter : entry.getArguments())
    if (auto sharding =
            entry.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), "hlo.sharding");
        sharding && !isWhole(sharding.getValue()) && !parameter.use_empty())
      return refuse(parameter.getLoc(), "a parameter that is sharded in code that is not manual");
  return success();
}

LogicalResult EntryLocalizer::run() {
  setPartitionCount();
  // XLA schedules a module after it has partitioned it: what still is annotated has the shapes of
  // one partition's part.
  if (module->hasAttr("hlo.is_scheduled"))
    return success();
  auto before = cast<FunctionType>(entry.getFunctionType());
  Block &body = entry.getBody().front();
  if (llvm::any_of(body, [](Operation &op) { return isToLocal(&op) || isToGlobal(&op); })) {
    for (Operation &op : llvm::make_early_inc_range(body))
      if (failed(visit(&op)))
        return failure();
    for (CustomCallOp call : borders) {
      call.getResult(0).replaceAllUsesWith(
          makeTuple(call, call.getInputs(), call.getResult(0).getType()));
      call.erase();
    }
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
