// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernels/reduce/ReduceKernel.h"
#include "compiler/target/VectorAccess.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "passes/schedule/ReduceSchedule.h"
#include "passes/schedule/SumBlocks.h"
#include "llvm/TargetParser/Triple.h"
#include <numeric>

using namespace mlir;

namespace hloc {

/// Bytes up to which a row of intermediate values is kept instead of being recomputed.
static constexpr int64_t kScratchRowBytes = 32 << 10;
/// Cycles per element, in vector code, from which keeping it pays.
static constexpr double kWorthKeeping = 5;
/// Cycles per vector of a stage from which code other than the folds takes most of its time, and
/// almost all of it.
static constexpr double kMixedStage = 7, kCostlyStage = 10;
/// The most vectors of partial results that a stage has, unless the schedule says more.
static constexpr int64_t kMostStageVectors = 8;

LogicalResult ReduceKernel::analyze() {
  for (Operation &op : context.getBody()) {
    int64_t stage = 0;
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp())
        stage = std::max(stage, stageOf.lookup(source));
    if (auto reduce = dyn_cast<hlo::ReduceOp>(op)) {
      Reduction reduction;
      reduction.op = reduce;
      reduction.stage = stage;
      reduction.computation = context.emitter.lookup(reduce.getToApplyAttr());
      if (!reduction.computation)
        return reduce.emitOpError("names no computation");
      if (reduce.getCount() == 1)
        reduction.monoid = matchMonoid(reduction.computation);
      reduction.indexed = matchIndexedExtreme(reduce, reduction.computation);
      for (Value input : reduce.getInputs()) {
        Type element = arrayType(input).getElementType();
        bool narrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
        // Complex numbers are ordered only by computations that compare both parts.
        if (isa<ComplexType>(element) && reduction.monoid && *reduction.monoid != Monoid::Add &&
            *reduction.monoid != Monoid::Multiply)
          reduction.monoid.reset();
        reduction.elements.push_back(
            narrow && (reduction.monoid || reduction.indexed) ? b.getF32Type() : element);
      }
      // x86 has no instruction for either extreme of floats, and the minimum takes fewer than the
      // maximum (expandExtremes).
      if (reduction.monoid == Monoid::Maximum && isa<FloatType>(reduction.elements[0]) &&
          llvm::Triple(context.target.triple).isX86()) {
        reduction.monoid = Monoid::Minimum;
        reduction.isNegated = true;
      }
      reductions.push_back(reduction);
      ++stage;
    }
    stageOf[&op] = stage;
    finalStage = std::max(finalStage, stage);
  }
  return success();
}

/// The stages in which each operation over S is needed.
ReduceKernel::Stages ReduceKernel::findStages() {
  Stages stages;
  for (Operation &op : llvm::reverse(context.getBody())) {
    for (Operation *user : op.getUsers()) {
      if (auto reduce = dyn_cast<hlo::ReduceOp>(user)) {
        for (Reduction &reduction : reductions)
          if (reduction.op == reduce)
            stages[&op].insert(reduction.stage);
      } else if (isa<hlo::ReturnOp>(user)) {
        for (auto [i, result] : llvm::enumerate(user->getOperands()))
          if (result.getDefiningOp() == &op)
            stages[&op].insert(storedIn.contains(i) ? storedIn.lookup(i) : finalStage);
      } else {
        auto inner = stages.lookup(user);
        stages[&op].insert(inner.begin(), inner.end());
      }
    }
  }
  return stages;
}

/// True if `op` computes a value over S that is expensive and needed in several stages.
bool ReduceKernel::isWorthKeeping(Operation &op, const Stages &stages) {
  if (isa<hlo::ReturnOp, hlo::ReduceOp>(op) ||
      arrayType(op.getResult(0)).getShape() != problem.shape)
    return false;
  return context.costs.toCycles(context.costs.getScalarTime(&op)) >= kWorthKeeping &&
         stages.lookup(&op).size() >= 2 &&
         getStorageBits(arrayType(op.getResult(0)).getElementType()) >= 8;
}

/// Makes `value` be loaded from where it is kept.
void ReduceKernel::bindKept(Value value) {
  context.emitter.bind(value, [this, value](ArrayRef<VectorIndex> at, Mask mask) {
    return loadOrKeep(value, at, mask);
  });
}

void ReduceKernel::planScratch() {
  if (columns > 1) // a scratch row has one column
    return;
  Stages stages = findStages();
  // Rows end with whole vectors.
  int64_t rowLanes = rows ? 1 : index.getLanes(), room = rows ? getMostStageLanes() : 0;
  for (Operation &op : context.getBody()) {
    if (!isWorthKeeping(op, stages))
      continue;
    Type element = arrayType(op.getResult(0)).getElementType();
    int64_t bytes = (problem.innerCount * rowLanes + room) * getStorageBits(element) / 8;
    if (bytes > kScratchRowBytes)
      continue;
    scratch[op.getResult(0)] = {context.allocateOnStack(bytes), std::nullopt, std::nullopt};
    bindKept(op.getResult(0));
  }
}

/// With panels: keeps a value in the memory of a result that is computed from it last. Nothing is
/// kept over an operand, which may still be read. If what is kept, or an operand, is overwritten by
/// results, the last strip of a row must not overlap the one before, which has its results already.
void ReduceKernel::planKeptInResults() {
  bool isRagged = problem.getColumns(index.getLanes()).count % index.getLanes() != 0,
       isInPlace =
           llvm::any_of(context.kernel.getReuse(), [](int64_t input) { return input >= 0; });
  masksLastStrip = isRagged && isInPlace;
  if (isInPlace || (isRagged && !hasMaskedStrips(problem, context.target)))
    return;
  Stages stages = findStages();
  BackwardSliceOptions options;
  options.filter = [](Operation *op) { return !isa<hlo::ReduceOp>(op); };
  for (auto [i, result] : llvm::enumerate(context.getReturn().getOperands())) {
    if (arrayType(result).getShape() != problem.shape || storedIn.contains(i))
      continue;
    SetVector<Operation *> computed;
    (void)getBackwardSlice(result, &computed, options);
    for (Operation *op : llvm::reverse(computed)) {
      Value value = op->getResult(0);
      if (!isWorthKeeping(*op, stages) || scratch.contains(value) ||
          arrayType(value).getElementType() != arrayType(result).getElementType())
        continue;
      scratch[value] = {Value(), unsigned(i), std::nullopt};
      bindKept(value);
      masksLastStrip = isRagged;
      break;
    }
  }
}

/// The operations over S and K that compute what the reductions of a stage fold, and the results
/// that it stores.
SetVector<Operation *> ReduceKernel::findStageOperations(int64_t stage) {
  SetVector<Operation *> computed;
  BackwardSliceOptions options;
  options.filter = [](Operation *op) { return !isa<hlo::ReduceOp>(op); };
  options.inclusive = true;
  for (Reduction &reduction : reductions)
    if (reduction.stage == stage)
      for (Value input : reduction.op.getInputs())
        (void)getBackwardSlice(input, &computed, options);
  for (auto [result, storedStage] : storedIn)
    if (storedStage == stage)
      (void)getBackwardSlice(context.getReturn().getOperand(result), &computed, options);
  return computed;
}

/// Finds the results that need no pass of their own: those that a stage computes for its folds, and
/// those that do not depend on what it folds. Nothing is stored early over an operand, which may
/// still be read.
void ReduceKernel::planEarlyResults() {
  if (llvm::any_of(context.kernel.getReuse(), [](int64_t input) { return input >= 0; }))
    return;
  SmallVector<SetVector<Operation *>> computed;
  for (int64_t stage = 0; stage < finalStage; ++stage)
    computed.push_back(findStageOperations(stage));
  for (auto [i, result] : llvm::enumerate(context.getReturn().getOperands())) {
    Operation *op = result.getDefiningOp();
    if (!op || isa<hlo::ReduceOp>(op) || arrayType(result).getShape() != problem.shape)
      continue;
    auto stage = llvm::find_if(computed, [&](auto &ops) { return ops.contains(op); });
    int64_t number = stage != computed.end() ? stage - computed.begin() : stageOf.lookup(op);
    if (number < finalStage)
      storedIn[i] = number;
  }
}

/// A rough estimate of the cycles per vector of a stage.
double ReduceKernel::estimateStageCycles(int64_t stage) {
  double cycles = 3 + double(llvm::count_if(reductions, [&](Reduction &reduction) {
                    return reduction.stage == stage;
                  }));
  for (Operation *op : findStageOperations(stage))
    cycles += context.costs.toCycles(context.costs.getScalarTime(op));
  return cycles;
}

int64_t ReduceKernel::getMostStageLanes() {
  return std::max(index.getLanes(), kMostStageVectors * context.target.getLanes(problem.widest));
}

/// Lanes for the reductions `group` of a stage. More partial results hide the latency if the rest
/// of the kernel is expensive and these reductions are not, or if they fold by long chains of
/// instructions.
int64_t ReduceKernel::chooseStageLanes(ArrayRef<Reduction *> group) {
  int64_t lanes = context.target.getLanes(problem.widest);
  if (!rows || index.getLanes() < lanes)
    return index.getLanes();
  bool hasLongChain = llvm::any_of(group, [](Reduction *reduction) {
    bool isFloat = llvm::all_of(reduction->elements, llvm::IsaPred<FloatType>);
    return isFloat &&
           (reduction->monoid == Monoid::Maximum || reduction->monoid == Monoid::Minimum);
  });
  int64_t registers = estimateStageCycles(group[0]->stage) >= kMixedStage ? 1
                      : hasLongChain && group.size() == 1                 ? kMostStageVectors
                                                                          : 4;
  // But not in short loops, nor beside other columns.
  while (registers > 1 && (problem.reducedSizes.back() < 4 * registers * lanes ||
                           registers * columns > kMostStageVectors))
    registers /= 2;
  return std::max(index.getLanes(), registers * lanes);
}

/// Blocks for the reductions `group`, which are monoids: the fewer sums are held, the longer their
/// runs. Expensive code is not repeated, and a compensated sum costs little beside it.
ReducedWalk::Blocks ReduceKernel::chooseBlocks(ArrayRef<Reduction *> group) {
  bool addsUp =
      llvm::all_of(group, [](Reduction *reduction) { return reduction->monoid == Monoid::Add; });
  if (panels)
    return {context.chosen.getBlock()[0], addsUp, addsUp ? context.chosen.getTile()[0] : 1};
  if (!addsUp)
    return {64, false};
  if (estimateStageCycles(group[0]->stage) >= kCostlyStage)
    return {16, true};
  int64_t lanes = context.target.getLanes(problem.widest);
  int64_t registers = group.size() * std::max<int64_t>(1, index.getLanes() / lanes);
  return !rows && registers <= kLongRunRegisters ? ReducedWalk::Blocks{64, true, 8}
                                                 : ReducedWalk::Blocks{32, true, 4};
}

/// Describes units as successive rows of the operands and of the results. Elements of an operand
/// outside of a unit's row are not read by it if all accesses are at the row's own index.
void ReduceKernel::describeRows() {
  bool areOutermost = llvm::equal(problem.kept, llvm::seq<int64_t>(0, problem.kept.size()));
  if (!areOutermost || context.packsOutputs())
    return;
  TileAccess &blocks = context.schedule.blocks;
  blocks.batches = problem.outerCount;
  blocks.batchUnits = 1;
  for (BlockArgument argument : context.getBody().getArguments()) {
    if (arrayType(argument).getShape() != problem.shape)
      continue;
    unsigned number = argument.getArgNumber();
    blocks.batchInputs.push_back(number);
    context.emitter.bind(argument, [this, number](ArrayRef<VectorIndex> at, Mask mask) {
      bool isOwnRow = llvm::all_of(llvm::zip(problem.kept, outer), [&](auto pair) {
        return at[std::get<0>(pair)] == std::get<1>(pair);
      });
      if (!isOwnRow)
        llvm::erase(context.schedule.blocks.batchInputs, number);
      return loadElements(index, context.getInput(number), at, mask);
    });
  }
}

/// Makes `column` of the current position the one that code is emitted for.
void ReduceKernel::moveTo(int64_t to) {
  column = to;
  if (columns > 1)
    outer.back() = index.uniform(to);
}

void ReduceKernel::emitRows() {
  int64_t units = problem.outerCount / columns;
  context.setUnits(units);
  describeRows();
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  ArrayRef<int64_t> sizes(problem.keptSizes);
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    outer =
        reshapeIndex(index, units, columns > 1 ? sizes.drop_back() : sizes, index.uniform(unit));
    if (columns > 1)
      outer.emplace_back();
    moveTo(0);
    emitStages({});
    return SmallVector<Value>();
  });
}

void ReduceKernel::emitColumns() {
  int64_t lanes = index.getLanes(), units = (problem.outerCount + lanes - 1) / lanes;
  // Vectors stay within one row of K if that is long enough; otherwise they span all positions of
  // K.
  bool minorLanes = problem.keptSizes.size() > 1 && problem.keptSizes.back() >= lanes &&
                    problem.keptSizes.back() % lanes != 0;
  int64_t minorBlocks = minorLanes ? (problem.keptSizes.back() + lanes - 1) / lanes : 0;
  if (minorLanes)
    units = problem.outerCount / problem.keptSizes.back() * minorBlocks;
  context.setUnits(units);
  int64_t size = minorLanes ? problem.keptSizes.back() : problem.outerCount;
  int64_t blocks = minorLanes ? minorBlocks : units;
  bool ragged = size % lanes != 0;
  // Where masked lanes would be gathers, the last block moves back until it fits and repeats some
  // columns, unless the results overwrite operands.
  bool inPlace = llvm::any_of(context.kernel.getReuse(), [](int64_t input) { return input >= 0; });
  bool isGathered = problem.minorIsReduced;
  bool movesBack = ragged && isGathered && size >= lanes && !inPlace && !context.packsOutputs();
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  auto overUnits = [&](Value from, Value to, bool isMasked) {
    buildFor(context, from, to, 1, {}, [&](Value unit, ValueRange) {
      Value block =
          minorLanes ? b.createOrFold<arith::RemUIOp>(unit, index.constant(blocks)) : unit;
      Value base = b.createOrFold<arith::MulIOp>(block, index.constant(lanes));
      if (movesBack)
        base = b.createOrFold<arith::MinSIOp>(base, index.constant(size - lanes));
      VectorIndex position = index.consecutive(
          base,
          getConstant(base) == 0 ? int64_t(1) << 30 : std::gcd(lanes, movesBack ? size : lanes));
      Mask mask = isMasked ? index.inRange(position, INT64_MIN, size) : Mask{};
      if (minorLanes) {
        Value row = b.createOrFold<arith::DivUIOp>(unit, index.constant(blocks));
        outer = reshapeIndex(index, problem.outerCount / size,
                             ArrayRef<int64_t>(problem.keptSizes).drop_back(), index.uniform(row));
        outer.push_back(position);
      } else {
        outer = reshapeIndex(index, problem.outerCount, problem.keptSizes, position);
      }
      for (auto &[value, kept] : scratch)
        kept.writtenIn.reset();
      emitStages(mask);
      return SmallVector<Value>();
    });
  };
  bool isMasked = ragged && !movesBack;
  if (!isMasked || !isGathered || minorLanes || size < lanes)
    return overUnits(begin, end, isMasked);
  // Only the last block is masked, so that the rows of the others can be transposed.
  Value whole = index.constant(size / lanes);
  overUnits(begin, b.createOrFold<arith::MinSIOp>(end, whole), false);
  overUnits(b.createOrFold<arith::MaxSIOp>(begin, whole), end, true);
}

LogicalResult ReduceKernel::emit() {
  if (failed(analyze()))
    return failure();
  if (problem.outerCount == 0) {
    context.schedule.units = 0;
    return success();
  }
  index.setLanes(context.chosen.getTile()[1] * context.chosen.getLanes());
  if (!rows && !panels && problem.minorIsReduced)
    tileColumns = getTileColumns(problem.narrowest, index.getLanes());
  walk.emplace(context, problem.reducedSizes, rows, tileColumns);
  planEarlyResults();
  panels ? planKeptInResults() : planScratch();
  panels ? emitPanels() : rows ? emitRows() : emitColumns();
  context.prefetchStreams();
  return success();
}

LogicalResult emitReduceKernel(KernelContext &context) {
  if (context.getBody().getOps<hlo::ReduceOp>().empty())
    return context.kernel.emitError("expected a reduce kernel to hold a reduction");
  return ReduceKernel(context).emit();
}

} // namespace hloc
