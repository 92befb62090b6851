// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/SortKeyCode.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"

using namespace mlir;

namespace hloc {

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// `root`, an elementwise expression of `parameter`.
static VectorValue emitExpression(IndexBuilder &index, Value root, Value parameter,
                                  VectorValue value) {
  if (root == parameter)
    return value;
  Operation *op = root.getDefiningOp();
  if (!op)
    return {};
  if (auto constant = dyn_cast<hlo::ConstantOp>(op)) {
    SmallVector<char> storage;
    return emitConstant(index, elementOf(root),
                        hlo::getLiteralBytes(cast<ElementsAttr>(constant.getValue()), storage));
  }
  SmallVector<VectorValue> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(emitExpression(index, operand, parameter, value));
    if (!operands.back().re)
      return {};
  }
  return emitElementwise(index, op, operands);
}

Value emitSortKey(IndexBuilder &index, const SortKey &key, VectorValue value) {
  auto &b = index.b;
  VectorValue lanes = emitExpression(index, key.expression, key.parameter, value);
  if (!lanes.re)
    return {};
  Value x = lanes.re;
  auto shaped = [&](Type type) -> Type {
    auto vector = dyn_cast<VectorType>(x.getType());
    return vector ? Type(VectorType::get(vector.getShape(), type)) : type;
  };
  auto constant = [&](const APInt &number) -> Value {
    Attribute scalar = b.getIntegerAttr(b.getIntegerType(number.getBitWidth()), number);
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
    return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
  };
  Type element = elementOf(key.expression);
  APInt sign = APInt::getSignMask(key.width);
  if (auto floating = dyn_cast<FloatType>(element);
      floating && !isa<Float8E8M0FNUType>(element)) { // that has no sign
    if (key.width >= 32)
      x = arith::BitcastOp::create(b, shaped(b.getIntegerType(key.width)), x);
    if (!key.total) {
      Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, constant(sign));
      x = arith::SelectOp::create(b, isZero, constant(APInt(key.width, 0)), x);
      APInt infinity = APFloat::getInf(floating.getFloatSemantics()).bitcastToAPInt();
      Value size = arith::AndIOp::create(b, x, constant(~sign));
      Value isNan = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, size, constant(infinity));
      x = arith::SelectOp::create(b, isNan, constant(~sign), x);
    }
    // Negative numbers backwards, below the positive ones.
    Value flip = arith::ShRSIOp::create(b, x, constant(APInt(key.width, key.width - 1)));
    x = arith::XOrIOp::create(b, x, arith::OrIOp::create(b, flip, constant(sign)));
  } else if (!floating && !hlo::isZeroExtended(element)) {
    x = arith::XOrIOp::create(b, x, constant(sign));
  }
  if (key.descending)
    x = arith::XOrIOp::create(b, x, constant(APInt::getAllOnes(key.width)));
  if (key.width > 32) {
    if (!key.isLowHalf)
      x = arith::ShRUIOp::create(b, x, constant(APInt(key.width, 32)));
    return arith::TruncIOp::create(b, shaped(b.getI32Type()), x);
  }
  return key.width == 32 ? x : Value(arith::ExtUIOp::create(b, shaped(b.getI32Type()), x));
}

} // namespace hloc
