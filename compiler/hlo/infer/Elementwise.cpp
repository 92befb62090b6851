// SPDX-License-Identifier: Apache-2.0
// Elementwise operations. Those whose operands and result have the same type share one rule; the
// element types that they accept are in their definitions.
#include "compiler/hlo/infer/Rules.h"

using namespace mlir;

namespace hloc::hlo {

static unsigned getKind(Type element) {
  if (isComplex(element))
    return Kinds::Complex;
  if (isFloat(element))
    return Kinds::Float;
  if (isPred(element))
    return Kinds::Pred;
  return isUnsigned(element) ? Kinds::Unsigned : Kinds::Signed;
}

static std::string kindsToText(unsigned kinds) {
  SmallVector<StringRef, 5> names;
  for (auto [kind, name] : {std::pair(Kinds::Pred, "pred"),
                            {Kinds::Signed, "a signed integer"},
                            {Kinds::Unsigned, "an unsigned integer"},
                            {Kinds::Float, "a float"},
                            {Kinds::Complex, "complex"}})
    if (kinds & kind)
      names.push_back(name);
  return llvm::join(names, " or ");
}

static LogicalResult expectKind(const Rule &rule, RankedTensorType type, unsigned kinds,
                                const Twine &what) {
  if (getKind(type.getElementType()) & kinds)
    return success();
  return rule.fail(Error::ElementType) << "expected the element type of " << what << " to be "
                                       << kindsToText(kinds) << " but got " << hlo::toText(type);
}

/// The component type of complex numbers; other types unchanged.
static Type getComponent(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

static RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

/// C1: an array of one of `kinds`.
static FailureOr<RankedTensorType> inferUnary(const Rule &rule, Type operand, unsigned kinds) {
  auto array = expectArray(rule, operand, "the operand");
  if (failed(array) || failed(expectKind(rule, *array, kinds, "the operand")))
    return failure();
  return array;
}

/// C2, C3: arrays of one shape and element type. Sizes known in either operand are known in the
/// result, and dynamic in the result if dynamic in either.
static FailureOr<RankedTensorType> mergeArrays(const Rule &rule, RankedTensorType lhs,
                                               RankedTensorType rhs, const Twine &what) {
  if (lhs == rhs)
    return lhs;
  if (failed(expectSameElement(rule, lhs.getElementType(), rhs.getElementType(), what)))
    return failure();
  if (!shapesAgree(lhs, rhs))
    return rule.fail(Error::ShapesDiffer)
           << "expected " << what << " to have shape " << toText(lhs) << " but got " << toText(rhs);
  if (lhs.hasStaticShape() && rhs.hasStaticShape())
    return lhs;
  Shape shape(lhs), other(rhs);
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    if (shape.sizes[d] == kUnbounded) {
      shape.sizes[d] = other.sizes[d];
      shape.dynamic[d] = other.dynamic[d];
    } else if (other.sizes[d] != kUnbounded) {
      shape.dynamic[d] = shape.dynamic[d] || other.dynamic[d];
    }
  }
  return shape.getType();
}

/// C1: arrays of one of `kinds`; C2, C3: of one element type and shape.
static FailureOr<RankedTensorType> inferBinary(const Rule &rule, Type lhs, Type rhs,
                                               unsigned kinds) {
  auto left = expectArray(rule, lhs, "lhs"), right = expectArray(rule, rhs, "rhs");
  if (failed(left) || failed(right) || failed(expectKind(rule, *left, kinds, "lhs")))
    return failure();
  return mergeArrays(rule, *left, *right, "rhs");
}

FailureOr<Type> inferOneType(ValueRange operands, unsigned kinds, const Rule &rule) {
  FailureOr<RankedTensorType> array =
      operands.size() == 1 ? inferUnary(rule, operands[0].getType(), kinds)
                           : inferBinary(rule, operands[0].getType(), operands[1].getType(), kinds);
  if (failed(array))
    return failure();
  return Type(*array);
}

/// Unary operations whose result is real.
static FailureOr<Type> inferComponent(const Rule &rule, Type operand, unsigned kinds) {
  auto array = inferUnary(rule, operand, kinds);
  if (failed(array))
    return failure();
  return Type(withElement(*array, getComponent(array->getElementType())));
}

FailureOr<Type> infer(AbsOp::Adaptor op, const Rule &rule) {
  return inferComponent(rule, op.getOperand().getType(),
                        Kinds::Signed | Kinds::Float | Kinds::Complex);
}

FailureOr<Type> infer(RealOp::Adaptor op, const Rule &rule) {
  return inferComponent(rule, op.getOperand().getType(), Kinds::Float | Kinds::Complex);
}

FailureOr<Type> infer(ImagOp::Adaptor op, const Rule &rule) {
  return inferComponent(rule, op.getOperand().getType(), Kinds::Float | Kinds::Complex);
}

FailureOr<Type> infer(IsFiniteOp::Adaptor op, const Rule &rule) {
  auto array = inferUnary(rule, op.getOperand().getType(), Kinds::Float);
  if (failed(array))
    return failure();
  return Type(withElement(*array, IntegerType::get(array->getContext(), 1)));
}

FailureOr<Type> infer(ComplexOp::Adaptor op, const Rule &rule) {
  auto array = inferBinary(rule, op.getLhs().getType(), op.getRhs().getType(), Kinds::Float);
  if (failed(array))
    return failure();
  Type element = array->getElementType();
  if (!element.isF32() && !element.isF64()) // C4
    return rule.fail(Error::ElementType)
           << "expected the parts to be f32 or f64 but got " << elementToText(element);
  return Type(withElement(*array, ComplexType::get(element)));
}

FailureOr<Type> infer(CompareOp::Adaptor op, const Rule &rule) {
  auto array = inferBinary(rule, op.getLhs().getType(), op.getRhs().getType(), Kinds::Any);
  if (failed(array))
    return failure();
  Type element = array->getElementType();
  Direction direction = op.getDirection();
  if (isComplex(element) && direction != Direction::EQ && direction != Direction::NE) // C4
    return rule.fail(Error::ElementType)
           << "expected direction EQ or NE for complex operands but got "
           << stringifyDirection(direction);
  if (std::optional<ComparisonType> type = op.getType()) { // C5
    bool floats = isFloat(element) || isComplex(element);
    bool fits = *type == ComparisonType::FLOAT        ? floats
                : *type == ComparisonType::TOTALORDER ? isFloat(element)
                : *type == ComparisonType::SIGNED
                    ? isPred(element) || (isInteger(element) && !isUnsigned(element))
                    : isPred(element) || isUnsigned(element);
    if (!fits)
      return rule.fail(Error::ElementType)
             << "comparison type " << stringifyComparisonType(*type) << " does not fit operands of "
             << elementToText(element);
  }
  return Type(withElement(*array, IntegerType::get(array->getContext(), 1)));
}

FailureOr<Type> infer(ClampOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand) ||
      failed(expectKind(rule, *operand, Kinds::Pred | Kinds::Real, "the operand")))
    return failure();
  for (auto [limit, name] : {std::pair(op.getMin(), "min"), {op.getMax(), "max"}}) {
    auto type = expectArray(rule, limit.getType(), name);
    if (failed(type))
      return failure();
    if (type->getRank() == 0) {
      if (failed(expectSameElement(rule, operand->getElementType(), type->getElementType(), name)))
        return failure();
      continue;
    }
    if (failed(mergeArrays(rule, *operand, *type, name)))
      return failure();
  }
  return Type(*operand);
}

FailureOr<Type> infer(SelectOp::Adaptor op, const Rule &rule) {
  auto pred = expectArray(rule, op.getPred().getType(), "pred");
  auto onTrue = expectArray(rule, op.getOnTrue().getType(), "on_true");
  auto onFalse = expectArray(rule, op.getOnFalse().getType(), "on_false");
  if (failed(pred) || failed(onTrue) || failed(onFalse) ||
      failed(expectKind(rule, *pred, Kinds::Pred, "pred")))
    return failure();
  auto merged = mergeArrays(rule, *onTrue, *onFalse, "on_false");
  if (failed(merged))
    return failure();
  if (pred->getRank() != 0 && !shapesAgree(*pred, *merged)) // C4
    return rule.fail(Error::ShapesDiffer)
           << "expected pred to be a scalar or to have the dimensions of " << toText(Type(*merged))
           << " but got " << toText(Type(*pred));
  // If the text states no result shape, the result has the layout of pred, if that is an array.
  if (pred->getRank() != 0 && pred->hasStaticShape() && merged->hasStaticShape())
    return Type(withElement(*pred, merged->getElementType()));
  return Type(*merged);
}

/// The operand's dimensions with the element type that the text states.
static FailureOr<Type> inferConverted(const Rule &rule, Type operand) {
  auto array = expectArray(rule, operand, "the operand");
  auto declared = dyn_cast_or_null<RankedTensorType>(rule.getDeclared());
  if (failed(array))
    return failure();
  if (!declared)
    return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
  return Type(withElement(*array, declared.getElementType()));
}

FailureOr<Type> infer(ConvertOp::Adaptor op, const Rule &rule) {
  return inferConverted(rule, op.getOperand().getType());
}

FailureOr<Type> infer(ReducePrecisionOp::Adaptor op, const Rule &rule) {
  auto array = inferUnary(rule, op.getOperand().getType(), Kinds::Float);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (failed(array) || failed(expectRange(rule, op.getExponentBits(), 1, kMax, "exponent_bits")) ||
      failed(expectRange(rule, op.getMantissaBits(), 0, kMax, "mantissa_bits")))
    return failure();
  return Type(*array);
}

FailureOr<Type> infer(StochasticConvertOp::Adaptor op, const Rule &rule) {
  auto array = inferUnary(rule, op.getOperand().getType(), Kinds::Float);
  auto random = expectArray(rule, op.getRandom().getType(), "random");
  if (failed(array) || failed(random) ||
      failed(expectKind(rule, *random, Kinds::Unsigned, "random")))
    return failure();
  if (getBits(array->getElementType()) != getBits(random->getElementType())) // C2
    return rule.fail(Error::ElementTypesDiffer)
           << "expected random to have the operand's width, " << getBits(array->getElementType())
           << " bits, but got " << toText(Type(*random));
  if (!shapesAgree(*array, *random)) // C3
    return rule.fail(Error::ShapesDiffer)
           << "expected random to have the operand's dimensions, " << toText(Type(*array))
           << ", but got " << toText(Type(*random));
  auto result = inferConverted(rule, *array);
  Type element = succeeded(result) ? getElementTypeOrSelf(*result) : Type();
  if (element && !isInteger(element) && !isFloat(element)) // C4
    return rule.fail(Error::ElementType)
           << "expected a result of integers or floats but got " << toText(*result);
  return result;
}

} // namespace hloc::hlo
