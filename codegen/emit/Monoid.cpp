// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Monoid.h"
#include "codegen/emit/Memory.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

std::optional<Monoid> matchMonoid(hlo::ComputationOp computation) {
  Block &block = computation.getBody().front();
  if (block.getNumArguments() != 2)
    return std::nullopt;
  auto result = cast<hlo::ReturnOp>(block.getTerminator());
  Operation *op = result.getNumOperands() == 1 ? result.getOperand(0).getDefiningOp() : nullptr;
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  Value x = block.getArgument(0), y = block.getArgument(1);
  if (!(op->getOperand(0) == x && op->getOperand(1) == y) &&
      !(op->getOperand(0) == y && op->getOperand(1) == x))
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Monoid>>(op)
      .Case<hlo::AddOp>([](auto) { return Monoid::Add; })
      .Case<hlo::MultiplyOp>([](auto) { return Monoid::Multiply; })
      .Case<hlo::MinimumOp>([](auto) { return Monoid::Minimum; })
      .Case<hlo::MaximumOp>([](auto) { return Monoid::Maximum; })
      .Case<hlo::AndOp>([](auto) { return Monoid::And; })
      .Case<hlo::OrOp>([](auto) { return Monoid::Or; })
      .Case<hlo::XorOp>([](auto) { return Monoid::Xor; })
      .Default([](auto) { return std::nullopt; });
}

VectorValue emitMonoid(IndexBuilder &index, Monoid monoid, Type element, VectorValue x,
                       VectorValue y) {
  auto &b = index.b;
  if (x.isUniform() != y.isUniform()) {
    x = broadcastLanes(index, x);
    y = broadcastLanes(index, y);
  }
  if (isa<ComplexType>(element)) {
    if (monoid == Monoid::Multiply) {
      ComplexValue product = emitComplexMultiply(b, {x.re, x.im}, {y.re, y.im});
      return {product.re, product.im};
    }
    if (monoid != Monoid::Add)
      return {};
    return {arith::AddFOp::create(b, x.re, y.re), arith::AddFOp::create(b, x.im, y.im)};
  }
  if (isa<FloatType>(element)) {
    switch (monoid) {
    case Monoid::Add:
      return {arith::AddFOp::create(b, x.re, y.re, index.floatFlags), {}};
    case Monoid::Multiply:
      return {arith::MulFOp::create(b, x.re, y.re), {}};
    case Monoid::Minimum:
      return {arith::MinimumFOp::create(b, x.re, y.re), {}};
    case Monoid::Maximum:
      return {arith::MaximumFOp::create(b, x.re, y.re), {}};
    default:
      return {};
    }
  }
  bool pred = hlo::isPred(element), asUnsigned = hlo::isZeroExtended(element);
  switch (monoid) {
  case Monoid::Add:
    if (pred)
      return {arith::OrIOp::create(b, x.re, y.re), {}};
    return {arith::AddIOp::create(b, x.re, y.re), {}};
  case Monoid::Multiply:
    if (pred)
      return {arith::AndIOp::create(b, x.re, y.re), {}};
    return {arith::MulIOp::create(b, x.re, y.re), {}};
  case Monoid::Minimum:
    if (asUnsigned)
      return {arith::MinUIOp::create(b, x.re, y.re), {}};
    return {arith::MinSIOp::create(b, x.re, y.re), {}};
  case Monoid::Maximum:
    if (asUnsigned)
      return {arith::MaxUIOp::create(b, x.re, y.re), {}};
    return {arith::MaxSIOp::create(b, x.re, y.re), {}};
  case Monoid::And:
    return {arith::AndIOp::create(b, x.re, y.re), {}};
  case Monoid::Or:
    return {arith::OrIOp::create(b, x.re, y.re), {}};
  case Monoid::Xor:
    return {arith::XOrIOp::create(b, x.re, y.re), {}};
  }
  return {};
}

VectorValue emitIdentity(IndexBuilder &index, Monoid monoid, Type element) {
  auto &b = index.b;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    // The identity of multiplication is 1 + 0i, that of addition 0.
    Type part = complex.getElementType();
    bool one = monoid == Monoid::Multiply;
    return {arith::ConstantOp::create(b, b.getFloatAttr(part, one ? 1 : 0)),
            arith::ConstantOp::create(b, b.getFloatAttr(part, 0))};
  }
  if (auto floating = dyn_cast<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    double value = monoid == Monoid::Add        ? -0.0
                   : monoid == Monoid::Multiply ? 1.0
                   : monoid == Monoid::Minimum  ? infinity
                                                : -infinity;
    return {arith::ConstantOp::create(b, b.getFloatAttr(floating, value)), {}};
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool asUnsigned = hlo::isZeroExtended(element);
  APInt value = APInt::getZero(width);
  if (monoid == Monoid::Multiply)
    value = APInt(width, 1);
  else if (monoid == Monoid::And)
    value = APInt::getAllOnes(width);
  else if (monoid == Monoid::Minimum)
    value = asUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  else if (monoid == Monoid::Maximum)
    value = asUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return {arith::ConstantOp::create(b, IntegerAttr::get(b.getIntegerType(width), value)), {}};
}

} // namespace hloc
