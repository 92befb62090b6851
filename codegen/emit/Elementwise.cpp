// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Elementwise.h"
#include "codegen/emit/Memory.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "mlir/IR/Matchers.h"
#include "passes/Build.h"
#include "passes/schedule/SortKey.h"
#include "passes/simplify/Match.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

/// Floats narrower than f32 are computed in f32 and rounded once per operation.
static bool isNarrowFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// What is known of the result of `op`, computed in f32 from bf16 numbers: an instruction that
/// returns NaN for NaN copies an operand's digits, or has digits in the high half only.
static BrainSource getBrainSource(Operation *op) {
  if (isa<hlo::MaximumOp, hlo::MinimumOp, hlo::ClampOp, hlo::NegateOp, hlo::AbsOp, hlo::CeilOp,
          hlo::FloorOp, hlo::RoundNearestEvenOp>(op))
    return BrainSource::Exact;
  if (isa<hlo::AddOp, hlo::SubtractOp, hlo::MultiplyOp, hlo::DivideOp, hlo::SqrtOp>(op))
    return BrainSource::Computed;
  return BrainSource::Any;
}

/// What is known of the f32 result of an operation that is not arithmetic on f32.
static BrainSource getLeafSource(Operation *op) {
  APFloat number(0.0f);
  if (matchPattern(op, m_ConstantFloat(&number))) {
    bool isShort = number.bitcastToAPInt().countr_zero() >= 16;
    return isShort ? BrainSource::Exact : number.isNaN() ? BrainSource::Any : BrainSource::Computed;
  }
  auto convert = dyn_cast<hlo::ConvertOp>(op);
  if (!convert)
    return BrainSource::Any;
  Type from = arrayType(convert.getOperand()).getElementType();
  if (from.isBF16() || (from.isIntOrFloat() && from.getIntOrFloatBitWidth() <= 8))
    return BrainSource::Exact;
  // No integer becomes NaN.
  return isa<IntegerType>(from) ? BrainSource::Computed : BrainSource::Any;
}

/// What is known of the f32 elements of `value`, which a kernel may have computed from bf16: the
/// least of what is known of all that they are computed from.
static BrainSource findBrainSource(Value value) {
  constexpr unsigned limit = 64; // operations
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  BrainSource source = BrainSource::Exact;
  bool hasExtremes = false;
  for (unsigned i = 0; i < values.size() && source != BrainSource::Any; ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || i == limit)
      return BrainSource::Any;
    hasExtremes |= isa<hlo::MaximumOp, hlo::MinimumOp, hlo::ClampOp>(op);
    bool selects = isa<hlo::SelectOp>(op);
    BrainSource arithmetic =
        selects || isRearrangement(op) ? BrainSource::Exact : getBrainSource(op);
    if (arithmetic == BrainSource::Any) {
      source = std::min(source, getLeafSource(op));
      continue;
    }
    source = std::min(source, arithmetic);
    values.insert_range(op->getOperands().drop_front(selects));
  }
  // An extreme of a NaN and another number is a NaN with digits of both, or with all digits.
  return hasExtremes && source == BrainSource::Computed ? BrainSource::Any : source;
}

VectorValue emitSelect(IndexBuilder &index, Value condition, VectorValue x, VectorValue y) {
  bool vectors = isa<VectorType>(condition.getType()) || !x.isUniform() || !y.isUniform();
  if (vectors && index.getLanes() > 1) {
    x = broadcastLanes(index, x);
    y = broadcastLanes(index, y);
  }
  auto choose = [&](Value a, Value c) -> Value {
    return a ? index.b.createOrFold<arith::SelectOp>(condition, a, c) : Value();
  };
  return {choose(x.re, y.re), choose(x.im, y.im)};
}

VectorValue emitConvertLanes(IndexBuilder &index, VectorValue value, Type from, Type to) {
  auto &b = index.b;
  auto fromComplex = dyn_cast<ComplexType>(from), toComplex = dyn_cast<ComplexType>(to);
  Type fromPart = fromComplex ? fromComplex.getElementType() : from;
  Type toPart = toComplex ? toComplex.getElementType() : to;
  if (fromComplex && !toComplex && hlo::isPred(to)) {
    Value re = emitConvert(b, value.re, fromPart, to), im = emitConvert(b, value.im, fromPart, to);
    return {arith::OrIOp::create(b, re, im), {}};
  }
  VectorValue result{emitConvert(b, value.re, fromPart, toPart), {}};
  if (!toComplex)
    return result;
  if (fromComplex) {
    result.im = emitConvert(b, value.im, fromPart, toPart);
  } else {
    result.im = arith::ConstantOp::create(b, b.getZeroAttr(result.re.getType()));
  }
  return result;
}

VectorValue emitConstant(IndexBuilder &index, Type element, ArrayRef<char> bytes) {
  auto &b = index.b;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    size_t half = bytes.size() / 2;
    return {emitConstant(index, complex.getElementType(), bytes.take_front(half)).re,
            emitConstant(index, complex.getElementType(), bytes.drop_front(half)).re};
  }
  uint64_t bits = 0;
  memcpy(&bits, bytes.data(), std::min<size_t>(bytes.size(), 8));
  Type type = getRegisterType(element);
  if (auto floating = dyn_cast<FloatType>(type)) {
    APInt raw(floating.getWidth(), bits, false, /*implicitTrunc=*/true);
    return {arith::ConstantOp::create(
                b, FloatAttr::get(type, APFloat(floating.getFloatSemantics(), raw))),
            {}};
  }
  APInt raw(type.getIntOrFloatBitWidth(), bits, false, /*implicitTrunc=*/true);
  return {arith::ConstantOp::create(b, IntegerAttr::get(type, raw)), {}};
}

//===-- Arithmetic by kind of element ---------------------------------------------------------===//

namespace {

/// One operation on operands that are all scalars or all vectors. Floats are f32 or f64 here.
class ScalarOps {
public:
  ScalarOps(IndexBuilder &index, Operation *op, ArrayRef<VectorValue> operands, Type element)
      : b(index.b), op(op), operands(operands), element(element), flags(index.floatFlags) {}

  Value onPred() {
    Value x = operands[0].re, y = operands.size() > 1 ? operands[1].re : Value();
    return TypeSwitch<Operation *, Value>(op)
        .Case<hlo::AddOp, hlo::MaximumOp, hlo::OrOp>(
            [&](auto) { return b.createOrFold<arith::OrIOp>(x, y); })
        .Case<hlo::MultiplyOp, hlo::MinimumOp, hlo::AndOp>(
            [&](auto) { return b.createOrFold<arith::AndIOp>(x, y); })
        .Case<hlo::XorOp>([&](auto) { return b.createOrFold<arith::XOrIOp>(x, y); })
        .Case<hlo::NotOp>([&](auto) { return b.createOrFold<arith::XOrIOp>(x, ones(x)); })
        .Default([](auto) { return Value(); });
  }

  Value onIntegers() {
    Value x = operands[0].re, y = operands.size() > 1 ? operands[1].re : Value();
    bool isSigned = !hlo::isZeroExtended(element);
    return TypeSwitch<Operation *, Value>(op)
        .Case<hlo::AddOp>([&](auto) { return b.createOrFold<arith::AddIOp>(x, y); })
        .Case<hlo::SubtractOp>([&](auto) { return b.createOrFold<arith::SubIOp>(x, y); })
        .Case<hlo::MultiplyOp>([&](auto) { return b.createOrFold<arith::MulIOp>(x, y); })
        .Case<hlo::DivideOp>([&](auto) {
          return isSigned ? emitSignedDivide(b, x, y) : emitUnsignedDivide(b, x, y);
        })
        .Case<hlo::RemainderOp>([&](auto) {
          return isSigned ? emitSignedRemainder(b, x, y) : emitUnsignedRemainder(b, x, y);
        })
        .Case<hlo::MaximumOp>([&](auto) -> Value {
          return isSigned ? b.createOrFold<arith::MaxSIOp>(x, y)
                          : b.createOrFold<arith::MaxUIOp>(x, y);
        })
        .Case<hlo::MinimumOp>([&](auto) -> Value {
          return isSigned ? b.createOrFold<arith::MinSIOp>(x, y)
                          : b.createOrFold<arith::MinUIOp>(x, y);
        })
        .Case<hlo::AndOp>([&](auto) { return b.createOrFold<arith::AndIOp>(x, y); })
        .Case<hlo::OrOp>([&](auto) { return b.createOrFold<arith::OrIOp>(x, y); })
        .Case<hlo::XorOp>([&](auto) { return b.createOrFold<arith::XOrIOp>(x, y); })
        .Case<hlo::NotOp>([&](auto) { return b.createOrFold<arith::XOrIOp>(x, ones(x)); })
        .Case<hlo::NegateOp>([&](auto) { return b.createOrFold<arith::SubIOp>(zero(x), x); })
        .Case<hlo::AbsOp>([&](auto) { return isSigned ? emitIntegerAbs(b, x) : x; })
        .Case<hlo::SignOp>([&](auto) -> Value {
          if (isSigned)
            return emitIntegerSign(b, x);
          return arith::ExtUIOp::create(b, x.getType(), emitNonZero(b, x));
        })
        .Case<hlo::PowerOp>([&](auto) { return emitIntegerPower(b, x, y, isSigned); })
        .Case<hlo::MulhiOp>(
            [&](auto) { return isSigned ? emitSignedMulhi(b, x, y) : emitUnsignedMulhi(b, x, y); })
        .Case<hlo::ShiftLeftOp>([&](auto) { return emitShiftLeft(b, x, y); })
        .Case<hlo::ShiftRightLogicalOp>([&](auto) { return emitShiftRightLogical(b, x, y); })
        .Case<hlo::ShiftRightArithmeticOp>([&](auto) { return emitShiftRightArithmetic(b, x, y); })
        .Case<hlo::PopcntOp>([&](auto) { return emitPopcnt(b, x); })
        .Case<hlo::CountLeadingZerosOp>([&](auto) { return emitCountLeadingZeros(b, x); })
        .Case<hlo::ClampOp>([&](auto) -> Value {
          Value z = operands[2].re;
          if (isSigned)
            return b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::MaxSIOp>(x, y), z);
          return b.createOrFold<arith::MinUIOp>(b.createOrFold<arith::MaxUIOp>(x, y), z);
        })
        .Default([](auto) { return Value(); });
  }

  Value onFloats() {
    Value x = operands[0].re, y = operands.size() > 1 ? operands[1].re : Value();
    return TypeSwitch<Operation *, Value>(op)
        .Case<hlo::AddOp>([&](auto) { return arith::AddFOp::create(b, x, y, flags); })
        .Case<hlo::SubtractOp>([&](auto) { return arith::SubFOp::create(b, x, y, flags); })
        .Case<hlo::MultiplyOp>([&](auto) { return arith::MulFOp::create(b, x, y, flags); })
        .Case<hlo::DivideOp>([&](auto) { return arith::DivFOp::create(b, x, y, flags); })
        .Case<hlo::MaximumOp>([&](auto) { return arith::MaximumFOp::create(b, x, y); })
        .Case<hlo::MinimumOp>([&](auto) { return arith::MinimumFOp::create(b, x, y); })
        .Case<hlo::ClampOp>([&](auto) {
          return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, x, y), operands[2].re);
        })
        .Case<hlo::RemainderOp>([&](auto) { return emitRemainder(b, x, y); })
        .Case<hlo::PowerOp>([&](auto) { return emitPower(b, x, y); })
        .Case<hlo::Atan2Op>([&](auto) { return emitAtan2(b, x, y); })
        .Case<hlo::NegateOp>([&](auto) { return arith::NegFOp::create(b, x); })
        .Case<hlo::AbsOp>([&](auto) { return math::AbsFOp::create(b, x); })
        .Case<hlo::CeilOp>([&](auto) { return math::CeilOp::create(b, x); })
        .Case<hlo::FloorOp>([&](auto) { return math::FloorOp::create(b, x); })
        .Case<hlo::RoundNearestEvenOp>([&](auto) { return math::RoundEvenOp::create(b, x); })
        .Case<hlo::RoundNearestAfzOp>([&](auto) { return emitRoundNearestAfz(b, x); })
        .Case<hlo::SignOp>([&](auto) { return emitSign(b, x); })
        .Case<hlo::IsFiniteOp>([&](auto) { return emitIsFinite(b, x); })
        .Case<hlo::RealOp>([&](auto) { return x; })
        .Case<hlo::ImagOp>([&](auto) { return zero(x); })
#define MATH_FUNCTION(operation, emitter, expression)                                              \
  .Case<hlo::operation>([&](auto) { return emitter(b, x); })
#include "codegen/math/Functions.def"
        .Default([](auto) { return Value(); });
  }

  VectorValue onComplex() {
    ComplexValue x{operands[0].re, operands[0].im};
    ComplexValue y =
        operands.size() > 1 ? ComplexValue{operands[1].re, operands[1].im} : ComplexValue{};
    auto lanes = [](ComplexValue z) { return VectorValue{z.re, z.im}; };
    auto parts = [&](auto f) { return VectorValue{f(x.re, y.re), f(x.im, y.im)}; };
    return TypeSwitch<Operation *, VectorValue>(op)
        .Case<hlo::AddOp>([&](auto) {
          return parts(
              [&](Value p, Value q) -> Value { return arith::AddFOp::create(b, p, q, flags); });
        })
        .Case<hlo::SubtractOp>([&](auto) {
          return parts(
              [&](Value p, Value q) -> Value { return arith::SubFOp::create(b, p, q, flags); });
        })
        .Case<hlo::NegateOp>([&](auto) {
          return parts([&](Value p, Value) -> Value { return arith::NegFOp::create(b, p); });
        })
        .Case<hlo::MultiplyOp>([&](auto) { return lanes(emitComplexMultiply(b, x, y)); })
        .Case<hlo::DivideOp>([&](auto) { return lanes(emitComplexDivide(b, x, y)); })
        .Case<hlo::MaximumOp, hlo::MinimumOp>(
            [&](auto) { return lexicographic(x, y, isa<hlo::MaximumOp>(op)); })
        .Case<hlo::PowerOp>([&](auto) { return lanes(emitComplexPower(b, x, y)); })
        .Case<hlo::Atan2Op>([&](auto) { return lanes(emitComplexAtan2(b, x, y)); })
        .Case<hlo::AbsOp>([&](auto) { return VectorValue{emitComplexAbs(b, x), {}}; })
        .Case<hlo::RealOp>([&](auto) { return VectorValue{x.re, {}}; })
        .Case<hlo::ImagOp>([&](auto) { return VectorValue{x.im, {}}; })
        .Case<hlo::SignOp>([&](auto) { return lanes(emitComplexSign(b, x)); })
        .Case<hlo::AcosOp>([&](auto) { return lanes(emitComplexAcos(b, x)); })
        .Case<hlo::AcoshOp>([&](auto) { return lanes(emitComplexAcosh(b, x)); })
        .Case<hlo::AsinOp>([&](auto) { return lanes(emitComplexAsin(b, x)); })
        .Case<hlo::AsinhOp>([&](auto) { return lanes(emitComplexAsinh(b, x)); })
        .Case<hlo::AtanhOp>([&](auto) { return lanes(emitComplexAtanh(b, x)); })
        .Case<hlo::CbrtOp>([&](auto) { return lanes(emitComplexCbrt(b, x)); })
        .Case<hlo::CosineOp>([&](auto) { return lanes(emitComplexCos(b, x)); })
        .Case<hlo::CoshOp>([&](auto) { return lanes(emitComplexCosh(b, x)); })
        .Case<hlo::ExponentialOp>([&](auto) { return lanes(emitComplexExp(b, x)); })
        .Case<hlo::ExponentialMinusOneOp>([&](auto) { return lanes(emitComplexExpm1(b, x)); })
        .Case<hlo::LogOp>([&](auto) { return lanes(emitComplexLog(b, x)); })
        .Case<hlo::LogPlusOneOp>([&](auto) { return lanes(emitComplexLog1p(b, x)); })
        .Case<hlo::LogisticOp>([&](auto) { return lanes(emitComplexLogistic(b, x)); })
        .Case<hlo::RsqrtOp>([&](auto) { return lanes(emitComplexRsqrt(b, x)); })
        .Case<hlo::SineOp>([&](auto) { return lanes(emitComplexSin(b, x)); })
        .Case<hlo::SinhOp>([&](auto) { return lanes(emitComplexSinh(b, x)); })
        .Case<hlo::SqrtOp>([&](auto) { return lanes(emitComplexSqrt(b, x)); })
        .Case<hlo::TanOp>([&](auto) { return lanes(emitComplexTan(b, x)); })
        .Case<hlo::TanhOp>([&](auto) { return lanes(emitComplexTanh(b, x)); })
        .Default([](auto) { return VectorValue{}; });
  }

private:
  Value zero(Value like) { return arith::ConstantOp::create(b, b.getZeroAttr(like.getType())); }
  Value ones(Value like) {
    auto scalar = b.getIntegerAttr(getElementTypeOrSelf(like.getType()), -1);
    if (auto vector = dyn_cast<VectorType>(like.getType()))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(scalar)));
    return arith::ConstantOp::create(b, scalar);
  }

  /// The greater (or lesser) of two complex numbers, compared by real, then by imaginary part.
  VectorValue lexicographic(ComplexValue x, ComplexValue y, bool greater) {
    auto compare = [&](arith::CmpFPredicate predicate, Value p, Value q) -> Value {
      return arith::CmpFOp::create(b, predicate, p, q);
    };
    auto order = greater ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value tie = arith::AndIOp::create(b, compare(arith::CmpFPredicate::OEQ, x.re, y.re),
                                      compare(order, x.im, y.im));
    Value first = arith::OrIOp::create(b, compare(order, x.re, y.re), tie);
    return {arith::SelectOp::create(b, first, x.re, y.re),
            arith::SelectOp::create(b, first, x.im, y.im)};
  }

  ImplicitLocOpBuilder &b;
  Operation *op;
  ArrayRef<VectorValue> operands;
  Type element;
  arith::FastMathFlags flags;
};

} // namespace

/// Bits of a float whose order as signed integers is the total order.
static Value totalOrderKey(ImplicitLocOpBuilder &b, Value x, Type element) {
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    integer = VectorType::get(vector.getShape(), integer);
  Value bits = x.getType() == integer ? x : Value(arith::BitcastOp::create(b, integer, x));
  auto constant = [&](const APInt &value) -> Value {
    Attribute scalar = b.getIntegerAttr(getElementTypeOrSelf(integer), value);
    if (auto vector = dyn_cast<VectorType>(integer))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
    return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
  };
  Value sign = arith::ShRSIOp::create(b, bits, constant(APInt(width, width - 1)));
  Value flip = arith::AndIOp::create(b, sign, constant(APInt::getSignedMaxValue(width)));
  Value key = arith::XOrIOp::create(b, bits, flip);
  if (!isNegativeZeroNan(element))
    return key;
  // Shift negative numbers by one, which makes room for NaN below them.
  Value least = constant(APInt::getSignedMinValue(width));
  Value isNan = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, least);
  return arith::SelectOp::create(b, isNan, least, arith::SubIOp::create(b, key, sign));
}

static Value emitCompare(IndexBuilder &index, hlo::CompareOp op, VectorValue x, VectorValue y,
                         Type element) {
  auto &b = index.b;
  hlo::Direction direction = op.getDirection();
  if (isa<ComplexType>(element)) {
    auto predicate =
        direction == hlo::Direction::NE ? arith::CmpFPredicate::UNE : arith::CmpFPredicate::OEQ;
    Value re = arith::CmpFOp::create(b, predicate, x.re, y.re),
          im = arith::CmpFOp::create(b, predicate, x.im, y.im);
    if (direction == hlo::Direction::NE)
      return arith::OrIOp::create(b, re, im);
    return arith::AndIOp::create(b, re, im);
  }
  bool isFloat = isa<FloatType>(element);
  bool total = isFloat && op.getType() == hlo::ComparisonType::TOTALORDER;
  if (isFloat && !total) {
    if (isNarrowFloat(element)) {
      x.re = emitConvert(b, x.re, element, b.getF32Type());
      y.re = emitConvert(b, y.re, element, b.getF32Type());
    }
    using P = arith::CmpFPredicate;
    static constexpr P predicates[] = {P::OEQ, P::UNE, P::OGE, P::OGT, P::OLE, P::OLT};
    return arith::CmpFOp::create(b, predicates[int(direction)], x.re, y.re);
  }
  using P = arith::CmpIPredicate;
  static constexpr P signedOnes[] = {P::eq, P::ne, P::sge, P::sgt, P::sle, P::slt};
  static constexpr P unsignedOnes[] = {P::eq, P::ne, P::uge, P::ugt, P::ule, P::ult};
  bool hasSign = !isa<Float8E8M0FNUType>(element);
  if (total && hasSign) {
    x.re = totalOrderKey(b, x.re, element);
    y.re = totalOrderKey(b, y.re, element);
  }
  bool asUnsigned = isFloat ? !hasSign : hlo::isZeroExtended(element);
  return b.createOrFold<arith::CmpIOp>((asUnsigned ? unsignedOnes : signedOnes)[int(direction)],
                                       x.re, y.re);
}

static VectorValue emitBitcastConvert(IndexBuilder &index, hlo::BitcastConvertOp op,
                                      VectorValue x) {
  auto &b = index.b;
  Type from = arrayType(op.getOperand()).getElementType(),
       to = arrayType(op.getResult()).getElementType();
  if (isa<ComplexType>(from) || isa<ComplexType>(to))
    return from == to ? x : VectorValue{};
  Type target = getRegisterType(to);
  if (auto vector = dyn_cast<VectorType>(x.re.getType()))
    target = VectorType::get(vector.getShape(), target);
  unsigned fromWidth = getElementTypeOrSelf(x.re.getType()).getIntOrFloatBitWidth();
  unsigned toWidth = getElementTypeOrSelf(target).getIntOrFloatBitWidth();
  if (x.re.getType() == target)
    return x;
  // Conversion between a pred and an integer of its storage width: any non-zero byte is true.
  if (fromWidth < toWidth)
    return {arith::ExtUIOp::create(b, target, x.re), {}};
  if (fromWidth > toWidth)
    return {emitNonZero(b, x.re), {}};
  return {arith::BitcastOp::create(b, target, x.re), {}};
}

VectorValue emitElementwise(IndexBuilder &index, Operation *op, ArrayRef<VectorValue> given) {
  auto &b = index.b;
  SmallVector<VectorValue> operands(given);
  if (llvm::any_of(operands, [](const VectorValue &x) { return !x.isUniform(); }))
    for (VectorValue &operand : operands)
      operand = broadcastLanes(index, operand);
  if (isa<hlo::CopyOp, hlo::ReshapeOp, hlo::BroadcastOp, hlo::TransposeOp, hlo::BitcastOp>(op))
    return operands[0];
  if (auto convert = dyn_cast<hlo::ConvertOp>(op)) {
    Type from = arrayType(convert.getOperand()).getElementType(),
         to = arrayType(convert.getResult()).getElementType();
    if (from.isF32() && to.isBF16())
      return {emitEncodeBrain(b, operands[0].re, findBrainSource(convert.getOperand())), {}};
    return emitConvertLanes(index, operands[0], from, to);
  }
  if (auto cast = dyn_cast<hlo::BitcastConvertOp>(op))
    return emitBitcastConvert(index, cast, operands[0]);
  if (isa<hlo::SelectOp>(op))
    return emitSelect(index, operands[0].re, operands[1], operands[2]);
  if (isa<hlo::ComplexOp>(op))
    return {operands[0].re, operands[1].re};
  if (op->getNumOperands() == 0 || !isa<RankedTensorType>(op->getOperand(0).getType()))
    return {};
  Type element = arrayType(op->getOperand(0)).getElementType();
  if (auto compare = dyn_cast<hlo::CompareOp>(op))
    return {emitCompare(index, compare, operands[0], operands[1], element), {}};
  if (auto stochastic = dyn_cast<hlo::StochasticConvertOp>(op))
    return {emitStochasticConvert(b, operands[0].re, operands[1].re, element,
                                  arrayType(stochastic.getResult()).getElementType()),
            {}};
  if (auto reduce = dyn_cast<hlo::ReducePrecisionOp>(op)) {
    // A number of bits beyond the type's keeps all bits.
    unsigned width = element.getIntOrFloatBitWidth();
    auto atMost = [width](uint64_t bits) { return unsigned(std::min<uint64_t>(bits, width)); };
    return {emitReducePrecision(b, operands[0].re, element, atMost(reduce.getExponentBits()),
                                atMost(reduce.getMantissaBits())),
            {}};
  }
  ScalarOps ops(index, op, operands, element);
  if (isa<ComplexType>(element))
    return ops.onComplex();
  if (hlo::isPred(element))
    return {ops.onPred(), {}};
  if (isa<IntegerType>(element))
    return {ops.onIntegers(), {}};
  if (!isNarrowFloat(element))
    return {ops.onFloats(), {}};
  for (VectorValue &operand : operands)
    operand.re = emitConvert(b, operand.re, element, b.getF32Type());
  Value result = ScalarOps(index, op, operands, b.getF32Type()).onFloats();
  if (!result || isa<hlo::IsFiniteOp>(op))
    return {result, {}};
  if (element.isBF16())
    return {emitEncodeBrain(b, result, getBrainSource(op)), {}};
  return {emitConvert(b, result, b.getF32Type(), element), {}};
}

SmallVector<VectorValue> emitComputation(IndexBuilder &index, hlo::ComputationOp computation,
                                         ArrayRef<VectorValue> arguments) {
  DenseMap<Value, SmallVector<VectorValue>> values;
  Block &block = computation.getBody().front();
  for (auto [argument, lanes] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = {lanes};
  for (Operation &op : block) {
    SmallVector<VectorValue> operands;
    for (Value operand : op.getOperands())
      operands.append(values[operand]);
    if (isa<hlo::ReturnOp>(op))
      return operands;
    if (isa<hlo::TupleOp>(op)) {
      values[op.getResult(0)] = operands;
      continue;
    }
    if (auto element = dyn_cast<hlo::GetTupleElementOp>(op)) {
      values[op.getResult(0)] = {operands[element.getIndex()]};
      continue;
    }
    VectorValue result;
    if (auto constant = dyn_cast<hlo::ConstantOp>(op)) {
      SmallVector<char> storage;
      auto value = cast<ElementsAttr>(constant.getValue());
      result = emitConstant(index, arrayType(constant.getResult()).getElementType(),
                            hlo::getLiteralBytes(value, storage));
    } else {
      result = emitElementwise(index, &op, operands);
    }
    if (!result.re)
      return {VectorValue{}};
    values[op.getResult(0)] = {result};
  }
  return {};
}

} // namespace hloc
