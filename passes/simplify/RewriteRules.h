// SPDX-License-Identifier: Apache-2.0
// Rules of --simplify: functions from an operation to the value that replaces it, or null if the
// rule does not apply. The tables of rules are in Simplify*.cpp.

#ifndef HLOC_PASSES_RULES_H
#define HLOC_PASSES_RULES_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Build.h"

namespace hloc {

/// `rule` must not create operations unless it succeeds.
template <typename Op> struct Rule : mlir::OpRewritePattern<Op> {
  using Function = mlir::Value (*)(Op, Build);

  Rule(mlir::MLIRContext *context, const char *name, Function rule)
      : mlir::OpRewritePattern<Op>(context), rule(rule) {
    this->setDebugName(name);
  }

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    mlir::Value value = rule(op, Build(rewriter, op.getLoc()));
    if (!value || value == op->getResult(0))
      return rewriter.notifyMatchFailure(op, this->getDebugName());
    rewriter.replaceOp(op, value);
    return mlir::success();
  }

  Function rule;
};

/// Adds a rule to a table; the name describes it in mathematical notation.
template <typename Op>
void addRule(mlir::RewritePatternSet &patterns, const char *name,
             typename Rule<Op>::Function rule) {
  patterns.add<Rule<Op>>(patterns.getContext(), name, rule);
}

void populateArithmeticRules(mlir::RewritePatternSet &patterns);
void populateShapeRules(mlir::RewritePatternSet &patterns);
void populateUnitReshapeRules(mlir::RewritePatternSet &patterns);
void populateIndexingRules(mlir::RewritePatternSet &patterns);
void populateUpdateRules(mlir::RewritePatternSet &patterns);
void populateTransposeRules(mlir::RewritePatternSet &patterns);
void populateContractionRules(mlir::RewritePatternSet &patterns);
void populateFactorRules(mlir::RewritePatternSet &patterns);
void populateControlFlowRules(mlir::RewritePatternSet &patterns);
void populateConstantFolding(mlir::RewritePatternSet &patterns);

/// The most elements of what constant folding computes.
int64_t getMostFoldedElements();

} // namespace hloc

#endif
