// SPDX-License-Identifier: Apache-2.0
// Rules for elementwise arithmetic. All are exact: they give the same bits for every input, except
// for NaN payloads. Test: test/passes/simplify/simplify-arithmetic.mlir.
#include "compiler/hlo/ElementType.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

bool isInteger(Value value) { return arrayType(value).getElementType().isIntOrIndex(); }
bool hasPreds(Value value) { return hlo::isPred(arrayType(value).getElementType()); }
bool isFloat(Value value) { return isa<FloatType>(arrayType(value).getElementType()); }

/// True if all elements are the integer with all bits set (for pred: true).
bool isAllOnes(Value value) {
  std::optional<APSInt> integer = getSplatInteger(value);
  return integer && integer->isAllOnes();
}

/// Applies a rule on (lhs, constant) of a commutative operation in both orders.
template <typename Op> Value eitherWay(Op op, Value (*rule)(Value, Value)) {
  if (Value value = rule(op.getLhs(), op.getRhs()))
    return value;
  return rule(op.getRhs(), op.getLhs());
}

//===- Sums and products ---------------------------------------------------===//

/// -0 is the identity of floating-point addition: -0 + 0 is 0.
Value addZero(AddOp op, Build) {
  return eitherWay(
      op, +[](Value x, Value y) { return isSplatOf(y, isInteger(y) ? 0.0 : -0.0) ? x : Value(); });
}

Value addNegated(AddOp op, Build build) {
  if (auto negate = op.getRhs().getDefiningOp<NegateOp>())
    return build.sub(op.getLhs(), negate.getOperand());
  if (auto negate = op.getLhs().getDefiningOp<NegateOp>())
    return build.sub(op.getRhs(), negate.getOperand());
  return nullptr;
}

Value subtractZero(SubtractOp op, Build) {
  return isSplatOf(op.getRhs(), 0) ? op.getLhs() : Value();
}

Value subtractNegated(SubtractOp op, Build build) {
  auto negate = op.getRhs().getDefiningOp<NegateOp>();
  return negate ? build.add(op.getLhs(), negate.getOperand()) : Value();
}

Value subtractSelf(SubtractOp op, Build build) {
  return op.getLhs() == op.getRhs() && isInteger(op) ? build.splatLike(op, 0) : Value();
}

Value multiplyOne(MultiplyOp op, Build) {
  return eitherWay(
      op, +[](Value x, Value y) {
        bool isOne = hasPreds(y)
                         ? isAllOnes(y)
                         : isSplatOf(y, 1) && !isa<ComplexType>(arrayType(y).getElementType());
        return isOne ? x : Value();
      });
}

Value multiplyIntegerZero(MultiplyOp op, Build) {
  return eitherWay(
      op, +[](Value, Value y) { return isInteger(y) && isSplatOf(y, 0) ? y : Value(); });
}

Value divideByOne(DivideOp op, Build) {
  bool isReal = !isa<ComplexType>(arrayType(op).getElementType());
  return isReal && isSplatOf(op.getRhs(), 1) ? op.getLhs() : Value();
}

/// The inverse of a power of two is exact if it is a normal number.
Value divideByPowerOfTwo(DivideOp op, Build build) {
  std::optional<APFloat> divisor = getSplatFloat(op.getRhs());
  if (!divisor || !isFloat(op))
    return nullptr;
  APFloat inverse(divisor->getSemantics());
  if (!divisor->getExactInverse(&inverse))
    return nullptr;
  bool losesInfo;
  inverse.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return build.mul(op.getLhs(), inverse.convertToDouble());
}

Value divideUnsignedByPowerOfTwo(DivideOp op, Build build) {
  std::optional<APSInt> divisor = getSplatInteger(op.getRhs());
  if (!divisor || !arrayType(op).getElementType().isUnsignedInteger() || !divisor->isPowerOf2())
    return nullptr;
  return build.shiftRight(op.getLhs(), divisor->logBase2());
}

Value remainderOfUnsignedByPowerOfTwo(RemainderOp op, Build build) {
  std::optional<APSInt> divisor = getSplatInteger(op.getRhs());
  if (!divisor || !arrayType(op).getElementType().isUnsignedInteger() || !divisor->isPowerOf2())
    return nullptr;
  Value mask = build.scalar(arrayType(op).getElementType(), *divisor - 1);
  return build.bitAnd(op.getLhs(), build.broadcastLike(mask, op, {}));
}

/// x^2, x^3, x^1, 1/x. The cube rounds twice, as `power` itself may.
Value powerOfSmallInteger(PowerOp op, Build build) {
  Value x = op.getLhs(), y = op.getRhs();
  if (!isFloat(x) && !isInteger(x))
    return nullptr;
  if (isSplatOf(y, 1))
    return x;
  if (isSplatOf(y, 2))
    return build.mul(x, x);
  if (isSplatOf(y, 3) &&
      (isInteger(x) || arrayType(x).getElementType().getIntOrFloatBitWidth() >= 32))
    return build.mul(build.mul(x, x), x);
  if (isSplatOf(y, -1) && isFloat(x))
    return build.div(build.splatLike(x, 1), x);
  return nullptr;
}

/// x^0.5 is sqrt(x), except that it is inf for -inf and 0 for -0.
Value powerOneHalf(PowerOp op, Build build) {
  Value x = op.getLhs();
  if (!isFloat(x) || !isSplatOf(op.getRhs(), 0.5))
    return nullptr;
  double infinity = std::numeric_limits<double>::infinity();
  Value root = build.unary<SqrtOp>(build.add(x, 0.0));
  return build.select(build.compare(x, -infinity, Direction::EQ), build.splatLike(x, infinity),
                      root);
}

//===- One operation undoes another ----------------------------------------===//

template <typename Op> Value involution(Op op, Build) {
  auto inner = op.getOperand().template getDefiningOp<Op>();
  return inner ? inner.getOperand() : Value();
}

template <typename Op> Value idempotent(Op op, Build) {
  return op.getOperand().template getDefiningOp<Op>() ? op.getOperand() : Value();
}

Value absOfNegate(AbsOp op, Build build) {
  auto negate = op.getOperand().getDefiningOp<NegateOp>();
  return negate && !isa<ComplexType>(arrayType(negate).getElementType())
             ? build.unary<AbsOp>(negate.getOperand())
             : Value();
}

Value realOfComplex(RealOp op, Build) {
  auto complex = op.getOperand().getDefiningOp<ComplexOp>();
  return complex ? complex.getLhs() : Value();
}

Value imagOfComplex(ImagOp op, Build) {
  auto complex = op.getOperand().getDefiningOp<ComplexOp>();
  return complex ? complex.getRhs() : Value();
}

Value complexOfParts(ComplexOp op, Build) {
  auto real = op.getLhs().getDefiningOp<RealOp>();
  auto imag = op.getRhs().getDefiningOp<ImagOp>();
  return real && imag && real.getOperand() == imag.getOperand() &&
                 real.getOperand().getType() == op.getType()
             ? real.getOperand()
             : Value();
}

/// The real part of a real number.
Value realOfReal(RealOp op, Build) {
  return op.getOperand().getType() == op.getType() ? op.getOperand() : Value();
}

//===- Bits and choices ----------------------------------------------------===//

Value andIdentity(AndOp op, Build) {
  if (op.getLhs() == op.getRhs())
    return op.getLhs();
  return eitherWay(
      op, +[](Value x, Value y) { return isAllOnes(y)      ? x
                                         : isSplatOf(y, 0) ? y
                                                           : Value(); });
}

Value orIdentity(OrOp op, Build) {
  if (op.getLhs() == op.getRhs())
    return op.getLhs();
  return eitherWay(
      op, +[](Value x, Value y) { return isSplatOf(y, 0) ? x
                                         : isAllOnes(y)  ? y
                                                         : Value(); });
}

Value xorZero(XorOp op, Build) {
  return eitherWay(op, +[](Value x, Value y) { return isSplatOf(y, 0) ? x : Value(); });
}

template <typename Op> Value shiftByZero(Op op, Build) {
  return isSplatOf(op.getRhs(), 0) ? op.getLhs() : Value();
}

// APInt's own predicates treat numbers as unsigned.
bool isLowestInteger(const APSInt &value) {
  return value.isUnsigned() ? value.isMinValue() : value.isMinSignedValue();
}

bool isHighestInteger(const APSInt &value) {
  return value.isUnsigned() ? value.isMaxValue() : value.isMaxSignedValue();
}

Value maximumOfLowest(MaximumOp op, Build) {
  return eitherWay(
      op, +[](Value x, Value y) {
        std::optional<APFloat> real = getSplatFloat(y);
        std::optional<APSInt> integer = getSplatInteger(y);
        bool isLowest = real ? real->isInfinity() && real->isNegative()
                             : integer && !hasPreds(y) && isLowestInteger(*integer);
        return isLowest || x == y ? x : Value();
      });
}

Value minimumOfHighest(MinimumOp op, Build) {
  return eitherWay(
      op, +[](Value x, Value y) {
        std::optional<APFloat> real = getSplatFloat(y);
        std::optional<APSInt> integer = getSplatInteger(y);
        bool isHighest = real ? real->isInfinity() && !real->isNegative()
                              : integer && !hasPreds(y) && isHighestInteger(*integer);
        return isHighest || x == y ? x : Value();
      });
}

Value selectKnown(SelectOp op, Build) {
  if (op.getOnTrue() == op.getOnFalse())
    return op.getOnTrue();
  std::optional<APSInt> pred = getSplatInteger(op.getPred());
  return pred ? (pred->isZero() ? op.getOnFalse() : op.getOnTrue()) : Value();
}

Value selectByNegation(SelectOp op, Build build) {
  auto negation = op.getPred().getDefiningOp<NotOp>();
  return negation ? build.select(negation.getOperand(), op.getOnFalse(), op.getOnTrue()) : Value();
}

Value compareSelf(CompareOp op, Build build) {
  if (op.getLhs() != op.getRhs() || !isInteger(op.getLhs()))
    return nullptr;
  Direction direction = op.getDirection();
  return build.splatLike(op, direction == Direction::EQ || direction == Direction::LE ||
                                 direction == Direction::GE);
}

/// convert(pred) != 0, > 0, == 1, ... is the pred.
Value compareConvertedPred(CompareOp op, Build) {
  auto convert = op.getLhs().getDefiningOp<ConvertOp>();
  if (!convert || !hasPreds(convert.getOperand()) ||
      !(isInteger(op.getLhs()) || isFloat(op.getLhs())))
    return nullptr;
  Direction direction = op.getDirection();
  bool isNegative = arrayType(convert).getElementType().isSignedInteger(1); // true is -1 in s1
  bool isAboveZero = isSplatOf(op.getRhs(), 0) &&
                     (direction == Direction::NE || (direction == Direction::GT && !isNegative));
  bool isOne =
      isSplatOf(op.getRhs(), 1) && (direction == Direction::EQ || direction == Direction::GE);
  return isAboveZero || isOne ? convert.getOperand() : Value();
}

//===- Conversions ---------------------------------------------------------===//

/// True if every value of `from` is a value of `to`.
bool isLossless(Type from, Type to) {
  if (from == to)
    return true;
  if (from.isIntOrIndex() && to.isIntOrIndex()) {
    unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
    if (hlo::isPred(to))
      return false;
    return isZeroExtended(from)
               ? toWidth > fromWidth || (isZeroExtended(to) && toWidth == fromWidth)
               : !isZeroExtended(to) && toWidth >= fromWidth;
  }
  auto toFloat = dyn_cast<FloatType>(to);
  if (!toFloat || !(to.isF64() || to.isF32()))
    return false;
  if (from.isIntOrIndex())
    return from.getIntOrFloatBitWidth() <= toFloat.getFPMantissaWidth();
  auto fromFloat = dyn_cast<FloatType>(from);
  if (!fromFloat)
    return false;
  // All types of up to 16 bits are subsets of f32, and f32 of f64. E8M0 has f32's exponents.
  return from.getIntOrFloatBitWidth() <= 16 || (from.isF32() && to.isF64());
}

Value convertToSame(ConvertOp op, Build) {
  return op.getOperand().getType() == op.getType() ? op.getOperand() : Value();
}

/// The first of two conversions can be dropped if it is lossless, except where it goes through a
/// float, from which integers that do not fit saturate.
Value convertTwice(ConvertOp op, Build build) {
  auto inner = op.getOperand().getDefiningOp<ConvertOp>();
  if (!inner)
    return nullptr;
  Type from = arrayType(inner.getOperand()).getElementType(),
       middle = arrayType(inner).getElementType();
  Type to = arrayType(op).getElementType();
  if (!isLossless(from, middle))
    return nullptr;
  bool mayOverflow =
      from.isIntOrIndex() && to.isIntOrIndex() && !hlo::isPred(to) && !isLossless(from, to);
  if (mayOverflow && isa<FloatType>(middle))
    return nullptr;
  return build.convert(inner.getOperand(), to);
}

Value bitcastConvertTwice(BitcastConvertOp op, Build build) {
  if (op.getOperand().getType() == op.getType())
    return op.getOperand();
  auto inner = op.getOperand().getDefiningOp<BitcastConvertOp>();
  return inner && inner.getOperand().getType() == op.getType() ? inner.getOperand() : Value();
}

} // namespace

void hloc::populateArithmeticRules(RewritePatternSet &patterns) {
  addRule<AddOp>(patterns, "x + 0 = x", addZero);
  addRule<AddOp>(patterns, "x + -y = x - y", addNegated);
  addRule<SubtractOp>(patterns, "x - 0 = x", subtractZero);
  addRule<SubtractOp>(patterns, "x - -y = x + y", subtractNegated);
  addRule<SubtractOp>(patterns, "x - x = 0 of integers", subtractSelf);
  addRule<MultiplyOp>(patterns, "x * 1 = x", multiplyOne);
  addRule<MultiplyOp>(patterns, "x * 0 = 0 of integers", multiplyIntegerZero);
  addRule<DivideOp>(patterns, "x / 1 = x", divideByOne);
  addRule<DivideOp>(patterns, "x / 2^k = x * 2^-k", divideByPowerOfTwo);
  addRule<DivideOp>(patterns, "x / 2^k = x >> k of unsigned integers", divideUnsignedByPowerOfTwo);
  addRule<RemainderOp>(patterns, "x % 2^k = x & (2^k - 1) of unsigned integers",
                       remainderOfUnsignedByPowerOfTwo);
  addRule<PowerOp>(patterns, "x^k = x * ... * x", powerOfSmallInteger);
  addRule<PowerOp>(patterns, "x^0.5 = sqrt(x), but for -inf and -0", powerOneHalf);

  addRule<NegateOp>(patterns, "-(-x) = x", involution<NegateOp>);
  addRule<NotOp>(patterns, "!!x = x", involution<NotOp>);
  addRule<AbsOp>(patterns, "||x|| = |x|", idempotent<AbsOp>);
  addRule<AbsOp>(patterns, "|-x| = |x|", absOfNegate);
  addRule<FloorOp>(patterns, "floor(floor(x)) = floor(x)", idempotent<FloorOp>);
  addRule<CeilOp>(patterns, "ceil(ceil(x)) = ceil(x)", idempotent<CeilOp>);
  addRule<RealOp>(patterns, "real(complex(x, y)) = x", realOfComplex);
  addRule<RealOp>(patterns, "real(x) = x of reals", realOfReal);
  addRule<ImagOp>(patterns, "imag(complex(x, y)) = y", imagOfComplex);
  addRule<ComplexOp>(patterns, "complex(real(z), imag(z)) = z", complexOfParts);

  addRule<AndOp>(patterns, "x & ~0 = x, x & 0 = 0, x & x = x", andIdentity);
  addRule<OrOp>(patterns, "x | 0 = x, x | ~0 = ~0, x | x = x", orIdentity);
  addRule<XorOp>(patterns, "x ^ 0 = x", xorZero);
  addRule<ShiftLeftOp>(patterns, "x << 0 = x", shiftByZero<ShiftLeftOp>);
  addRule<ShiftRightLogicalOp>(patterns, "x >> 0 = x", shiftByZero<ShiftRightLogicalOp>);
  addRule<ShiftRightArithmeticOp>(patterns, "x >> 0 = x", shiftByZero<ShiftRightArithmeticOp>);
  addRule<MaximumOp>(patterns, "max(x, lowest) = x", maximumOfLowest);
  addRule<MinimumOp>(patterns, "min(x, highest) = x", minimumOfHighest);
  addRule<SelectOp>(patterns, "select(true, x, y) = x", selectKnown);
  addRule<SelectOp>(patterns, "select(!p, x, y) = select(p, y, x)", selectByNegation);
  addRule<CompareOp>(patterns, "x == x of integers", compareSelf);
  addRule<CompareOp>(patterns, "convert(p) != 0 = p", compareConvertedPred);

  addRule<ConvertOp>(patterns, "convert to the same type", convertToSame);
  addRule<ConvertOp>(patterns, "convert(convert(x)), the inner lossless", convertTwice);
  addRule<BitcastConvertOp>(patterns, "bitcast_convert there and back", bitcastConvertTwice);
}
