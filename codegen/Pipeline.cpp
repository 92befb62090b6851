// SPDX-License-Identifier: Apache-2.0
// The order of code generation's passes.
#include "codegen/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_REGISTRATION
#include "codegen/Passes.h.inc"
} // namespace hloc

void hloc::buildLoweringPipeline(OpPassManager &passes, const CodePipelineOptions &options) {
  if (options.lineTables)
    passes.addPass(createAddLineTables());
  passes.addPass(createLowerToLLVM({options.target}));
}

void hloc::buildCodePipeline(OpPassManager &passes, const CodePipelineOptions &options,
                             CodeStage last) {
  passes.addPass(createEmitKernels({options.target}));
  if (last >= CodeStage::Program) {
    passes.addPass(createDivideLaunches({options.target}));
    passes.addPass(createEmitProgram({options.target, options.name, options.prefix}));
  }
  if (last >= CodeStage::Llvm)
    buildLoweringPipeline(passes, options);
}

void hloc::registerCodegenPasses() {
  registerHlocCodegenPasses();
  PassPipelineRegistration<>(
      "code", "kernels in memory to the llvm dialect",
      [](OpPassManager &passes) { buildCodePipeline(passes, {}, CodeStage::Llvm); });
}
