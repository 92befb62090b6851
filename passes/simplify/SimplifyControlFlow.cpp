// SPDX-License-Identifier: Apache-2.0
// Rules for loops and branches. Test: test/passes/simplify/simplify-control-flow.mlir.
#include "compiler/hlo/ElementType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// A scalar extracted from a constant is a constant.
struct ExtractConstant : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractOp op, PatternRewriter &rewriter) const override {
    auto value = dyn_cast_or_null<IntegerAttr>(getSplat(op.getTensor()));
    if (!value || !value.getType().isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "not a constant");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// Replaces `op` by the only block of `region`, and its results by what that yields.
void inlineRegion(PatternRewriter &rewriter, Operation *op, Region &region, ValueRange arguments) {
  Block *block = &region.front();
  Operation *terminator = block->getTerminator();
  // Only after inlining, because the block may yield one of its arguments.
  rewriter.inlineBlockBefore(block, op, arguments);
  rewriter.replaceOp(op, terminator->getOperands());
  rewriter.eraseOp(terminator);
}

struct IfKnown : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    APInt condition;
    if (!matchPattern(op.getCondition(), m_ConstantInt(&condition)))
      return rewriter.notifyMatchFailure(op, "condition not known");
    Region &region = condition.isZero() ? op.getElseRegion() : op.getThenRegion();
    if (region.empty())
      rewriter.eraseOp(op);
    else
      inlineRegion(rewriter, op, region, {});
    return success();
  }
};

struct SwitchKnown : OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IndexSwitchOp op, PatternRewriter &rewriter) const override {
    APInt index;
    if (!matchPattern(op.getArg(), m_ConstantInt(&index)) && op.getNumCases() > 0)
      return rewriter.notifyMatchFailure(op, "index not known");
    Region *region = &op.getDefaultRegion();
    for (auto [value, candidate] : llvm::zip(op.getCases(), op.getCaseRegions()))
      if (index.getActiveBits() < 64 && uint64_t(value) == index.getZExtValue())
        region = &candidate;
    inlineRegion(rewriter, op, *region, {});
    return success();
  }
};

/// An index_switch on a converted pred becomes an if.
struct SwitchByPred : OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IndexSwitchOp op, PatternRewriter &rewriter) const override {
    auto cast = op.getArg().getDefiningOp<arith::IndexCastUIOp>();
    auto extract = cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
    auto convert = extract ? extract.getTensor().getDefiningOp<ConvertOp>() : ConvertOp();
    if (!convert || !isPred(arrayType(convert.getOperand()).getElementType()) ||
        op.getCases() != ArrayRef<int64_t>{0})
      return rewriter.notifyMatchFailure(op, "not two branches chosen by a pred");
    Value pred =
        tensor::ExtractOp::create(rewriter, op.getLoc(), convert.getOperand(), ValueRange());
    auto choice = scf::IfOp::create(rewriter, op.getLoc(), op.getResultTypes(), pred,
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getDefaultRegion(), choice.getThenRegion(),
                                choice.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getCaseRegions()[0], choice.getElseRegion(),
                                choice.getElseRegion().end());
    rewriter.replaceOp(op, choice.getResults());
    return success();
  }
};

/// A loop with a trip count of zero or one.
struct ForKnown : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp op, PatternRewriter &rewriter) const override {
    std::optional<APInt> trips = op.getStaticTripCount();
    if (!trips || trips->ugt(1))
      return rewriter.notifyMatchFailure(op, "runs more than once, or not known");
    if (trips->isZero()) {
      rewriter.replaceOp(op, op.getInits());
      return success();
    }
    SmallVector<Value> arguments{op.getLowerBound()};
    llvm::append_range(arguments, op.getInits());
    inlineRegion(rewriter, op, op.getRegion(), arguments);
    return success();
  }
};

/// Loop-carried values that the loop does not change are replaced by their initial values.
struct ForInvariants : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    Operation *yield = op.getBody()->getTerminator();
    for (auto [init, argument, next, result] :
         llvm::zip(op.getInits(), op.getRegionIterArgs(), yield->getOperands(), op.getResults())) {
      if (next != argument || (argument.hasOneUse() && result.use_empty()))
        continue;
      rewriter.replaceAllUsesExcept(argument, init, yield);
      rewriter.replaceAllUsesWith(result, init);
      changed = true;
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "everything changes");
  }
};

/// Likewise for scf.while whose condition forwards the state in order.
struct WhileInvariants : OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::WhileOp op, PatternRewriter &rewriter) const override {
    Operation *condition = op.getConditionOp(), *yield = op.getYieldOp();
    if (!llvm::equal(op.getConditionOp().getArgs(), op.getBeforeArguments()))
      return rewriter.notifyMatchFailure(op, "the condition changes the state");
    bool changed = false;
    for (auto [i, init] : llvm::enumerate(op.getInits())) {
      Value before = op.getBeforeArguments()[i], after = op.getAfterArguments()[i];
      if (yield->getOperand(i) != after ||
          (before.hasOneUse() && after.hasOneUse() && op.getResult(i).use_empty()))
        continue;
      rewriter.replaceAllUsesExcept(before, init, condition);
      rewriter.replaceAllUsesExcept(after, init, yield);
      rewriter.replaceAllUsesWith(op.getResult(i), init);
      changed = true;
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "everything changes");
  }
};

/// Results that all branches yield from the same outside value are replaced by that.
template <typename Op> struct BranchInvariants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpResult result : op->getResults()) {
      if (result.use_empty())
        continue;
      auto given = [&](Region &region) {
        return region.front().getTerminator()->getOperand(result.getResultNumber());
      };
      Value first = given(op->getRegion(0));
      if (!llvm::all_of(op->getRegions(), [&](Region &region) { return given(region) == first; }) ||
          op->isAncestor(first.getParentBlock()->getParentOp()))
        continue;
      rewriter.replaceAllUsesWith(result, first);
      changed = true;
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "branches differ");
  }
};

} // namespace

void hloc::populateControlFlowRules(RewritePatternSet &patterns) {
  patterns.add<ExtractConstant, IfKnown, SwitchKnown, SwitchByPred, ForKnown, ForInvariants,
               WhileInvariants, BranchInvariants<scf::IfOp>, BranchInvariants<scf::IndexSwitchOp>>(
      patterns.getContext());
}
