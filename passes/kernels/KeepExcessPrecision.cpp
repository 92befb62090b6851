// SPDX-License-Identifier: Apache-2.0
// Computes narrow floats in f32 within each kernel, and rounds only what the kernel writes to
// memory and what its other operations read. Test: test/passes/kernels/keep-excess-precision.mlir.
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/simplify/Match.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_KEEPEXCESSPRECISION
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// True for a float that arithmetic converts to f32.
bool isNarrow(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

/// True if what the operation computes of f32 differs from what it computes of narrow floats by
/// their rounding alone.
bool canWiden(Operation *op) {
  return op->hasTrait<Elementwise>() && op->getNumResults() == 1 &&
         llvm::any_of(op->getOperandTypes(), isNarrow) &&
         (isNarrow(op->getResult(0).getType()) || isa<CompareOp, IsFiniteOp>(op)) &&
         !isa<ConvertOp, ReducePrecisionOp, StochasticConvertOp>(op);
}

/// True if an elementwise operation reads the result of `op`, possibly rearranged.
bool reachesElementwise(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isRearrangement(user) ? reachesElementwise(user)
                                 : canWiden(user) || isa<ConvertOp>(user);
  });
}

/// True if `value` was converted, and possibly rearranged since.
bool isConverted(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isRearrangement(op) ? isConverted(op->getOperand(0)) : isa<ConvertOp>(op));
}

/// True if computing `op` in f32 saves a rounding. A selection of what is in memory saves none, and
/// narrow floats need fewer vectors.
bool savesRounding(Operation *op) {
  return !isa<SelectOp>(op) || llvm::any_of(op->getOperands(), isConverted);
}

/// The operations of one kernel.
class Widening {
public:
  explicit Widening(Block &body) : body(body), builder(body.getParentOp()) {}

  /// Returns the number of operations that compute f32 now.
  unsigned run();

private:
  Value findUnrounded(Value value);
  Value getWide(Value value);
  void widenResult(Operation *op);
  void visit(Operation *op);

  Block &body;
  OpBuilder builder;
  DenseMap<Value, Value> wide; ///< f32 for narrow values
  unsigned widened = 0;
};

/// The f32 that were rounded to `value`, or its elements in f32 if these are constants or converted
/// integers; null if there are none.
Value Widening::findUnrounded(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !isNarrow(value.getType()))
    return {};
  if (auto rounding = dyn_cast<ConvertOp>(producer)) {
    Value source = rounding.getOperand();
    Type element = getElementTypeOrSelf(source);
    if (isa<IntegerType>(element))
      return Build(builder, rounding.getLoc()).convert(source, builder.getF32Type());
    return element.isF32() ? source : Value();
  }
  APFloat number(0.0f);
  if (arrayType(value).getRank() == 0 && matchPattern(value, m_ConstantFloat(&number)))
    return Build(builder, value.getLoc()).scalar(builder.getF32Type(), number.convertToDouble());
  if (!isRearrangement(producer))
    return {};
  Value source = findUnrounded(producer->getOperand(0));
  if (!source)
    return {};
  IRMapping operands;
  operands.map(producer->getOperand(0), source);
  Value moved = builder.clone(*producer, operands)->getResult(0);
  moved.setType(arrayType(value).clone(builder.getF32Type()));
  return moved;
}

/// `value` in f32, unrounded where possible. Made behind the value, where all users can read it.
Value Widening::getWide(Value value) {
  Value &found = wide[value];
  if (found)
    return found;
  builder.setInsertionPointAfterValue(value);
  found = findUnrounded(value);
  if (!found)
    found = Build(builder, value.getLoc()).convert(value, builder.getF32Type());
  return found;
}

/// Lets `op` compute f32, which are rounded for its users.
void Widening::widenResult(Operation *op) {
  Value result = op->getResult(0);
  RankedTensorType narrow = arrayType(result);
  result.setType(narrow.clone(builder.getF32Type()));
  builder.setInsertionPointAfter(op);
  Value rounded = Build(builder, op->getLoc()).convert(result, narrow.getElementType());
  result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  wide[rounded] = result;
  ++widened;
}

void Widening::visit(Operation *op) {
  if (canWiden(op) && savesRounding(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isNarrow(operand.get().getType()))
        operand.set(getWide(operand.get()));
    if (isNarrow(op->getResult(0).getType()))
      widenResult(op);
    return;
  }
  if (isa<DotOp, ConvolutionOp>(op) && isNarrow(op->getResult(0).getType()) &&
      reachesElementwise(op))
    return widenResult(op);
  auto conversion = dyn_cast<ConvertOp>(op);
  if (!conversion)
    return;
  builder.setInsertionPoint(op);
  Value unrounded = findUnrounded(conversion.getOperand());
  if (!unrounded)
    return;
  conversion.getOperandMutable().assign(unrounded);
  if (unrounded.getType() == conversion.getType())
    conversion.replaceAllUsesWith(unrounded);
}

unsigned Widening::run() {
  for (Operation &op : llvm::make_early_inc_range(body))
    visit(&op);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return widened;
}

struct KeepExcessPrecision : hloc::impl::KeepExcessPrecisionBase<KeepExcessPrecision> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (target->excessPrecision)
      getOperation()->walk(
          [&](KernelOp kernel) { widened += Widening(kernel.getBody().front()).run(); });
  }
};

} // namespace
