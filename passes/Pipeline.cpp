// SPDX-License-Identifier: Apache-2.0
#include "passes/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace hloc

void hloc::buildInterfacePipeline(OpPassManager &passes) {
  passes.addPass(createLocalizeEntry());
  // Before that, the entry needs the shapes of one partition.
  passes.addPass(createBindParameters());
  passes.addPass(createLowerTransfers());
  passes.addPass(createInlineCalls());
  passes.addPass(createLowerControlFlow());
  passes.addNestedPass<func::FuncOp>(createWarnOfEndlessLoops());
  passes.addPass(createExpandBoundedSizes());
  passes.addPass(createExpandCollectives());
  passes.addPass(createMatchCollectives());
  passes.addPass(createDeduplicateComputations()); // so that CSE sees equal reductions
}

void hloc::buildCorePipeline(OpPassManager &passes) {
  buildInterfacePipeline(passes);
  passes.addNestedPass<func::FuncOp>(createNormalizeLayouts());
}

void hloc::buildSimplificationPipeline(OpPassManager &passes) {
  OpPassManager &function = passes.nest<func::FuncOp>();
  function.addPass(createSimplify());
  function.addPass(createCSEPass());
  function.addPass(createRaiseCountedLoops()); // needs constant bounds
  function.addPass(createHoistLoopInvariants());
  function.addPass(createUnrollShortLoops()); // of what depends on the iteration
  function.addPass(createFoldWeights()); // before slices of layers move before other operations
  passes.addPass(createHoldPrepared());  // after constants are folded
  OpPassManager &rest = passes.nest<func::FuncOp>();
  rest.addPass(createSliceProducers()); // after everything that can be hoisted is before the loops
  rest.addPass(createRemoveDeadLoopState());
  rest.addPass(createSimplify()); // loops that run once, counters that are constants
  rest.addPass(createCSEPass());
  rest.addPass(createSinkCheapOperations()); // after cse, which merges copies
}

void hloc::buildExpansionPipeline(OpPassManager &passes) {
  passes.addPass(createExpandOperations());
  passes.addPass(createLowerCollectives()); // their computations become kernels
  passes.addPass(createDeduplicateComputations());
}

void hloc::buildContractionPipeline(OpPassManager &passes, bool simplify) {
  passes.addNestedPass<func::FuncOp>(createCanonicalizeConvolutions());
  if (simplify)
    passes.addNestedPass<func::FuncOp>(createSimplify()); // transposes are merged into dots
  passes.addPass(createCanonicalizeDots());
}

void hloc::buildSchedulePipeline(OpPassManager &passes, const KernelPipelineOptions &options) {
  FuseOptions fuse;
  fuse.alone = options.level == 0;
  fuse.remarks = options.remarks;
  passes.addNestedPass<func::FuncOp>(createFuse(fuse));
  passes.addNestedPass<func::FuncOp>(createOrderKernels()); // also makes updates in place possible
  // So that buffer assignment keeps groups' buffers apart.
  passes.addNestedPass<func::FuncOp>(createGroupKernels());
  if (options.level > 0) {
    passes.addNestedPass<func::FuncOp>(createOverlapCollectives());
    // Looks at the buffers of kernels in order.
    passes.addNestedPass<func::FuncOp>(createDoubleBufferLoopState());
    passes.addPass(createCheckBf16Dots());
    passes.addNestedPass<func::FuncOp>(createCollapseDimensions()); // this makes more kernels equal
    passes.addPass(createDivideReductions());
    passes.addNestedPass<func::FuncOp>(createKeepExcessPrecision());
  }
  // Starts and dones do not move any more.
  passes.addNestedPass<func::FuncOp>(createRefuseDeadlocks());
  passes.addNestedPass<func::FuncOp>(createChooseSchedules({.remarks = options.remarks}));
}

void hloc::buildKernelPipeline(OpPassManager &passes, const KernelPipelineOptions &options) {
  buildSchedulePipeline(passes, options);
  passes.addNestedPass<func::FuncOp>(createPackOperands()); // as the schedules prescribe
  passes.addPass(createHoldPanels());
  passes.addPass(createAssignBuffers());
  passes.addPass(createRestrictCalls()); // calls of the runtime are final now
  if (options.check)
    passes.addPass(createCheckBuffers());
  passes.addPass(createPlacePrepared()); // check-buffers checks arrays, not the block
}

void hloc::buildArrayPipeline(OpPassManager &passes, unsigned level) {
  passes.addNestedPass<func::FuncOp>(createNormalizeLayouts());
  passes.addPass(createSplitPreparation()); // arguments have their layouts in memory now
  if (level > 0)
    buildSimplificationPipeline(passes);
  else
    passes.addNestedPass<func::FuncOp>(createRaiseCountedLoops());
  buildExpansionPipeline(passes);
  buildContractionPipeline(passes, level > 0);
  if (level > 0) {
    passes.addNestedPass<func::FuncOp>(createTurnReductions()); // contractions are dots now
    buildSimplificationPipeline(passes);
  }
  passes.addPass(createSymbolDCEPass());
}

void hloc::buildHloPipeline(OpPassManager &passes, unsigned level) {
  buildInterfacePipeline(passes);
  buildArrayPipeline(passes, level);
}

void hloc::registerPasses() {
  registerHlocPasses();
  registerTransformsPasses();
  PassPipelineRegistration<>("core", "the text's form to plain arrays and scf", buildCorePipeline);
  PassPipelineRegistration<>("simplification", "fewer operations", buildSimplificationPipeline);
  PassPipelineRegistration<>("hlo-O0", "all stages on hlo, without optimization",
                             [](OpPassManager &passes) { buildHloPipeline(passes, 0); });
  PassPipelineRegistration<>("hlo-O3", "all stages on hlo",
                             [](OpPassManager &passes) { buildHloPipeline(passes, 3); });
  PassPipelineRegistration<>(
      "kernels", "plain arrays to kernels in memory, the plan checked",
      [](OpPassManager &passes) { buildKernelPipeline(passes, {.check = true}); });
}
