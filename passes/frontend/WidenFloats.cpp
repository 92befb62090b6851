// SPDX-License-Identifier: Apache-2.0
// Rewrites a module to compute in f64, as a reference for the rounding errors of narrower types.
// Test: test/passes/frontend/widen-floats.hlo.
#include "compiler/evaluator/core/Value.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/Passes.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_WIDENFLOATS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

Type widen(Type type) {
  Builder builder(type.getContext());
  if (auto array = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(array.getShape(), widen(array.getElementType()),
                                 array.getEncoding());
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(),
                          llvm::map_to_vector(tuple.getTypes(), [](Type t) { return widen(t); }));
  if (auto buffer = dyn_cast<BufferType>(type))
    return BufferType::get(type.getContext(), widen(buffer.getContents()));
  if (isa<ComplexType>(type))
    return ComplexType::get(builder.getF64Type());
  return isa<FloatType>(type) ? Type(builder.getF64Type()) : type;
}

bool isWide(Type type) { return widen(type) == type; }

/// The same values in the wider type.
Attribute widenLiteral(Attribute literal) {
  if (auto tuple = dyn_cast<ArrayAttr>(literal))
    return ArrayAttr::get(literal.getContext(),
                          llvm::map_to_vector(tuple, [](Attribute e) { return widenLiteral(e); }));
  evaluator::Array narrow = evaluator::fromAttribute(literal).getArray();
  evaluator::ElementType element =
      *evaluator::getElementType(widen(cast<ElementsAttr>(literal).getElementType()));
  if (element == narrow.type)
    return literal;
  evaluator::Array wide(element, narrow.shape);
  for (int64_t i = 0, count = narrow.getCount(); i < count; ++i)
    wide.set(i, narrow.get(i));
  return evaluator::toAttribute(literal.getContext(), wide);
}

/// True if the operation depends on the width of its types, or is the host's, so that it keeps its
/// own types.
bool keepsTypes(Operation *op) {
  if (isa<BitcastOp, BitcastConvertOp>(op))
    return getElementTypeOrSelf(op->getOperand(0).getType()) !=
           getElementTypeOrSelf(op->getResult(0).getType());
  return isa<CustomCallOp, RngOp, RngBitGeneratorOp, InfeedOp, OutfeedOp>(op);
}

/// Converts `value` to the element types of `type`; null if it contains something that cannot be
/// converted.
Value convertTo(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Location loc = value.getLoc();
  if (isa<RankedTensorType>(type))
    return ConvertOp::create(builder, loc, type, value);
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return nullptr;
  SmallVector<Value> elements;
  for (auto [i, from, to] :
       llvm::enumerate(cast<TupleType>(value.getType()).getTypes(), tuple.getTypes())) {
    elements.push_back(
        convertTo(builder, GetTupleElementOp::create(builder, loc, from, value, int64_t(i)), to));
    if (!elements.back())
      return nullptr;
  }
  return TupleOp::create(builder, loc, type, elements);
}

class Widener {
public:
  /// The original types of values.
  DenseMap<Value, Type> narrowTypes;

  LogicalResult process(ComputationOp computation) {
    Block &body = computation.getBody().front();
    for (BlockArgument argument : body.getArguments())
      argument.setType(widen(argument.getType()));
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (failed(processOp(&op)))
        return failure();
    computation.setFunctionType(FunctionType::get(computation.getContext(), body.getArgumentTypes(),
                                                  body.getTerminator()->getOperandTypes()));
    return success();
  }

private:
  /// Rewrites an operation whose operands have been widened already.
  LogicalResult processOp(Operation *op) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      constant.setValueAttr(widenLiteral(constant.getValue()));
    if (isa<SendOp, SendDoneOp, RecvOp, RecvDoneOp>(op))
      return emitNotSupported(op->getLoc(), "a transfer whose values are to be computed in f64");
    if (keepsTypes(op))
      return keep(op);
    if (isa<ReducePrecisionOp, StochasticConvertOp>(op)) { // they only round
      OpBuilder builder(op);
      Value value = ConvertOp::create(builder, op->getLoc(), widen(op->getResult(0).getType()),
                                      op->getOperand(0));
      narrowTypes[value] = op->getResult(0).getType();
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return success();
    }
    for (Value result : op->getResults())
      result.setType(widen(result.getType()));
    return success();
  }

  /// Converts the operands back to their original types, and the results from theirs.
  LogicalResult keep(Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Type type = narrowTypes.lookup(operand.get());
      Value narrow = convertTo(builder, operand.get(), type ? type : operand.get().getType());
      if (!narrow)
        return emitNotSupported(op->getLoc(), "a value that cannot be computed in f64");
      operand.set(narrow);
    }
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (!isWide(result.getType())) {
        SmallVector<OpOperand *> uses;
        for (OpOperand &use : result.getUses())
          uses.push_back(&use);
        Value wide = convertTo(builder, result, widen(result.getType()));
        if (!wide)
          return emitNotSupported(op->getLoc(), "a value that cannot be computed in f64");
        for (OpOperand *use : uses)
          use->set(wide);
        narrowTypes[wide] = result.getType();
      }
    return success();
  }
};

struct WidenFloats : hloc::impl::WidenFloatsBase<WidenFloats> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Widener widener;
    WalkResult result = module.walk([&](Operation *op) -> WalkResult {
      if (auto call = dyn_cast<CustomCallOp>(op);
          call && call.getCalledComputationsAttr() && !call.getCalledComputationsAttr().empty())
        return emitNotSupported(
            op->getLoc(), "a custom call of computations whose values are to be computed in f64");
      for (Value value : op->getResults())
        widener.narrowTypes[value] = value.getType();
      if (auto computation = dyn_cast<ComputationOp>(op))
        for (Value value : computation.getBody().getArguments())
          widener.narrowTypes[value] = value.getType();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (auto computation : module.getOps<ComputationOp>())
      if (failed(widener.process(computation)))
        return signalPassFailure();
    module->removeAttr("hlo.entry_computation_layout");
  }
};

} // namespace
