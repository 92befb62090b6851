// SPDX-License-Identifier: Apache-2.0
#include "codegen/math/Expr.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hloc {

Type Expr::element() const { return getElementTypeOrSelf(value.getType()); }
unsigned Expr::width() const { return element().getIntOrFloatBitWidth(); }
bool Expr::isFloat() const { return isa<FloatType>(element()); }

Type Expr::typeOf(Type elementType) const {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(elementType);
  return elementType;
}
Type Expr::intType(unsigned width) const { return typeOf(b->getIntegerType(width)); }

static Expr makeConstant(const Expr &like, Type type, TypedAttr scalar) {
  TypedAttr attr = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(scalar));
  return {like.b, arith::ConstantOp::create(*like.b, attr)};
}

Expr Expr::real(double constant) const {
  return makeConstant(*this, value.getType(), b->getFloatAttr(element(), constant));
}
Expr Expr::integer(int64_t constant) const {
  return makeConstant(*this, value.getType(),
                      b->getIntegerAttr(element(), APInt(width(), constant, true, true)));
}
Expr Expr::fromBits(uint64_t bits) const {
  APFloat number(cast<FloatType>(element()).getFloatSemantics(), APInt(width(), bits, false, true));
  return makeConstant(*this, value.getType(), b->getFloatAttr(element(), number));
}

template <typename FloatOp, typename IntOp> static Expr binary(Expr x, Expr y) {
  if (x.isFloat())
    return {x.b, FloatOp::create(*x.b, x.value, y.value)};
  return {x.b, IntOp::create(*x.b, x.value, y.value)};
}

Expr operator+(Expr x, Expr y) { return binary<arith::AddFOp, arith::AddIOp>(x, y); }
Expr operator-(Expr x, Expr y) { return binary<arith::SubFOp, arith::SubIOp>(x, y); }
Expr operator*(Expr x, Expr y) { return binary<arith::MulFOp, arith::MulIOp>(x, y); }
Expr operator/(Expr x, Expr y) { return {x.b, arith::DivFOp::create(*x.b, x.value, y.value)}; }
Expr operator-(Expr x) {
  return x.isFloat() ? Expr{x.b, arith::NegFOp::create(*x.b, x.value)} : x.integer(0) - x;
}
Expr operator&(Expr x, Expr y) { return {x.b, arith::AndIOp::create(*x.b, x.value, y.value)}; }
Expr operator|(Expr x, Expr y) { return {x.b, arith::OrIOp::create(*x.b, x.value, y.value)}; }
Expr operator^(Expr x, Expr y) { return {x.b, arith::XOrIOp::create(*x.b, x.value, y.value)}; }
Expr operator!(Expr x) { return x ^ x.integer(-1); }

static Expr compare(Expr x, Expr y, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  if (x.isFloat())
    return {x.b, arith::CmpFOp::create(*x.b, floats, x.value, y.value)};
  return {x.b, arith::CmpIOp::create(*x.b, integers, x.value, y.value)};
}
Expr lt(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Expr le(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Expr gt(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Expr ge(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Expr eq(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Expr ne(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Expr ult(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::ULT, arith::CmpIPredicate::ult);
}
Expr isNan(Expr x) { return ne(x, x); }

Expr select(Expr condition, Expr onTrue, Expr onFalse) {
  return {onTrue.b,
          arith::SelectOp::create(*onTrue.b, condition.value, onTrue.value, onFalse.value)};
}
// Written so that they match the hardware's max and min, which return the second operand for NaN.
Expr atLeast(Expr x, Expr limit) { return select(gt(limit, x), limit, x); }
Expr atMost(Expr x, Expr limit) { return select(lt(limit, x), limit, x); }

Expr fma(Expr x, Expr y, Expr z) {
  return {x.b, math::FmaOp::create(*x.b, x.value, y.value, z.value)};
}
Expr multiplyAdd(Expr x, Expr y, Expr z) {
  return {x.b, emitMultiplyAdd(*x.b, x.value, y.value, z.value)};
}
Expr sqrt(Expr x) { return {x.b, math::SqrtOp::create(*x.b, x.value)}; }
Expr abs(Expr x) { return {x.b, math::AbsFOp::create(*x.b, x.value)}; }
Expr copysign(Expr magnitude, Expr sign) {
  return {sign.b, math::CopySignOp::create(*sign.b, magnitude.value, sign.value)};
}
Expr trunc(Expr x) { return {x.b, math::TruncOp::create(*x.b, x.value)}; }
Expr floor(Expr x) { return {x.b, math::FloorOp::create(*x.b, x.value)}; }
Expr roundeven(Expr x) { return {x.b, math::RoundEvenOp::create(*x.b, x.value)}; }

Expr shl(Expr x, Expr amount) { return {x.b, arith::ShLIOp::create(*x.b, x.value, amount.value)}; }
Expr lshr(Expr x, Expr amount) {
  return {x.b, arith::ShRUIOp::create(*x.b, x.value, amount.value)};
}
Expr ashr(Expr x, Expr amount) {
  return {x.b, arith::ShRSIOp::create(*x.b, x.value, amount.value)};
}
Expr shl(Expr x, int64_t amount) { return shl(x, x.integer(amount)); }
Expr lshr(Expr x, int64_t amount) { return lshr(x, x.integer(amount)); }
Expr ashr(Expr x, int64_t amount) { return ashr(x, x.integer(amount)); }

Expr bitsOf(Expr x) { return {x.b, arith::BitcastOp::create(*x.b, x.intType(x.width()), x.value)}; }
Expr asFloat(Expr bits) {
  Type element = bits.width() == 64 ? Type(bits.b->getF64Type()) : Type(bits.b->getF32Type());
  return {bits.b, arith::BitcastOp::create(*bits.b, bits.typeOf(element), bits.value)};
}
Expr sext(Expr x, unsigned width) {
  if (x.width() == width)
    return x;
  return {x.b, arith::ExtSIOp::create(*x.b, x.intType(width), x.value)};
}
Expr zext(Expr x, unsigned width) {
  if (x.width() == width)
    return x;
  return {x.b, arith::ExtUIOp::create(*x.b, x.intType(width), x.value)};
}
Expr truncInt(Expr x, unsigned width) {
  if (x.width() == width)
    return x;
  return {x.b, arith::TruncIOp::create(*x.b, x.intType(width), x.value)};
}
Expr toF32(Expr x) {
  Type type = x.typeOf(x.b->getF32Type());
  if (x.width() == 32)
    return x;
  if (x.width() > 32)
    return {x.b, arith::TruncFOp::create(*x.b, type, x.value)};
  return {x.b, arith::ExtFOp::create(*x.b, type, x.value)};
}
Expr toF64(Expr x) {
  if (x.width() == 64)
    return x;
  return {x.b, arith::ExtFOp::create(*x.b, x.typeOf(x.b->getF64Type()), x.value)};
}
Expr toSignedInt(Expr x, unsigned width) {
  return {x.b, arith::FPToSIOp::create(*x.b, x.intType(width), x.value)};
}
Expr fromSignedInt(Expr x, Type element) {
  return {x.b, arith::SIToFPOp::create(*x.b, x.typeOf(element), x.value)};
}
Expr fromUnsignedInt(Expr x, Type element) {
  return {x.b, arith::UIToFPOp::create(*x.b, x.typeOf(element), x.value)};
}

Value getSplatSource(Value x) {
  while (auto broadcast = x.getDefiningOp<vector::BroadcastOp>())
    x = broadcast.getSource();
  return x;
}

Value anyOf(Expr condition) {
  if (!isa<VectorType>(condition.value.getType()))
    return condition.value;
  return vector::ReductionOp::create(*condition.b, vector::CombiningKind::OR, condition.value);
}

Expr horner(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.real(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, x.real(c));
  return sum;
}

Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  if (coefficients.size() < 6)
    return horner(x, coefficients);
  SmallVector<double> even, odd;
  for (auto [i, c] : llvm::enumerate(coefficients))
    (i % 2 ? odd : even).push_back(c);
  Expr square = x * x;
  return multiplyAdd(horner(square, odd), x, horner(square, even));
}

Pair fastTwoSum(Expr x, Expr y) {
  Expr sum = x + y;
  return {sum, y - (sum - x)};
}
Pair twoSum(Expr x, Expr y) {
  Expr sum = x + y;
  Expr part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}
Pair twoProduct(Expr x, Expr y) {
  Expr product = x * y;
  return {product, fma(x, y, -product)};
}

SmallVector<Expr> ifAny(Expr condition, ArrayRef<Expr> otherwise,
                        function_ref<SmallVector<Expr>()> then) {
  ImplicitLocOpBuilder &b = *condition.b;
  SmallVector<Type> types;
  for (Expr e : otherwise)
    types.push_back(e.value.getType());
  // Without the hint, LLVM would compute a short `then` each time and select.
  Value expected = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value isTaken = LLVM::ExpectOp::create(b, anyOf(condition), expected);
  auto branch = scf::IfOp::create(b, types, isTaken, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> results;
  for (Expr e : then())
    results.push_back(e.value);
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(branch.elseBlock());
  results.clear();
  for (Expr e : otherwise)
    results.push_back(e.value);
  scf::YieldOp::create(b, results);
  SmallVector<Expr> merged;
  for (Value v : branch.getResults())
    merged.push_back({&b, v});
  return merged;
}

} // namespace hloc
