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

namespace {
/// The properties of an operation that is about to be made, filled from its attributes.
class Properties {
public:
  Properties(const OperationState &state, DictionaryAttr attributes) : name(state.name) {
    storage.resize(llvm::divideCeil(name.getOpPropertyByteSize(), sizeof(std::max_align_t)));
    if (storage.empty())
      return;
    properties = OpaqueProperties(storage.data());
    name.initOpProperties(properties, OpaqueProperties(nullptr));
    auto emitError = [&] { return mlir::emitError(state.location); };
    valid = succeeded(name.setOpPropertiesFromAttribute(name, properties, attributes, emitError));
  }
  ~Properties() {
    if (!storage.empty())
      name.destroyOpProperties(properties);
  }
  OpaqueProperties get() const { return properties; }
  bool isValid() const { return valid; }

private:
  OperationName name;
  SmallVector<std::max_align_t, 16> storage;
  OpaqueProperties properties = nullptr;
  bool valid = true;
};
} // namespace

/// Infers by Op's rule if `state` describes an Op.
template <typename Op>
static bool inferIf(const OperationState &state, DictionaryAttr attributes,
                    OpaqueProperties properties, const Rule &rule, FailureOr<Type> &type) {
  if (state.name.getStringRef() != Op::getOperationName())
    return false;
  type = infer(typename Op::Adaptor(state.operands, attributes, properties), rule);
  return true;
}

/// Infers by the rule of that one of Ops which `state` describes.
template <typename... Ops> static bool inferIfAny(const OperationState &state, auto &&...rest) {
  return (inferIf<Ops>(state, rest...) || ...);
}

FailureOr<Type> inferResultType(const OperationState &state, SignatureLookup signatures) {
  MLIRContext *context = state.getContext();
  Rule rule(context, state.location, state.name.getStringRef(), {}, signatures);
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  Properties properties(state, attributes);
  if (!properties.isValid())
    return failure();
  FailureOr<Type> type = failure();
  if (inferIfAny<CallOp, ConditionalOp, MapOp, ReduceOp, ReduceWindowOp, ScanOp, ScatterOp,
                 SelectAndScatterOp, SortOp, WhileOp>(state, attributes, properties.get(), rule,
                                                      type))
    return type;
  auto *interface = state.name.getInterface<InferTypeOpInterface>();
  if (!interface)
    return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
  SmallVector<Type> types;
  if (failed(interface->inferReturnTypes(context, state.location, state.operands, attributes,
                                         properties.get(), {}, types)))
    return failure();
  return types.front();
}

} // namespace hloc::hlo
