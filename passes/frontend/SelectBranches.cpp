// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/SelectBranches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Build.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// True if running the branch has no effect except on its results. Inner branches are replaced
/// already.
static bool mayAlwaysRun(Region &branch) {
  return llvm::all_of(branch.front().without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  });
}

/// Moves the operations of a branch before `choice`; returns what it yields.
static SmallVector<Value> moveOut(Operation *choice, Region &branch) {
  Block &block = branch.front();
  SmallVector<Value> results(block.getTerminator()->getOperands());
  block.getTerminator()->erase();
  choice->getBlock()->getOperations().splice(choice->getIterator(), block.getOperations());
  return results;
}

/// The last of `branches` is also for indices out of range.
static void replace(Operation *choice, tensor::ExtractOp read, ArrayRef<Region *> branches) {
  OpBuilder builder(choice);
  Build build(builder, choice->getLoc());
  Value number = read.getTensor();
  bool isPred = isa<scf::IfOp>(choice); // the first branch is for true
  SmallVector<SmallVector<Value>> results;
  for (Region *branch : branches)
    results.push_back(moveOut(choice, *branch));
  SmallVector<Value> chosen = results.back();
  for (size_t i = branches.size() - 1; i-- > 0;) {
    Value isThis = isPred ? number : build.compare(number, double(i), Direction::EQ);
    for (auto [value, other] : llvm::zip(chosen, results[i])) {
      ArrayRef<int64_t> shape = arrayType(value).getShape();
      value =
          build.select(shape.empty() ? isThis : build.broadcast(isThis, shape, {}), other, value);
    }
  }
  choice->replaceAllUsesWith(chosen);
}

void hloc::selectBranches(ComputationOp computation) {
  computation->walk([](Operation *op) {
    SmallVector<Region *> branches;
    for (Region &region : op->getRegions())
      branches.push_back(&region);
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(op) ||
        !llvm::all_of(branches, [](Region *branch) { return mayAlwaysRun(*branch); }))
      return;
    Value number = op->getOperand(0);
    auto cast = number.getDefiningOp<arith::IndexCastUIOp>();
    auto read = (cast ? cast.getIn() : number).getDefiningOp<tensor::ExtractOp>();
    if (!read)
      return;
    if (isa<scf::IndexSwitchOp>(op)) // its default region comes first
      std::rotate(branches.begin(), branches.begin() + 1, branches.end());
    replace(op, read, branches);
    op->erase();
    for (Operation *other : {static_cast<Operation *>(cast), static_cast<Operation *>(read)})
      if (other && other->use_empty())
        other->erase();
  });
}
