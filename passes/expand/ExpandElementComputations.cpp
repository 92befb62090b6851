// SPDX-License-Identifier: Apache-2.0
// Reductions, windows, scatters and maps whose computations kernels cannot apply lane by lane,
// because of loops, arrays or effects, become loops over what is folded. Each step handles all
// results at once. Test: test/passes/expand/element-computations.mlir.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/ApplyToElements.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// True if an s32 can count `steps`.
bool isCountable(int64_t steps) { return steps <= std::numeric_limits<int32_t>::max(); }

/// The computation of `op` if kernels cannot apply it; otherwise a match failure.
template <typename Op> FailureOr<ComputationOp> getNotLanewise(Op op, PatternRewriter &rewriter) {
  ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
  if (!computation || isLanewise(computation))
    return rewriter.notifyMatchFailure(op, "kernels do its computation");
  return computation;
}

/// `inits` as vectors for `count` results.
SmallVector<Value> spread(Build build, ValueRange inits, int64_t count) {
  return llvm::map_to_vector(inits, [&](Value init) { return build.broadcast(init, {count}, {}); });
}

/// Replaces the results of `op`, each of `count` elements, by the fold of its initial values over
/// `steps` steps (see foldElements).
template <typename Op>
void replaceByFold(PatternRewriter &rewriter, Build build, Op op, ComputationOp computation,
                   int64_t steps, int64_t count,
                   llvm::function_ref<SmallVector<Value>(Build, Value)> elements) {
  SmallVector<Value> folded = foldElements(build, computation, steps,
                                           spread(build, op.getInitialValues(), count), elements);
  for (auto [value, result] : llvm::zip(folded, op.getResults()))
    value = build.reshape(value, arrayType(result).getShape());
  rewriter.replaceOp(op, folded);
}

struct ExpandReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    FailureOr<ComputationOp> computation = getNotLanewise(op, rewriter);
    if (failed(computation))
      return failure();
    Build build(rewriter, op.getLoc());
    ArrayRef<int64_t> shape = arrayType(op.getInputs()[0]).getShape();
    SmallVector<int64_t> order, kept;
    int64_t steps = 1, results = 1;
    for (auto [d, size] : llvm::enumerate(shape)) {
      bool isReduced = llvm::is_contained(op.getDimensions(), int64_t(d));
      (isReduced ? order : kept).push_back(d);
      (isReduced ? steps : results) *= size;
    }
    if (!isCountable(steps))
      return rewriter.notifyMatchFailure(op, "too many steps to count");
    llvm::append_range(order, kept);
    SmallVector<Value> rows;
    for (Value input : op.getInputs())
      rows.push_back(build.reshape(build.transpose(input, order), {steps, results}));
    replaceByFold(rewriter, build, op, *computation, steps, results, [&](Build inner, Value step) {
      return llvm::map_to_vector(rows, [&](Value input) {
        return inner.dynamicSlice(input, {step, inner.index(0)}, {1, results});
      });
    });
    return success();
  }
};

/// A step is one position in all windows.
struct ExpandReduceWindow : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceWindowOp op, PatternRewriter &rewriter) const override {
    FailureOr<ComputationOp> computation = getNotLanewise(op, rewriter);
    if (failed(computation))
      return failure();
    WindowAttr window = op.getWindow();
    ArrayRef<int64_t> sizes = window.getSizes();
    int64_t rank = sizes.size();
    auto get = [&](ArrayRef<int64_t> list, int64_t missing) {
      return list.empty() ? SmallVector<int64_t>(rank, missing) : SmallVector<int64_t>(list);
    };
    SmallVector<int64_t> strides = get(window.getStrides(), 1),
                         dilations = get(window.getWindowDilations(), 1),
                         between = get(window.getBaseDilations(), 1);
    int64_t steps = 1;
    for (int64_t size : sizes) {
      if (!isCountable(steps) || !isCountable(size))
        return rewriter.notifyMatchFailure(op, "too many steps to count");
      steps *= size;
    }
    if (!isCountable(steps))
      return rewriter.notifyMatchFailure(op, "too many steps to count");
    for (int64_t &dilation : between)
      --dilation; // elements in between
    Build build(rewriter, op.getLoc());
    SmallVector<Value> padded;
    for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitialValues()))
      padded.push_back(build.pad(input, init, get(window.getPaddingLow(), 0),
                                 get(window.getPaddingHigh(), 0), between));
    auto type = arrayType(op->getResult(0));
    // The elements at one position of all windows, and those between them.
    SmallVector<int64_t> extents, starts(rank, 0);
    for (auto [size, stride] : llvm::zip(type.getShape(), strides))
      extents.push_back((size - 1) * stride + 1);
    auto next = [&](Build inner, Value step) {
      SmallVector<Value> places(rank);
      for (int64_t d = rank; d-- > 0;) {
        Value place = sizes[d] == steps ? step : inner.binary<RemainderOp>(step, sizes[d]);
        places[d] = inner.mul(place, dilations[d]);
        step = inner.div(step, sizes[d]);
      }
      return llvm::map_to_vector(padded, [&](Value input) {
        return inner.slice(inner.dynamicSlice(input, places, extents), starts, extents, strides);
      });
    };
    replaceByFold(rewriter, build, op, *computation, steps, type.getNumElements(), next);
    return success();
  }
};

struct ExpandMap : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
    if (!computation)
      return rewriter.notifyMatchFailure(op, "no computation");
    if (isLanewise(computation) && !computation.getBody().getOps<DotOp>().empty())
      return rewriter.notifyMatchFailure(op, "its computation is expanded first");
    Build build(rewriter, op.getLoc());
    auto type = arrayType(op);
    if (type.getNumElements() == 0) {
      rewriter.replaceOp(op, build.zero(type));
      return success();
    }
    FailureOr<SmallVector<Value>> results;
    if (isLanewise(computation)) {
      results = applyToArrays(rewriter, op.getLoc(), computation, op.getInputs(), type);
    } else {
      SmallVector<Value> vectors;
      for (Value input : op.getInputs())
        vectors.push_back(build.flatten(input));
      results = applyToElements(build, computation, vectors, Value());
    }
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, build.reshape(results->front(), type.getShape()));
    return success();
  }
};

/// A step is one index vector, whose window is read, combined and written back.
struct ExpandScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  /// For each index vector the first position of its window, s64 or s32 [vectors, rank of the
  /// operands].
  static Value findStarts(Build build, ScatterOp op, ArrayRef<int64_t> batch) {
    int64_t vectorDim = op.getIndexVectorDim(), vectors = product(batch);
    Value indices = build.signedIndices(op.getIndices());
    Type type = getElementTypeOrSelf(indices);
    auto given = arrayType(indices);
    SmallVector<int64_t> order;
    for (int64_t d = 0; d < given.getRank(); ++d)
      if (d != vectorDim)
        order.push_back(d);
    if (vectorDim < given.getRank())
      order.push_back(vectorDim);
    int64_t components = op.getScatterDimsToOperandDims().size();
    indices = build.reshape(build.transpose(indices, order), {vectors, components});
    SmallVector<Value> starts;
    for (int64_t d = 0, rank = arrayType(op.getOperandArrays()[0]).getRank(); d < rank; ++d) {
      Value start = build.zero(RankedTensorType::get({vectors, 1}, type));
      for (auto [component, mapped] : llvm::enumerate(op.getScatterDimsToOperandDims()))
        if (mapped == d)
          start = build.sliceOf(indices, 1, component, component + 1);
      for (auto [batching, dimension] :
           llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
        if (batching == d)
          start = build.reshape(
              build.iota(batch, type, dimension > vectorDim ? dimension - 1 : dimension),
              {vectors, 1});
      starts.push_back(start);
    }
    return build.concatenate(starts, 1);
  }

  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    FailureOr<ComputationOp> found = getNotLanewise(op, rewriter);
    if (failed(found))
      return failure();
    ComputationOp computation = *found;
    ArrayRef<int64_t> shape = arrayType(op.getOperandArrays()[0]).getShape();
    auto updateType = arrayType(op.getUpdates()[0]);
    int64_t rank = shape.size();
    // The updates, with the dimensions of the index vectors first.
    SmallVector<int64_t> batch, order, extents(rank, 1);
    for (int64_t d = 0; d < updateType.getRank(); ++d)
      if (!llvm::is_contained(op.getUpdateWindowDims(), d)) {
        order.push_back(d);
        batch.push_back(updateType.getDimSize(d));
      }
    ArrayRef<int64_t> windowDims = op.getUpdateWindowDims();
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(op.getInsertedWindowDims(), d) &&
          !llvm::is_contained(op.getInputBatchingDims(), d)) {
        extents[d] = updateType.getDimSize(windowDims.front());
        windowDims = windowDims.drop_front();
      }
    llvm::append_range(order, op.getUpdateWindowDims());
    int64_t vectors = product(batch), elements = product(extents);
    bool fits = llvm::all_of(llvm::zip(extents, shape),
                             [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); });
    if (updateType.getNumElements() == 0 || !fits || product(shape) == 0) {
      rewriter.replaceOp(op, op.getOperandArrays()); // no window is in bounds
      return success();
    }
    if (!isCountable(vectors))
      return rewriter.notifyMatchFailure(op, "too many steps to count");
    Build build(rewriter, op.getLoc());
    remarkLoop(op.getLoc(), computation, vectors);
    Value starts = rank ? findStarts(build, op, batch) : Value();
    SmallVector<Value> updates;
    for (Value update : op.getUpdates())
      updates.push_back(build.reshape(build.transpose(update, order), {vectors, elements}));
    auto step = [&](Build inner, Value vector, ValueRange state) {
      Value zero = inner.index(0), isInside;
      SmallVector<Value> places;
      for (int64_t d = 0; d < rank; ++d) {
        Value start = inner.dynamicSlice(starts, {vector, inner.index(d)}, {1, 1});
        places.push_back(inner.reshape(start, {}));
        Value holds =
            inner.bitAnd(inner.compare(places[d], 0.0, Direction::GE),
                         inner.compare(places[d], double(shape[d] - extents[d]), Direction::LE));
        isInside = isInside ? inner.bitAnd(isInside, holds) : holds;
      }
      SmallVector<Value> old, arguments;
      for (Value array : state) // a scalar is its own window
        old.push_back(inner.flatten(rank ? inner.dynamicSlice(array, places, extents) : array));
      arguments = old;
      for (Value update : updates)
        arguments.push_back(
            inner.reshape(inner.dynamicSlice(update, {vector, zero}, {1, elements}), {elements}));
      Value counts = isInside ? inner.broadcast(isInside, {elements}, {}) : Value();
      SmallVector<Value> combined = applyToElements(inner, computation, arguments, counts), next;
      for (auto [value, before, array] : llvm::zip(combined, old, state)) {
        Value element = inner.convert(value, getElementTypeOrSelf(array));
        if (counts)
          element = inner.select(counts, element, before);
        element = inner.reshape(element, extents);
        next.push_back(rank ? inner.dynamicUpdateSlice(array, element, places) : element);
      }
      return next;
    };
    rewriter.replaceOp(op,
                       build.countedLoop(vectors, /*reversed=*/false, op.getOperandArrays(), step));
    return success();
  }
};

} // namespace

void hloc::populateElementComputationExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandReduce, ExpandReduceWindow, ExpandMap, ExpandScatter>(patterns.getContext());
}
