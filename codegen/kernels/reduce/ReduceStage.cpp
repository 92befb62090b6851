// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernels/reduce/ReduceKernel.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Movement.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;

namespace hloc {

VectorValue ReduceKernel::loadOrKeep(Value value, ArrayRef<VectorIndex> at, Mask mask) {
  Kept &kept = scratch.find(value)->second;
  auto compute = [&] {
    context.emitter.unbind(value);
    VectorValue lanes = context.emitter.emit(value, at, mask);
    bindKept(value);
    return lanes;
  };
  bool isWritten = kept.writtenIn && *kept.writtenIn < currentStage;
  if (at != ArrayRef<VectorIndex>(currentAt) || (!isWritten && currentStage == finalStage))
    return compute();
  ElementIndex place(at);
  MemoryArray memory;
  Mask present = mask;
  if (kept.result) {
    memory = context.getOutput(*kept.result);
  } else {
    // The index in the scratch row: the position in D and, for columns, a vector for each.
    SmallVector<int64_t> sizes(problem.reducedSizes);
    place.clear();
    for (int64_t d : problem.reduced)
      place.push_back(at[d]);
    if (!rows) {
      place.push_back(index.consecutive(index.constant(0)));
      sizes.push_back(index.getLanes());
    }
    memory = {kept.pointer, RankedTensorType::get(sizes, arrayType(value).getElementType())};
    // The row has room for whole vectors. A load waits for a masked store to reach the cache, while
    // a whole one is forwarded.
    present = {};
  }
  if (isWritten)
    return loadElements(index, memory, place, present);
  kept.writtenIn = currentStage;
  VectorValue lanes = compute();
  if (lanes.re)
    storeElements(index, memory, place, lanes, present);
  return lanes;
}

ElementIndex ReduceKernel::inputIndex(ArrayRef<VectorIndex> at) {
  ElementIndex full(problem.shape.size());
  for (auto [i, d] : llvm::enumerate(problem.reduced))
    full[d] = at[i];
  for (auto [i, d] : llvm::enumerate(problem.kept))
    full[d] = outer[i];
  return full;
}

/// An operand's elements as a reduction folds them.
VectorValue ReduceKernel::toAccumulator(const Reduction &reduction, VectorValue lanes, Type given,
                                        Type element) {
  if (given != element)
    lanes = emitConvertLanes(index, lanes, given, element);
  if (reduction.isNegated)
    lanes.re = arith::NegFOp::create(b, lanes.re);
  return lanes;
}

SmallVector<VectorValue> ReduceKernel::combine(Reduction &reduction, ArrayRef<VectorValue> x,
                                               ArrayRef<VectorValue> y) {
  if (reduction.monoid)
    return {emitMonoid(index, *reduction.monoid, reduction.elements[0], x[0], y[0])};
  if (reduction.indexed)
    return emitIndexedExtreme(index, *reduction.indexed, reduction.elements[0], x, y);
  SmallVector<VectorValue> arguments(x);
  arguments.append(y.begin(), y.end());
  return emitComputation(index, reduction.computation, arguments);
}

/// If a fold is of values and their indices, swaps lanes of `x` and `y` so that `x` has the earlier
/// one: which of two equal values or NaNs a computation keeps depends on their order.
void ReduceKernel::putInOrder(Reduction &reduction, SmallVector<VectorValue> &x,
                              SmallVector<VectorValue> &y) {
  if (reduction.monoid || x.size() != 2 || !isa<IntegerType>(reduction.elements[1]) ||
      hlo::isPred(reduction.elements[1]))
    return;
  auto less = reduction.elements[1].isUnsignedInteger() ? arith::CmpIPredicate::ult
                                                        : arith::CmpIPredicate::slt;
  Value exchanged = arith::CmpIOp::create(b, less, y[1].re, x[1].re);
  for (auto [a, c] : llvm::zip(x, y)) {
    VectorValue first = emitSelect(index, exchanged, c, a),
                second = emitSelect(index, exchanged, a, c);
    a = first;
    c = second;
  }
}

/// Joins the upper half of the lanes of `partial` with the lower one, until one lane is left.
SmallVector<VectorValue>
ReduceKernel::halveLanes(SmallVector<VectorValue> partial,
                         function_ref<SmallVector<VectorValue>(SmallVector<VectorValue> &low,
                                                               SmallVector<VectorValue> &high)>
                             join) {
  int64_t all = index.getLanes();
  auto half = [&](Value vector, int64_t from, int64_t count) -> Value {
    if (!vector)
      return vector;
    if (count == 1)
      return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{from});
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      order.push_back(from + i);
    return vector::ShuffleOp::create(b, vector, vector, order);
  };
  for (int64_t count = all / 2; count >= 1; count /= 2) {
    index.setLanes(count);
    SmallVector<VectorValue> low, high;
    for (VectorValue x : partial) {
      low.push_back({half(x.re, 0, count), half(x.im, 0, count)});
      high.push_back({half(x.re, count, count), half(x.im, count, count)});
    }
    partial = join(low, high);
  }
  index.setLanes(all);
  return partial;
}

/// The result of a reduction from the partial results of all lanes.
SmallVector<VectorValue> ReduceKernel::foldLanes(Reduction &reduction,
                                                 SmallVector<VectorValue> partial) {
  bool isValueExact =
      isa<IntegerType>(reduction.elements[0]) || reduction.op.getResult(0).use_empty();
  if (reduction.indexed && reduction.indexed->nan != IndexedExtreme::NaN::Always && isValueExact &&
      index.getLanes() > 1)
    return foldIndexedLanes(reduction, partial);
  return halveLanes(partial, [&](auto &low, auto &high) {
    putInOrder(reduction, low, high);
    return combine(reduction, low, high);
  });
}

/// That of an extreme and its index: the values are folded first, then the indices of the lanes
/// that have the extreme. A value of floats may be a zero of the other sign, and must be unused.
SmallVector<VectorValue> ReduceKernel::foldIndexedLanes(Reduction &reduction,
                                                        ArrayRef<VectorValue> partial) {
  auto fold = [&](Monoid monoid, Type element, VectorValue lanes) {
    return halveLanes({lanes}, [&](auto &low, auto &high) {
      return SmallVector<VectorValue>{emitMonoid(index, monoid, element, low[0], high[0])};
    })[0];
  };
  Type element = reduction.elements[0], indexElement = reduction.elements[1];
  const IndexedExtreme &indexed = *reduction.indexed;
  VectorValue extreme =
      fold(indexed.isMaximum ? Monoid::Maximum : Monoid::Minimum, element, partial[0]);
  Value x = partial[0].re, y = broadcastLanes(index, extreme).re, has;
  if (isa<IntegerType>(element)) {
    has = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  } else { // the extreme is NaN if some lane is
    Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    has = arith::OrIOp::create(b, isNan, arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y));
  }
  Monoid choice = indexed.replacesEqualIndex ? Monoid::Maximum : Monoid::Minimum;
  VectorValue none = broadcastLanes(index, emitIdentity(index, choice, indexElement));
  return {extreme, fold(choice, indexElement, emitSelect(index, has, partial[1], none))};
}

/// Computes what `roots` need at all positions in D in common, so that loops over D find it: code
/// with branches of its own, such as a cosine, does not belong into a loop.
void ReduceKernel::emitShared(ValueRange roots, Mask outerMask) {
  SetVector<Operation *> computed;
  BackwardSliceOptions options;
  options.filter = [](Operation *op) { return !isa<hlo::ReduceOp>(op); };
  options.inclusive = true;
  for (Value root : roots)
    (void)getBackwardSlice(root, &computed, options);
  for (Operation *op : computed) {
    auto broadcast = dyn_cast<hlo::BroadcastOp>(op);
    Operation *source = broadcast ? broadcast.getOperand().getDefiningOp() : nullptr;
    if (!source || isa<hlo::ReduceOp, hlo::ConstantOp>(source) ||
        arrayType(broadcast.getResult()).getShape() != problem.shape)
      continue;
    ElementIndex at;
    hlo::IndexMap map = hlo::getIndexMap(broadcast);
    for (const hlo::DimensionMap &to : map)
      if (auto found = llvm::find(problem.kept, to.dimension); found != problem.kept.end())
        at.push_back(outer[found - problem.kept.begin()]);
    if (at.size() == map.size())
      (void)context.emitter.emit(broadcast.getOperand(), at, outerMask);
  }
}

/// Stores the results at the current position that this stage has computed.
void ReduceKernel::storeEarlyResults(Mask mask) {
  for (auto [i, result] : llvm::enumerate(context.getReturn().getOperands())) {
    auto found = storedIn.find(i);
    if (found == storedIn.end() || found->second != currentStage)
      continue;
    VectorValue value = context.emitter.emit(result, currentAt, mask);
    if (value.re)
      storeOrCollect(i, currentAt, value, mask);
  }
}

/// The reductions of a stage with their initial values; none if the stage is empty or code
/// generation fails.
std::optional<ReduceKernel::Stage> ReduceKernel::beginStage(int64_t number) {
  currentStage = number;
  Stage stage;
  for (Reduction &reduction : reductions)
    if (reduction.stage == number)
      stage.group.push_back(&reduction);
  if (stage.group.empty())
    return std::nullopt;
  stage.lanes = chooseStageLanes(stage.group);
  ScopedLanes stageLanes(index, stage.lanes);
  for (Reduction *reduction : stage.group) {
    SmallVector<VectorValue> start;
    for (auto [value, element] : llvm::zip(reduction->op.getInitialValues(), reduction->elements)) {
      VectorValue lanes = context.emitter.emit(value, {}, {});
      if (!lanes.re)
        return std::nullopt;
      start.push_back(toAccumulator(*reduction, lanes, arrayType(value).getElementType(), element));
    }
    stage.initial.push_back(start);
    SmallVector<VectorValue> seeds = start;
    if (reduction->monoid)
      seeds = {emitIdentity(index, *reduction->monoid, reduction->elements[0])};
    for (VectorValue &seed : seeds)
      seed = broadcastLanes(index, seed);
    pack(stage.seeds, seeds);
    stage.isJoinable &= reduction->monoid.has_value();
  }
  SmallVector<Value> ofColumn = stage.seeds;
  for (int64_t other = 1; other < columns; ++other)
    stage.seeds.append(ofColumn);
  return stage;
}

/// Folds the elements at a position of D and one of K, in all columns, into the values that the
/// reductions of a stage carry.
SmallVector<Value> ReduceKernel::foldElements(Stage &stage, ArrayRef<VectorIndex> at, Mask mask,
                                              Mask outerMask, ValueRange carried) {
  SmallVector<Value> next;
  ValueRange rest(carried);
  for (int64_t to = 0; to < columns && !context.emitter.hasFailed(); ++to) {
    moveTo(to);
    foldColumn(stage, at, mask, outerMask, rest, next);
  }
  if (endsNeighbours(at))
    storeNeighbours(index.both(mask, outerMask));
  return context.emitter.hasFailed() ? SmallVector<Value>(carried) : next;
}

/// Likewise in the current column: consumes what it carries from `rest` and appends to `next`.
void ReduceKernel::foldColumn(Stage &stage, ArrayRef<VectorIndex> at, Mask mask, Mask outerMask,
                              ValueRange &rest, SmallVectorImpl<Value> &next) {
  currentAt = inputIndex(at);
  Mask full = index.both(mask, outerMask);
  for (Reduction *reduction : stage.group) {
    SmallVector<VectorValue> now = unpack(reduction->elements, rest), inputs;
    for (auto [value, element] : llvm::zip(reduction->op.getInputs(), reduction->elements)) {
      VectorValue lanes = context.emitter.emit(value, currentAt, full);
      if (!lanes.re)
        return context.emitter.setFailed();
      lanes = toAccumulator(*reduction, lanes, arrayType(value).getElementType(), element);
      inputs.push_back(broadcastLanes(index, lanes));
    }
    SmallVector<VectorValue> folded = combine(*reduction, now, inputs);
    if (folded.empty() || !folded[0].re) {
      emitNotSupported(reduction->op.getLoc(), "a reduction with this computation");
      return context.emitter.setFailed();
    }
    // Lanes past the end of a row keep their value.
    if (mask.lanes)
      for (auto [f, n] : llvm::zip(folded, now))
        f = emitSelect(index, mask.lanes, f, n);
    pack(next, folded);
  }
  storeEarlyResults(full);
}

/// Combines the results of a stage's reductions, which are monoids, for two parts of D.
SmallVector<Value> ReduceKernel::joinParts(Stage &stage, ValueRange sums, ValueRange more) {
  SmallVector<Value> joined;
  for (int64_t of = 0; of < columns; ++of)
    for (Reduction *reduction : stage.group) {
      SmallVector<VectorValue> x = unpack(reduction->elements, sums),
                               y = unpack(reduction->elements, more);
      pack(joined, combine(*reduction, x, y));
    }
  return joined;
}

/// The results of one of a stage's reductions; consumes its final values from `rest`.
SmallVector<VectorValue> ReduceKernel::finish(Reduction &reduction, ArrayRef<VectorValue> start,
                                              ValueRange &rest) {
  SmallVector<VectorValue> total = unpack(reduction.elements, rest), finished;
  if (rows)
    total = foldLanes(reduction, total);
  if (reduction.monoid)
    total = combine(reduction, start, total);
  for (auto [lanes, element, value] :
       llvm::zip(total, reduction.elements, reduction.op.getInputs())) {
    Type wanted = arrayType(value).getElementType();
    if (reduction.isNegated)
      lanes.re = arith::NegFOp::create(b, lanes.re);
    finished.push_back(wanted == element ? lanes : emitConvertLanes(index, lanes, element, wanted));
  }
  return finished;
}

void ReduceKernel::emitStage(int64_t number, Mask outerMask) {
  std::optional<Stage> stage = beginStage(number);
  if (!stage)
    return;
  ScopedLanes stageLanes(index, stage->lanes);
  for (int64_t to = 0; to < columns; ++to) {
    moveTo(to);
    for (Reduction *reduction : stage->group)
      emitShared(reduction->op.getInputs(), outerMask);
  }
  auto step = [&](ArrayRef<VectorIndex> at, Mask mask, ValueRange carried) {
    return foldElements(*stage, at, mask, outerMask, carried);
  };
  auto join = [&](ValueRange sums, ValueRange more) { return joinParts(*stage, sums, more); };
  SmallVector<Value> totals =
      stage->isJoinable ? walk->foldInBlocks(stage->seeds, chooseBlocks(stage->group), step, join)
                        : walk->fold(stage->seeds, step);
  if (context.emitter.hasFailed())
    return;
  storeNeighbours(outerMask);
  ValueRange rest(totals);
  llvm::MapVector<Value, SmallVector<VectorValue, 1>> results; // and what they are in each column
  for (int64_t of = 0; of < columns; ++of)
    for (auto [reduction, start] : llvm::zip(stage->group, stage->initial))
      for (auto [result, lanes] :
           llvm::zip(reduction->op.getResults(), finish(*reduction, start, rest)))
        results[result].push_back(lanes);
  for (auto &[result, lanes] : results)
    context.emitter.bind(
        result, [this, lanes = lanes](ArrayRef<VectorIndex>, Mask) { return lanes[column]; });
}

/// True if the places that are visited one after the other follow each other in memory, in each
/// lane: those in few columns, or those of few steps along minor dimensions.
bool ReduceKernel::visitsNeighbours() const {
  if (rows || panels)
    return columns > 1;
  return walk->isUnrolled() && problem.innerCount > 1 &&
         llvm::all_of(problem.reduced, [&](int64_t d) {
           return d >= int64_t(problem.shape.size() - problem.reduced.size());
         });
}

/// Stores lanes of a result, or collects them for storeNeighbours.
void ReduceKernel::storeOrCollect(unsigned result, ArrayRef<VectorIndex> at, VectorValue lanes,
                                  Mask mask) {
  MemoryArray output = context.getOutput(result);
  bool isCollected = visitsNeighbours() || at.back().among > 0;
  if (!isCollected || output.type.getShape() != problem.shape)
    return storeElements(index, output, at, lanes, mask);
  Neighbours &collected = neighbours[result];
  collected.places.emplace_back(at);
  collected.values.push_back(lanes);
}

/// True if what has been collected is to be stored after the step at this position of D: it was the
/// last of few columns, or of the elements of a row that are stored together.
bool ReduceKernel::endsNeighbours(ArrayRef<VectorIndex> reduced) const {
  if (columns > 1 || tileColumns == 1)
    return columns > 1;
  const VectorIndex &minor = reduced.back();
  return minor.among > 0 &&
         ((minor.which + 1) % tileColumns == 0 || minor.which + 1 == minor.among);
}

/// Stores what has been collected: as whole vectors where that is possible.
void ReduceKernel::storeNeighbours(Mask mask) {
  for (auto &[result, collected] : neighbours) {
    MemoryArray output = context.getOutput(result);
    if (!storeTogether(index, output, collected.places[0], collected.values, mask))
      for (auto [place, lanes] : llvm::zip(collected.places, collected.values))
        storeElements(index, output, place, lanes, mask);
  }
  neighbours.clear();
}

/// Finds the results that are still to be stored: those over S (`wide`) and those over K
/// (`narrow`).
void ReduceKernel::findResults(SmallVectorImpl<unsigned> &wide, SmallVectorImpl<unsigned> &narrow) {
  for (auto [i, result] : llvm::enumerate(context.getReturn().getOperands())) {
    int64_t count = arrayType(result).getNumElements();
    if (count == problem.outerCount && problem.innerCount != 1)
      narrow.push_back(i);
    else if (count == problem.outerCount * problem.innerCount && !storedIn.contains(i))
      wide.push_back(i);
  }
}

/// A result over K at the current position, and storing it.
VectorValue ReduceKernel::emitNarrow(unsigned i, Mask mask) {
  Value result = context.getReturn().getOperand(i);
  ElementIndex at = reshapeIndex(index, problem.keptSizes, arrayType(result).getShape(), outer);
  return context.emitter.emit(result, at, mask);
}
void ReduceKernel::storeNarrow(unsigned i, VectorValue value, Mask mask) {
  MemoryArray output = context.getOutput(i);
  storeElements(index, output,
                reshapeIndex(index, problem.keptSizes, output.type.getShape(), outer), value, mask);
}

/// Stores the results `wide` at a position of D.
void ReduceKernel::storeWide(ArrayRef<unsigned> wide, ArrayRef<VectorIndex> at, Mask mask) {
  currentAt = inputIndex(at);
  SmallVector<VectorValue> values;
  SmallVector<ElementIndex> places;
  for (unsigned i : wide) {
    Value result = context.getReturn().getOperand(i);
    places.push_back(
        arrayType(result).getShape() == problem.shape
            ? currentAt
            : reshapeIndex(index, problem.shape, arrayType(result).getShape(), currentAt));
    values.push_back(context.emitter.emit(result, places.back(), mask));
  }
  if (!context.emitter.hasFailed())
    for (auto [i, value, place] : llvm::zip(wide, values, places))
      storeOrCollect(i, place, value, mask);
}

void ReduceKernel::emitResults(Mask outerMask) {
  currentStage = finalStage;
  SmallVector<unsigned> wide, narrow;
  findResults(wide, narrow);
  // Results may overwrite operands: those over K are computed first and stored last.
  SmallVector<VectorValue> ends;
  for (int64_t to = 0; to < columns; ++to) {
    moveTo(to);
    for (unsigned i : narrow)
      ends.push_back(emitNarrow(i, outerMask));
  }
  for (int64_t to = 0; to < columns; ++to) {
    moveTo(to);
    for (unsigned i : wide)
      emitShared(context.getReturn().getOperand(i), outerMask);
  }
  if (!wide.empty())
    walk->fold({}, [&](ArrayRef<VectorIndex> at, Mask mask, ValueRange) {
      for (int64_t to = 0; to < columns; ++to) {
        moveTo(to);
        storeWide(wide, at, index.both(mask, outerMask));
      }
      if (endsNeighbours(at))
        storeNeighbours(index.both(mask, outerMask));
      return SmallVector<Value>();
    });
  storeNeighbours(outerMask);
  if (context.emitter.hasFailed())
    return;
  for (auto [number, value] : llvm::enumerate(ends)) {
    moveTo(int64_t(number / narrow.size()));
    storeNarrow(narrow[number % narrow.size()], value, outerMask);
  }
}

void ReduceKernel::emitStages(Mask outerMask) {
  for (int64_t stage = 0; stage < finalStage && !context.emitter.hasFailed(); ++stage)
    emitStage(stage, outerMask);
  if (!context.emitter.hasFailed())
    emitResults(outerMask);
}

} // namespace hloc
