// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Compiler.h"
#include "codegen/LowerToLLVM.h"
#include "compiler/driver/Descriptor.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipeline.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace hloc {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<hlo::HLODialect, tensor::TensorDialect>();
  registerCodegenDialects(registry);
}

FailureOr<ModuleInterface> lowerModule(ModuleOp module, const CompileOptions &options) {
  // Two runs, because the interface is known between them.
  PassManager toInterface(module.getContext()), toMemory(module.getContext());
  buildInterfacePipeline(toInterface);
  unsigned level = options.target.optimization;
  buildArrayPipeline(toMemory, level);
  buildKernelPipeline(toMemory, level);
  for (PassManager *passes : {&toInterface, &toMemory})
    if (options.configure)
      options.configure(*passes);
  if (failed(toInterface.run(module)))
    return failure();
  ModuleInterface interface = getInterface(module);
  if (!options.name.empty())
    interface.name = options.name;
  if (failed(toMemory.run(module)))
    return failure();
  return interface;
}

FailureOr<CompiledModule> compileModule(ModuleOp module, const CompileOptions &options) {
  llvm::Expected<Target> target = makeTarget(options.target);
  if (!target) {
    emitError(UnknownLoc::get(module.getContext())) << llvm::toString(target.takeError());
    return failure();
  }
  FailureOr<ModuleInterface> interface = lowerModule(module, options);
  if (failed(interface))
    return failure();
  unsigned jobs = options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
  auto describe = [&](llvm::Module &code, const ProgramInfo &info) {
    interface->arenaBytes = info.arenaBytes;
    addDescriptor(*interface, target->triple + " " + target->cpu, code);
  };
  FailureOr<CompiledProgram> program = compileProgram(module, interface->name, *target, options.form, jobs, describe, options.timing);
  if (failed(program))
    return failure();
  return CompiledModule{std::move(*interface), std::move(*program)};
}

} // namespace hloc
