// SPDX-License-Identifier: Apache-2.0
// Merges equal computations on two shapes that differ by dimensions of size one. Test:
// test/passes/simplify/simplify-shapes.mlir.
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// If f(x, broadcast(s)...) exists, f(reshape(x), broadcast(s)...) is a reshape of it, for reshapes
/// that add or drop dimensions of size one. (Otherwise the reshape stays where it is, as fusion
/// depends on its position.)
struct ElementwiseOfUnitReshape : RewritePattern {
  explicit ElementwiseOfUnitReshape(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<Elementwise>() || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not an elementwise operation");
    Value source;
    for (Value operand : op->getOperands()) {
      if (getScalar(operand))
        continue;
      auto reshape = operand.getDefiningOp<ReshapeOp>();
      if (!reshape || !getUnitReshape(arrayType(reshape.getOperand()), arrayType(reshape)))
        return rewriter.notifyMatchFailure(op, "an operand is neither a scalar nor such a reshape");
      source = reshape.getOperand();
    }
    if (!source || llvm::none_of(source.getUsers(),
                                 [&](Operation *user) { return computesTheSame(user, op); }))
      return rewriter.notifyMatchFailure(op, "it is not computed in the other shape");
    Build build(rewriter, op->getLoc());
    ArrayRef<int64_t> shape = arrayType(source).getShape();
    auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      Value scalar = getScalar(operand);
      return scalar ? build.broadcast(scalar, shape, {})
                    : operand.getDefiningOp<ReshapeOp>().getOperand();
    });
    auto type = arrayType(op->getResult(0));
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(operands);
    clone->getResult(0).setType(type.clone(shape));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, clone->getResult(0));
    return success();
  }

private:
  static Value getScalar(Value value) {
    return arrayType(value).getRank() == 0 ? value : getBroadcastScalar(value);
  }

  /// True if `other` is `op` applied to the operands of its reshapes.
  static bool computesTheSame(Operation *other, Operation *op) {
    if (other == op || other->getName() != op->getName() || other->getBlock() != op->getBlock() ||
        other->getRawDictionaryAttrs() != op->getRawDictionaryAttrs() ||
        other->getPropertiesAsAttribute() != op->getPropertiesAsAttribute())
      return false;
    return llvm::all_of(llvm::zip(other->getOperands(), op->getOperands()), [](auto pair) {
      auto [theirs, ours] = pair;
      Value scalar = getScalar(ours);
      return scalar ? scalar == getScalar(theirs)
                    : theirs == ours.template getDefiningOp<ReshapeOp>().getOperand();
    });
  }
};

} // namespace

void hloc::populateUnitReshapeRules(RewritePatternSet &patterns) {
  patterns.add<ElementwiseOfUnitReshape>(patterns.getContext());
}
