// SPDX-License-Identifier: Apache-2.0
// Copies cheap operations into the blocks that use their results, so that kernels in loops compute
// what they would otherwise read from memory. Test:
// test/passes/simplify/sink-cheap-operations.mlir.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_SINKCHEAPOPERATIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// True for operations that cost less than reading their result from memory.
bool isCheapToRepeat(Operation *op) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return arrayType(broadcast.getOperand()).getNumElements() <
           arrayType(broadcast).getNumElements();
  return isa<IotaOp>(op);
}

struct SinkCheapOperations : hloc::impl::SinkCheapOperationsBase<SinkCheapOperations> {
  /// Copies a cheap operation from before a loop into every block that uses it.
  static void sink(Operation *op) {
    DenseMap<Block *, Value> copies;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Block *block = use.getOwner()->getBlock();
      if (block == op->getBlock())
        continue;
      Value &copy = copies[block];
      if (!copy) {
        auto builder = OpBuilder::atBlockBegin(block);
        copy = builder.clone(*op)->getResult(0);
      }
      use.set(copy);
    }
    if (op->use_empty())
      op->erase();
  }

  void runOnOperation() override {
    SmallVector<Operation *> cheap;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isCheapToRepeat(op))
        cheap.push_back(op);
    });
    // Users before their operands, so that chains of cheap operations sink as a whole.
    for (Operation *op : llvm::reverse(cheap))
      sink(op);
  }
};

} // namespace
