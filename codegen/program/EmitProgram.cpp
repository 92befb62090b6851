// SPDX-License-Identifier: Apache-2.0
// The pass emit-program.
#include "codegen/LaunchAttribute.h"
#include "codegen/Passes.h"
#include "codegen/program/Program.h"
#include "compiler/target/TargetAttribute.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_EMITPROGRAM
#include "codegen/Passes.h.inc"
} // namespace hloc

using namespace hloc;

/// Gives kernels and the functions that they call the program's prefix and internal linkage.
static void renameKernels(ModuleOp module, const ProgramNames &names) {
  llvm::StringSet<> callees;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (isPart(function))
      callees.insert(function.getSymName());
    function.setSymName(getKernelSymbol(names, function.getSymName()));
    function.setLinkage(LLVM::Linkage::Internal);
  }
  if (callees.empty())
    return;
  module.walk([&](LLVM::CallOp call) {
    if (std::optional<StringRef> callee = call.getCallee(); callee && callees.contains(*callee))
      call.setCallee(getKernelSymbol(names, *callee));
  });
}

namespace {

struct EmitProgram : hloc::impl::EmitProgramBase<EmitProgram> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Target> target = getTarget(module, targetNumber);
    if (failed(target))
      return signalPassFailure();
    std::string name = moduleName;
    if (name.empty())
      name = module.getSymName().value_or("module");
    ProgramNames names(name, prefix.empty() ? name : prefix);
    llvm::StringMap<KernelSchedule> schedules = getLaunches(module);
    renameKernels(module, names);
    auto former = llvm::map_to_vector(
        llvm::make_filter_range(
            *module.getBody(),
            [](Operation &op) { return isa<func::FuncOp, memref::GlobalOp>(op); }),
        [](Operation &op) { return &op; });
    if (failed(emitProgram(module, schedules, names, *target)))
      return signalPassFailure();
    for (Operation *op : former)
      op->erase();
  }
};

} // namespace
