// SPDX-License-Identifier: Apache-2.0
// Expands all opcodes to those that fusion and codegen know. Tests: test/passes/expand.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/expand/Expansions.h"
#include "passes/schedule/SortKey.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_EXPANDOPERATIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// min(max(x, low), high), which preserves NaN.
struct ExpandClamp : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    Build build(rewriter, op.getLoc());
    Value low = build.broadcastLike(op.getMin(), op.getOperand(), {});
    Value high = build.broadcastLike(op.getMax(), op.getOperand(), {});
    Value raised = build.binary<MaximumOp>(op.getOperand(), low);
    rewriter.replaceOp(op, build.binary<MinimumOp>(raised, high));
    return success();
  }
};

/// Broadcasts a scalar predicate.
struct BroadcastPredicate : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    if (arrayType(op.getPred()).getShape() == arrayType(op).getShape())
      return rewriter.notifyMatchFailure(op, "the predicate has the result's shape");
    Build build(rewriter, op.getLoc());
    Value pred = build.broadcastLike(op.getPred(), op, {});
    rewriter.modifyOpInPlace(op, [&] { op.getPredMutable().assign(pred); });
    return success();
  }
};

/// Sorts (value, position) pairs and keeps the first k. The order is total, and equal values are
/// ordered by position.
Value expandTopk(Build build, Value operand, int64_t k, bool largest, Value &positions) {
  RankedTensorType type = arrayType(operand);
  int64_t dimension = type.getRank() - 1;
  Type element = type.getElementType(), index = build.builder.getI32Type();
  auto module = build.builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  Location loc = build.loc;
  Type value = RankedTensorType::get({}, element), position = RankedTensorType::get({}, index);
  auto comparator = createComputation(
      module, largest ? "descending" : "ascending", {value, value, position, position},
      [&](OpBuilder &builder, ValueRange arguments) {
        Build inner(builder, loc);
        return SmallVector<Value>{inner.compare(arguments[0], arguments[1],
                                                largest ? Direction::GT : Direction::LT,
                                                /*totalOrder=*/isa<FloatType>(element))};
      });
  Value iota = build.iota(type.getShape(), index, dimension);
  auto sort =
      SortOp::create(build.builder, loc, TypeRange{type, iota.getType()}, ValueRange{operand, iota},
                     dimension, /*is_stable=*/true, comparator.getSymName());
  positions = build.sliceOf(sort.getResult(1), dimension, 0, k);
  return build.sliceOf(sort.getResult(0), dimension, 0, k);
}

/// True if a kernel selects the first k without sorting everything: few of many, of up to 32 bits.
bool isSelection(RankedTensorType type, int64_t k) {
  Type element = type.getElementType();
  int64_t size = type.getShape().back();
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 32 &&
         element.getIntOrFloatBitWidth() >= 8 && !isNegativeZeroNan(element) && k <= 1024 &&
         size >= 512 && size >= 8 * k && size < (int64_t(1) << 31);
}

struct ExpandTopk : OpRewritePattern<TopkOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopkOp op, PatternRewriter &rewriter) const override {
    if (isSelection(op.getOperand().getType(), op.getK()))
      return rewriter.notifyMatchFailure(op, "a kernel selects");
    Build build(rewriter, op.getLoc());
    Value positions;
    Value values = expandTopk(build, op.getOperand(), op.getK(), op.getLargest(), positions);
    rewriter.replaceOp(op, {values, positions});
    return success();
  }
};

struct ExpandTopkCall : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CustomCallOp op, PatternRewriter &rewriter) const override {
    if (op.getCustomCallTarget() != "TopK" || op.getNumResults() != 2 || op.getInputs().size() != 1)
      return rewriter.notifyMatchFailure(op, "not a TopK");
    Build build(rewriter, op.getLoc());
    Value positions;
    int64_t k = arrayType(op.getResult(0)).getShape().back();
    if (isSelection(arrayType(op.getInputs()[0]), k)) {
      rewriter.replaceOpWithNewOp<TopkOp>(op, op.getResultTypes(), op.getInputs()[0], k,
                                          /*largest=*/true, /*is_stable=*/true);
      return success();
    }
    Value values = expandTopk(build, op.getInputs()[0], k, /*largest=*/true, positions);
    rewriter.replaceOp(op, {values, positions});
    return success();
  }
};

/// Complex transforms use the sizes of the array. A different length affects only the divisor of
/// the inverse.
struct MatchFftLengths : OpRewritePattern<FftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FftOp op, PatternRewriter &rewriter) const override {
    bool isInverse = op.getFftType() == FftType::IFFT;
    ArrayRef<int64_t> lengths = op.getFftLength();
    ArrayRef<int64_t> sizes = arrayType(op.getOperand()).getShape().take_back(lengths.size());
    if ((op.getFftType() != FftType::FFT && !isInverse) || lengths == sizes)
      return rewriter.notifyMatchFailure(op, "lengths are sizes");
    Build build(rewriter, op.getLoc());
    if (llvm::is_contained(lengths, 0)) {
      rewriter.replaceOp(op, build.zero(op.getType()));
      return success();
    }
    Value result =
        FftOp::create(rewriter, op.getLoc(), op.getType(), op.getOperand(), op.getFftType(), sizes);
    if (isInverse && op.getType().getNumElements() > 0)
      result = build.mul(result, double(product(sizes)) / double(product(lengths)));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Splits a vector of start indices into a scalar per dimension.
template <typename Op> struct SplitIndices : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    OperandRange starts = op.getStartIndices();
    if (starts.size() != 1 || arrayType(starts[0]).getRank() != 1)
      return rewriter.notifyMatchFailure(op, "indices are scalars");
    Build build(rewriter, op.getLoc());
    SmallVector<Value> scalars;
    for (int64_t i : iotaVector(arrayType(starts[0]).getDimSize(0)))
      scalars.push_back(build.reshape(build.sliceOf(starts[0], 0, i, i + 1), {}));
    rewriter.modifyOpInPlace(op, [&] { op.getStartIndicesMutable().assign(scalars); });
    return success();
  }
};

/// Complex numbers of another width: reinterpreted as twice as many real elements, real part first.
struct ExpandComplexBitcast : OpRewritePattern<BitcastConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BitcastConvertOp op, PatternRewriter &rewriter) const override {
    auto from = dyn_cast<ComplexType>(arrayType(op.getOperand()).getElementType());
    auto to = dyn_cast<ComplexType>(arrayType(op).getElementType());
    if (!from || !to || from == to)
      return rewriter.notifyMatchFailure(op, "not complex numbers of two widths");
    Build build(rewriter, op.getLoc());
    auto apart = [](RankedTensorType type) { // its shape with the parts as a minor dimension
      SmallVector<int64_t> shape(type.getShape());
      shape.push_back(2);
      return RankedTensorType::get(shape,
                                   cast<ComplexType>(type.getElementType()).getElementType());
    };
    auto partOf = [&]<typename Op>(Op *) -> Value {
      auto type = arrayType(op.getOperand()).clone(from.getElementType());
      Value part = Op::create(rewriter, op.getLoc(), type, op.getOperand());
      SmallVector<int64_t> shape(type.getShape());
      shape.push_back(1);
      return build.reshape(part, shape);
    };
    int64_t rank = arrayType(op.getOperand()).getRank(), resultRank = arrayType(op).getRank();
    Value parts = build.concatenate({partOf((RealOp *)nullptr), partOf((ImagOp *)nullptr)}, rank);
    parts = BitcastConvertOp::create(rewriter, op.getLoc(), apart(arrayType(op)), parts);
    auto pick = [&](int64_t i) {
      return build.reshape(build.sliceOf(parts, resultRank, i, i + 1), arrayType(op).getShape());
    };
    rewriter.replaceOpWithNewOp<ComplexOp>(op, op.getType(), pick(0), pick(1));
    return success();
  }
};

/// In computations on scalars, which kernels apply lane by lane, a dot of single elements is a
/// product.
struct ExpandElementDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    auto isOne = [](Value value) { return arrayType(value).getNumElements() == 1; };
    if (!isa<ComputationOp>(op->getParentOp()) || !isOne(op.getLhs()) || !isOne(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "not of single elements in a computation");
    Build build(rewriter, op.getLoc());
    auto type = arrayType(op);
    auto get = [&](Value value) {
      return build.reshape(build.convert(value, type.getElementType()), type.getShape());
    };
    rewriter.replaceOp(op, build.mul(get(op.getLhs()), get(op.getRhs())));
    return success();
  }
};

/// Sizes are static here: the run-time size of a dimension is its size.
struct FoldDimensionSize : OpRewritePattern<GetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GetDimensionSizeOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Build(rewriter, op.getLoc())
                               .index(arrayType(op.getOperand()).getDimSize(op.getDimension())));
    return success();
  }
};

/// set_dimension_size to the full size, as TensorFlow emits it after a top-k.
struct FoldFullSize : OpRewritePattern<SetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SetDimensionSizeOp op, PatternRewriter &rewriter) const override {
    if (op.getType() != op.getOperand().getType() ||
        getConstantIndex(op.getSize()) != arrayType(op).getDimSize(op.getDimension()))
      return rewriter.notifyMatchFailure(op, "the size is not known to be all of the dimension");
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

struct ExpandOperations : hloc::impl::ExpandOperationsBase<ExpandOperations> {
  void runOnOperation() override {
    dropAssociativityHints(getOperation());
    RewritePatternSet patterns(&getContext());
    populateBatchNormExpansions(patterns);
    populateComparatorExpansions(patterns);
    populateElementComputationExpansions(patterns);
    populateLapackCallExpansions(patterns);
    populateLinearAlgebraExpansions(patterns);
    populateNarrowExtremeExpansions(patterns);
    populateProductTypeExpansions(patterns);
    populateRaggedDotExpansions(patterns);
    populateRandomExpansions(patterns);
    populateScanExpansions(patterns);
    populateSparseCallExpansions(patterns);
    populateSparseOperandExpansions(patterns);
    populateWindowExpansions(patterns);
    populateSmallExpansions(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

void hloc::populateSmallExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandClamp, BroadcastPredicate, ExpandTopk, ExpandTopkCall, MatchFftLengths,
               SplitIndices<DynamicSliceOp>, SplitIndices<DynamicUpdateSliceOp>, FoldDimensionSize,
               FoldFullSize, ExpandComplexBitcast, ExpandElementDot>(patterns.getContext());
}
