// SPDX-License-Identifier: Apache-2.0
#include "passes/expand/RaggedBlocks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

SmallVector<int64_t> hloc::chooseBlocks(int64_t positions, int64_t groups, BlockSizes limits) {
  int64_t average = std::max<int64_t>(positions / groups, 1);
  int64_t last = std::clamp(average, limits.leastLast, limits.mostLast);
  SmallVector<int64_t> blocks;
  for (int64_t size = std::min(average, limits.largest); size > last;
       size = std::max(size / limits.factor, last))
    blocks.push_back(size);
  blocks.push_back(std::min(last, positions));
  return blocks;
}

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

/// The greatest of the values [group] of all groups before each, or up to it; 0 if there are none.
static Value greatestUpTo(Build build, Value values, Direction direction) {
  int64_t count = arrayType(values).getDimSize(0);
  SmallVector<int64_t> shape{count, count};
  Type i32 = build.builder.getI32Type();
  Value isBefore = build.compare(build.iota(shape, i32, 1), build.iota(shape, i32, 0), direction);
  Value all = build.broadcast(values, shape, {1});
  return build.reduce(build.select(isBefore, all, build.splatLike(all, 0)), build.index(0), {1},
                      MaximumOp::getOperationName());
}

std::pair<Value, Value> hloc::findGroups(Build build, Value sizes, int64_t positions) {
  int64_t groups = arrayType(sizes).getDimSize(0);
  Type i32 = build.builder.getI32Type();
  SmallVector<int64_t> square{groups, groups};
  Value isBefore =
      build.compare(build.iota(square, i32, 1), build.iota(square, i32, 0), Direction::LE);
  Value all = build.broadcast(sizes, square, {1});
  Value ends = build.reduceSum(build.select(isBefore, all, build.splatLike(all, 0)), {1});
  ends = build.binary<MaximumOp>(build.binary<MinimumOp>(ends, double(positions)), 0.0);
  ends = build.convert(ends, i32);
  return {greatestUpTo(build, ends, Direction::LT), greatestUpTo(build, ends, Direction::LE)};
}
