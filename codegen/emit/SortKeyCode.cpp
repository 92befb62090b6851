// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/SortKeyCode.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "passes/Build.h"

using namespace mlir;

namespace hloc {

/// Emits `root`, an elementwise expression of `parameter`.
static VectorValue emitExpression(IndexBuilder &index, Value root, Value parameter,
                                  VectorValue value) {
  if (root == parameter)
    return value;
  Operation *op = root.getDefiningOp();
  if (!op)
    return {};
  if (auto constant = dyn_cast<hlo::ConstantOp>(op)) {
    SmallVector<char> storage;
    return emitConstant(index, arrayType(root).getElementType(),
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

static Value constantLike(IndexBuilder &index, Value x, const APInt &number) {
  auto &b = index.b;
  Attribute scalar = b.getIntegerAttr(b.getIntegerType(number.getBitWidth()), number);
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector.clone(b.getIntegerType(number.getBitWidth())), scalar));
  return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
}

/// How the bits of an element represent its order.
namespace {
enum class Order { Unsigned, Signed, SignAndSize };
} // namespace

static Order orderOf(Type element) {
  if (isa<FloatType>(element) && !isa<Float8E8M0FNUType>(element)) // this one has no sign
    return Order::SignAndSize;
  return isa<FloatType>(element) || hlo::isZeroExtended(element) ? Order::Unsigned : Order::Signed;
}

/// The keys of elements, as unsigned integers of the elements' width.
static Value emitImage(IndexBuilder &index, const SortKey &key, VectorValue value) {
  auto &b = index.b;
  VectorValue lanes = emitExpression(index, key.expression, key.parameter, value);
  if (!lanes.re)
    return {};
  Value x = lanes.re;
  auto constant = [&](const APInt &number) { return constantLike(index, x, number); };
  Type element = arrayType(key.expression).getElementType();
  APInt sign = APInt::getSignMask(key.width);
  if (orderOf(element) == Order::SignAndSize) {
    if (key.width >= 32)
      x = arith::BitcastOp::create(b, shapedLike(x, b.getIntegerType(key.width)), x);
    if (!key.total) {
      Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, constant(sign));
      x = arith::SelectOp::create(b, isZero, constant(APInt(key.width, 0)), x);
      const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
      APInt infinity = APFloat::getInf(semantics).bitcastToAPInt();
      Value size = arith::AndIOp::create(b, x, constant(~sign));
      Value isNan = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, size, constant(infinity));
      x = arith::SelectOp::create(b, isNan, constant(~sign), x);
    }
    // Negative numbers are reversed and come below the positive ones.
    Value flip = arith::ShRSIOp::create(b, x, constant(APInt(key.width, key.width - 1)));
    x = arith::XOrIOp::create(b, x, arith::OrIOp::create(b, flip, constant(sign)));
  } else if (orderOf(element) == Order::Signed) {
    x = arith::XOrIOp::create(b, x, constant(sign));
  }
  if (key.descending)
    x = arith::XOrIOp::create(b, x, constant(APInt::getAllOnes(key.width)));
  return x;
}

Value emitSortKey(IndexBuilder &index, const SortKey &key, VectorValue value) {
  auto &b = index.b;
  Value x = emitImage(index, key, value);
  if (!x || key.width == 32)
    return x;
  if (key.width < 32)
    return arith::ExtUIOp::create(b, shapedLike(x, b.getI32Type()), x);
  if (!key.isLowHalf)
    x = arith::ShRUIOp::create(b, x, constantLike(index, x, APInt(key.width, 32)));
  return arith::TruncIOp::create(b, shapedLike(x, b.getI32Type()), x);
}

Value emitWholeKey(IndexBuilder &index, const SortKey &key, VectorValue element) {
  auto &b = index.b;
  Value x = emitImage(index, key, element);
  if (!x)
    return {};
  if (key.width < 32)
    return arith::ExtUIOp::create(b, shapedLike(x, b.getI32Type()), x);
  return arith::XOrIOp::create(b, x, constantLike(index, x, APInt::getSignMask(key.width)));
}

Value emitElementOfKey(IndexBuilder &index, const SortKey &key, Value whole) {
  auto &b = index.b;
  Value x = whole;
  auto constant = [&](const APInt &number) { return constantLike(index, x, number); };
  APInt sign = APInt::getSignMask(key.width);
  Type element = arrayType(key.parameter).getElementType();
  if (key.width < 32)
    x = arith::TruncIOp::create(b, shapedLike(x, b.getIntegerType(key.width)), x);
  else
    x = arith::XOrIOp::create(b, x, constant(sign));
  if (key.descending)
    x = arith::XOrIOp::create(b, x, constant(APInt::getAllOnes(key.width)));
  if (orderOf(element) == Order::Signed)
    return arith::XOrIOp::create(b, x, constant(sign));
  if (orderOf(element) == Order::Unsigned)
    return x;
  // The first bit says whether the number was reversed.
  Value isPositive = arith::ShRSIOp::create(b, x, constant(APInt(key.width, key.width - 1)));
  Value others = arith::XOrIOp::create(b, isPositive, constant(APInt::getAllOnes(key.width)));
  x = arith::XOrIOp::create(b, x, arith::OrIOp::create(b, others, constant(sign)));
  return key.width >= 32 ? Value(arith::BitcastOp::create(b, shapedLike(x, element), x)) : x;
}

} // namespace hloc
