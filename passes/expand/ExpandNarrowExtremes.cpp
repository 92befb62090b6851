// SPDX-License-Identifier: Apache-2.0
// Maxima and minima of narrow floats, as those of integers: a vector has twice as many of these as
// of the f32 in which narrow floats are computed, and needs one instruction for what takes several.
// Test: test/passes/expand/narrow-extremes.hlo.
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The bits of a number, of positive ones as they are, of negative ones with all but the sign
/// inverted: as integers they have the order of the numbers. This is its own inverse.
Value toOrdered(Build build, Value bits) {
  Value sign = build.binary<ShiftRightArithmeticOp>(bits, 15);
  return build.bitXor(bits, build.bitAnd(sign, 0x7fff));
}

/// Integers are ordered as the floats but for NaNs, which are at both ends. A shift by the NaNs of
/// one sign, with wrap-around, puts all of them at the end where they win.
struct ReduceNarrowExtreme : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getCount() != 1)
      return rewriter.notifyMatchFailure(op, "several operands");
    Value input = op.getInputs()[0];
    auto element = dyn_cast<FloatType>(arrayType(input).getElementType());
    if (!element || element.getWidth() != 16)
      return rewriter.notifyMatchFailure(op, "not f16 or bf16");
    Operation *producer = input.getDefiningOp();
    if (producer && producer->hasTrait<Elementwise>() && !isa<CopyOp>(producer))
      return rewriter.notifyMatchFailure(op, "the operand is computed in f32");
    ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
    Operation *extreme = reducer ? getSingleBinaryOp(reducer) : nullptr;
    if (!isa_and_nonnull<MaximumOp, MinimumOp>(extreme))
      return rewriter.notifyMatchFailure(op, "not a maximum or minimum");
    Build build(rewriter, op.getLoc());
    int64_t mantissaBits = element.getFPMantissaWidth() - 1, nans = (1 << mantissaBits) - 1,
            shift = isa<MaximumOp>(extreme) ? -nans : nans;
    auto toKey = [&](Value numbers) {
      Value bits = build.bitcastConvert(numbers, rewriter.getI16Type());
      return build.add(toOrdered(build, bits), double(shift));
    };
    Value key = build.reduce(toKey(input), toKey(op.getInitialValues()[0]), op.getDimensions(),
                             extreme->getName().getStringRef());
    Value bits = toOrdered(build, build.add(key, double(-shift)));
    rewriter.replaceOp(op, build.bitcastConvert(bits, element));
    return success();
  }
};

} // namespace

void hloc::populateNarrowExtremeExpansions(RewritePatternSet &patterns) {
  patterns.add<ReduceNarrowExtreme>(patterns.getContext());
}
