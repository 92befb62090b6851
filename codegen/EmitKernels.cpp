// SPDX-License-Identifier: Apache-2.0
// The pass emit-kernels. Kernels are emitted in parallel on the context's threads, each into a
// module of its own; its functions then replace the kernel.
#include "codegen/LaunchAttribute.h"
#include "codegen/Passes.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_EMITKERNELS
#include "codegen/Passes.h.inc"
} // namespace hloc

using namespace hloc;

/// The most operations times elements of a kernel that is inlined wherever it is launched.
static constexpr int64_t kInlinedWork = 512;
/// The most instructions of all copies of a kernel that is inlined in several places.
static constexpr int64_t kCopiedInstructions = 2048;

static int64_t countOperations(hlo::KernelFunctionOp kernel) {
  return kernel.getBody().front().getOperations().size();
}

static bool isTiny(hlo::KernelFunctionOp kernel) {
  int64_t elements = 1;
  for (Value output : kernel.getBody().front().getTerminator()->getOperands())
    elements = std::max(elements, cast<RankedTensorType>(output.getType()).getNumElements());
  for (Value input : kernel.getBody().front().getArguments())
    elements = std::max(elements, cast<RankedTensorType>(input.getType()).getNumElements() / 8);
  return elements * countOperations(kernel) <= kInlinedWork;
}

/// Emits the function of a kernel with so many launches, preceded by those that it calls, into a
/// module of its own.
static FailureOr<OwningOpRef<ModuleOp>> emitApart(hlo::KernelFunctionOp kernel, int64_t launches,
                                                  ModuleOp program, const Target &target) {
  OwningOpRef<ModuleOp> apart = ModuleOp::create(kernel.getLoc());
  FailureOr<KernelSchedule> schedule =
      emitKernel(kernel, program, target, *apart, kernel.getSymName());
  if (failed(schedule))
    return failure();
  bool tiny = isTiny(kernel);
  schedule->operations = countOperations(kernel);
  schedule->isSmall = tiny || isSmall(kernel);
  auto function = cast<LLVM::LLVMFuncOp>(apart->getBody()->back());
  setLaunch(function, *schedule);
  for (auto part : apart->getOps<LLVM::LLVMFuncOp>())
    if (part != function)
      setPart(part);
  int64_t instructions = 0;
  function.walk([&](Operation *) { ++instructions; });
  bool isWorthCopies = launches <= 1 || instructions * launches <= kCopiedInstructions;
  if (target.optimization > 0 && (tiny || schedule->isUnrolled) && isWorthCopies)
    function.setAlwaysInline(true);
  return apart;
}

namespace {

struct EmitKernels : hloc::impl::EmitKernelsBase<EmitKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Target> target = getTarget(module, targetNumber);
    if (failed(target))
      return signalPassFailure();
    auto kernels = llvm::to_vector(module.getOps<hlo::KernelFunctionOp>());
    DenseMap<StringAttr, int64_t> launches;
    module.walk([&](hlo::LaunchOp launch) { ++launches[launch.getKernelAttr().getAttr()]; });
    std::vector<OwningOpRef<ModuleOp>> emitted(kernels.size());
    LogicalResult done =
        failableParallelForEachN(&getContext(), 0, kernels.size(), [&](size_t i) -> LogicalResult {
          FailureOr<OwningOpRef<ModuleOp>> functions =
              emitApart(kernels[i], launches.lookup(kernels[i].getSymNameAttr()), module, *target);
          if (failed(functions))
            return failure();
          emitted[i] = std::move(*functions);
          return success();
        });
    if (failed(done))
      return signalPassFailure();
    for (auto [kernel, functions] : llvm::zip_equal(kernels, emitted)) {
      module.getBody()->getOperations().splice(kernel->getIterator(),
                                               functions->getBody()->getOperations());
      kernel.erase();
    }
    for (auto computation : llvm::make_early_inc_range(module.getOps<hlo::ComputationOp>()))
      computation.erase();
  }
};

} // namespace
