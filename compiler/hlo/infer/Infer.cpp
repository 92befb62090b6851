// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/infer/Infer.h"

using namespace mlir;

namespace hloc::hlo {

LogicalResult verifyResultTypes(Operation *op, Type inferred) {
  TypeRange stated = op->getResultTypes();
  if (stated.size() == 1 && typesAgree(stated[0], inferred))
    return success();
  if (stated.size() != 1 || !isa<TupleType>(stated[0])) {
    SmallVector<Type> leaves;
    flattenTypes(inferred, leaves);
    if (typesAgree(stated, leaves))
      return success();
  }
  Rule rule(op->getContext(), op->getLoc(), op->getName().getStringRef());
  return rule.fail(Error::ResultShape)
         << "expected result " << toText(inferred) << " but got " << toText(stated);
}

FunctionType lookupSignature(SymbolTableCollection &tables, Operation *op,
                             FlatSymbolRefAttr symbol) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(tables.lookupNearestSymbolFrom(op, symbol));
  return function ? dyn_cast<FunctionType>(function.getFunctionType()) : FunctionType();
}

FunctionType lookupSignature(ValueRange operands, FlatSymbolRefAttr symbol) {
  Region *region = operands.empty() ? nullptr : operands.front().getParentRegion();
  auto module = region ? region->getParentOfType<ModuleOp>() : ModuleOp();
  auto function =
      module ? dyn_cast_or_null<FunctionOpInterface>(SymbolTable::lookupSymbolIn(module, symbol))
             : FunctionOpInterface();
  return function ? dyn_cast<FunctionType>(function.getFunctionType()) : FunctionType();
}

/// Infers by Op's rule if `op` is an Op.
template <typename Op> static bool inferIf(Operation *op, const Rule &rule, FailureOr<Type> &type) {
  auto concrete = dyn_cast<Op>(op);
  if (concrete)
    type = infer(typename Op::Adaptor(concrete), rule);
  return bool(concrete);
}

/// Infers by the rule of the one among Ops that `op` is.
template <typename... Ops>
static bool inferIfAny(Operation *op, const Rule &rule, FailureOr<Type> &type) {
  return (inferIf<Ops>(op, rule, type) || ...);
}

FailureOr<Type> inferResultType(Operation *op, SignatureLookup signatures) {
  MLIRContext *context = op->getContext();
  Rule rule(context, op->getLoc(), op->getName().getStringRef(), {}, signatures);
  FailureOr<Type> type = failure();
  if (inferIfAny<CallOp, ConditionalOp, MapOp, ReduceOp, ReduceWindowOp, ScanOp, ScatterOp,
                 SelectAndScatterOp, SortOp, WhileOp>(op, rule, type))
    return type;
  auto interface = dyn_cast<InferTypeOpInterface>(op);
  if (!interface)
    return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
  SmallVector<Type> types;
  if (failed(interface.inferReturnTypes(context, op->getLoc(), op->getOperands(),
                                        op->getDiscardableAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  return types.front();
}

} // namespace hloc::hlo
