// SPDX-License-Identifier: Apache-2.0
#include "passes/Computations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
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

/// Calls `visit` for every symbol that an attribute of an operation below `root` names.
static void forEachReference(Operation *root, function_ref<void(FlatSymbolRefAttr)> visit) {
  root->walk([&](Operation *op) {
    // Only inherent attributes of the dialect's operations name computations.
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

ComputationOp hloc::createScalarComputation(
    ModuleOp module, StringRef name, ArrayRef<Type> elements,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> build) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type> types;
  for (Type element : elements)
    types.push_back(RankedTensorType::get({}, element));
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
  return createScalarComputation(module, name, {element, element},
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

ComputationOp hloc::lookupComputation(Operation *op, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<ComputationOp>(op, symbol);
}
