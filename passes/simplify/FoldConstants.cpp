// SPDX-License-Identifier: Apache-2.0
// Evaluates operations on constants with the reference evaluator. Sizes are bounded so that compile
// time stays linear; FoldWeights.cpp handles large constants. Test:
// test/passes/simplify/fold-constants.mlir.
#include "compiler/evaluator/core/Evaluator.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The most elements that the evaluator computes, and the most work.
constexpr int64_t kMaxElements = 1 << 14;

/// A constant in another shape shares the memory of its elements.
Value reshapeConstant(ReshapeOp op, Build build) {
  auto constant = op.getOperand().getDefiningOp<ConstantOp>();
  if (!constant)
    return nullptr;
  auto type = arrayType(op);
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return ConstantOp::create(build.builder, op.getLoc(), type, dense.reshape(type));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return ConstantOp::create(build.builder, op.getLoc(), type,
                              DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return nullptr;
}

/// Folds any pure operation on small constants.
struct FoldOperation : RewritePattern {
  explicit FoldOperation(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_present<HLODialect>(op->getDialect()) || op->getNumOperands() == 0 ||
        isa<BroadcastOp>(op) || op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0 ||
        op->getNumResults() == 0 || !isPure(op))
      return rewriter.notifyMatchFailure(op, "not an operation to fold");
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      auto value = constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
      if (!value || value.getNumElements() > kMaxElements)
        return rewriter.notifyMatchFailure(op, "an operand is not a small constant");
      operands.push_back(value);
    }
    for (Type type : op->getResultTypes())
      if (auto array = dyn_cast<RankedTensorType>(type);
          !array || array.getNumElements() > kMaxElements)
        return rewriter.notifyMatchFailure(op, "a result is large");
    auto results = evaluator::foldOperation(op, operands, kMaxElements);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "the evaluator declined");
    SmallVector<Value> constants;
    for (auto [value, type] : llvm::zip(*results, op->getResultTypes()))
      constants.push_back(ConstantOp::create(rewriter, op->getLoc(), type, value));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

} // namespace

int64_t hloc::getMostFoldedElements() { return kMaxElements; }

void hloc::populateConstantFolding(RewritePatternSet &patterns) {
  addRule<ReshapeOp>(patterns, "reshape(constant)", reshapeConstant);
  patterns.add<FoldOperation>(patterns.getContext());
}
