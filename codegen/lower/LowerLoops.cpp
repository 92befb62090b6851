// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/LowerLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hloc {
namespace {

/// `value`, or the constant that an empty inline assembly hides from LLVM.
std::optional<int64_t> getKnownInt(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (auto hidden = value.getDefiningOp<LLVM::InlineAsmOp>();
      hidden && hidden.getAsmString().empty() && hidden->getNumOperands() == 1)
    value = hidden->getOperand(0);
  return getConstantIntValue(value);
}

/// The most that `upper` can be above `lower`, if that is known.
std::optional<int64_t> getMostDistance(Value lower, Value upper) {
  if (std::optional<int64_t> from = getKnownInt(lower), to = getKnownInt(upper); from && to)
    return *to - *from;
  if (auto least = upper.getDefiningOp<arith::MinSIOp>()) {
    std::optional<int64_t> a = getMostDistance(lower, least.getLhs()),
                           b = getMostDistance(lower, least.getRhs());
    return a && b ? std::min(*a, *b) : a ? a : b;
  }
  if (auto sum = upper.getDefiningOp<arith::AddIOp>(); sum && sum.getLhs() == lower)
    return getKnownInt(sum.getRhs());
  return std::nullopt;
}

/// How often the branch at the end of `loop` goes back and how often it goes on, where that is
/// known. Without it LLVM takes each loop for one of 32 iterations: it would keep the constants of
/// a short nest, such as what follows a dot, in registers that the sums of a long loop need.
DenseI32ArrayAttr getWeights(scf::ForOp loop) {
  std::optional<int64_t> distance = getMostDistance(loop.getLowerBound(), loop.getUpperBound()),
                         step = getKnownInt(loop.getStep());
  if (!distance || !step || *step <= 0 || *distance <= 0)
    return nullptr;
  int64_t repeats = llvm::divideCeil(*distance, *step) - 1;
  return DenseI32ArrayAttr::get(
      loop.getContext(),
      {int32_t(std::clamp<int64_t>(repeats, 1, std::numeric_limits<int32_t>::max())), 1});
}

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
    DenseI32ArrayAttr weights = getWeights(loop);
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
    auto branch = rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
        yield, goesOn, first, carried, after, SmallVector<Value>(yield->getOperands()));
    if (weights)
      branch.setBranchWeightsAttr(weights);

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
