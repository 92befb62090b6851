// SPDX-License-Identifier: Apache-2.0
// Convolutions with sparse operands and scaled dots, rewritten with the dense, unscaled operands
// that these represent, which are computed where they are read. Test:
// test/passes/expand/expand-sparse-operands.hlo.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

} // namespace

/// Stored element e along the sparse dimension belongs to block e / (stride * kept), and to row e %
/// stride of it.
Value hloc::makeDense(Build build, Value values, Value indices, SparsityAttr sparsity) {
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

namespace {

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

/// True if f32 suffices for values times scales, which are exact for formats of up to 8 bits except
/// for overflow.
bool fitsSingle(Value operand, Value scale, Type result) {
  auto isNarrow = [](Value value) {
    auto real = dyn_cast<FloatType>(arrayType(value).getElementType());
    return real && real.getWidth() <= 32;
  };
  return isNarrow(operand) && isNarrow(scale) && !result.isF64();
}

/// Each element of the scale applies to a block of the operand, a scalar to all of it.
Value applyScale(Build build, Value operand, Value scale, Type wide) {
  RankedTensorType type = arrayType(operand);
  if (isa<ComplexType>(type.getElementType()))
    wide = type.getElementType();
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

/// True if products and sums of numbers of this type cannot overflow in f32.
bool isSmall(Value array) {
  auto real = cast<FloatType>(arrayType(array).getElementType());
  return llvm::APFloat::semanticsMaxExponent(real.getFloatSemantics()) <= 16;
}

/// The magnitude of the greatest element, or of the type's greatest number, as an f64 scalar.
Value findLargest(Build build, Value array) {
  Type f64 = build.builder.getF64Type();
  auto real = cast<FloatType>(arrayType(array).getElementType());
  if (isSmall(array))
    return build.scalar(f64, llvm::APFloat::getLargest(real.getFloatSemantics()).convertToDouble());
  Type f32 = build.builder.getF32Type();
  Value sizes = build.unary<AbsOp>(build.convert(array, f32));
  Value largest =
      build.reduce(sizes, build.scalar(f32, 0.0), iotaVector(arrayType(array).getRank()),
                   MaximumOp::getOperationName());
  return build.convert(largest, f64);
}

/// A scaled dot as the dot of scaled operands, in f32 if that does not overflow. A scale of 2^127
/// may be undone by the other operand's: if the scales at run time show that a factor or a sum
/// could overflow where the result does not, f64 is used.
struct ExpandScaledDot : OpRewritePattern<ScaledDotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaledDotOp op, PatternRewriter &rewriter) const override {
    Build build(rewriter, op.getLoc());
    Type result = arrayType(op).getElementType(), f32 = build.builder.getF32Type(),
         f64 = build.builder.getF64Type();
    bool single = fitsSingle(op.getLhs(), op.getLhsScale(), result) &&
                  fitsSingle(op.getRhs(), op.getRhsScale(), result);
    bool alwaysFits = single && llvm::all_of(op->getOperands(), isSmall);
    if (!single || alwaysFits) {
      rewriter.replaceOp(op, makeDot(build, op, single ? f32 : f64));
      return success();
    }
    Value fits = tensor::ExtractOp::create(rewriter, op.getLoc(), staysFinite(build, op), {});
    auto dotOf = [&](Type wide) {
      return [&op, wide](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, makeDot(Build(inner, loc), op, wide));
      };
    };
    auto choice = scf::IfOp::create(rewriter, op.getLoc(), fits, dotOf(f32), dotOf(f64));
    rewriter.replaceOp(op, choice.getResults());
    return success();
  }

private:
  static Value makeDot(Build build, ScaledDotOp op, Type wide) {
    Value lhs = applyScale(build, op.getLhs(), op.getLhsScale(), wide);
    Value rhs = applyScale(build, op.getRhs(), op.getRhsScale(), wide);
    // By default, a dot sums in the type of its result.
    RankedTensorType type = arrayType(op);
    if (isa<FloatType>(type.getElementType()) && wide.isF64())
      type = type.clone(wide);
    Value sums = DotOp::create(build.builder, build.loc, type, lhs, rhs, op.getLhsBatchDims(),
                               op.getRhsBatchDims(), op.getLhsContractingDims(),
                               op.getRhsContractingDims(), ArrayAttr(), DotAlgorithmAttr());
    return build.convert(sums, arrayType(op).getElementType());
  }

  /// True if neither a scaled operand nor a sum of products can exceed the range of f32.
  static Value staysFinite(Build build, ScaledDotOp op) {
    Value left = build.mul(findLargest(build, op.getLhs()), findLargest(build, op.getLhsScale()));
    Value right = build.mul(findLargest(build, op.getRhs()), findLargest(build, op.getRhsScale()));
    double terms = 1;
    for (int64_t dimension : op.getLhsContractingDims())
      terms *= double(arrayType(op.getLhs()).getDimSize(dimension));
    auto isBelow = [&](Value size) { return build.compare(size, 0x1p126, Direction::LE); };
    Value sum = build.mul(build.mul(left, right), terms);
    return build.bitAnd(build.bitAnd(isBelow(left), isBelow(right)), isBelow(sum));
  }
};

} // namespace

void hloc::populateSparseOperandExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandSparseConvolution, ExpandScaledDot>(patterns.getContext());
}
