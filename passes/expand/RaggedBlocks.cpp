// SPDX-License-Identifier: Apache-2.0
#include "passes/expand/RaggedBlocks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

SmallVector<Value> hloc::whileLoop(Build build, ValueRange inits, Condition condition, Step step) {
  auto before = [&](OpBuilder &inner, Location loc, ValueRange state) {
    Value holds = condition(Build(inner, loc), state);
    scf::ConditionOp::create(inner, loc, tensor::ExtractOp::create(inner, loc, holds, ValueRange()),
                             state);
  };
  auto after = [&](OpBuilder &inner, Location loc, ValueRange state) {
    scf::YieldOp::create(inner, loc, step(Build(inner, loc), state));
  };
  auto loop =
      scf::WhileOp::create(build.builder, build.loc, inits.getTypes(), inits, before, after);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> hloc::doOnce(Build build, ValueRange inits, Condition condition, Step step) {
  auto once = [&](OpBuilder &inner, Location loc) {
    scf::YieldOp::create(inner, loc, step(Build(inner, loc), inits));
  };
  auto never = [&](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, inits); };
  Value holds =
      tensor::ExtractOp::create(build.builder, build.loc, condition(build, inits), ValueRange());
  auto choice = scf::IfOp::create(build.builder, build.loc, holds, once, never);
  return SmallVector<Value>(choice.getResults());
}
