// SPDX-License-Identifier: Apache-2.0
// Windows with simpler forms: cumulative ones become scans, and select_and_scatter finds positions
// and scatters to them. Test: test/passes/expand/expand-windows.mlir.
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/ApplyToElements.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The computation of a scan over slices of `slice`'s shape that carries the fold by `reducer`:
/// (elements, carries) -> (carries', carries').
FailureOr<ComputationOp> createScanBody(ComputationOp reducer, RankedTensorType slice) {
  size_t count = reducer.getNumArguments() / 2;
  SmallVector<Type> types;
  for (Type type : reducer.getArgumentTypes())
    types.push_back(slice.clone(getElementTypeOrSelf(type)));
  bool isDone = true;
  auto body = createComputation(
      reducer->getParentOfType<ModuleOp>(), (reducer.getSymName() + ".scan").str(), types,
      [&](OpBuilder &builder, ValueRange values) {
        SmallVector<Value> arguments(values.drop_front(count)); // the carries are on the left
        llvm::append_range(arguments, values.take_front(count));
        auto results = applyToArrays(builder, reducer.getLoc(), reducer, arguments, slice);
        isDone = succeeded(results);
        SmallVector<Value> twice = isDone ? *results : SmallVector<Value>();
        twice.append(SmallVector<Value>(twice));
        return twice;
      });
  if (isDone)
    return body;
  body.erase();
  return failure();
}

/// A window over a whole prefix (or suffix) of one dimension, padded so that it grows from one
/// element to all: a scan takes n steps instead of n^2.
struct ExpandCumulative : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceWindowOp op, PatternRewriter &rewriter) const override {
    WindowAttr window = op.getWindow();
    if (!allEqual(window.getStrides(), 1) || !allEqual(window.getBaseDilations(), 1) ||
        !allEqual(window.getWindowDilations(), 1))
      return rewriter.notifyMatchFailure(op, "strides or dilations");
    auto type = arrayType(op.getInputs()[0]);
    int64_t dimension = -1;
    bool isReverse = false;
    for (auto [i, size] : llvm::enumerate(window.getSizes())) {
      int64_t low = window.getPaddingLow()[i], high = window.getPaddingHigh()[i];
      if (size == 1 && low == 0 && high == 0)
        continue;
      int64_t n = type.getDimSize(i);
      bool isPrefix = low == n - 1 && high == 0, isSuffix = low == 0 && high == n - 1;
      if (dimension >= 0 || size != n || n < 2 || (!isPrefix && !isSuffix))
        return rewriter.notifyMatchFailure(op, "not a prefix or suffix of one dimension");
      dimension = i;
      isReverse = isSuffix;
    }
    if (dimension < 0)
      return rewriter.notifyMatchFailure(op, "windows of one element");
    ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
    if (!reducer)
      return rewriter.notifyMatchFailure(op, "no reducer");

    if (!llvm::all_of(reducer.getBody().front().without_terminator(), [](Operation &inner) {
          return inner.hasTrait<Elementwise>() || isa<ConstantOp>(inner);
        }))
      return rewriter.notifyMatchFailure(op, "more than elementwise operations");
    Build build(rewriter, op.getLoc());
    SmallVector<int64_t> carryShape(type.getShape());
    carryShape.erase(carryShape.begin() + dimension);
    SmallVector<Value> arrays(op.getInputs());
    SmallVector<Type> types(op->getResultTypes());
    for (Value init : op.getInitialValues()) {
      arrays.push_back(build.broadcast(init, carryShape, {}));
      types.push_back(arrays.back().getType());
    }
    FailureOr<ComputationOp> body = createScanBody(reducer, type.clone(carryShape));
    if (failed(body))
      return failure();
    auto scan = ScanOp::create(
        rewriter, op.getLoc(), types, arrays, rewriter.getDenseI64ArrayAttr(dimension),
        rewriter.getI64IntegerAttr(op.getCount()), rewriter.getBoolAttr(isReverse),
        rewriter.getBoolAttr(isAssociativeScanBody(*body)),
        FlatSymbolRefAttr::get(body->getSymNameAttr()));
    rewriter.replaceOp(op, scan.getResults().take_front(op.getCount()));
    return success();
  }
};

struct ExpandSelectAndScatter : OpRewritePattern<SelectAndScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectAndScatterOp op, PatternRewriter &rewriter) const override {
    ComputationOp select = lookupComputation(op, op.getSelectAttr());
    if (!select)
      return rewriter.notifyMatchFailure(op, "no selection");
    rewriter.replaceOp(op, selectAndScatter(rewriter, op, select,
                                            {op.getOperand(), op.getSource(), op.getInit(),
                                             /*selectable=*/Value(), /*scattered=*/Value()}));
    return success();
  }
};

/// (current, its position, new, its position) -> the one that `select` keeps, and its position. The
/// new one is skipped if its position is -1, that is, padding.
ComputationOp createChooser(ComputationOp select, Type element, Location loc) {
  Type scalar = RankedTensorType::get({}, element);
  Type index = RankedTensorType::get({}, IntegerType::get(select.getContext(), 32));
  return createComputation(
      select->getParentOfType<ModuleOp>(), (select.getSymName() + ".position").str(),
      {scalar, index, scalar, index}, [&](OpBuilder &builder, ValueRange v) {
        Build inner(builder, loc);
        Value isPadding = inner.compare(v[3], 0.0, Direction::LT);
        Value hasCurrent = inner.compare(v[1], 0.0, Direction::GE);
        Value prefers;
        if (mayAlwaysRun(select)) {
          prefers = inlineComputation(builder, select, {v[0], v[2]})[0];
        } else {
          Value areBoth = inner.bitAnd(hasCurrent, inner.unary<NotOp>(isPadding));
          prefers = inlineWhere(inner, areBoth, select, {v[0], v[2]}, isPadding)[0];
        }
        Value keeps = inner.bitOr(isPadding, inner.bitAnd(hasCurrent, prefers));
        return SmallVector<Value>{inner.select(keeps, v[0], v[2]), inner.select(keeps, v[1], v[3])};
      });
}

} // namespace

Value hloc::selectAndScatter(OpBuilder &builder, SelectAndScatterOp op, ComputationOp select,
                             const SelectAndScatterArrays &arrays) {
  Build build(builder, op.getLoc());
  auto type = arrayType(arrays.operand), sourceType = arrayType(arrays.source);
  Type element = type.getElementType(), index = builder.getI32Type();
  ComputationOp chooser = createChooser(select, element, op.getLoc());
  int64_t count = type.getNumElements(), updates = sourceType.getNumElements();
  Value positions = build.reshape(build.iota({count}, index, 0), type.getShape());
  if (arrays.selectable)
    positions = build.select(arrays.selectable, positions, build.splatLike(positions, -1));
  auto selected = ReduceWindowOp::create(
      builder, op.getLoc(), TypeRange{sourceType, sourceType.clone(index)},
      ValueRange{arrays.operand, positions, build.scalar(element, 0.0), build.index(-1)},
      op.getWindow(), chooser.getSymName());
  Value places = selected.getResult(1);
  if (arrays.scattered)
    places = build.select(arrays.scattered, places, build.splatLike(places, -1));
  Value indices = build.reshape(places, {updates, 1});
  Value target = build.broadcast(arrays.init, {count}, {});
  Value source = build.reshape(arrays.source, {updates});
  auto scatter = ScatterOp::create(
      builder, op.getLoc(), TypeRange{target.getType()}, ValueRange{target, indices, source},
      /*update_window_dims=*/ArrayRef<int64_t>{}, /*inserted_window_dims=*/ArrayRef<int64_t>{0},
      /*input_batching_dims=*/ArrayRef<int64_t>{},
      /*scatter_indices_batching_dims=*/ArrayRef<int64_t>{},
      /*scatter_dims_to_operand_dims=*/ArrayRef<int64_t>{0}, /*index_vector_dim=*/1,
      op.getScatter(), /*indices_are_sorted=*/false, /*unique_indices=*/false);
  return build.reshape(scatter.getResult(0), type.getShape());
}

void hloc::populateWindowExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandCumulative, ExpandSelectAndScatter>(patterns.getContext());
}
