// SPDX-License-Identifier: Apache-2.0
// The pass lower-to-llvm: converts MLIR's standard dialects to LLVM's.
#include "codegen/Passes.h"
#include "codegen/lower/LowerLoops.h"
#include "codegen/math/Math.h"
#include "codegen/program/RuntimeCall.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_LOWERTOLLVM
#include "codegen/Passes.h.inc"
} // namespace hloc

using namespace hloc;

/// Converts everything inside `module` to the llvm dialect.
static LogicalResult lowerToLLVM(ModuleOp module, const Target &target) {
  MLIRContext *context = module.getContext();
  if (target.hasFma && !target.emulatesFma) {
    expandConstantDivision(module);
    expandUniformDivision(module, target);
  }
  if (target.emulatesFma)
    emulateFma(module);
  else if (target.hasFma) // contraction has been decided already
    module.walk([](math::FmaOp op) { op.setFastmath(arith::FastMathFlags::none); });
  else
    expandFma(module);
  if (!target.hasHalf)
    expandHalf(module);
  if (!target.hasRounding)
    expandRounding(module);
  if (llvm::Triple(target.triple).isX86()) { // other targets have instructions
    expandExtremes(module, target.hasRange);
    if (target.vectorBytes == 64) {
      expandNibbles(module);
      expandScaling(module);
    }
  }
  {
    IRRewriter rewriter(context);
    DominanceInfo dominance(module);
    eliminateCommonSubExpressions(rewriter, dominance, module);
  }
  {
    RewritePatternSet patterns(context);
    populateLoopLowering(patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget legal(*context);
    legal.addIllegalDialect<scf::SCFDialect>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, legal, std::move(patterns))))
      return failure();
  }
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(types, patterns, /*reassociateFPReductions=*/true);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget legal(*context);
  legal.addLegalOp<ModuleOp>();
  return applyFullConversion(module, legal, std::move(patterns));
}

namespace {

struct LowerToLLVM : hloc::impl::LowerToLLVMBase<LowerToLLVM> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<Target> target = getTarget(getOperation(), targetNumber);
    if (failed(target) || failed(lowerToLLVM(getOperation(), *target)))
      return signalPassFailure();
    checkRuntimeCalls(getOperation());
  }
};

} // namespace
