// SPDX-License-Identifier: Apache-2.0
// Batch normalizations as reductions and elementwise operations. Test:
// test/passes/expand-batch-norm.mlir.
#include "passes/Build.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// What the three operations share: statistics over all dimensions but `feature`, computed in f32
/// for narrower types.
struct BatchNorm {
  Build build;
  RankedTensorType type; // of the operand, in the type in which it is computed
  int64_t feature;
  double epsilon;
  SmallVector<int64_t> others;
  Type narrow;

  BatchNorm(Operation *op, PatternRewriter &rewriter, int64_t feature, const APFloat &epsilon)
      : build(rewriter, op->getLoc()), feature(feature), epsilon(epsilon.convertToDouble()) {
    auto operand = arrayType(op->getOperand(0));
    narrow = operand.getElementType();
    bool isNarrow = isa<FloatType>(narrow) && narrow.getIntOrFloatBitWidth() < 32;
    type = operand.clone(isNarrow ? Type(rewriter.getF32Type()) : narrow);
    for (int64_t dimension : iotaVector(type.getRank()))
      if (dimension != feature)
        others.push_back(dimension);
  }

  Value widen(Value value) { return build.convert(value, type.getElementType()); }
  Value finish(Value value) { return build.convert(value, narrow); }
  Value spread(Value value) { return build.broadcast(value, type.getShape(), {feature}); }
  Value sum(Value value) { return build.reduceSum(value, others); }
  double count() const {
    return double(product(type.getShape())) /
           double(std::max<int64_t>(type.getDimSize(feature), 1));
  }
  /// 1 / sqrt(variance + epsilon)
  Value inverseDeviation(Value variance) {
    return build.unary<RsqrtOp>(build.add(variance, epsilon));
  }
};

struct ExpandTraining : OpRewritePattern<BatchNormTrainingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormTrainingOp op, PatternRewriter &rewriter) const override {
    BatchNorm norm(op, rewriter, op.getFeatureIndex(), op.getEpsilon());
    Build &build = norm.build;
    Value x = norm.widen(op.getOperand());
    Value mean = build.div(norm.sum(x), norm.count());
    Value centered = build.sub(x, norm.spread(mean));
    Value variance = build.div(norm.sum(build.mul(centered, centered)), norm.count());
    Value factor = build.mul(norm.inverseDeviation(variance), norm.widen(op.getScale()));
    Value scaled = build.mul(centered, norm.spread(factor));
    Value result = build.add(scaled, norm.spread(norm.widen(op.getOffset())));
    rewriter.replaceOp(op, {norm.finish(result), norm.finish(mean), norm.finish(variance)});
    return success();
  }
};

struct ExpandInference : OpRewritePattern<BatchNormInferenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormInferenceOp op, PatternRewriter &rewriter) const override {
    BatchNorm norm(op, rewriter, op.getFeatureIndex(), op.getEpsilon());
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

/// With d = x - mean, r = 1/sqrt(variance + epsilon), n the number of elements of a feature:
///   offset' = sum(g), scale' = sum(g d) r,
///   x' = scale r (g - sum(g)/n - d r^2 sum(g d)/n)
struct ExpandGrad : OpRewritePattern<BatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormGradOp op, PatternRewriter &rewriter) const override {
    BatchNorm norm(op, rewriter, op.getFeatureIndex(), op.getEpsilon());
    Build &build = norm.build;
    Value grad = norm.widen(op.getGradOutput());
    Value centered = build.sub(norm.widen(op.getOperand()), norm.spread(norm.widen(op.getMean())));
    Value inverse = norm.inverseDeviation(norm.widen(op.getVariance()));
    Value sumOfGrad = norm.sum(grad), sumOfProducts = norm.sum(build.mul(grad, centered));
    Value scaleGrad = build.mul(sumOfProducts, inverse);
    Value slope = build.div(build.mul(sumOfProducts, build.mul(inverse, inverse)), norm.count());
    Value inner = build.sub(grad, norm.spread(build.div(sumOfGrad, norm.count())));
    inner = build.sub(inner, build.mul(centered, norm.spread(slope)));
    Value factor = build.mul(norm.widen(op.getScale()), inverse);
    Value operandGrad = build.mul(norm.spread(factor), inner);
    rewriter.replaceOp(op,
                       {norm.finish(operandGrad), norm.finish(scaleGrad), norm.finish(sumOfGrad)});
    return success();
  }
};

} // namespace

void hloc::populateBatchNormExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandTraining, ExpandInference, ExpandGrad>(patterns.getContext());
}
