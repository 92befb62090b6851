// SPDX-License-Identifier: Apache-2.0
// Rules for dots and reductions. Test: test/passes/simplify/simplify-contractions.mlir.
#include "compiler/hlo/ElementType.h"
#include "compiler/target/VectorAccess.h"
#include "passes/Computations.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

/// The dimensions of `type` that are in neither list, in order.
Sizes getFree(RankedTensorType type, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
  Sizes free;
  for (int64_t dimension : iotaVector(type.getRank()))
    if (!llvm::is_contained(batch, dimension) && !llvm::is_contained(contracting, dimension))
      free.push_back(dimension);
  return free;
}

/// A dot reads a transposed operand directly, if the free dimensions keep their order.
Value dotOfTranspose(DotOp op, Build build) {
  auto strip = [](Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting,
                  Sizes &newBatch, Sizes &newContracting) -> Value {
    newBatch.assign(batch.begin(), batch.end());
    newContracting.assign(contracting.begin(), contracting.end());
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return operand;
    ArrayRef<int64_t> permutation = transpose.getDimensions();
    int64_t previous = -1;
    for (int64_t dimension : getFree(arrayType(operand), batch, contracting)) {
      if (permutation[dimension] < previous)
        return operand;
      previous = permutation[dimension];
    }
    for (Sizes *list : {&newBatch, &newContracting})
      for (int64_t &dimension : *list)
        dimension = permutation[dimension];
    return transpose.getOperand();
  };
  Sizes lhsBatch, lhsContracting, rhsBatch, rhsContracting;
  Value lhs = strip(op.getLhs(), op.getLhsBatchDims(), op.getLhsContractingDims(), lhsBatch,
                    lhsContracting);
  Value rhs = strip(op.getRhs(), op.getRhsBatchDims(), op.getRhsContractingDims(), rhsBatch,
                    rhsContracting);
  if (lhs == op.getLhs() && rhs == op.getRhs())
    return nullptr;
  return DotOp::create(build.builder, op.getLoc(), op.getType(), lhs, rhs, lhsBatch, rhsBatch,
                       lhsContracting, rhsContracting, op.getOperandPrecisionAttr(),
                       op.getAlgorithmAttr());
}

/// If the result of a dot is transposed so that its two groups of free dimensions are swapped, the
/// operands are swapped instead; also if other dimensions move too, but the minor one comes from
/// the left operand: then rows of the dot with swapped operands remain rows.
Value transposeOfDot(TransposeOp op, Build build) {
  auto dot = op.getOperand().getDefiningOp<DotOp>();
  if (!dot || !dot->hasOneUse())
    return nullptr;
  int64_t batch = dot.getLhsBatchDims().size();
  int64_t lhsFree =
      getFree(arrayType(dot.getLhs()), dot.getLhsBatchDims(), dot.getLhsContractingDims()).size();
  auto type = arrayType(dot);
  int64_t rank = type.getRank(), rhsFree = rank - batch - lhsFree;
  // The dimensions of the result in the order of dot(y, x), and where the transpose has them.
  Sizes swapped = iotaVector(batch), shape, dimensions;
  for (int64_t i = 0; i < rhsFree; ++i)
    swapped.push_back(batch + lhsFree + i);
  for (int64_t i = 0; i < lhsFree; ++i)
    swapped.push_back(batch + i);
  for (int64_t dimension : swapped)
    shape.push_back(type.getDimSize(dimension));
  for (int64_t dimension : op.getDimensions())
    dimensions.push_back(llvm::find(swapped, dimension) - swapped.begin());
  // Unless that leaves no transpose, rows of dot(y, x) must be long enough to be worth reading.
  int64_t minor = op.getDimensions().empty() ? -1 : op.getDimensions().back();
  bool hasRows = minor >= batch && minor < batch + lhsFree && minor == swapped.back() &&
                 type.getDimSize(minor) > kMostInterleaved;
  if (!llvm::is_sorted(dimensions) && !hasRows)
    return nullptr;
  ArrayAttr precision = dot.getOperandPrecisionAttr();
  if (precision && precision.size() == 2)
    precision = build.builder.getArrayAttr({precision[1], precision[0]});
  Value product =
      DotOp::create(build.builder, dot.getLoc(), type.clone(shape), dot.getRhs(), dot.getLhs(),
                    dot.getRhsBatchDims(), dot.getLhsBatchDims(), dot.getRhsContractingDims(),
                    dot.getLhsContractingDims(), precision, dot.getAlgorithmAttr());
  return build.transpose(product, dimensions);
}

/// Products of a few elements each with a small matrix, such as coordinates with a rotation, become
/// sums of products, which can be fused with other elementwise code. The elements of the large
/// operand that are multiplied by the same element must be contiguous.
Value dotWithSmallMatrix(DotOp op, Build build) {
  constexpr int64_t mostProducts = 4, mostElements = 16, leastElements = 1024;
  RankedTensorType type = op.getType(), lhsType = arrayType(op.getLhs()),
                   rhsType = arrayType(op.getRhs());
  Type element = type.getElementType();
  if (!(element.isF32() || element.isF64()) || lhsType.getElementType() != element ||
      rhsType.getElementType() != element || op.getAlgorithmAttr() ||
      op.getLhsContractingDims().size() != 1 || !op.getLhsBatchDims().empty())
    return nullptr;
  int64_t lhsDepth = op.getLhsContractingDims()[0], rhsDepth = op.getRhsContractingDims()[0];
  bool lhsIsSmall = lhsType.getNumElements() <= mostElements;
  RankedTensorType small = lhsIsSmall ? lhsType : rhsType, large = lhsIsSmall ? rhsType : lhsType;
  if (small.getNumElements() > mostElements || small.getNumElements() == 0 ||
      lhsType.getDimSize(lhsDepth) > mostProducts || large.getNumElements() < leastElements ||
      (lhsIsSmall ? rhsDepth : lhsDepth) == large.getRank() - 1)
    return nullptr;
  Sizes lhsFree = getFree(lhsType, {}, lhsDepth), rhsFree = getFree(rhsType, {}, rhsDepth);
  auto factor = [&](Value operand, int64_t depth, ArrayRef<int64_t> free, int64_t k,
                    int64_t firstDimension) {
    Sizes shape, dimensions = iotaVector(free.size());
    for (int64_t dimension : free)
      shape.push_back(arrayType(operand).getDimSize(dimension));
    for (int64_t &dimension : dimensions)
      dimension += firstDimension;
    return build.broadcast(build.reshape(build.sliceOf(operand, depth, k, k + 1), shape),
                           type.getShape(), dimensions);
  };
  Value sum;
  for (int64_t k = 0; k < lhsType.getDimSize(lhsDepth); ++k) {
    Value product = build.mul(factor(op.getLhs(), lhsDepth, lhsFree, k, 0),
                              factor(op.getRhs(), rhsDepth, rhsFree, k, lhsFree.size()));
    sum = sum ? build.add(sum, product) : product;
  }
  return sum;
}

/// A reduction of one array over dimensions of size one applies the computation once.
struct ReduceUnits : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1)
      return rewriter.notifyMatchFailure(op, "several arrays");
    auto type = arrayType(op.getInputs()[0]), resultType = arrayType(op.getResult(0));
    Build build(rewriter, op.getLoc());
    if (type.getNumElements() == 0 && resultType.getNumElements() != 0) {
      rewriter.replaceOp(op, build.broadcast(op.getInitialValues()[0], resultType.getShape(), {}));
      return success();
    }
    if (type.getNumElements() != resultType.getNumElements() || resultType.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "reduces dimensions of several elements");
    ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
    Operation *binary = reducer ? getSingleBinaryOp(reducer) : nullptr;
    if (!binary || !binary->hasTrait<Elementwise>())
      return rewriter.notifyMatchFailure(op, "not one elementwise operation");
    Value init = build.broadcast(op.getInitialValues()[0], resultType.getShape(), {});
    Value element = build.reshape(op.getInputs()[0], resultType.getShape());
    OperationState state(op.getLoc(), binary->getName(), {init, element}, resultType,
                         binary->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

/// A reduction of a transpose reduces the corresponding dimensions of the operand, if the remaining
/// dimensions keep their order.
struct ReduceOfTranspose : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1)
      return rewriter.notifyMatchFailure(op, "several arrays");
    auto transpose = op.getInputs()[0].getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "no transpose");
    Sizes dimensions, kept;
    for (auto [i, dimension] : llvm::enumerate(transpose.getDimensions()))
      (llvm::is_contained(op.getDimensions(), int64_t(i)) ? dimensions : kept).push_back(dimension);
    if (!llvm::is_sorted(kept))
      return rewriter.notifyMatchFailure(op, "the remaining dimensions change order");
    llvm::sort(dimensions);
    rewriter.replaceOpWithNewOp<ReduceOp>(
        op, op.getResultTypes(), ValueRange{transpose.getOperand(), op.getInitialValues()[0]},
        dimensions, op.getToApply());
    return success();
  }
};

/// Successive dimensions [fromBegin, fromEnd) of one shape and [toBegin, toEnd) of another that
/// have the same number of elements.
struct EqualDimensions {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

/// Divides two shapes of equally many elements, more than none, into as many such parts as
/// possible.
SmallVector<EqualDimensions> matchDimensions(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<EqualDimensions> parts;
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    EqualDimensions part{i, i, j, j};
    int64_t fromSize = i < from.size() ? from[i++] : 1, toSize = j < to.size() ? to[j++] : 1;
    while (fromSize != toSize)
      if (fromSize < toSize)
        fromSize *= from[i++];
      else
        toSize *= to[j++];
    part.fromEnd = i;
    part.toEnd = j;
    parts.push_back(part);
  }
  return parts;
}

/// The dimensions of `from` that a reduction reads for `reduced` dimensions of `to`, where `to` is
/// `from` in another shape; nothing if a dimension of `from` would be reduced in part.
std::optional<Sizes> getReducedBeforeReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                             ArrayRef<int64_t> reduced) {
  Sizes dimensions;
  for (EqualDimensions part : matchDimensions(from, to)) {
    bool isReduced = false, isKept = false;
    for (size_t j = part.toBegin; j < part.toEnd; ++j)
      if (to[j] != 1)
        (llvm::is_contained(reduced, int64_t(j)) ? isReduced : isKept) = true;
    if (isReduced && isKept)
      return std::nullopt;
    if (isReduced)
      llvm::append_range(dimensions, llvm::seq<int64_t>(part.fromBegin, part.fromEnd));
  }
  return dimensions;
}

/// A reduction of a transpose in another shape reduces the transpose, if the reshape does not mix
/// dimensions that are reduced with others; ReduceOfTranspose can go on from there.
struct ReduceOfReshape : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1)
      return rewriter.notifyMatchFailure(op, "several arrays");
    auto reshape = op.getInputs()[0].getDefiningOp<ReshapeOp>();
    if (!reshape || !reshape.getOperand().getDefiningOp<TransposeOp>())
      return rewriter.notifyMatchFailure(op, "not a transpose in another shape");
    RankedTensorType from = arrayType(reshape.getOperand()), to = arrayType(reshape);
    if (from.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "no elements");
    std::optional<Sizes> dimensions =
        getReducedBeforeReshape(from.getShape(), to.getShape(), op.getDimensions());
    if (!dimensions || dimensions->empty())
      return rewriter.notifyMatchFailure(op, "the reshape mixes dimensions, or adds those reduced");
    Sizes kept;
    for (auto [dimension, size] : llvm::enumerate(from.getShape()))
      if (!llvm::is_contained(*dimensions, int64_t(dimension)))
        kept.push_back(size);
    auto type = arrayType(op.getResult(0));
    auto reduce = ReduceOp::create(rewriter, op.getLoc(), TypeRange(type.clone(kept)),
                                   ValueRange{reshape.getOperand(), op.getInitialValues()[0]},
                                   *dimensions, op.getToApply());
    rewriter.replaceOp(op,
                       Build(rewriter, op.getLoc()).reshape(reduce.getResult(0), type.getShape()));
    return success();
  }
};

/// The shape of an array, and those of its dimensions that a reduction combines.
struct ReducedShape {
  Sizes shape, dimensions;
};

/// The reduction over `first` dimensions of an array of shape `from`, whose result takes shape `to`
/// and is reduced over `second` dimensions of that, as one reduction of the array in another shape;
/// nothing if dimensions that the reshape mixes have a reduced one between them.
std::optional<ReducedShape> mergeReductions(ArrayRef<int64_t> from, ArrayRef<int64_t> first,
                                            ArrayRef<int64_t> to, ArrayRef<int64_t> second) {
  ReducedShape merged;
  auto take = [&](int64_t size, bool reduces) {
    if (reduces)
      merged.dimensions.push_back(merged.shape.size());
    merged.shape.push_back(size);
  };
  Sizes left, places;
  for (auto [dimension, size] : llvm::enumerate(from))
    if (!llvm::is_contained(first, int64_t(dimension))) {
      left.push_back(size);
      places.push_back(dimension);
    }
  int64_t taken = 0; // dimensions of `from`
  auto takeReduced = [&](int64_t end) {
    while (taken < end)
      take(from[taken++], true);
  };
  for (EqualDimensions part : matchDimensions(left, to)) {
    if (part.fromBegin < part.fromEnd) {
      takeReduced(places[part.fromBegin]);
      taken += int64_t(part.fromEnd - part.fromBegin);
      if (taken != places[part.fromEnd - 1] + 1)
        return std::nullopt;
    }
    for (size_t j = part.toBegin; j < part.toEnd; ++j)
      take(to[j], llvm::is_contained(second, int64_t(j)));
  }
  takeReduced(int64_t(from.size()));
  return merged;
}

/// The only operation of the computation of `op` if that is a sum or an extreme; else null.
Operation *getSumOrExtreme(ReduceOp op) {
  ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
  Operation *binary = reducer ? getSingleBinaryOp(reducer) : nullptr;
  return isa_and_nonnull<AddOp, MaximumOp, MinimumOp, AndOp, OrOp>(binary) ? binary : nullptr;
}

/// A reduction of what a reduction leaves, perhaps in another shape, reduces the dimensions of both
/// at once. The minor dimension stays: rows that are reduced first leave little to read.
struct ReduceOfReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1)
      return rewriter.notifyMatchFailure(op, "several arrays");
    Value operand = op.getInputs()[0];
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    if (reshape && reshape->hasOneUse())
      operand = reshape.getOperand();
    auto inner = operand.getDefiningOp<ReduceOp>();
    if (!inner || inner.getCount() != 1 || !inner->hasOneUse() ||
        inner.getToApply() != op.getToApply() ||
        inner.getInitialValues()[0] != op.getInitialValues()[0])
      return rewriter.notifyMatchFailure(op, "not of the result of such a reduction");
    Operation *binary = getSumOrExtreme(op);
    auto type = arrayType(op.getResult(0)), from = arrayType(inner.getInputs()[0]);
    auto narrow = dyn_cast<FloatType>(type.getElementType());
    if (!binary || (isa<AddOp>(binary) && (!isSplatOf(op.getInitialValues()[0], 0) ||
                                           (narrow && narrow.getWidth() < 32))))
      return rewriter.notifyMatchFailure(op, "neither a sum that rounds at the end nor an extreme");
    std::optional<ReducedShape> merged =
        from.getNumElements() == 0
            ? std::nullopt
            : mergeReductions(from.getShape(), inner.getDimensions(),
                              arrayType(op.getInputs()[0]).getShape(), op.getDimensions());
    if (!merged || llvm::is_contained(merged->dimensions, int64_t(merged->shape.size()) - 1))
      return rewriter.notifyMatchFailure(op, "the reshape mixes dimensions, or rows are reduced");
    Value array = Build(rewriter, op.getLoc()).reshape(inner.getInputs()[0], merged->shape);
    rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getResultTypes(),
                                          ValueRange{array, op.getInitialValues()[0]},
                                          merged->dimensions, op.getToApply());
    return success();
  }
};

/// True if `type` can represent the number `count`.
bool isExact(Type type, int64_t count) {
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return type.isInteger() && !isPred(type); // it wraps as sums do
  APFloat value(floating.getFloatSemantics());
  return value.convertFromAPInt(APInt(64, count), /*IsSigned=*/true,
                                APFloat::rmNearestTiesToEven) == APFloat::opOK;
}

/// A reduction over broadcast dimensions: a sum is a product with the number of elements, minimum
/// and maximum are the element itself. A product is faster than a long sum, and rounds once.
struct ReduceOfBroadcast : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto broadcast =
        op.getCount() == 1 ? op.getInputs()[0].getDefiningOp<BroadcastOp>() : BroadcastOp();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not one broadcast");
    Operation *binary = getSumOrExtreme(op);
    if (!binary)
      return rewriter.notifyMatchFailure(op, "neither a sum nor an extreme");
    bool addsUp = isa<AddOp>(binary);
    int64_t copies = 1;
    // Of the broadcast's operand; and where its other dimensions are in the result.
    Sizes reduced, places;
    for (int64_t dimension : op.getDimensions())
      if (!llvm::is_contained(broadcast.getDimensions(), dimension))
        copies *= broadcast.getType().getDimSize(dimension);
    for (auto [from, to] : llvm::enumerate(broadcast.getDimensions()))
      if (llvm::is_contained(op.getDimensions(), to))
        reduced.push_back(from);
      else
        places.push_back(
            to - llvm::count_if(op.getDimensions(), [to = to](int64_t gone) { return gone < to; }));
    if (copies < 2)
      return rewriter.notifyMatchFailure(op, "nothing that is reduced is repeated");
    auto type = arrayType(op.getResult(0));
    Value init = op.getInitialValues()[0], value = broadcast.getOperand();
    if (addsUp && (!isSplatOf(init, 0) || !isExact(type.getElementType(), copies)))
      return rewriter.notifyMatchFailure(
          op, "a sum that begins with a value, or of more than its type can count");
    Build build(rewriter, op.getLoc());
    if (!reduced.empty()) {
      Sizes left;
      for (auto [dimension, size] : llvm::enumerate(arrayType(value).getShape()))
        if (!llvm::is_contained(reduced, int64_t(dimension)))
          left.push_back(size);
      value = ReduceOp::create(rewriter, op.getLoc(), TypeRange(type.clone(left)),
                               ValueRange{value, init}, reduced, op.getToApply())
                  .getResult(0);
    }
    value =
        build.broadcast(addsUp ? build.mul(value, double(copies)) : value, type.getShape(), places);
    // For a sum, the initial value is added because of the sign of zero.
    if (addsUp || reduced.empty()) {
      OperationState state(op.getLoc(), binary->getName(),
                           {build.broadcast(init, type.getShape(), {}), value}, type,
                           binary->getAttrs());
      value = rewriter.create(state)->getResult(0);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Combines neighbours, then those results, and so on: rounding errors grow with the logarithm of
/// the number of values.
Value combinePairs(ArrayRef<Value> values, function_ref<Value(Value, Value)> combine) {
  if (values.size() == 1)
    return values[0];
  size_t half = values.size() / 2;
  return combine(combinePairs(values.take_front(half), combine),
                 combinePairs(values.drop_front(half), combine));
}

/// A reduction of stacked arrays, over the dimension along which they are stacked, combines the
/// arrays.
struct ReduceOfStack : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto stack =
        op.getCount() == 1 ? op.getInputs()[0].getDefiningOp<ConcatenateOp>() : ConcatenateOp();
    if (!stack || op.getDimensions() != ArrayRef<int64_t>(stack.getDimension()))
      return rewriter.notifyMatchFailure(op, "not over the dimension of a concatenate");
    for (Value array : stack.getOperands())
      if (arrayType(array).getDimSize(stack.getDimension()) != 1)
        return rewriter.notifyMatchFailure(op, "an array with several elements or none");
    ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
    Operation *binary = reducer ? getSingleBinaryOp(reducer) : nullptr;
    if (!binary || !binary->hasTrait<Elementwise>())
      return rewriter.notifyMatchFailure(op, "not one elementwise operation");
    auto type = arrayType(op.getResult(0));
    auto narrow = dyn_cast<FloatType>(type.getElementType());
    if (narrow && narrow.getWidth() < 32 && !isa<MaximumOp, MinimumOp>(binary))
      return rewriter.notifyMatchFailure(op, "sums that are rounded at the end only");
    Build build(rewriter, op.getLoc());
    auto combine = [&](Value first, Value second) {
      OperationState state(op.getLoc(), binary->getName(), {first, second}, type,
                           binary->getAttrs());
      return rewriter.create(state)->getResult(0);
    };
    SmallVector<Value> arrays = llvm::map_to_vector(
        stack.getOperands(), [&](Value array) { return build.reshape(array, type.getShape()); });
    Value init = build.broadcast(op.getInitialValues()[0], type.getShape(), {});
    rewriter.replaceOp(op, combine(init, combinePairs(arrays, combine)));
    return success();
  }
};

} // namespace

void hloc::populateContractionRules(RewritePatternSet &patterns) {
  addRule<DotOp>(patterns, "dot(transpose(x), y)", dotOfTranspose);
  addRule<DotOp>(patterns, "dot(small, x) = sum of small[i, k] * x[k]", dotWithSmallMatrix);
  addRule<TransposeOp>(patterns, "transpose(dot(x, y)) = dot(y, x), or rows of it", transposeOfDot);
  patterns.add<ReduceUnits, ReduceOfReshape, ReduceOfTranspose, ReduceOfReduce, ReduceOfBroadcast,
               ReduceOfStack>(patterns.getContext());
}
