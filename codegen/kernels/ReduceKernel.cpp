// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `reduce`: reductions over the same dimensions D of arrays of one shape S, with
// elementwise code before, between and after them (softmax, normalizations, variances).
//
// The outer iteration goes over the kept dimensions K. For each position the reductions run in
// stages, those that do not depend on each other in one loop over D; then the results are stored.
// - Rows: if D holds the minor dimension, lanes lie along it. Partial results of all lanes are
//   folded into one at the end of a row.
// - Columns: otherwise, or if D is short, lanes lie along K, and each folds by itself.
// A value over S that is costly and needed in several stages is kept in a scratch row.
#include "codegen/KernelEmission.h"
#include "codegen/emit/ReducedWalk.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace hloc {

/// Bytes up to which a row of intermediate values is kept rather than computed again.
static constexpr int64_t kScratchRowBytes = 32 << 10;
/// Elements of an array that does not stay near the core.
static constexpr int64_t kFarElements = 1 << 20;
/// Registers of a strip of such an array's row.
static constexpr int64_t kStripRegisters = 16;
/// Cycles an element (of one lane's worth of vector code) from which keeping it pays.
static constexpr double kWorthKeeping = 10;

namespace {

/// One reduction: how its operands are folded.
struct Reduction {
  hlo::ReduceOp op;
  int64_t stage;
  std::optional<Monoid> monoid;
  /// Element types of the accumulators: the operands', but f32 for narrow floats under a monoid.
  SmallVector<Type> elements;
  hlo::ComputationOp computation;
};

class ReduceKernel {
public:
  explicit ReduceKernel(KernelContext &context) : context(context), b(context.b), index(context.index) {}

  LogicalResult emit() {
    if (failed(analyze()))
      return failure();
    if (outerCount == 0) {
      context.schedule.units = 0;
      return success();
    }
    chooseLanes();
    planScratch();
    double cycles = estimateCyclesPerElement(context.getBody(), index.getLanes()) * innerCount * (finalStage + 1);
    rows ? emitRows(cycles) : emitColumns(cycles);
    return success();
  }

private:
  LogicalResult analyze();
  void chooseLanes();
  void planScratch();
  void emitRows(double cyclesPerRow);
  void emitColumns(double cyclesPerColumn);
  void emitStages(Mask outerMask);
  int64_t chooseStageLanes(ArrayRef<Reduction *> group);
  void emitStage(int64_t stage, Mask outerMask);
  void emitResults(Mask outerMask);

  ElementIndex inputIndex(ArrayRef<LaneIndex> reduced);
  bool storeColumns(ArrayRef<unsigned> wide);
  Lanes loadOrKeep(Value value, ArrayRef<LaneIndex> at, Mask mask);

  SmallVector<Lanes> combine(Reduction &reduction, ArrayRef<Lanes> x, ArrayRef<Lanes> y);
  void putInOrder(Reduction &reduction, SmallVector<Lanes> &x, SmallVector<Lanes> &y);
  SmallVector<Lanes> foldLanes(Reduction &reduction, SmallVector<Lanes> partial);

  static void pack(SmallVectorImpl<Value> &flat, ArrayRef<Lanes> lanes) {
    for (Lanes x : lanes) {
      flat.push_back(x.re);
      if (x.im)
        flat.push_back(x.im);
    }
  }
  static SmallVector<Lanes> unpack(ArrayRef<Type> elements, ValueRange &flat) {
    SmallVector<Lanes> lanes;
    for (Type element : elements) {
      bool complex = isa<ComplexType>(element);
      lanes.push_back({flat[0], complex ? flat[1] : Value()});
      flat = flat.drop_front(complex ? 2 : 1);
    }
    return lanes;
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;

  SmallVector<Reduction> reductions;
  int64_t finalStage = 0;
  ArrayRef<int64_t> shape;                 // S
  SmallVector<int64_t> reduced, kept;      // dimensions of S
  SmallVector<int64_t> reducedSizes, keptSizes;
  int64_t outerCount = 1, innerCount = 1;
  bool rows = true;
  /// Goes over D at the current outer position.
  std::optional<ReducedWalk> walk;

  ElementIndex outer; // the current position in K

  /// Values over S that are kept in scratch, and the stage that writes each.
  struct Kept {
    Value pointer;
    int64_t writtenIn;
  };
  DenseMap<Value, Kept> scratch;
  int64_t currentStage = 0;
  ElementIndex currentAt;
};

} // namespace

static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult ReduceKernel::analyze() {
  DenseMap<Operation *, int64_t> stageOf; // the stage after which an operation's value is known
  for (Operation &op : context.getBody()) {
    int64_t stage = 0;
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp())
        stage = std::max(stage, stageOf.lookup(source));
    if (auto reduce = dyn_cast<hlo::ReduceOp>(op)) {
      Reduction reduction{reduce, stage, {}, {}, context.emitter.lookup(reduce.getToApplyAttr())};
      if (!reduction.computation)
        return reduce.emitOpError("names no computation");
      if (reduce.getCount() == 1)
        reduction.monoid = matchMonoid(reduction.computation);
      for (Value input : reduce.getInputs()) {
        Type element = arrayType(input).getElementType();
        bool narrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
        // Complex numbers have an order only where both parts are compared.
        if (isa<ComplexType>(element) && reduction.monoid && *reduction.monoid != Monoid::Add && *reduction.monoid != Monoid::Multiply)
          reduction.monoid.reset();
        reduction.elements.push_back(narrow && reduction.monoid ? b.getF32Type() : element);
      }
      reductions.push_back(reduction);
      ++stage;
    }
    stageOf[&op] = stage;
    finalStage = std::max(finalStage, stage);
  }
  if (reductions.empty())
    return context.kernel.emitError("expected a reduce kernel to hold a reduction");
  hlo::ReduceOp first = reductions.front().op;
  shape = arrayType(first.getInputs()[0]).getShape();
  reduced = SmallVector<int64_t>(first.getDimensions());
  llvm::sort(reduced);
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    bool gone = llvm::is_contained(reduced, d);
    (gone ? reducedSizes : keptSizes).push_back(shape[d]);
    (gone ? innerCount : outerCount) *= shape[d];
    if (!gone)
      kept.push_back(d);
  }
  return success();
}

void ReduceKernel::chooseLanes() {
  int64_t lanes = context.target.getLanes(getWidestElement(context.getBody()));
  bool minorReduced = !reduced.empty() && reduced.back() == int64_t(shape.size()) - 1;
  rows = minorReduced && (reducedSizes.back() >= lanes || outerCount < lanes / 2 || outerCount == 1 ||
                          reducedSizes.back() * 2 > outerCount);
  int64_t along = rows ? reducedSizes.back() : outerCount;
  // Several registers of partial results hide the latency of folding.
  double cycles = estimateCyclesPerElement(context.getBody(), lanes) * lanes;
  int64_t registers = cycles < 8 ? 4 : cycles < 60 ? 2 : 1;
  // Columns of an array that is no longer near the core are read in strips that memory is quick at.
  if (!rows && registers == 4 && reductions.size() == 1 && innerCount * outerCount >= kFarElements &&
      keptSizes.back() >= 2 * kStripRegisters * lanes)
    registers = kStripRegisters;
  while (registers > 1 && along < 2 * registers * lanes)
    registers /= 2;
  lanes *= registers;
  while (lanes > 1 && lanes / 2 >= along)
    lanes /= 2;
  // Rows and columns may begin within a byte; a row's result alone is no vector.
  bool writesVectors = llvm::any_of(context.getReturn().getOperands(), [&](Value result) {
    return getStorageBits(arrayType(result).getElementType()) < 8 && (!rows || arrayType(result).getShape() == ArrayRef(shape));
  });
  if (writesVectors)
    lanes = 1;
  index.setLanes(std::max<int64_t>(lanes, 1));
  walk.emplace(context, reducedSizes, rows);
}

void ReduceKernel::planScratch() {
  // The stages in which each value over S is asked for.
  DenseMap<Operation *, llvm::SmallDenseSet<int64_t, 4>> stages;
  for (Operation &op : llvm::reverse(context.getBody())) {
    for (Operation *user : op.getUsers()) {
      if (auto reduce = dyn_cast<hlo::ReduceOp>(user)) {
        for (Reduction &reduction : reductions)
          if (reduction.op == reduce)
            stages[&op].insert(reduction.stage);
      } else if (isa<hlo::ReturnOp>(user)) {
        stages[&op].insert(finalStage);
      } else {
        auto inner = stages.lookup(user);
        stages[&op].insert(inner.begin(), inner.end());
      }
    }
  }
  int64_t rowLanes = rows ? 1 : index.getLanes();
  for (Operation &op : context.getBody()) {
    if (isa<hlo::ReturnOp, hlo::ReduceOp>(op) || arrayType(op.getResult(0)).getShape() != shape)
      continue;
    Type element = arrayType(op.getResult(0)).getElementType();
    int64_t bytes = innerCount * rowLanes * getStorageBits(element) / 8;
    bool costly = estimateCycles(&op, 1) >= kWorthKeeping;
    if (!costly || stages.lookup(&op).size() < 2 || bytes > kScratchRowBytes || getStorageBits(element) < 8)
      continue;
    // Already held by a later value of the same stages that is kept? Then this one is asked for once.
    int64_t first = *llvm::min_element(stages.lookup(&op));
    scratch[op.getResult(0)] = {context.allocateOnStack(bytes + 64), first};
  }
  for (auto &[value, kept] : scratch) {
    Value captured = value;
    context.emitter.bind(value, [this, captured](ArrayRef<LaneIndex> at, Mask mask) {
      return loadOrKeep(captured, at, mask);
    });
  }
}

Lanes ReduceKernel::loadOrKeep(Value value, ArrayRef<LaneIndex> at, Mask mask) {
  Kept kept = scratch.lookup(value);
  auto compute = [&] {
    context.emitter.unbind(value);
    Lanes lanes = context.emitter.emit(value, at, mask);
    context.emitter.bind(value, [this, value](ArrayRef<LaneIndex> at, Mask mask) { return loadOrKeep(value, at, mask); });
    return lanes;
  };
  if (at != ArrayRef<LaneIndex>(currentAt) || currentStage < kept.writtenIn)
    return compute();
  // Place in the scratch row: the position in D, for columns with a vector at each.
  ElementIndex place;
  SmallVector<int64_t> sizes(reducedSizes);
  for (int64_t d : reduced)
    place.push_back(at[d]);
  if (!rows) {
    place.push_back(index.consecutive(index.constant(0)));
    sizes.push_back(index.getLanes());
  }
  MemoryArray row{kept.pointer, RankedTensorType::get(sizes, arrayType(value).getElementType())};
  if (currentStage > kept.writtenIn)
    return loadElements(index, row, place, mask);
  Lanes lanes = compute();
  if (lanes.re)
    storeElements(index, row, place, lanes, mask);
  return lanes;
}

ElementIndex ReduceKernel::inputIndex(ArrayRef<LaneIndex> at) {
  ElementIndex full(shape.size());
  for (auto [i, d] : llvm::enumerate(reduced))
    full[d] = at[i];
  for (auto [i, d] : llvm::enumerate(kept))
    full[d] = outer[i];
  return full;
}

SmallVector<Lanes> ReduceKernel::combine(Reduction &reduction, ArrayRef<Lanes> x, ArrayRef<Lanes> y) {
  if (reduction.monoid)
    return {emitMonoid(index, *reduction.monoid, reduction.elements[0], x[0], y[0])};
  SmallVector<Lanes> arguments(x);
  arguments.append(y.begin(), y.end());
  return emitComputation(index, reduction.computation, arguments);
}

/// Of a fold of values and their indices puts the earlier of `x` and `y` into `x`, lane by lane: which of two
/// equal ones, or two NaNs, a computation keeps depends on their order.
void ReduceKernel::putInOrder(Reduction &reduction, SmallVector<Lanes> &x, SmallVector<Lanes> &y) {
  if (reduction.monoid || x.size() != 2 || !isa<IntegerType>(reduction.elements[1]) || reduction.elements[1].isInteger(1))
    return;
  auto less = reduction.elements[1].isUnsignedInteger() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value exchanged = arith::CmpIOp::create(b, less, y[1].re, x[1].re);
  for (auto [a, c] : llvm::zip(x, y)) {
    Lanes first = emitSelect(index, exchanged, c, a), second = emitSelect(index, exchanged, a, c);
    a = first;
    c = second;
  }
}

/// Folds the lanes of `partial` into one, halving them again and again.
SmallVector<Lanes> ReduceKernel::foldLanes(Reduction &reduction, SmallVector<Lanes> partial) {
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
    SmallVector<Lanes> low, high;
    for (Lanes x : partial) {
      low.push_back({half(x.re, 0, count), half(x.im, 0, count)});
      high.push_back({half(x.re, count, count), half(x.im, count, count)});
    }
    putInOrder(reduction, low, high);
    partial = combine(reduction, low, high);
  }
  index.setLanes(all);
  return partial;
}

/// Lanes for the reductions `group` of a stage: where the rest of the kernel is costly and they are not, or fold by
/// long chains of instructions, more partial results hide the latency.
int64_t ReduceKernel::chooseStageLanes(ArrayRef<Reduction *> group) {
  int64_t lanes = context.target.getLanes(getWidestElement(context.getBody()));
  if (!rows || index.getLanes() < lanes)
    return index.getLanes();
  SetVector<Operation *> computed;
  BackwardSliceOptions options;
  options.filter = [](Operation *op) { return !isa<hlo::ReduceOp>(op); };
  options.inclusive = true;
  bool hasLongChain = false;
  for (Reduction *reduction : group) {
    bool isFloat = llvm::all_of(reduction->elements, llvm::IsaPred<FloatType>);
    hasLongChain |= isFloat && (reduction->monoid == Monoid::Maximum || reduction->monoid == Monoid::Minimum);
    for (Value input : reduction->op.getInputs())
      (void)getBackwardSlice(input, &computed, options);
  }
  double cycles = 3 + group.size();
  for (Operation *op : computed)
    cycles += estimateCycles(op, 1);
  int64_t registers = cycles >= 8 ? 1 : hasLongChain && group.size() == 1 ? 8 : 4;
  // Short loops do not.
  while (registers > 1 && reducedSizes.back() < 4 * registers * lanes)
    registers /= 2;
  return std::max(index.getLanes(), registers * lanes);
}

void ReduceKernel::emitStage(int64_t stage, Mask outerMask) {
  currentStage = stage;
  SmallVector<Reduction *> group;
  for (Reduction &reduction : reductions)
    if (reduction.stage == stage)
      group.push_back(&reduction);
  if (group.empty())
    return;
  ScopedLanes stageLanes(index, chooseStageLanes(group));
  auto elementOf = [](Value value) { return arrayType(value).getElementType(); };

  SmallVector<SmallVector<Lanes>> initial;
  SmallVector<Value> values;
  for (Reduction *reduction : group) {
    SmallVector<Lanes> start;
    for (auto [value, element] : llvm::zip(reduction->op.getInitialValues(), reduction->elements)) {
      Lanes lanes = context.emitter.emit(value, {}, {});
      if (!lanes.re)
        return;
      start.push_back(elementOf(value) == element ? lanes : emitConvertLanes(index, lanes, elementOf(value), element));
    }
    initial.push_back(start);
    SmallVector<Lanes> seeds = start;
    if (reduction->monoid)
      seeds = {emitIdentity(index, *reduction->monoid, reduction->elements[0])};
    for (Lanes &seed : seeds)
      seed = broadcastLanes(index, seed);
    pack(values, seeds);
  }
  auto step = [&](ArrayRef<LaneIndex> at, Mask mask, ValueRange carried) {
    SmallVector<Value> next;
    currentAt = inputIndex(at);
    Mask full = index.both(mask, outerMask);
    for (Reduction *reduction : group) {
      SmallVector<Lanes> now = unpack(reduction->elements, carried), inputs;
      for (auto [value, element] : llvm::zip(reduction->op.getInputs(), reduction->elements)) {
        Lanes lanes = context.emitter.emit(value, currentAt, full);
        if (!lanes.re)
          return SmallVector<Value>(carried);
        lanes = elementOf(value) == element ? lanes : emitConvertLanes(index, lanes, elementOf(value), element);
        inputs.push_back(broadcastLanes(index, lanes));
      }
      SmallVector<Lanes> folded = combine(*reduction, now, inputs);
      if (folded.empty() || !folded[0].re) {
        reduction->op.emitOpError("folds with a computation that no code can be generated for");
        context.emitter.setFailed();
        return SmallVector<Value>(carried);
      }
      // Lanes past the end of a row keep what they have.
      if (mask.lanes)
        for (auto [f, n] : llvm::zip(folded, now))
          f = emitSelect(index, mask.lanes, f, n);
      pack(next, folded);
    }
    return next;
  };
  auto join = [&](ValueRange sums, ValueRange more) {
    SmallVector<Value> joined;
    for (Reduction *reduction : group) {
      SmallVector<Lanes> x = unpack(reduction->elements, sums), y = unpack(reduction->elements, more);
      pack(joined, combine(*reduction, x, y));
    }
    return joined;
  };
  bool joinable = llvm::all_of(group, [](Reduction *reduction) { return reduction->monoid.has_value(); });
  bool addsUp = llvm::all_of(group, [](Reduction *reduction) { return reduction->monoid == Monoid::Add; });
  SmallVector<Value> totals = joinable ? walk->foldInBlocks(values, addsUp, step, join) : walk->fold(values, step);
  if (context.emitter.hasFailed())
    return;
  ValueRange rest(totals);
  for (auto [reduction, start] : llvm::zip(group, initial)) {
    SmallVector<Lanes> total = unpack(reduction->elements, rest);
    if (rows)
      total = foldLanes(*reduction, total);
    if (reduction->monoid)
      total = combine(*reduction, start, total);
    SmallVector<Lanes> finished;
    for (auto [lanes, element, value] : llvm::zip(total, reduction->elements, reduction->op.getInputs()))
      finished.push_back(elementOf(value) == element ? lanes : emitConvertLanes(index, lanes, element, elementOf(value)));
    for (auto [i, result] : llvm::enumerate(reduction->op.getResults())) {
      Lanes lanes = finished[i];
      context.emitter.bind(result, [lanes](ArrayRef<LaneIndex>, Mask) { return lanes; });
    }
  }
}

/// Stores columns of few steps that lie beside each other in memory as whole vectors, if all of the
/// results `wide` are of that kind.
bool ReduceKernel::storeColumns(ArrayRef<unsigned> wide) {
  auto isMinor = [&](int64_t d) { return d >= int64_t(shape.size() - reduced.size()); };
  if (!walk->isUnrolled() || innerCount == 1 || !llvm::all_of(reduced, isMinor) ||
      llvm::any_of(wide, [&](unsigned i) { return arrayType(context.getReturn().getOperand(i)).getShape() != shape; }))
    return false;
  SmallVector<SmallVector<Lanes>> columns(wide.size());
  SmallVector<ElementIndex> places;
  for (int64_t step = 0; step < innerCount; ++step) {
    currentAt = inputIndex(walk->getPosition(step));
    places.push_back(currentAt);
    for (auto [column, i] : llvm::zip(columns, wide))
      column.push_back(context.emitter.emit(context.getReturn().getOperand(i), currentAt));
  }
  if (context.emitter.hasFailed())
    return true;
  for (auto [column, i] : llvm::zip(columns, wide))
    if (!storeInterleaved(index, context.getOutput(i), places[0], column))
      for (auto [place, value] : llvm::zip(places, column))
        storeElements(index, context.getOutput(i), place, value, {});
  return true;
}

void ReduceKernel::emitResults(Mask outerMask) {
  currentStage = finalStage;
  SmallVector<unsigned> wide;
  SmallVector<std::pair<unsigned, Lanes>> narrow;
  for (auto [i, result] : llvm::enumerate(context.getReturn().getOperands())) {
    if (arrayType(result).getNumElements() == outerCount && innerCount != 1) {
      ElementIndex at = reshapeIndex(index, keptSizes, arrayType(result).getShape(), outer);
      narrow.push_back({unsigned(i), context.emitter.emit(result, at, outerMask)});
    } else if (arrayType(result).getNumElements() == outerCount * innerCount) {
      wide.push_back(i);
    }
  }
  bool stored = wide.empty() || context.emitter.hasFailed() || (!rows && !outerMask && storeColumns(wide));
  if (!stored)
    walk->fold({}, [&](ArrayRef<LaneIndex> at, Mask mask, ValueRange) {
      currentAt = inputIndex(at);
      Mask full = index.both(mask, outerMask);
      SmallVector<Lanes> values;
      SmallVector<ElementIndex> places;
      for (unsigned i : wide) {
        Value result = context.getReturn().getOperand(i);
        places.push_back(arrayType(result).getShape() == shape
                             ? currentAt
                             : reshapeIndex(index, shape, arrayType(result).getShape(), currentAt));
        values.push_back(context.emitter.emit(result, places.back(), full));
      }
      if (!context.emitter.hasFailed())
        for (auto [i, value, place] : llvm::zip(wide, values, places))
          storeElements(index, context.getOutput(i), place, value, full);
      return SmallVector<Value>();
    });
  if (!context.emitter.hasFailed())
    for (auto [i, lanes] : narrow)
      storeElements(index, context.getOutput(i),
                    reshapeIndex(index, keptSizes, arrayType(context.getReturn().getOperand(i)).getShape(), outer), lanes, outerMask);
}

void ReduceKernel::emitStages(Mask outerMask) {
  for (int64_t stage = 0; stage < finalStage && !context.emitter.hasFailed(); ++stage)
    emitStage(stage, outerMask);
  if (!context.emitter.hasFailed())
    emitResults(outerMask);
}

void ReduceKernel::emitRows(double cyclesPerRow) {
  context.setUnits(outerCount, cyclesPerRow);
  Value begin = outerCount == 1 ? index.constant(0) : context.getBegin();
  Value end = outerCount == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    outer = reshapeIndex(index, outerCount, keptSizes, index.uniform(unit));
    emitStages({});
    return SmallVector<Value>();
  });
}

void ReduceKernel::emitColumns(double cyclesPerColumn) {
  int64_t lanes = index.getLanes(), units = (outerCount + lanes - 1) / lanes;
  // Lanes stay within one row of K if that is long enough, else they go over its positions.
  bool minorLanes = keptSizes.size() > 1 && keptSizes.back() >= lanes && keptSizes.back() % lanes != 0;
  int64_t minorBlocks = minorLanes ? (keptSizes.back() + lanes - 1) / lanes : 0;
  if (minorLanes)
    units = outerCount / keptSizes.back() * minorBlocks;
  context.setUnits(units, cyclesPerColumn * lanes);
  int64_t size = minorLanes ? keptSizes.back() : outerCount;
  int64_t blocks = minorLanes ? minorBlocks : units;
  bool ragged = size % lanes != 0;
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    Value block = minorLanes ? b.createOrFold<arith::RemUIOp>(unit, index.constant(blocks)) : unit;
    Value base = b.createOrFold<arith::MulIOp>(block, index.constant(lanes));
    LaneIndex position = index.consecutive(base, getConstant(base) == 0 ? int64_t(1) << 30 : lanes);
    Mask mask = ragged ? index.inRange(position, INT64_MIN, size) : Mask{};
    if (minorLanes) {
      Value row = b.createOrFold<arith::DivUIOp>(unit, index.constant(blocks));
      outer = reshapeIndex(index, outerCount / size, ArrayRef<int64_t>(keptSizes).drop_back(), index.uniform(row));
      outer.push_back(position);
    } else {
      outer = reshapeIndex(index, outerCount, keptSizes, position);
    }
    emitStages(mask);
    return SmallVector<Value>();
  });
}

LogicalResult emitReduceKernel(KernelContext &context) { return ReduceKernel(context).emit(); }

} // namespace hloc
