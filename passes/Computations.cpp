// SPDX-License-Identifier: Apache-2.0
#include "passes/Computations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

ComputationOp hloc::getEntry(ModuleOp module) {
  for (auto computation : module.getOps<ComputationOp>())
    if (computation.getEntry())
      return computation;
  return nullptr;
}

/// Calls `visit` for every symbol that an attribute of an operation below `root` refers to.
static void forEachReference(Operation *root, function_ref<void(FlatSymbolRefAttr)> visit) {
  root->walk([&](Operation *op) {
    // Only inherent attributes of the dialect's operations refer to computations.
    if (!isa_and_present<HLODialect>(op->getDialect()) || op == root)
      return;
    for (NamedAttribute attribute : op->getAttrs()) {
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
        visit(symbol);
      else if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
        for (Attribute element : list)
          if (auto symbol = dyn_cast<FlatSymbolRefAttr>(element))
            visit(symbol);
    }
  });
}

void hloc::eraseUnreachableComputations(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> reached;
  for (Operation &op : *module.getBody())
    if (auto computation = dyn_cast<ComputationOp>(op); !computation || computation.getEntry())
      reached.insert(&op);
  for (size_t i = 0; i < reached.size(); ++i)
    forEachReference(reached[i], [&](FlatSymbolRefAttr symbol) {
      if (Operation *target = symbols.lookup(symbol.getAttr()))
        reached.insert(target);
    });
  for (auto computation : llvm::make_early_inc_range(module.getOps<ComputationOp>()))
    if (!reached.contains(computation))
      computation.erase();
}

ComputationOp
hloc::createComputation(ModuleOp module, StringRef name, ArrayRef<Type> types,
                        function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> build) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  std::string unique = name.str();
  for (int i = 1; module.lookupSymbol(unique); ++i)
    unique = (name + "." + Twine(i)).str();
  Location loc = module.getLoc();
  auto computation =
      ComputationOp::create(builder, loc, unique, builder.getFunctionType(types, {}));
  computation.setSymVisibilityAttr(builder.getStringAttr("private"));
  Block *body = builder.createBlock(&computation.getBody(), {}, types,
                                    SmallVector<Location>(types.size(), loc));
  SmallVector<Value> results = build(builder, body->getArguments());
  ReturnOp::create(builder, loc, results);
  computation.setFunctionType(builder.getFunctionType(types, ValueRange(results).getTypes()));
  return computation;
}

ComputationOp hloc::getOrCreateReducer(ModuleOp module, StringRef opName, Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << opName << '.' << element;
  if (auto found = module.lookupSymbol<ComputationOp>(name))
    return found;
  Type scalar = RankedTensorType::get({}, element);
  return createComputation(module, name, {scalar, scalar},
                           [&](OpBuilder &builder, ValueRange arguments) {
                             OperationState state(module.getLoc(), opName);
                             state.addOperands(arguments);
                             state.addTypes(arguments[0].getType());
                             return SmallVector<Value>{builder.create(state)->getResult(0)};
                           });
}

Operation *hloc::getSingleBinaryOp(ComputationOp computation) {
  Block &body = computation.getBody().front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &op = body.front();
  Operation *terminator = body.getTerminator();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != op.getResult(0))
    return nullptr;
  Value first = body.getArgument(0), second = body.getArgument(1);
  if (op.getOperand(0) == first && op.getOperand(1) == second)
    return &op;
  bool swapped = op.getOperand(0) == second && op.getOperand(1) == first;
  return swapped && op.hasTrait<OpTrait::IsCommutative>() ? &op : nullptr;
}

Operation *hloc::findNotLanewise(ComputationOp computation) {
  auto isOne = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape() && array.getNumElements() == 1;
  };
  for (Operation &op : computation.getBody().front().without_terminator()) {
    if (isa<TupleOp, GetTupleElementOp>(op))
      continue;
    // A dot of single elements is their product.
    bool isLanewise =
        op.hasTrait<Elementwise>() || isa<ConstantOp, CopyOp, ReshapeOp, BroadcastOp, TransposeOp,
                                          BitcastOp, BitcastConvertOp, DotOp>(op);
    if (!isLanewise || !llvm::all_of(op.getOperandTypes(), isOne) ||
        !llvm::all_of(op.getResultTypes(), isOne))
      return &op;
  }
  return nullptr;
}

SmallVector<Value> hloc::inlineComputation(OpBuilder &builder, ComputationOp computation,
                                           ValueRange arguments) {
  IRMapping mapping;
  mapping.map(computation.getArguments(), arguments);
  Block &body = computation.getBody().front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

FailureOr<SmallVector<Value>> hloc::applyToArrays(OpBuilder &builder, Location loc,
                                                  ComputationOp computation, ValueRange arguments,
                                                  RankedTensorType shape) {
  auto toArray = [&](Type scalar) -> Type {
    return RankedTensorType::get(shape.getShape(), getElementTypeOrSelf(scalar),
                                 shape.getEncoding());
  };
  IRMapping scalars, arrays;
  arrays.map(computation.getArguments(), arguments);
  auto getArray = [&](Value value) -> Value {
    if (Value array = arrays.lookupOrNull(value))
      return array;
    Value array = BroadcastOp::create(builder, loc, toArray(value.getType()), scalars.lookup(value),
                                      ArrayRef<int64_t>());
    arrays.map(value, array);
    return array;
  };
  Block &body = computation.getBody().front();
  for (Operation &op : body.without_terminator()) {
    bool isScalar = llvm::all_of(
        op.getOperands(), [&](Value operand) { return bool(scalars.lookupOrNull(operand)); });
    if (isScalar && isMemoryEffectFree(&op)) {
      builder.clone(op, scalars);
      continue;
    }
    if (isa<ReshapeOp, BroadcastOp, TransposeOp, BitcastOp, CopyOp>(op)) {
      arrays.map(op.getResult(0), getArray(op.getOperand(0))); // from scalar to scalar
      continue;
    }
    if (isa<TupleOp>(op) && op.getNextNode() == body.getTerminator())
      continue; // its elements are the results
    if (!op.hasTrait<Elementwise>() && !isa<BitcastConvertOp>(op))
      return emitNotSupported(op.getLoc(), Twine("'") + op.getName().getStringRef() +
                                               "' in a computation applied to each element");
    for (Value operand : op.getOperands())
      getArray(operand);
    Operation *clone = builder.clone(op, arrays);
    clone->getResult(0).setType(toArray(clone->getResult(0).getType()));
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands()) {
    auto tuple = value.getDefiningOp<TupleOp>();
    for (Value element : tuple ? ValueRange(tuple.getElements()) : ValueRange(value))
      results.push_back(getArray(element));
  }
  return results;
}

ComputationOp hloc::lookupComputation(Operation *op, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<ComputationOp>(op, symbol);
}
