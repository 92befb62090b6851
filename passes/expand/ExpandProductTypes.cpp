// SPDX-License-Identifier: Apache-2.0
// Dots and convolutions with operands of a more general type than their result. Test:
// test/passes/expand/expand-product-types.hlo.
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/infer/Shape.h"
#include "passes/Build.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// As in XLA, the operands' type if it is complex or floating and the result is not; otherwise
/// operands may be converted first. Sums of less than a byte are computed in bytes and truncated,
/// because tiles of them would share bytes.
Type hloc::getProductSumType(Type lhs, Type rhs, Type result) {
  auto rank = [](Type type) { return isa<ComplexType>(type) ? 2 : isa<FloatType>(type) ? 1 : 0; };
  Type operand = rank(rhs) > rank(lhs) ? rhs : lhs;
  Type sum = rank(operand) > rank(result) ? operand : result;
  if (isPred(result) && !(isPred(lhs) && isPred(rhs))) // true if the sum is not zero
    sum = getHigherPrecision(lhs, rhs);
  if (isPred(sum) || rank(sum) == 2 || sum.getIntOrFloatBitWidth() >= 8)
    return sum;
  MLIRContext *context = sum.getContext();
  if (isa<FloatType>(sum))
    return Float32Type::get(context);
  return IntegerType::get(context, 8,
                          sum.isUnsignedInteger() ? IntegerType::Unsigned : IntegerType::Signless);
}

Type hloc::widenSum(Type sum) {
  if (isa<FloatType>(sum) && sum.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(sum.getContext());
  return sum;
}

namespace {

/// If products are summed in another type than the result's, the dot has that type and is
/// converted.
template <typename Op> struct SumInOperandType : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto elementOf = [](Value value) { return arrayType(value).getElementType(); };
    Type element = elementOf(op),
         sum = getProductSumType(elementOf(op.getLhs()), elementOf(op.getRhs()), element);
    if (sum == element)
      return rewriter.notifyMatchFailure(op, "the result's type holds the products");
    Build build(rewriter, op.getLoc());
    auto wide = cast<Op>(rewriter.clone(*op));
    wide.getResult().setType(arrayType(op).clone(sum));
    rewriter.replaceOp(op, build.convert(wide, element));
    return success();
  }
};

} // namespace

void hloc::populateProductTypeExpansions(RewritePatternSet &patterns) {
  patterns.add<SumInOperandType<DotOp>, SumInOperandType<ConvolutionOp>>(patterns.getContext());
}
