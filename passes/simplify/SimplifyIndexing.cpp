// SPDX-License-Identifier: Apache-2.0
// Rules for accesses at computed indices. Test: test/passes/simplify/simplify-indexing.mlir.
#include "passes/Computations.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

/// A dynamic_slice at constant indices becomes a slice at the clamped indices.
Value sliceAtConstant(DynamicSliceOp op, Build build) {
  auto type = arrayType(op.getOperand());
  Sizes starts, limits;
  if (int64_t(op.getStartIndices().size()) != type.getRank())
    return nullptr;
  for (auto [i, size] : llvm::enumerate(op.getDynamicSliceSizes())) {
    int64_t last = type.getDimSize(i) - size;
    std::optional<int64_t> start = getConstantIndex(op.getStartIndices()[i]);
    if (!start && last != 0)
      return nullptr;
    starts.push_back(std::clamp<int64_t>(start.value_or(0), 0, last));
    limits.push_back(starts.back() + size);
  }
  return build.slice(op.getOperand(), starts, limits);
}

/// The update covers the operand.
Value updateAll(DynamicUpdateSliceOp op, Build) {
  return op.getUpdate().getType() == op.getOperand().getType() ? op.getUpdate() : Value();
}

Value updateNothing(DynamicUpdateSliceOp op, Build) {
  return arrayType(op.getUpdate()).getNumElements() == 0 ? op.getOperand() : Value();
}

/// A gather of one slice becomes a dynamic_slice: both clamp.
Value gatherOne(GatherOp op, Build build) {
  auto type = arrayType(op.getOperand()), indicesType = arrayType(op.getStartIndices());
  int64_t components = op.getStartIndexMap().size();
  if (indicesType.getNumElements() != components || components == 0 ||
      !op.getOperandBatchingDims().empty())
    return nullptr;
  Value indices = build.reshape(op.getStartIndices(), {components});
  Value zero = build.scalar(indicesType.getElementType(), 0.0);
  SmallVector<Value> starts(type.getRank(), zero);
  for (auto [i, dimension] : llvm::enumerate(op.getStartIndexMap()))
    starts[dimension] = build.reshape(build.sliceOf(indices, 0, i, i + 1), {});
  Value part = build.dynamicSlice(op.getOperand(), starts, op.getSliceSizes());
  return build.reshape(part, arrayType(op).getShape());
}

/// A gather of no elements.
Value gatherNothing(GatherOp op, Build build) {
  if (arrayType(op).getNumElements() != 0)
    return nullptr;
  return build.zero(arrayType(op));
}

/// A scatter of one window at a constant index in bounds becomes a dynamic_update_slice, of the
/// window's old elements combined with the new ones.
struct ScatterOne : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1 || !op.getInputBatchingDims().empty())
      return rewriter.notifyMatchFailure(op, "several arrays or batching dimensions");
    ComputationOp combiner = lookupComputation(op, op.getToApplyAttr());
    Block *body = combiner ? &combiner.getBody().front() : nullptr;
    bool isReplaced = body && body->getTerminator()->getOperand(0) == body->getArgument(1);
    if (!isReplaced && (!combiner || !getSingleBinaryOp(combiner)))
      return rewriter.notifyMatchFailure(op, "combines old and new values by several operations");
    Value operand = op.getOperandArrays()[0], update = op.getUpdates()[0];
    auto type = arrayType(operand), indicesType = arrayType(op.getIndices());
    int64_t components = op.getScatterDimsToOperandDims().size(), windows = 1;
    for (auto [dimension, size] : llvm::enumerate(indicesType.getShape()))
      windows *= int64_t(dimension) == int64_t(op.getIndexVectorDim()) ? 1 : size;
    if (windows == 0) {
      rewriter.replaceOp(op, operand);
      return success();
    }
    if (windows != 1)
      return rewriter.notifyMatchFailure(op, "several windows");
    // The window's shape in the operand's dimensions.
    Sizes window;
    int64_t next = 0;
    for (int64_t dimension : iotaVector(type.getRank())) {
      bool isInserted = llvm::is_contained(op.getInsertedWindowDims(), dimension);
      window.push_back(isInserted ? 1
                                  : arrayType(update).getDimSize(op.getUpdateWindowDims()[next++]));
    }
    Build build(rewriter, op.getLoc());
    Value flat = op.getIndices();
    SmallVector<int64_t> constants;
    DenseIntElementsAttr values;
    if (components > 0) {
      auto constant = flat.getDefiningOp<ConstantOp>();
      values =
          constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
      std::optional<APSInt> splat = getSplatInteger(flat);
      if (!values && !splat)
        return rewriter.notifyMatchFailure(op, "indices known at run time only");
      for (int64_t i : iotaVector(components)) {
        APInt index = values ? values.getValues<APInt>()[i] : APInt(*splat);
        if (index.getSignificantBits() > 63)
          return rewriter.notifyMatchFailure(op, "out of range");
        constants.push_back(index.getSExtValue());
      }
    }
    Sizes starts(type.getRank(), 0);
    for (auto [i, dimension] : llvm::enumerate(op.getScatterDimsToOperandDims()))
      starts[dimension] = constants[i];
    for (auto [i, start] : llvm::enumerate(starts))
      if (start < 0 || start + window[i] > type.getDimSize(i))
        return rewriter.notifyMatchFailure(op, "out of range");
    SmallVector<Value> indices;
    for (int64_t start : starts)
      indices.push_back(build.index(start));
    Value part = build.reshape(update, window);
    if (!isReplaced) {
      Sizes limits;
      for (auto [start, size] : llvm::zip(starts, window))
        limits.push_back(start + size);
      Value old = build.slice(operand, starts, limits);
      FailureOr<SmallVector<Value>> combined =
          applyToArrays(rewriter, op.getLoc(), combiner, {old, part}, arrayType(part));
      if (failed(combined))
        return failure();
      part = combined->front();
    }
    rewriter.replaceOp(op, build.dynamicUpdateSlice(operand, part, indices));
    return success();
  }
};

} // namespace

void hloc::populateIndexingRules(RewritePatternSet &patterns) {
  addRule<DynamicSliceOp>(patterns, "dynamic_slice at constants = slice", sliceAtConstant);
  addRule<DynamicUpdateSliceOp>(patterns, "dynamic_update_slice of everything", updateAll);
  addRule<DynamicUpdateSliceOp>(patterns, "dynamic_update_slice of nothing", updateNothing);
  addRule<GatherOp>(patterns, "gather of nothing", gatherNothing);
  addRule<GatherOp>(patterns, "gather of one slice = dynamic_slice", gatherOne);
  patterns.add<ScatterOne>(patterns.getContext());
}
