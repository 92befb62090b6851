// SPDX-License-Identifier: Apache-2.0
// Applies all rules until none applies. Tests: test/passes/simplify/.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

struct Simplify : hloc::impl::SimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet rules(context);
    populateArithmeticRules(rules);
    populateShapeRules(rules);
    populateUnitReshapeRules(rules);
    populateIndexingRules(rules);
    populateUpdateRules(rules);
    populateTransposeRules(rules);
    populateContractionRules(rules);
    populateFactorRules(rules);
    populateControlFlowRules(rules);
    populateConstantFolding(rules);
    patterns = FrozenRewritePatternSet(std::move(rules));
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableConstantCSE(false)
        .enableFolding(false)
        .setUseTopDownTraversal(true)
        .setMaxIterations(4);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
