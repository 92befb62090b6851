// SPDX-License-Identifier: Apache-2.0
// Reductions by panels of columns. A panel is a few strips of as many columns as there are lanes.
// Rows are folded a block at a time: for each strip, the block's rows are folded in registers and
// then added to the strip's totals in memory, which stay in L1 or L2. So rows are read almost
// sequentially; a single strip through all rows would miss in each of them.
#include "codegen/kernels/reduce/ReduceKernel.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// The panel that code is being built for, and its current strip.
struct ReduceKernel::Panel {
  /// The columns, and how many strips a panel has.
  ReduceProblem::Columns columns;
  int64_t strips;
  /// The position in the other kept dimensions, and the range of the panel's strips there.
  Value row, firstStrip, endStrip;
  /// The current strip's number within the panel, and its lanes that are columns.
  VectorIndex slot;
  Mask mask;
};

/// Allocates a vector of elements for each strip.
static MemoryArray allocateStrips(KernelContext &context, int64_t strips, Type element) {
  auto type = RankedTensorType::get({strips, context.index.getLanes()}, element);
  return {context.allocateOnStack(getByteSize(type)), type};
}

/// If lanes do not divide a row, its last strip has fewer columns or overlaps the one before.
void ReduceKernel::overStrips(Panel &panel, function_ref<void()> body) {
  int64_t lanes = index.getLanes(), count = panel.columns.count, whole = count / lanes;
  auto emitStrip = [&](Value strip, VectorIndex position, Mask mask) {
    ArrayRef<int64_t> sizes(problem.keptSizes);
    outer = reshapeIndex(index, problem.outerCount / count,
                         sizes.drop_back(panel.columns.dimensions), index.uniform(panel.row));
    outer.append(reshapeIndex(index, count, sizes.take_back(panel.columns.dimensions), position));
    panel.slot = index.uniform(b.createOrFold<arith::SubIOp>(strip, panel.firstStrip));
    panel.mask = mask;
    body();
  };
  Value end = panel.endStrip;
  if (masksLastStrip)
    end = b.createOrFold<arith::MinSIOp>(end, index.constant(whole));
  buildFor(
      context, panel.firstStrip, end, 1,
      [&](Value strip) {
        Value column = b.createOrFold<arith::MulIOp>(strip, index.constant(lanes));
        if (count % lanes != 0 && !masksLastStrip)
          column = b.createOrFold<arith::MinSIOp>(column, index.constant(count - lanes));
        int64_t multiple = masksLastStrip ? lanes : std::gcd(lanes, count);
        emitStrip(strip, index.consecutive(column, multiple), {});
      },
      masksLastStrip ? Rounds::Any : Rounds::Some);
  if (!masksLastStrip)
    return;
  // The strip that is not whole, if the panel has it.
  Value last = index.constant(whole),
        first = b.createOrFold<arith::MaxSIOp>(panel.firstStrip, last);
  buildFor(context, first, panel.endStrip, 1, [&](Value) {
    VectorIndex position = index.consecutive(index.constant(whole * lanes), lanes);
    emitStrip(last, position, index.inRange(position, INT64_MIN, count));
  });
}

void ReduceKernel::emitPanelStage(Panel &panel, int64_t number) {
  std::optional<Stage> stage = beginStage(number);
  if (!stage)
    return;
  ReducedWalk::Blocks blocks = chooseBlocks(stage->group);
  BlockTotals totals(b, stage->isJoinable && blocks.addsUp);
  VectorIndex lane = index.consecutive(index.constant(0), index.getLanes());

  // What is carried from block to block, in memory; the parts of complex numbers are separate.
  SmallVector<Value> initial = totals.begin(stage->seeds);
  SmallVector<MemoryArray> carried;
  for (Value value : initial)
    carried.push_back(allocateStrips(context, panel.strips, getElementTypeOrSelf(value.getType())));
  auto load = [&] {
    SmallVector<Value> values;
    for (MemoryArray memory : carried)
      values.push_back(loadElements(index, memory, {panel.slot, lane}, {}).re);
    return values;
  };
  auto store = [&](ValueRange values) {
    for (auto [memory, value] : llvm::zip(carried, values))
      storeElements(index, memory, {panel.slot, lane}, {value, {}}, {});
  };

  overStrips(panel, [&] { store(initial); });
  auto step = [&](ArrayRef<VectorIndex> at, Mask mask, ValueRange values) {
    return foldElements(*stage, at, mask, panel.mask, values);
  };
  auto join = [&](ValueRange sums, ValueRange more) { return joinParts(*stage, sums, more); };
  walk->overBlocks({}, blocks, [&](ValueRange, ReducedWalk::FoldBlock foldBlock) {
    overStrips(panel, [&] {
      for (Reduction *reduction : stage->group)
        emitShared(reduction->op.getInputs(), panel.mask);
      if (stage->isJoinable)
        store(totals.add(
            load(), foldBlock(stage->seeds, {step, join, stage->seeds, blocks.runSteps}), join));
      else
        store(foldBlock(load(), {step, nullptr, {}, 1}));
    });
    return SmallVector<Value>();
  });
  if (context.emitter.hasFailed())
    return;

  SmallVector<std::pair<Value, MemoryArray>> results;
  for (Reduction *reduction : stage->group)
    for (Value result : reduction->op.getResults())
      results.push_back(
          {result, allocateStrips(context, panel.strips, arrayType(result).getElementType())});
  overStrips(panel, [&] {
    SmallVector<Value> sums = totals.end(load(), stage->seeds.size());
    ValueRange rest(sums);
    auto next = results.begin();
    for (auto [reduction, start] : llvm::zip(stage->group, stage->initial))
      for (VectorValue lanes : finish(*reduction, start, rest))
        storeElements(index, (next++)->second, {panel.slot, lane}, lanes, {});
  });
  for (auto [result, memory] : results)
    context.emitter.bind(result,
                         [this, &panel, lane, memory = memory](ArrayRef<VectorIndex>, Mask) {
                           return loadElements(index, memory, {panel.slot, lane}, {});
                         });
}

void ReduceKernel::emitPanelResults(Panel &panel) {
  currentStage = finalStage;
  SmallVector<unsigned> wide, narrow;
  findResults(wide, narrow);
  if (!wide.empty())
    walk->overBlocks({}, {context.chosen.getBlock()[0], /*addsUp=*/false},
                     [&](ValueRange, ReducedWalk::FoldBlock foldBlock) {
                       overStrips(panel, [&] {
                         for (unsigned i : wide)
                           emitShared(context.getReturn().getOperand(i), panel.mask);
                         auto step = [&](ArrayRef<VectorIndex> at, Mask mask, ValueRange) {
                           storeWide(wide, at, index.both(mask, panel.mask));
                           return SmallVector<Value>();
                         };
                         foldBlock({}, {step, nullptr, {}, 1});
                       });
                       return SmallVector<Value>();
                     });
  if (!narrow.empty())
    overStrips(panel, [&] {
      for (unsigned i : narrow)
        if (VectorValue value = emitNarrow(i, panel.mask); value.re)
          storeNarrow(i, value, panel.mask);
    });
}

void ReduceKernel::emitPanels() {
  int64_t lanes = index.getLanes();
  ReduceProblem::Columns columns = problem.getColumns(lanes);
  int64_t strips = llvm::divideCeil(columns.count, lanes),
          panelStrips = std::min(strips, context.chosen.getBlock()[1] / lanes),
          panels = llvm::divideCeil(strips, panelStrips),
          units = problem.outerCount / columns.count * panels;
  context.setUnits(units);
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, [&](Value unit) {
    auto [number, row] = index.divideWithRemainder(index.uniform(unit), panels);
    Value first = index.multiply(number, panelStrips).base,
          next = b.createOrFold<arith::AddIOp>(first, index.constant(panelStrips));
    if (strips % panelStrips != 0)
      next = b.createOrFold<arith::MinSIOp>(next, index.constant(strips));
    Panel panel{columns, panelStrips, row.base, first, next, {}, {}};
    for (int64_t stage = 0; stage < finalStage && !context.emitter.hasFailed(); ++stage)
      emitPanelStage(panel, stage);
    if (!context.emitter.hasFailed())
      emitPanelResults(panel);
  });
}

} // namespace hloc
