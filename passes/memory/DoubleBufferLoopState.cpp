// SPDX-License-Identifier: Apache-2.0
// Unrolls loops that compute a new state from all of the old one, as stencils do, so that two
// buffers alternate. Test: test/passes/memory/double-buffer-loop-state.mlir.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/memory/AssignBuffersPlan.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::buffers;

namespace hloc {
#define GEN_PASS_DEF_DOUBLEBUFFERLOOPSTATE
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// The most operations of a loop body that is unrolled.
constexpr int64_t mostOperations = 2000;
/// The largest unroll factor.
constexpr int64_t mostIterations = 4;

/// The number of iterations after which the state is in its original buffers again: two, or more if
/// old states are passed on, as in a wave equation. 1 if nothing large is copied at the end of an
/// iteration.
int64_t countIterations(const Plan &plan, Operation *yield, Block::BlockArgListType arguments) {
  bool copies = llvm::any_of(plan.getCopies(yield),
                             [&](Copy copy) { return plan[copy.to].bytes > maxStackBytes; });
  if (!copies)
    return 1;
  int64_t longest = 0;
  for (size_t start = 0; start < arguments.size(); ++start) {
    // Follow the state backwards until it is computed anew.
    int64_t length = 0;
    for (size_t at = start; length < mostIterations; ++length) {
      auto source = llvm::find(arguments, yield->getOperand(at));
      if (source == arguments.end() || getBytes((*source).getType()) <= maxStackBytes)
        break;
      at = std::distance(arguments.begin(), source);
      if (at == start)
        break;
    }
    longest = std::max(longest, length);
  }
  return std::min(2 + longest, mostIterations);
}

int64_t countOperations(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// Unrolls the loop by two: the second iteration runs if the condition holds after the first.
void unrollTwice(scf::WhileOp loop) {
  auto yield = loop.getYieldOp();
  auto condition = loop.getConditionOp();
  OpBuilder builder(yield);
  Location loc = loop.getLoc();
  SmallVector<Operation *> first;
  for (Operation &op : loop.getAfterBody()->without_terminator())
    first.push_back(&op);
  IRMapping second;
  second.map(loop.getBeforeArguments(), yield.getResults());
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    builder.clone(op, second);
  IRMapping body;
  for (auto [argument, passed] : llvm::zip(loop.getAfterArguments(), condition.getArgs()))
    body.map(argument, second.lookupOrDefault(passed));
  auto branch =
      scf::IfOp::create(builder, loc, yield.getOperandTypes(),
                        second.lookupOrDefault(condition.getCondition()), /*withElseRegion=*/true);
  branch->setAttr(unlikelyElse, builder.getUnitAttr());
  builder.setInsertionPointToStart(branch.thenBlock());
  for (Operation *op : first)
    builder.clone(*op, body);
  SmallVector<Value> next;
  for (Value value : yield.getResults())
    next.push_back(body.lookupOrDefault(value));
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, yield.getResults());
  yield->setOperands(branch.getResults());
}

struct DoubleBufferLoopState : hloc::impl::DoubleBufferLoopStateBase<DoubleBufferLoopState> {
  void runOnOperation() override {
    SmallVector<Operation *> loops; // inner ones first
    getOperation()->walk([&](LoopLikeOpInterface loop) { loops.push_back(loop); });
    if (loops.empty())
      return;
    SmallVector<std::pair<Operation *, int64_t>> chosen;
    Plan plan(getOperation(), {});
    for (Operation *op : loops) {
      int64_t iterations = 1;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        iterations =
            countIterations(plan, loop.getBody()->getTerminator(), loop.getRegionIterArgs());
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        iterations = std::min<int64_t>(
            2, countIterations(plan, loop.getYieldOp(), loop.getBeforeArguments()));
      if (iterations > 1)
        chosen.push_back({op, iterations});
    }
    for (auto [op, iterations] : chosen) {
      if (countOperations(op) * iterations > mostOperations)
        continue;
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        unrollTwice(loop);
      else if (failed(loopUnrollByFactor(cast<scf::ForOp>(op), iterations)))
        continue;
      ++unrolled;
    }
  }
};

} // namespace
