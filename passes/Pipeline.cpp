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

void hloc::buildCorePipeline(OpPassManager &passes) {
  passes.addPass(createInlineCalls());
  passes.addPass(createLowerControlFlow());
  passes.addPass(createDeduplicateComputations());
}

void hloc::registerPasses() {
  registerHlocPasses();
  registerTransformsPasses();
  PassPipelineRegistration<>("core", "Stage 1: the text's form to plain arrays and scf",
                             buildCorePipeline);
}
