// SPDX-License-Identifier: Apache-2.0
// Chooses which kernels run together tile by tile, so that what one passes to the next stays in L2.
// Test: test/passes/schedule/group-kernels.mlir.
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/TileGroups.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_GROUPKERNELS
#include "passes/Passes.h.inc"
} // namespace hloc

/// The only kernel that reads `value`, possibly through a view; null if there is none.
static KernelOp getOnlyReader(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  Operation *user = *value.user_begin();
  return buffers::isView(user) ? getOnlyReader(user->getResult(0)) : dyn_cast<KernelOp>(user);
}

/// The chain dot, reduce, dot that begins with `first`, as in attention; empty if there is none.
static SmallVector<KernelOp, 3> findProducts(KernelOp first) {
  if (first.getKind() != KernelKind::Dot || first->getNumResults() != 1 || first.getMustReuse())
    return {};
  SmallVector<KernelOp, 3> kernels{first};
  for (KernelKind kind : {KernelKind::Reduce, KernelKind::Dot}) {
    KernelOp next = getOnlyReader(kernels.back().getResult(0));
    if (!next || next.getKind() != kind || next.getMustReuse() ||
        next->getBlock() != first->getBlock())
      return {};
    kernels.push_back(next);
  }
  return kernels;
}

namespace {

struct GroupKernels : hloc::impl::GroupKernelsBase<GroupKernels> {
  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = getTargets(getOperation());
    if (failed(targets))
      return signalPassFailure();
    int64_t next = 0;
    getOperation()->walk([&](KernelOp first) {
      SmallVector<KernelOp, 3> kernels = findProducts(first);
      if (kernels.empty())
        return;
      // What fits in L2 stays there without grouping.
      int64_t bytes = buffers::getBytes(first.getResult(0).getType());
      SmallVector<int64_t> numbers = llvm::map_to_vector(*targets, [&](const Target &target) {
        return bytes > target.machine.l2.bytes ? next : kNoTileGroup;
      });
      if (llvm::all_of(numbers, [](int64_t number) { return number == kNoTileGroup; }))
        return;
      for (KernelOp kernel : kernels)
        setTileGroups(kernel, numbers);
      ++next;
      ++groups;
    });
  }
};

} // namespace
