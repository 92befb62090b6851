// SPDX-License-Identifier: Apache-2.0
// Convolutions of sparse operands and dots of scaled ones, as those of the dense, plain operands
// that they stand for. These are computed where they are read, on the way into the product.
// Test: test/passes/expand/expand-sparse-operands.hlo.
#include "passes/Build.h"
#include "passes/expand/Expansions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

/// The shape with dimension `d` replaced by `parts`.
Sizes split(ArrayRef<int64_t> shape, int64_t d, ArrayRef<int64_t> parts) {
  Sizes result(shape.take_front(d));
  llvm::append_range(result, parts);
  llvm::append_range(result, shape.drop_front(d + 1));
  return result;
}

/// The dense operand: of each block `getBlockSize` elements, zeros but for those that are stored.
/// Stored element e along the sparse dimension is of block e / (stride * kept) and of row
/// e % stride in it.
Value makeDense(Build build, Value values, Value indices, SparsityAttr sparsity) {
  int64_t d = sparsity.getDimension(), kept = sparsity.getNonZeros(),
          block = sparsity.getBlockSize(), stride = std::max<int64_t>(sparsity.getStride(), 1);
  Sizes shape(arrayType(values).getShape());
  int64_t stored = shape[d], denseSize = stored / kept * block,
          blocks = llvm::divideCeil(stored, kept * stride);
  auto toBlocks = [&](Value value) { // [..., blocks, kept, 1, stride, ...]
    Sizes zeros(shape.size(), 0), high(zeros);
    high[d] = blocks * kept * stride - stored;
    Value padding = build.scalar(arrayType(value).getElementType(), 0.0);
    value = build.pad(value, padding, zeros, high, zeros);
    return build.reshape(value, split(shape, d, {blocks, kept, 1, stride}));
  };
  values = toBlocks(values);
  indices = build.convert(toBlocks(indices), build.builder.getI64Type());
  Sizes spread = split(shape, d, {blocks, kept, block, stride});
  Sizes own = iotaVector(spread.size());
  auto broadcast = [&](Value value) {
    Sizes without(arrayType(value).getShape()), dims(own);
    without.erase(without.begin() + d + 2);
    dims.erase(dims.begin() + d + 2);
    return build.broadcast(build.reshape(value, without), spread, dims);
  };
  Value place = build.iota(spread, build.builder.getI64Type(), d + 2);
  Value isHere = build.compare(broadcast(indices), place, Direction::EQ);
  Value all = broadcast(values);
  Value dense = build.reduceSum(build.select(isHere, all, build.splatLike(all, 0)), {d + 1});
  dense = build.reshape(dense, split(shape, d, {blocks * block * stride}));
  return build.sliceOf(dense, d, 0, denseSize);
}

struct ExpandSparseConvolution : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op, PatternRewriter &rewriter) const override {
    ArrayAttr config = op.getSparsityConfigAttr();
    if (!config)
      return rewriter.notifyMatchFailure(op, "the operands are dense");
    Build build(rewriter, op.getLoc());
    if (arrayType(op).getNumElements() == 0) {
      rewriter.replaceOp(op, build.zero(arrayType(op)));
      return success();
    }
    SmallVector<Value> operands{op.getLhs(), op.getRhs()};
    for (auto sparsity : config.getAsRange<SparsityAttr>())
      operands[sparsity.getNumber()] = makeDense(build, op.getOperand(sparsity.getNumber()),
                                                 op.getOperand(sparsity.getIndices()), sparsity);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(operands);
      op.removeSparsityConfigAttr();
    });
    return success();
  }
};

/// The number type of a scaled operand: wide enough for values times scales, which are exact for
/// formats of up to 8 bits.
Type scaledType(RankedTensorType operand, RankedTensorType scale, Type result) {
  MLIRContext *context = result.getContext();
  Type element = operand.getElementType();
  auto isNarrow = [](Type type) {
    auto real = dyn_cast<FloatType>(type);
    return real && real.getWidth() <= 32;
  };
  if (isa<ComplexType>(element))
    return element;
  bool narrow = isNarrow(element) && isNarrow(scale.getElementType()) && !result.isF64();
  return narrow ? Type(Float32Type::get(context)) : Float64Type::get(context);
}

/// Each element of the scale stands for a block of the operand; a scalar is for all of it.
Value applyScale(Build build, Value operand, Value scale, Type result) {
  RankedTensorType type = arrayType(operand);
  Type wide = scaledType(type, arrayType(scale), result);
  Value values = build.convert(operand, wide), factors = build.convert(scale, wide);
  if (type.getNumElements() == 0)
    return values;
  Sizes blocks, spread, dims;
  for (auto [size, count] : llvm::zip(type.getShape(), arrayType(scale).getShape())) {
    dims.push_back(spread.size());
    spread.append({count, size / count});
  }
  if (arrayType(scale).getRank() == 0)
    factors = build.broadcastLike(factors, values, {});
  else
    factors = build.reshape(build.broadcast(factors, spread, dims), type.getShape());
  return build.mul(values, factors);
}

struct ExpandScaledDot : OpRewritePattern<ScaledDotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaledDotOp op, PatternRewriter &rewriter) const override {
    Build build(rewriter, op.getLoc());
    Type result = arrayType(op).getElementType();
    Value lhs = applyScale(build, op.getLhs(), op.getLhsScale(), result);
    Value rhs = applyScale(build, op.getRhs(), op.getRhsScale(), result);
    rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), lhs, rhs, op.getLhsBatchDims(),
                                       op.getRhsBatchDims(), op.getLhsContractingDims(),
                                       op.getRhsContractingDims(), ArrayAttr(), DotAlgorithmAttr());
    return success();
  }
};

} // namespace

void hloc::populateSparseOperandExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandSparseConvolution, ExpandScaledDot>(patterns.getContext());
}
