// SPDX-License-Identifier: Apache-2.0
// Unrolls short loops of simple elementwise operations. Test:
// test/passes/simplify/unroll-short-loops.mlir.
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_UNROLLSHORTLOOPS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// True if a kernel can compute the operation element by element together with those around it, and
/// does so at least as fast as memory delivers operands.
bool isSimple(Operation &op) {
  if (op.hasTrait<Elementwise>())
    return llvm::is_contained({CostClass::Free, CostClass::Simple}, getCostClass(&op));
  return isa<ConstantOp, BroadcastOp, IotaOp, ReshapeOp, SliceOp, arith::ConstantOp, arith::MulIOp,
             arith::IndexCastOp, tensor::FromElementsOp, scf::YieldOp>(op);
}

bool isWorthUnrolling(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 32 || !llvm::all_of(*loop.getBody(), isSimple))
    return false;
  int64_t elements = 0;
  for (Type type : loop.getResultTypes())
    if (auto array = dyn_cast<RankedTensorType>(type))
      elements = std::max(elements, array.getNumElements());
  auto isComputed = [](Operation &op) { return op.hasTrait<Elementwise>(); };
  return CostModel::isWorthUnrolling(int64_t(trips->getZExtValue()),
                                     llvm::count_if(*loop.getBody(), isComputed), elements);
}

struct UnrollShortLoops : hloc::impl::UnrollShortLoopsBase<UnrollShortLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isWorthUnrolling(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      if (failed(loopUnrollFull(loop)))
        return signalPassFailure();
      ++unrolled;
    }
  }
};

} // namespace
