// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/DropLoopInvariants.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

scf::WhileOp hloc::dropInvariants(scf::WhileOp loop, SmallVectorImpl<Value> &results) {
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  Operation *yield = after.getTerminator();
  SmallVector<Value> inits, all(loop.getInits());
  SmallVector<Type> types;
  llvm::BitVector dropped(all.size());
  for (auto [i, init] : llvm::enumerate(all)) {
    if (yield->getOperand(i) == after.getArgument(i)) {
      dropped.set(i);
      before.getArgument(i).replaceAllUsesWith(init);
      after.getArgument(i).replaceAllUsesWith(init);
      continue;
    }
    inits.push_back(init);
    types.push_back(init.getType());
  }
  results.assign(loop.result_begin(), loop.result_end());
  if (dropped.none())
    return loop;
  before.eraseArguments(dropped);
  after.eraseArguments(dropped);
  yield->eraseOperands(dropped);
  llvm::BitVector droppedFromCondition(1 + all.size());
  for (unsigned i : dropped.set_bits())
    droppedFromCondition.set(1 + i);
  condition->eraseOperands(droppedFromCondition);
  OpBuilder builder(loop);
  auto kept = scf::WhileOp::create(builder, loop.getLoc(), TypeRange(types), inits);
  kept.getBefore().takeBody(loop.getBefore());
  kept.getAfter().takeBody(loop.getAfter());
  for (unsigned i = 0, next = 0; i < all.size(); ++i)
    results[i] = dropped[i] ? all[i] : kept.getResult(next++);
  loop.erase();
  return kept;
}
