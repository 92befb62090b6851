// SPDX-License-Identifier: Apache-2.0
// Rules for updates of parts of loop-carried arrays, such as caches stacked by layer: only what
// changes is written. Test: test/passes/simplify/simplify-updates.mlir.
#include "compiler/hlo/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"
#include "passes/simplify/SliceWindow.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The operand of a reshape that only adds or drops dimensions of size one; else `value`.
Value skipUnitReshape(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && isUnitReshape(reshape) ? reshape.getOperand() : value;
}

/// The window that an update writes.
std::optional<SliceWindow> getUpdateWindow(DynamicUpdateSliceOp op) {
  return getSliceWindow(arrayType(op.getOperand()), op.getStartIndices(),
                        arrayType(op.getUpdate()).getShape());
}

/// An update of a slice of an array, possibly without dimensions of size one.
struct UpdatedSlice {
  DynamicUpdateSliceOp update; ///< of the slice
  DynamicSliceOp slice;
};

/// Matches reshape(dynamic_update_slice(reshape(dynamic_slice(...)), ...)), where `window` is what
/// is sliced.
std::optional<UpdatedSlice> matchUpdatedSlice(Value value, const SliceWindow &window) {
  UpdatedSlice match;
  match.update = skipUnitReshape(value).getDefiningOp<DynamicUpdateSliceOp>();
  if (!match.update)
    return std::nullopt;
  match.slice = skipUnitReshape(match.update.getOperand()).getDefiningOp<DynamicSliceOp>();
  std::optional<SliceWindow> sliced =
      match.slice ? getSliceWindow(match.slice) : std::optional<SliceWindow>();
  return sliced == window ? std::optional(match) : std::nullopt;
}

/// Updating slice x[i] at [j] and writing it back is updating x[i, j]; other users of the updated
/// slice take it from there.
struct UpdateOfUpdatedSlice : OpRewritePattern<DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicUpdateSliceOp op, PatternRewriter &rewriter) const override {
    std::optional<SliceWindow> outer = getUpdateWindow(op);
    if (!outer || arrayType(op).getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "indices in a vector");
    std::optional<UpdatedSlice> match = matchUpdatedSlice(op.getUpdate(), *outer);
    if (!match || match->slice.getOperand() != op.getOperand())
      return rewriter.notifyMatchFailure(op, "not an update of a slice that it replaces");
    std::optional<SliceWindow> inner = getUpdateWindow(match->update);
    if (!inner || arrayType(match->update.getUpdate()).getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "nothing is updated");
    // Translate from the updated slice's dimensions to those of the array.
    if (auto reshape = match->update.getOperand().getDefiningOp<ReshapeOp>()) {
      auto windows = getOperandWindows(reshape, *inner);
      if (!windows)
        return rewriter.notifyMatchFailure(op, "a reshape that mixes dimensions");
      inner = windows->front();
    }
    auto windows = getOperandWindows(match->slice, *inner);
    if (!windows)
      return rewriter.notifyMatchFailure(op, "both indices of a dimension known at run time only");
    // At the update of the slice, so that all its users come later.
    if (match->update->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "the slice is updated in another block");
    rewriter.setInsertionPoint(match->update);
    Build build(rewriter, op.getLoc());
    SmallVector<int64_t> shape;
    for (const SliceRange &range : windows->front())
      shape.push_back(range.size);
    Value part = build.reshape(match->update.getUpdate(), shape);
    Value whole = updateWindow(build, op.getOperand(), part, windows->front());
    Value again =
        build.reshape(takeWindow(build, whole, *outer), arrayType(match->update).getShape());
    rewriter.replaceOp(match->update, again);
    rewriter.replaceOp(op, whole);
    return success();
  }
};

/// True if a scalar takes every value of [0, count) in the `count` iterations of `loop`, counting
/// up or down.
bool countsThrough(Value value, scf::ForOp loop, int64_t count) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || *trips != count || !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  auto type = arrayType(value).getElementType();
  if (type.getIntOrFloatBitWidth() < 64 && count > int64_t(1) << (type.getIntOrFloatBitWidth() - 1))
    return false;
  if (auto difference = value.getDefiningOp<SubtractOp>())
    if (getConstantIndex(difference.getLhs()) == count - 1)
      value = difference.getRhs();
  while (auto convert = value.getDefiningOp<ConvertOp>()) {
    Type from = arrayType(convert.getOperand()).getElementType();
    if (!from.isInteger() || from.getIntOrFloatBitWidth() < 32)
      return false;
    value = convert.getOperand();
  }
  auto array = value.getDefiningOp<tensor::FromElementsOp>();
  auto cast =
      array ? array.getElements()[0].getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  return cast && cast.getIn() == loop.getInductionVar() &&
         count <= int64_t(1) << (std::min(cast.getType().getIntOrFloatBitWidth(), 63u) - 1);
}

/// A loop that stacks updated slices of an array x, y[i] = (x[i] with [j] = u), becomes one that
/// updates x in place: slices of y that have not been written are those of x.
struct StackOfUpdatedSlices : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp op, PatternRewriter &rewriter) const override {
    for (auto [i, state] : llvm::enumerate(op.getRegionIterArgs()))
      if (Value source = findSource(op, i)) {
        rewriter.modifyOpInPlace(op, [&] { op.getInitsMutable()[i].set(source); });
        for (OpOperand &use : llvm::make_early_inc_range(source.getUses()))
          if (op->isProperAncestor(use.getOwner()))
            rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(state); });
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no stack of updated slices");
  }

  /// The array all of whose slices are updated to make loop-carried value `i`; null if there is
  /// none.
  static Value findSource(scf::ForOp loop, unsigned i) {
    Value state = loop.getRegionIterArgs()[i];
    auto update =
        loop.getBody()->getTerminator()->getOperand(i).getDefiningOp<DynamicUpdateSliceOp>();
    if (!update || update.getOperand() != state || !state.hasOneUse() ||
        !update->getResult(0).hasOneUse() || update->getBlock() != loop.getBody())
      return nullptr;
    auto type = arrayType(state);
    std::optional<SliceWindow> window = getUpdateWindow(update);
    if (!window)
      return nullptr;
    int64_t stacked = -1;
    for (auto [dimension, range] : llvm::enumerate(*window)) {
      if (isWhole(range, type.getDimSize(dimension)))
        continue;
      if (stacked >= 0 || range.size != 1 || !range.start)
        return nullptr;
      stacked = dimension;
    }
    if (stacked < 0 || !countsThrough((*window)[stacked].start, loop, type.getDimSize(stacked)))
      return nullptr;
    std::optional<UpdatedSlice> match = matchUpdatedSlice(update.getUpdate(), *window);
    if (!match || match->slice.getOperand() == state)
      return nullptr;
    // Other readers of the array in the loop must read slices that have not been written.
    Value source = match->slice.getOperand();
    bool isOutside = source.getParentRegion()->isProperAncestor(&loop.getRegion());
    bool isReadAlike = llvm::all_of(source.getUsers(), [&](Operation *user) {
      if (!loop->isAncestor(user))
        return true;
      auto slice = dyn_cast<DynamicSliceOp>(user);
      return slice && slice->getBlock() == loop.getBody() &&
             slice.getStartIndices() == match->slice.getStartIndices() &&
             slice.getType() == match->slice.getType();
    });
    return isOutside && isReadAlike && source.getType() == type ? source : Value();
  }
};

} // namespace

void hloc::populateUpdateRules(RewritePatternSet &patterns) {
  patterns.add<UpdateOfUpdatedSlice, StackOfUpdatedSlices>(patterns.getContext());
}
