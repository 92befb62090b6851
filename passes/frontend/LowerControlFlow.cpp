// SPDX-License-Identifier: Apache-2.0
// Lowers HLO's computations and tuples to one function on arrays with structured control flow. Each
// value of the text becomes the list of its leaves: the arrays in it, in order; tokens have none.
// Test: test/passes/frontend/lower-control-flow.mlir.
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/infer/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/CustomCalls.h"
#include "passes/Passes.h"
#include "passes/frontend/DropLoopInvariants.h"
#include "passes/frontend/EntryInterface.h"
#include "passes/frontend/NotSupported.h"
#include "passes/frontend/Reinterpret.h"
#include "passes/frontend/SelectBranches.h"
#include "passes/frontend/SlicedPermutes.h"
#include "passes/frontend/TupleLeaves.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_LOWERCONTROLFLOW
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

using Values = SmallVector<Value>;

class ControlFlowLowering {
public:
  explicit ControlFlowLowering(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run(ComputationOp entry);

private:
  LogicalResult lowerBlock(Block &source, OpBuilder &builder, Values &results);
  LogicalResult lowerInto(Block &source, Region &target, ValueRange arguments, Values &results);
  LogicalResult lowerOp(Operation *op, OpBuilder &builder);
  LogicalResult lowerPlainOp(Operation *op, OpBuilder &builder);
  LogicalResult lowerWhile(WhileOp op, OpBuilder &builder);
  LogicalResult lowerConditional(ConditionalOp op, OpBuilder &builder);
  LogicalResult lowerBitcast(BitcastOp op, OpBuilder &builder);
  LogicalResult lowerAsyncStart(AsyncStartOp op, OpBuilder &builder);
  LogicalResult lowerAsyncDone(AsyncDoneOp op, OpBuilder &builder);
  FailureOr<func::FuncOp> createFunction(ComputationOp computation, StringRef name);
  LogicalResult lowerConstant(Location loc, Attribute value, Type type, OpBuilder &builder,
                              Values &results);
  LogicalResult lowerReducers();

  Values leavesOf(ValueRange values) {
    Values result;
    for (Value value : values)
      llvm::append_range(result, leaves.lookup(value));
    return result;
  }

  /// Casts `value` to `type`, which may differ in which dimensions are bounded: a static size is
  /// padded to the bound with zeros, and a bound becomes a static size.
  Value castLeaf(OpBuilder &builder, Value value, Type type) {
    auto to = dyn_cast<RankedTensorType>(type);
    auto from = dyn_cast<RankedTensorType>(value.getType());
    if (!from || !to || from == to || !typesAgree(from, to))
      return value;
    Shape shape(from), wanted(to);
    for (int64_t d = 0; d < shape.getRank(); ++d) {
      if (shape.dynamic[d] == wanted.dynamic[d])
        continue;
      shape.dynamic[d] = wanted.dynamic[d];
      Value bound = Build(builder, value.getLoc()).index(shape.sizes[d]);
      value = SetDimensionSizeOp::create(builder, value.getLoc(), shape.getType(), value, bound, d);
    }
    return value;
  }

  Values castLeaves(OpBuilder &builder, ValueRange values, TypeRange types) {
    Values result;
    for (auto [value, type] : llvm::zip(values, types))
      result.push_back(castLeaf(builder, value, type));
    return result;
  }

  /// Distributes `values`, as leaves, over the results of `op`.
  void mapResults(Operation *op, ValueRange values) {
    for (Value result : op->getResults()) {
      size_t count = getLeaves(result.getType()).size();
      leaves[result] = Values(values.take_front(count));
      values = values.drop_front(count);
    }
  }

  ComputationOp lookup(FlatSymbolRefAttr symbol) {
    return symbols.lookup<ComputationOp>(symbol.getAttr());
  }

  ModuleOp module;
  SymbolTable symbols;
  DenseMap<Value, Values> leaves;
  DenseMap<Operation *, func::FuncOp> asyncFunctions; // by computation
  DenseMap<Operation *, AsyncLaunchOp> launches;      // by start
};

LogicalResult ControlFlowLowering::lowerConstant(Location loc, Attribute value, Type type,
                                                 OpBuilder &builder, Values &results) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    auto elements = dyn_cast<ArrayAttr>(value);
    if (!elements || elements.size() != tuple.size())
      return emitError(loc, "expected a literal for each element of the tuple");
    for (auto [element, elementType] : llvm::zip(elements, tuple.getTypes()))
      if (failed(lowerConstant(loc, element, elementType, builder, results)))
        return failure();
    return success();
  }
  if (!isa<TokenType>(type))
    results.push_back(ConstantOp::create(builder, loc, withoutLayout(type), value));
  return success();
}

static SmallVector<int64_t> majorToMinor(RankedTensorType type) {
  SmallVector<int64_t> order = iotaVector(type.getRank());
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    order.assign(layout.getMinorToMajor().rbegin(), layout.getMinorToMajor().rend());
  return order;
}

/// `type` with its dimensions permuted, without layout.
static RankedTensorType permute(RankedTensorType type, ArrayRef<int64_t> order) {
  Shape from(type), to(type.getElementType());
  for (int64_t dimension : order)
    to.append(from.sizes[dimension], from.dynamic[dimension]);
  return to.getType();
}

/// Lowers a bitcast to transposes to and from the physical shapes and a reinterpretation of memory.
/// For bounded arrays a row-major `hlo.bitcast` remains until they are arrays of their bounds.
LogicalResult ControlFlowLowering::lowerBitcast(BitcastOp op, OpBuilder &builder) {
  auto from = dyn_cast<RankedTensorType>(op.getOperand().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return emitNotSupported(op.getLoc(), "a value that is not an array");
  if (isUnbounded(from) || isUnbounded(to))
    return emitNotSupported(op.getLoc(), "an array of dynamic size without a bound");
  Build build(builder, op.getLoc());
  auto transpose = [&](Value value, RankedTensorType type, ArrayRef<int64_t> order) -> Value {
    if (llvm::equal(order, iotaVector(order.size())))
      return value;
    return TransposeOp::create(builder, op.getLoc(), permute(type, order), value, order);
  };
  Value value = transpose(leaves.lookup(op.getOperand()).front(), from, majorToMinor(from));
  SmallVector<int64_t> order = majorToMinor(to), inverse(order.size());
  for (auto [position, dimension] : llvm::enumerate(order))
    inverse[dimension] = position;
  RankedTensorType physical = permute(to, order);
  value = from.hasStaticShape() && to.hasStaticShape()
              ? reinterpret(build, value, physical.getShape(), to.getElementType())
              : BitcastOp::create(builder, op.getLoc(), physical, value).getResult();
  leaves[op] = {transpose(value, physical, inverse)};
  return success();
}

/// True if the text does not give the indices of a sparse operand's elements.
bool isWithoutIndices(ConvolutionOp op) {
  ArrayAttr config = op.getSparsityConfigAttr();
  return config && llvm::any_of(config.getAsRange<SparsityAttr>(),
                                [](SparsityAttr operand) { return operand.getIndices() < 0; });
}

/// Keeps the operation on leaves, and its attributes. Attributes of the text that do not affect the
/// result (sharding, ...) are kept only where the callee may read them.
LogicalResult ControlFlowLowering::lowerPlainOp(Operation *op, OpBuilder &builder) {
  SmallVector<Type> types = getPlainLeaves(op->getResultTypes());
  for (Type type : types) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array)
      return emitNotSupported(op->getLoc(), "a value that is not an array");
    if (isUnbounded(array))
      return emitNotSupported(op->getLoc(), "an array of dynamic size without a bound");
  }
  if (auto convolution = dyn_cast<ConvolutionOp>(op); convolution && isWithoutIndices(convolution))
    return emitNotSupported(op->getLoc(), "a sparse operand whose indices the text does not have");
  Values operands = leavesOf(op->getOperands());
  if (auto permute = dyn_cast<CollectivePermuteOp>(op);
      permute && permute.getSliceSizes() && !permute.getSliceSizes()->empty()) {
    FailureOr<Values> flat =
        flattenSlicedPermute(permute, builder, [&](Value value) { return leavesOf(value); });
    if (failed(flat))
      return failure();
    operands = *flat;
  }
  bool keepsAll = isa<CustomCallOp, RngOp, RngGetAndUpdateStateOp>(op);
  DictionaryAttr discardable =
      keepsAll ? op->getDiscardableAttrDictionary() : builder.getDictionaryAttr({});
  Operation *clone =
      Operation::create(op->getLoc(), op->getName(), types, operands, discardable.getValue(),
                        op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0);
  builder.insert(clone);
  if (auto call = dyn_cast<CustomCallOp>(clone))
    flattenAttributes(cast<CustomCallOp>(op), call);
  mapResults(op, clone->getResults());
  return success();
}

LogicalResult ControlFlowLowering::lowerWhile(WhileOp op, OpBuilder &builder) {
  ComputationOp condition = lookup(op.getConditionAttr()), body = lookup(op.getBodyAttr());
  if (!condition || !body)
    return op.emitOpError("expected a condition and a body");
  Location loc = op.getLoc();
  Values state = castLeaves(builder, leavesOf(op.getState()), getPlainLeaves(op->getResultTypes()));
  auto loop = scf::WhileOp::create(builder, loc, ValueRange(state).getTypes(), state);
  SmallVector<Location> locs(state.size(), loc);
  OpBuilder inner(builder.getContext());

  auto lowerRegion = [&](ComputationOp computation, Region &region, Values &results) {
    Block *block = builder.createBlock(&region, {}, ValueRange(state).getTypes(), locs);
    LogicalResult result =
        lowerInto(computation.getBody().front(), region, block->getArguments(), results);
    inner.setInsertionPointToEnd(block);
    return result;
  };
  OpBuilder::InsertionGuard guard(builder);
  Values pred, next;
  if (failed(lowerRegion(condition, loop.getBefore(), pred)))
    return failure();
  if (pred.size() != 1)
    return op.emitOpError("expected the condition to give one pred");
  Value holds = tensor::ExtractOp::create(inner, loc, pred.front(), ValueRange());
  scf::ConditionOp::create(inner, loc, holds, loop.getBefore().getArguments());
  if (failed(lowerRegion(body, loop.getAfter(), next)))
    return failure();
  next = castLeaves(inner, next, ValueRange(state).getTypes());
  if (ValueRange(next).getTypes() != ValueRange(state).getTypes())
    return op.emitOpError("expected the body to give a new state of the same type");
  scf::YieldOp::create(inner, loc, next);
  Values results;
  dropInvariants(loop, results);
  mapResults(op, results);
  return success();
}

LogicalResult ControlFlowLowering::lowerConditional(ConditionalOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  auto branches = op.getBranchComputations().getAsRange<FlatSymbolRefAttr>();
  size_t count = op.getBranchComputations().size();
  if (count == 0 || count != op.getBranchOperands().size())
    return op.emitOpError("expected one operand for each branch");
  SmallVector<Type> types = getPlainLeaves(op->getResultTypes());
  Value index = leaves.lookup(op.getBranchIndex()).front();
  bool isPred = hlo::isPred(getElementTypeOrSelf(index));
  index = tensor::ExtractOp::create(builder, loc, index, ValueRange());

  SmallVector<Region *> regions;
  Operation *created;
  if (isPred) {
    auto ifOp = scf::IfOp::create(builder, loc, types, index, /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
    created = ifOp;
    regions = {&ifOp.getThenRegion(), &ifOp.getElseRegion()};
  } else {
    // A negative index, taken as unsigned, is out of range too and selects the last branch.
    index = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), index);
    SmallVector<int64_t> cases = iotaVector(count - 1);
    auto switchOp = scf::IndexSwitchOp::create(builder, loc, types, index, cases, count - 1);
    created = switchOp;
    for (Region &region : switchOp.getCaseRegions())
      regions.push_back(&region);
    regions.push_back(&switchOp.getDefaultRegion());
  }
  for (auto [region, branch, operand] : llvm::zip(regions, branches, op.getBranchOperands())) {
    ComputationOp computation = lookup(branch);
    if (!computation)
      return op.emitOpError("expected ") << branch << " to be a computation";
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(region);
    Values results;
    if (failed(lowerInto(computation.getBody().front(), *region, leavesOf(operand), results)))
      return failure();
    builder.setInsertionPointToEnd(block);
    results = castLeaves(builder, results, types);
    if (ValueRange(results).getTypes() != TypeRange(types))
      return op.emitOpError("expected ") << branch << " to give the conditional's type";
    scf::YieldOp::create(builder, loc, results);
  }
  mapResults(op, created->getResults());
  return success();
}

/// Turns the computation into a function of its own.
LogicalResult ControlFlowLowering::lowerAsyncStart(AsyncStartOp op, OpBuilder &builder) {
  ComputationOp callee = lookup(op.getCallsAttr());
  if (!callee)
    return op.emitOpError("expected a computation");
  if (!asyncFunctions.lookup(callee)) {
    std::string name = "async_" + callee.getSymName().str();
    while (module.lookupSymbol(name))
      name += "_";
    FailureOr<func::FuncOp> created = createFunction(callee, name);
    if (failed(created))
      return failure();
    created->setPrivate();
    asyncFunctions[callee] = *created;
  }
  func::FuncOp called = asyncFunctions.lookup(callee);
  // A ticket has room for a pointer.
  SmallVector<Type> types{RankedTensorType::get({1}, builder.getI64Type())};
  llvm::append_range(types, called.getResultTypes());
  launches[op] = AsyncLaunchOp::create(builder, op.getLoc(), types,
                                       FlatSymbolRefAttr::get(called.getSymNameAttr()),
                                       op.getAsyncExecutionThreadAttr(), leavesOf(op.getInputs()));
  return success();
}

LogicalResult ControlFlowLowering::lowerAsyncDone(AsyncDoneOp op, OpBuilder &builder) {
  AsyncLaunchOp launch = launches.lookup(op.getOperand(0).getDefiningOp());
  if (!launch)
    return op.emitOpError("expected to end what a start in its block began");
  auto wait = AsyncWaitOp::create(builder, op.getLoc(), launch.getResults().getTypes(),
                                  launch.getTicket(), launch.getResults(), launch.getInputs());
  mapResults(op, wait.getResults());
  return success();
}

LogicalResult ControlFlowLowering::lowerOp(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TupleOp tuple) {
        leaves[tuple] = leavesOf(tuple.getElements());
        return success();
      })
      .Case([&](GetTupleElementOp get) {
        auto types = cast<TupleType>(get.getOperand().getType()).getTypes();
        size_t skipped = getLeaves(types.take_front(get.getIndex())).size();
        size_t count = getLeaves(get.getType()).size();
        const Values &all = leaves[get.getOperand()];
        Values element(ArrayRef(all).slice(skipped, count));
        leaves[get] = element;
        return success();
      })
      .Case<CopyOp, AfterAllOp>([&](Operation *forward) {
        leaves[forward->getResult(0)] = isa<CopyOp>(forward)
                                            ? castLeaves(builder, leavesOf(forward->getOperands()),
                                                         getPlainLeaves(forward->getResultTypes()))
                                            : Values();
        return success();
      })
      .Case([&](ConstantOp constant) {
        Values results;
        LogicalResult status =
            lowerConstant(op->getLoc(), constant.getValue(), constant.getType(), builder, results);
        leaves[constant] = results;
        return status;
      })
      .Case([&](BitcastOp bitcast) { return lowerBitcast(bitcast, builder); })
      .Case([&](AsyncStartOp start) { return lowerAsyncStart(start, builder); })
      .Case([&](AsyncDoneOp done) { return lowerAsyncDone(done, builder); })
      .Case([&](WhileOp loop) { return lowerWhile(loop, builder); })
      .Case([&](ConditionalOp choice) { return lowerConditional(choice, builder); })
      .Default([&](Operation *other) { return lowerPlainOp(other, builder); });
}

LogicalResult ControlFlowLowering::lowerBlock(Block &source, OpBuilder &builder, Values &results) {
  for (Operation &op : source.without_terminator())
    if (failed(lowerOp(&op, builder)))
      return failure();
  results = leavesOf(source.getTerminator()->getOperands());
  return success();
}

/// Lowers `source`, a computation's body, to the end of `target`, where `arguments` are the leaves
/// of its parameters.
LogicalResult ControlFlowLowering::lowerInto(Block &source, Region &target, ValueRange arguments,
                                             Values &results) {
  auto builder = OpBuilder::atBlockEnd(&target.back());
  for (BlockArgument parameter : source.getArguments()) {
    SmallVector<Type> types = getPlainLeaves(parameter.getType());
    size_t count = types.size();
    if (arguments.size() < count)
      return emitError(parameter.getLoc(), "expected a value for every parameter");
    leaves[parameter] = castLeaves(builder, arguments.take_front(count), types);
    arguments = arguments.drop_front(count);
  }
  return lowerBlock(source, builder, results);
}

/// Rewrites the computations that operations still name to arrays only. Computations of branches
/// and loops are looked up in the meantime, so nothing is erased before the end.
LogicalResult ControlFlowLowering::lowerReducers() {
  SmallVector<ComputationOp> originals(module.getOps<ComputationOp>());
  for (ComputationOp computation : originals) {
    OpBuilder builder(computation);
    SmallVector<Type> types = getPlainLeaves(computation.getArgumentTypes());
    auto lowered = ComputationOp::create(builder, computation.getLoc(), computation.getSymName(),
                                         builder.getFunctionType(types, {}));
    lowered.setSymVisibilityAttr(builder.getStringAttr("private"));
    Block *block = builder.createBlock(&lowered.getBody(), {}, types,
                                       SmallVector<Location>(types.size(), computation.getLoc()));
    Values results;
    if (failed(lowerInto(computation.getBody().front(), lowered.getBody(), block->getArguments(),
                         results)))
      return failure();
    builder.setInsertionPointToEnd(block);
    ReturnOp::create(builder, computation.getLoc(), results);
    lowered.setFunctionType(builder.getFunctionType(types, ValueRange(results).getTypes()));
    selectBranches(lowered);
  }
  for (ComputationOp computation : originals)
    computation.erase();
  eraseUnreachableComputations(module);
  return success();
}

/// Makes a function from `computation` at the end of the module.
FailureOr<func::FuncOp> ControlFlowLowering::createFunction(ComputationOp computation,
                                                            StringRef name) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  Block &body = computation.getBody().front();
  SmallVector<Type> types = getPlainLeaves(computation.getArgumentTypes());
  SmallVector<Location> locs;
  for (BlockArgument parameter : body.getArguments()) {
    for (Type leaf : getLeaves(parameter.getType())) {
      if (auto array = dyn_cast<RankedTensorType>(leaf); !array || isUnbounded(array))
        return emitNotSupported(parameter.getLoc(),
                                array ? "a parameter of dynamic size without a bound"
                                      : "a parameter that is not an array");
      locs.push_back(parameter.getLoc());
    }
  }
  SmallVector<Type> resultTypes = getPlainLeaves(body.getTerminator()->getOperandTypes());
  auto function = func::FuncOp::create(builder, computation.getLoc(), name,
                                       builder.getFunctionType(types, resultTypes));
  Block *block = builder.createBlock(&function.getBody(), {}, types, locs);
  Values results;
  if (failed(lowerInto(body, function.getBody(), block->getArguments(), results)))
    return failure();
  builder.setInsertionPointToEnd(block);
  results = castLeaves(builder, results, resultTypes);
  if (ValueRange(results).getTypes() != TypeRange(resultTypes))
    return computation.emitOpError("expected the result's type");
  func::ReturnOp::create(builder, computation.getLoc(), results);
  return function;
}

LogicalResult ControlFlowLowering::run(ComputationOp entry) {
  FailureOr<func::FuncOp> function = createFunction(entry, "main");
  if (failed(function))
    return failure();
  describeEntry(module, entry, *function);
  entry.erase();
  eraseUnreachableComputations(module);
  return lowerReducers();
}

struct LowerControlFlow : hloc::impl::LowerControlFlowBase<LowerControlFlow> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ComputationOp entry = getEntry(module);
    if (!entry) {
      module.emitError("expected a module with an entry computation");
      return signalPassFailure();
    }
    if (failed(ControlFlowLowering(module).run(entry)))
      signalPassFailure();
  }
};

} // namespace
