// SPDX-License-Identifier: Apache-2.0
// Batch normalizations as reductions and elementwise operations. Test:
// test/passes/expand/expand-operations.mlir.
#include "passes/Build.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// What the three operations share: statistics over all dimensions but `feature`, in f32 for
/// narrower types.
struct BatchNorm {
  Build build;
  BatchNormElements elements;
  RankedTensorType type; // of the operand, with the element type of the computation
  int64_t feature;
  double epsilon;
  SmallVector<int64_t> others;
  Type narrow;

  template <typename Op>
  BatchNorm(OpBuilder &builder, Op op, Value x, const BatchNormElements &elements)
      : build(builder, op.getLoc()), elements(elements), feature(op.getFeatureIndex()),
        epsilon(op.getEpsilon().convertToDouble()) {
    auto operand = arrayType(x);
    narrow = operand.getElementType();
    bool isNarrow = isa<FloatType>(narrow) && narrow.getIntOrFloatBitWidth() < 32;
    type = operand.clone(isNarrow ? Type(builder.getF32Type()) : narrow);
    for (int64_t dimension : iotaVector(type.getRank()))
      if (dimension != feature)
        others.push_back(dimension);
  }

  Value widen(Value value) { return build.convert(value, type.getElementType()); }
  Value finish(Value value) { return build.convert(value, narrow); }
  Value spread(Value value) { return build.broadcast(value, type.getShape(), {feature}); }
  Value sum(Value value) {
    if (elements.inside)
      value = build.select(elements.inside, value, build.splatLike(value, 0));
    return build.reduceSum(value, others);
  }
  /// `sum` divided by the number of elements of each feature.
  Value average(Value sum) {
    if (elements.count)
      return build.div(sum, build.broadcast(widen(elements.count), arrayType(sum).getShape(), {}));
    return build.div(sum, double(product(type.getShape())) /
                              double(std::max<int64_t>(type.getDimSize(feature), 1)));
  }
  /// 1 / sqrt(variance + epsilon)
  Value inverseDeviation(Value variance) {
    return build.unary<RsqrtOp>(build.add(variance, epsilon));
  }
};

struct ExpandTraining : OpRewritePattern<BatchNormTrainingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormTrainingOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, batchNormTraining(rewriter, op, op->getOperands(), {}));
    return success();
  }
};

struct ExpandInference : OpRewritePattern<BatchNormInferenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormInferenceOp op, PatternRewriter &rewriter) const override {
    BatchNorm norm(rewriter, op, op.getOperand(), {});
    Build &build = norm.build;
    Value centered = build.sub(norm.widen(op.getOperand()), norm.spread(norm.widen(op.getMean())));
    Value factor =
        build.mul(norm.inverseDeviation(norm.widen(op.getVariance())), norm.widen(op.getScale()));
    Value scaled = build.mul(centered, norm.spread(factor));
    Value result = build.add(scaled, norm.spread(norm.widen(op.getOffset())));
    rewriter.replaceOp(op, norm.finish(result));
    return success();
  }
};

struct ExpandGrad : OpRewritePattern<BatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormGradOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, batchNormGrad(rewriter, op, op->getOperands(), {}));
    return success();
  }
};

} // namespace

SmallVector<Value> hloc::batchNormTraining(OpBuilder &builder, BatchNormTrainingOp op,
                                           ValueRange operands, const BatchNormElements &elements) {
  BatchNorm norm(builder, op, operands[0], elements);
  Build &build = norm.build;
  Value x = norm.widen(operands[0]), scale = operands[1], offset = operands[2];
  Value mean = norm.average(norm.sum(x));
  Value centered = build.sub(x, norm.spread(mean));
  Value variance = norm.average(norm.sum(build.mul(centered, centered)));
  Value factor = build.mul(norm.inverseDeviation(variance), norm.widen(scale));
  Value scaled = build.mul(centered, norm.spread(factor));
  Value result = build.add(scaled, norm.spread(norm.widen(offset)));
  return {norm.finish(result), norm.finish(mean), norm.finish(variance)};
}

/// With d = x - mean, r = 1/sqrt(variance + epsilon), n the number of elements of a feature:
///   offset' = sum(g), scale' = sum(g d) r,
///   x' = scale r (g - sum(g)/n - d r^2 sum(g d)/n)
SmallVector<Value> hloc::batchNormGrad(OpBuilder &builder, BatchNormGradOp op, ValueRange operands,
                                       const BatchNormElements &elements) {
  BatchNorm norm(builder, op, operands[0], elements);
  Build &build = norm.build;
  Value scale = norm.widen(operands[1]), mean = norm.widen(operands[2]);
  Value grad = norm.widen(operands[4]);
  Value centered = build.sub(norm.widen(operands[0]), norm.spread(mean));
  Value inverse = norm.inverseDeviation(norm.widen(operands[3]));
  Value sumOfGrad = norm.sum(grad), sumOfProducts = norm.sum(build.mul(grad, centered));
  Value scaleGrad = build.mul(sumOfProducts, inverse);
  Value slope = norm.average(build.mul(sumOfProducts, build.mul(inverse, inverse)));
  Value inner = build.sub(grad, norm.spread(norm.average(sumOfGrad)));
  inner = build.sub(inner, build.mul(centered, norm.spread(slope)));
  Value factor = build.mul(scale, inverse);
  Value operandGrad = build.mul(norm.spread(factor), inner);
  return {norm.finish(operandGrad), norm.finish(scaleGrad), norm.finish(sumOfGrad)};
}

void hloc::populateBatchNormExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandTraining, ExpandInference, ExpandGrad>(patterns.getContext());
}
