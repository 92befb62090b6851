// SPDX-License-Identifier: Apache-2.0
// Moves loop-invariant computations before the loop. Test:
// test/passes/simplify/hoist-loop-invariants.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_HOISTLOOPINVARIANTS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

struct HoistLoopInvariants : hloc::impl::HoistLoopInvariantsBase<HoistLoopInvariants> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves them may leave the outer ones too.
    getOperation()->walk([&](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  }
};

} // namespace
