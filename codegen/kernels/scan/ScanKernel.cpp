// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `scan`: a computation that carries values along one dimension. Test:
// test/codegen/ScanKernelTest.cpp.
//
// The schedule decides how (passes/schedule/ScanStrategies.cpp): by prefixes within vectors along
// the minor dimension, or step by step with independent lanes. In the latter case folds of floats
// are cut into blocks.
#include "codegen/KernelEmission.h"
#include "codegen/emit/Fold.h"
#include "passes/schedule/ScanProblem.h"
#include "passes/schedule/SumBlocks.h"

using namespace mlir;

namespace hloc {

namespace {

class ScanKernel {
public:
  ScanKernel(KernelContext &context, hlo::ScanOp op, hlo::ComputationOp body)
      : context(context), b(context.b), index(context.index), op(op), body(body), problem(op, body),
        inputs(op.getArrays().drop_back(op.getNumCarries())),
        carries(op.getArrays().take_back(op.getNumCarries())), sliceShape(problem.sliceShape),
        dimension(problem.dimension), steps(problem.steps), slice(problem.slices),
        outputs(problem.outputs) {}

  LogicalResult emit();

private:
  LogicalResult analyze();
  void makeFold();
  std::optional<Monoid> matchBody();
  void emitPrefixes();
  void emitPrefixRow(ElementIndex row);
  SmallVector<VectorValue> emitPrefixBlock(ElementIndex at, VectorIndex position, int64_t live,
                                           ArrayRef<VectorValue> carry);
  void emitSteps();
  void emitColumn(ArrayRef<VectorIndex> outer, Mask mask);
  void emitColumnInBlocks(ArrayRef<VectorIndex> outer, Mask mask);
  SmallVector<Value> emitBlock(ArrayRef<VectorIndex> outer, Mask mask, Value first, int64_t length,
                               ValueRange carry);
  void store(unsigned result, ArrayRef<VectorIndex> at, VectorValue value, Mask mask);
  bool fails();

  /// The index of a slice's element at `position` along the scanned dimension.
  ElementIndex place(ArrayRef<VectorIndex> outer, VectorIndex position) {
    ElementIndex at(outer);
    at.insert(at.begin() + dimension, position);
    return at;
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ScanOp op;
  hlo::ComputationOp body;
  ScanProblem problem;
  ValueRange inputs, carries;
  ArrayRef<int64_t> sliceShape;
  int64_t dimension, steps, slice, outputs;

  SmallVector<Type> carryElements;
  SmallVector<int64_t> outputOf; // of each result; -1 if it is not returned
  std::optional<Fold> fold;      // if the body is one
};

} // namespace

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

LogicalResult ScanKernel::analyze() {
  FailureOr<SmallVector<int64_t>> found = context.findOutputs(op);
  if (failed(found))
    return failure();
  outputOf = std::move(*found);
  for (Value carry : carries)
    carryElements.push_back(elementOf(carry));
  for (Value value : llvm::concat<Value>(inputs, op->getResults().take_front(outputs)))
    if (cast<RankedTensorType>(value.getType()).getShape() != problem.shape)
      return op.emitOpError("no code can be generated for a scan of slices of several shapes");
  for (Value value : carries)
    if (cast<RankedTensorType>(value.getType()).getShape() != sliceShape)
      return op.emitOpError("no code can be generated for a scan of slices of several shapes");
  return success();
}

/// The operation of a body (x, carry) -> (s, s), if it is a single operation on both.
std::optional<Monoid> ScanKernel::matchBody() {
  Block &block = body.getBody().front();
  Operation *fold = block.getTerminator()->getOperand(0).getDefiningOp();
  if (inputs.size() != 1 || !fold || fold->getNumOperands() != 2)
    return std::nullopt;
  Value x = fold->getOperand(0), y = fold->getOperand(1), element = block.getArgument(0),
        carry = block.getArgument(1);
  if (!(x == element && y == carry) && !(x == carry && y == element))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Monoid>>(fold->getName().stripDialect())
      .Case("add", Monoid::Add)
      .Case("multiply", Monoid::Multiply)
      .Case("minimum", Monoid::Minimum)
      .Case("maximum", Monoid::Maximum)
      .Case("and", Monoid::And)
      .Case("or", Monoid::Or)
      .Case("xor", Monoid::Xor)
      .Default(std::nullopt);
}

void ScanKernel::makeFold() {
  int64_t count = inputs.size();
  fold.emplace(index, carryElements, matchBody(),
               [this, count](ArrayRef<VectorValue> sofar, ArrayRef<VectorValue> next) {
                 SmallVector<VectorValue> arguments(next);
                 arguments.append(sofar.begin(), sofar.end());
                 SmallVector<VectorValue> results = emitComputation(index, body, arguments);
                 if (int64_t(results.size()) > count)
                   results.truncate(count);
                 return results;
               });
}

bool ScanKernel::fails() {
  if (!context.emitter.hasFailed())
    op.emitOpError("steps by a computation that no code can be generated for");
  context.emitter.setFailed();
  return true;
}

void ScanKernel::store(unsigned result, ArrayRef<VectorIndex> at, VectorValue value, Mask mask) {
  if (outputOf[result] >= 0)
    storeElements(index, context.getOutput(outputOf[result]), at, value, mask);
}

//===-- Prefixes along the minor dimension ---------------------------------------------------===//

void ScanKernel::emitPrefixes() {
  index.setLanes(context.chosen.getLanes());
  int64_t units = problem.sharesBytes ? 1 : slice;
  context.setUnits(units);
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  if (units != slice)
    end = index.constant(slice);
  buildFor(context, begin, end, 1, {}, [&](Value row, ValueRange) {
    emitPrefixRow(reshapeIndex(index, slice, sliceShape, index.uniform(row)));
    return SmallVector<Value>();
  });
}

/// `lanes` rotated up by `by` (down if reversed).
static VectorValue rotate(ImplicitLocOpBuilder &b, VectorValue lanes, int64_t by, bool reverse) {
  auto move = [&](Value vector) -> Value {
    if (!vector)
      return vector;
    int64_t count = cast<VectorType>(vector.getType()).getNumElements();
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < count; ++lane)
      order.push_back((lane + (reverse ? by : count - by)) % count);
    return vector::ShuffleOp::create(b, vector, vector, order);
  };
  return {move(lanes.re), move(lanes.im)};
}

/// Computes the prefixes of the `live` elements from `position` on; returns the carry after them.
SmallVector<VectorValue> ScanKernel::emitPrefixBlock(ElementIndex row, VectorIndex position,
                                                     int64_t live, ArrayRef<VectorValue> carry) {
  bool reverse = op.getIsReverse();
  int64_t lanes = index.getLanes(), count = inputs.size();
  ElementIndex at = place(row, position);
  Mask mask = firstLanes(index, live);
  SmallVector<VectorValue> sums, before;
  for (int64_t i = 0; i < count; ++i) {
    VectorValue value = context.emitter.emit(inputs[i], at, mask);
    if (!value.re)
      return {};
    sums.push_back(fold->widen(i, value));
    before.push_back(broadcastLanes(index, carry[i]));
  }
  for (int64_t by = 1; by < live; by *= 2) {
    SmallVector<VectorValue> moved;
    for (VectorValue x : sums)
      moved.push_back(rotate(b, x, by, reverse));
    SmallVector<VectorValue> folded = fold->combine(moved, sums);
    if (folded.empty())
      return {};
    // Lanes that receive nothing keep their value.
    SmallVector<bool> bits;
    for (int64_t lane = 0; lane < lanes; ++lane)
      bits.push_back(reverse ? lane + by < live : lane >= by);
    Value takes = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), bits));
    for (int64_t i = 0; i < count; ++i)
      sums[i] = emitSelect(index, takes, folded[i], sums[i]);
  }
  sums = fold->combine(before, sums);
  if (sums.empty())
    return {};
  SmallVector<VectorValue> next;
  for (int64_t i = 0; i < count; ++i) {
    store(i, at, fold->narrow(i, sums[i]), mask);
    auto last = [&](Value vector) -> Value {
      if (!vector || !isa<VectorType>(vector.getType()))
        return vector;
      return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{reverse ? 0 : live - 1});
    };
    next.push_back({last(sums[i].re), last(sums[i].im)});
  }
  return next;
}

void ScanKernel::emitPrefixRow(ElementIndex row) {
  int64_t lanes = index.getLanes(), whole = steps / lanes * lanes, count = inputs.size();
  SmallVector<VectorValue> carry;
  for (int64_t i = 0; i < count; ++i) {
    ScopedLanes scalar(index, 1);
    VectorValue value = context.emitter.emit(carries[i], row);
    if (!value.re)
      return;
    carry.push_back(fold->widen(i, value));
  }
  auto block = [&](Value start, int64_t live) {
    SmallVector<VectorValue> next =
        emitPrefixBlock(row, index.consecutive(start, lanes), live, carry);
    next.empty() ? void(fails()) : void(carry = next);
  };
  auto remainder = [&] {
    if (whole < steps)
      block(index.constant(whole), steps - whole);
  };
  if (op.getIsReverse())
    remainder();
  SmallVector<Value> values =
      buildFor(context, index.constant(0), index.constant(whole), lanes, fold->pack(carry),
               [&](Value i, ValueRange now) {
                 carry = fold->unpack(now);
                 Value start = i;
                 if (op.getIsReverse())
                   start = b.createOrFold<arith::SubIOp>(index.constant(whole - lanes), i);
                 block(start, lanes);
                 return fold->pack(carry);
               });
  carry = fold->unpack(values);
  if (!op.getIsReverse())
    remainder();
  if (context.emitter.hasFailed())
    return;
  ScopedLanes scalar(index, 1);
  for (int64_t i = 0; i < count; ++i)
    store(outputs + i, row, fold->narrow(i, carry[i]), {});
}

//===-- Step by step -------------------------------------------------------------------------===//

void ScanKernel::emitSteps() {
  int64_t lanes = context.chosen.getTile()[1] * context.chosen.getLanes(),
          minor = problem.getMinor();
  index.setLanes(lanes);
  int64_t blocks = llvm::divideCeil(minor, lanes), units = slice / minor * blocks;
  bool sharesBytes = problem.sharesBytes;
  context.setUnits(sharesBytes ? 1 : units);
  bool one = units == 1 || sharesBytes;
  Value begin = one ? index.constant(0) : context.getBegin(),
        end = one ? index.constant(units) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    if (sliceShape.empty()) {
      emitColumn({}, {});
      return SmallVector<Value>();
    }
    SmallVector<int64_t> space(sliceShape);
    space.back() = blocks;
    ElementIndex outer = reshapeIndex(index, units, space, index.uniform(unit));
    Value start = b.createOrFold<arith::MulIOp>(outer.back().base, index.constant(lanes));
    outer.back() = index.consecutive(start, lanes);
    emitColumn(outer, minor % lanes ? index.inRange(outer.back(), INT64_MIN, minor) : Mask{});
    return SmallVector<Value>();
  });
}

void ScanKernel::emitColumn(ArrayRef<VectorIndex> outer, Mask mask) {
  if (problem.isBlocked)
    return emitColumnInBlocks(outer, mask);
  SmallVector<VectorValue> start;
  for (Value carry : carries) {
    VectorValue value = context.emitter.emit(carry, outer, mask);
    if (!value.re)
      return;
    start.push_back(broadcastLanes(index, value));
  }
  SmallVector<Value> final =
      buildFor(context, index.constant(0), index.constant(steps), 1, packLanes(start),
               [&](Value step, ValueRange now) {
                 if (op.getIsReverse())
                   step = b.createOrFold<arith::SubIOp>(index.constant(steps - 1), step);
                 ElementIndex at = place(outer, index.uniform(step));
                 SmallVector<VectorValue> arguments;
                 for (Value input : inputs) {
                   arguments.push_back(context.emitter.emit(input, at, mask));
                   if (!arguments.back().re)
                     return SmallVector<Value>(now);
                 }
                 arguments.append(unpackLanes(carryElements, now));
                 SmallVector<VectorValue> results = emitComputation(index, body, arguments);
                 if (int64_t(results.size()) != int64_t(op->getNumResults()) || !results[0].re) {
                   fails();
                   return SmallVector<Value>(now);
                 }
                 for (VectorValue &lanes : results)
                   lanes = broadcastLanes(index, lanes);
                 for (int64_t i = 0; i < outputs; ++i)
                   store(i, at, results[i], mask);
                 return packLanes(ArrayRef<VectorValue>(results).drop_front(outputs));
               });
  if (context.emitter.hasFailed())
    return;
  for (auto [i, lanes] : llvm::enumerate(unpackLanes(carryElements, final)))
    store(outputs + i, outer, lanes, mask);
}

/// `length` steps from `first` on; returns the carry after them.
SmallVector<Value> ScanKernel::emitBlock(ArrayRef<VectorIndex> outer, Mask mask, Value first,
                                         int64_t length, ValueRange carry) {
  // Carried values: the fold of the block so far, and the fold of that with everything before it.
  auto advance = [&](Value step, ArrayRef<VectorValue> sofar) {
    if (op.getIsReverse())
      step = b.createOrFold<arith::SubIOp>(index.constant(steps - 1), step);
    ElementIndex at = place(outer, index.uniform(step));
    SmallVector<VectorValue> local, whole;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      VectorValue value = context.emitter.emit(input, at, mask);
      if (!value.re)
        return SmallVector<Value>();
      local.push_back(fold->widen(i, value));
    }
    if (!sofar.empty())
      local = fold->combine(sofar, local);
    if (!local.empty())
      whole = fold->combine(fold->unpack(carry), local);
    if (whole.empty())
      return fails(), SmallVector<Value>();
    for (auto [i, value] : llvm::enumerate(whole))
      store(i, at, fold->narrow(i, value), mask);
    SmallVector<Value> next = fold->pack(local);
    next.append(fold->pack(whole));
    return next;
  };
  SmallVector<Value> state = advance(first, {});
  if (state.empty())
    return SmallVector<Value>(carry);
  Value second = b.createOrFold<arith::AddIOp>(first, index.constant(1));
  Value end = b.createOrFold<arith::AddIOp>(first, index.constant(length));
  state = buildFor(context, second, end, 1, state, [&](Value step, ValueRange now) {
    SmallVector<Value> next = advance(step, fold->unpack(now.take_front(carry.size())));
    return next.empty() ? SmallVector<Value>(now) : next;
  });
  return SmallVector<Value>(ArrayRef<Value>(state).take_back(carry.size()));
}

void ScanKernel::emitColumnInBlocks(ArrayRef<VectorIndex> outer, Mask mask) {
  SmallVector<VectorValue> start;
  for (auto [i, carry] : llvm::enumerate(carries)) {
    VectorValue value = context.emitter.emit(carry, outer, mask);
    if (!value.re)
      return;
    start.push_back(fold->widen(i, value));
  }
  int64_t whole = steps / kScanBlock * kScanBlock;
  SmallVector<Value> carry = buildFor(
      context, index.constant(0), index.constant(whole), kScanBlock, fold->pack(start),
      [&](Value first, ValueRange now) { return emitBlock(outer, mask, first, kScanBlock, now); });
  if (whole < steps)
    carry = emitBlock(outer, mask, index.constant(whole), steps - whole, carry);
  if (context.emitter.hasFailed())
    return;
  for (auto [i, lanes] : llvm::enumerate(fold->unpack(carry)))
    store(outputs + i, outer, fold->narrow(i, lanes), mask);
}

LogicalResult ScanKernel::emit() {
  if (failed(analyze()))
    return failure();
  if (slice == 0) {
    context.schedule.units = 0;
    return success();
  }
  if (problem.isFold)
    makeFold();
  context.chosen.getStrategy() == "scan.prefixes" ? emitPrefixes() : emitSteps();
  return success();
}

LogicalResult emitScanKernel(KernelContext &context) {
  auto ops = context.getBody().getOps<hlo::ScanOp>();
  if (ops.empty() || std::next(ops.begin()) != ops.end())
    return context.kernel.emitError("expected a scan kernel to hold one scan");
  hlo::ScanOp op = *ops.begin();
  hlo::ComputationOp body = context.emitter.lookup(op.getToApplyAttr());
  if (!body)
    return op.emitOpError("names no computation");
  if (op.getArrays().size() <= size_t(op.getNumCarries()))
    return op.emitOpError("no code can be generated for a scan of no inputs");
  return ScanKernel(context, op, body).emit();
}

} // namespace hloc
