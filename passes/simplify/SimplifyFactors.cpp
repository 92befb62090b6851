// SPDX-License-Identifier: Apache-2.0
// Rules that keep the factors of integer dots and convolutions in few bits: 8 or 16 of them are
// multiplied several times as fast as 32, and a program that widens its bytes first, or subtracts
// their zero point, would lose that. Test: test/passes/simplify/simplify-factors.mlir.
#include "compiler/hlo/ElementType.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The widest factors that are multiplied in groups.
constexpr unsigned kMostBits = 16;
/// Operations between a factor and the narrow arrays that it is computed from.
constexpr int kMostDepth = 6;

struct Interval {
  int64_t least, most;

  bool fits(unsigned bits) const {
    return least >= llvm::minIntN(bits) && most <= llvm::maxIntN(bits);
  }
};

bool isNarrow(Type element) {
  return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() <= kMostBits;
}

/// The array of few bits that `value` is a conversion of; null if it is not.
Value getNarrowSource(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert && isNarrow(arrayType(convert.getOperand()).getElementType())
             ? convert.getOperand()
             : Value();
}

/// The values that an array of s32 can have, if it is a sum or difference of arrays of few bits
/// that nothing else uses. Its lowest bits can then be computed from theirs alone.
std::optional<Interval> getInterval(Value value, int depth = 0) {
  if (std::optional<llvm::APSInt> splat = getSplatInteger(value))
    return Interval{splat->getExtValue(), splat->getExtValue()};
  if (Value source = getNarrowSource(value)) {
    auto type = cast<IntegerType>(arrayType(source).getElementType());
    unsigned bits = type.getWidth();
    if (isZeroExtended(type))
      return Interval{0, int64_t(llvm::maxUIntN(bits))};
    return Interval{llvm::minIntN(bits), llvm::maxIntN(bits)};
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<AddOp, SubtractOp>(op) || depth == kMostDepth || !op->hasOneUse())
    return std::nullopt;
  std::optional<Interval> x = getInterval(op->getOperand(0), depth + 1),
                          y = getInterval(op->getOperand(1), depth + 1);
  if (!x || !y)
    return std::nullopt;
  Interval result = isa<AddOp>(op) ? Interval{x->least + y->least, x->most + y->most}
                                   : Interval{x->least - y->most, x->most - y->least};
  return result.fits(31) ? std::optional(result) : std::nullopt;
}

/// `value`, for which there is an interval, with elements of type `element`.
Value computeAs(Build build, Value value, Type element) {
  if (std::optional<llvm::APSInt> splat = getSplatInteger(value))
    return build.broadcast(
        build.scalar(element, splat->extOrTrunc(element.getIntOrFloatBitWidth())),
        arrayType(value).getShape(), {});
  if (Value source = getNarrowSource(value))
    return build.convert(source, element);
  Operation *op = value.getDefiningOp();
  Value x = computeAs(build, op->getOperand(0), element),
        y = computeAs(build, op->getOperand(1), element);
  return isa<AddOp>(op) ? build.add(x, y) : build.sub(x, y);
}

/// The type with the fewest bits that a factor can have; null if it needs more than 16 bits.
Type getNarrowType(Value factor) {
  Type element = arrayType(factor).getElementType();
  if (isNarrow(element))
    return element;
  if (!element.isSignlessInteger(32) || getSplatInteger(factor))
    return nullptr;
  Value source = getNarrowSource(factor);
  if (source && !isPred(arrayType(source).getElementType()))
    return arrayType(source).getElementType();
  std::optional<Interval> interval = getInterval(factor);
  for (unsigned bits : {8u, kMostBits})
    if (interval && interval->fits(bits))
      return IntegerType::get(factor.getContext(), bits);
  return nullptr;
}

/// A dot or convolution of s32 with factors of few bits, which are extended when they are
/// multiplied.
template <typename Op> Value narrowFactors(Op op, Build build) {
  if (!arrayType(op.getResult()).getElementType().isSignlessInteger(32))
    return nullptr;
  Type lhs = getNarrowType(op.getLhs()), rhs = getNarrowType(op.getRhs());
  bool isNew = lhs && rhs &&
               (lhs != arrayType(op.getLhs()).getElementType() ||
                rhs != arrayType(op.getRhs()).getElementType());
  if (!isNew)
    return nullptr;
  auto narrow = [&](Value factor, Type element) {
    if (arrayType(factor).getElementType() == element)
      return factor;
    Value source = getNarrowSource(factor);
    return source && arrayType(source).getElementType() == element
               ? source
               : computeAs(build, factor, element);
  };
  OperationState state(op.getLoc(), op->getName(),
                       {narrow(op.getLhs(), lhs), narrow(op.getRhs(), rhs)}, op->getResultTypes(),
                       op->getAttrs());
  return build.builder.create(state)->getResult(0);
}

} // namespace

void hloc::populateFactorRules(RewritePatternSet &patterns) {
  addRule<DotOp>(patterns, "dot(convert(x), convert(y)) = dot(x, y)", narrowFactors<DotOp>);
  addRule<ConvolutionOp>(patterns, "convolution(convert(x), convert(y)) = convolution(x, y)",
                         narrowFactors<ConvolutionOp>);
}
