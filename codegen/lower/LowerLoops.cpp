// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/LowerLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hloc {
namespace {

struct LowerFor : OpRewritePattern<scf::ForOp> {
  /// Higher benefit than upstream's pattern, which tests at the beginning.
  explicit LowerFor(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  static bool isNotEmpty(scf::ForOp loop) {
    if (loop->hasAttr(kNotEmpty))
      return true;
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound());
    return lower && upper && !loop.getUnsignedCmp() && *lower < *upper;
  }

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    Location loc = loop.getLoc();
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Block *before = rewriter.getInsertionBlock(),
          *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    if (loop.getNumResults() > 0) {
      Block *rest = after;
      after = rewriter.createBlock(rest, loop.getResultTypes(),
                                   SmallVector<Location>(loop.getNumResults(), loc));
      cf::BranchOp::create(rewriter, loc, rest);
    }
    // Inner loops may have been lowered already, so the body may have several blocks.
    Block *first = &loop.getRegion().front(), *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), after);

    Operation *yield = last->getTerminator();
    rewriter.setInsertionPoint(yield);
    Value next = arith::AddIOp::create(rewriter, loc, first->getArgument(0), loop.getStep());
    Value goesOn = arith::CmpIOp::create(rewriter, loc, less, next, loop.getUpperBound());
    SmallVector<Value> carried{next};
    llvm::append_range(carried, yield->getOperands());
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(yield, goesOn, first, carried, after,
                                                  SmallVector<Value>(yield->getOperands()));

    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> entering{loop.getLowerBound()};
    llvm::append_range(entering, loop.getInitArgs());
    if (isNotEmpty(loop)) {
      cf::BranchOp::create(rewriter, loc, first, entering);
    } else {
      Value begins =
          arith::CmpIOp::create(rewriter, loc, less, loop.getLowerBound(), loop.getUpperBound());
      cf::CondBranchOp::create(rewriter, loc, begins, first, entering, after, loop.getInitArgs());
    }
    rewriter.replaceOp(loop,
                       loop.getNumResults() > 0 ? ValueRange(after->getArguments()) : ValueRange());
    return success();
  }
};

} // namespace

void populateLoopLowering(RewritePatternSet &patterns) {
  patterns.add<LowerFor>(patterns.getContext());
}

} // namespace hloc
