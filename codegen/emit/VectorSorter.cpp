// SPDX-License-Identifier: Apache-2.0
// A segment is partitioned by a pivot. Of a long one, a few vectors are read at a time, at the end
// where less has been read than written; lesser elements are written to the front of the segment,
// the others to its back. Of a short one, lesser elements are written over what has been read, the
// others to temporary memory, `aside`, and from there behind them. The pivot is the median of a
// sample of one vector. If that is also the sample's minimum, there may be few distinct values.
// Then the pivot is chosen so that one side gets all elements equal to it and neither side is
// empty. The larger side is pushed on a stack, which keeps the stack short.
//
// No segment is partitioned more often than its budget, twice the logarithm of the row's length,
// plus once per bit of an element: when the budget is used up, the pivot halves the distance
// between minimum and maximum.
#include "codegen/emit/VectorSorter.h"
#include "codegen/emit/RegisterSort.h"
#include "codegen/emit/RowSorter.h"
#include "passes/schedule/SortProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Fields of a pending segment: begin, length, budget.
static constexpr int64_t fields = 3;

VectorSorter::VectorSorter(KernelContext &context, IntegerType element, int64_t size,
                           int64_t vectors, bool exact)
    : context(context), b(context.b), index(context.index), element(element),
      lanes(context.target.getLanes(element.getWidth())), size(size), vectors(vectors),
      exact(exact), type(VectorType::get({lanes}, element)) {
  if (size <= vectors * lanes)
    return;
  compress.emplace(context, element);
  int64_t bytes = element.getWidth() / 8, whole = int64_t(llvm::alignTo(size, lanes));
  chunk = std::min<int64_t>(whole, getAsideBytes(context.target) / bytes / lanes * lanes);
  // Room for a vector some of whose lanes are not used.
  aside = context.allocateOnStack((chunk + lanes) * bytes);
  // The segment being sorted is at most half as long as the one last pushed.
  segments = context.allocateOnStack((llvm::Log2_64_Ceil(uint64_t(size)) + 1) * fields * 8);
}

//===-- Vectors ------------------------------------------------------------------------------===//

UnitAccess VectorSorter::access(Value memory) {
  return UnitAccess(index, memory, element, exact && memory == row ? size : size + vectors * lanes);
}
Value VectorSorter::load(Value memory, Value at) {
  return access(memory).loadConsecutive(at, type, {});
}
void VectorSorter::store(Value memory, Value at, Value value) {
  access(memory).storeConsecutive(at, value, {});
}
/// Loads a vector of which only the lanes `live` are used; only they have to be in the row.
Value VectorSorter::loadFirst(Value memory, Value at, Value live) {
  return exact && memory == row ? access(memory).loadConsecutive(at, type, live) : load(memory, at);
}
/// Stores the first `count` lanes; the memory of the others is left unchanged.
void VectorSorter::storeFirst(Value memory, Value at, Value value, Value count) {
  if (exact && memory == row)
    access(memory).storeConsecutive(at, value, firstLanes(count));
  else
    store(memory, at, select(firstLanes(count), value, load(memory, at)));
}
Value VectorSorter::downToWhole(Value count) {
  return arith::AndIOp::create(b, count, index.constant(-lanes));
}
Value VectorSorter::invert(Value mask) {
  Value all = arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  return arith::XOrIOp::create(b, mask, all);
}
Value VectorSorter::firstLanes(Value count) {
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(element, lane));
  Value own = arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
  return isLess(own, splat(b.createOrFold<arith::IndexCastOp>(element, count)));
}
Value VectorSorter::splat(Value scalar) { return vector::BroadcastOp::create(b, type, scalar); }
Value VectorSorter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
Value VectorSorter::subtract(Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
Value VectorSorter::isLess(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}
Value VectorSorter::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(condition, x, y);
}

//===-- Short segments -----------------------------------------------------------------------===//

/// Sorts a segment of at most `vectors` vectors.
void VectorSorter::sortFew(const Segment &segment, int64_t vectors) {
  APInt most = APInt::getSignedMaxValue(element.getWidth());
  Value behind = arith::ConstantOp::create(b, DenseElementsAttr::get(type, most));
  SmallVector<Value> rows;
  auto place = [&](int64_t i) { return add(segment.begin, index.constant(i * lanes)); };
  auto rest = [&](int64_t i) { return subtract(segment.count, index.constant(i * lanes)); };
  for (int64_t i = 0; i < vectors; ++i) {
    Value live = firstLanes(rest(i));
    rows.push_back(select(live, loadFirst(row, place(i), live), behind));
  }
  emitRegisterSort(b, rows);
  for (int64_t i = 0; i < vectors; ++i)
    storeFirst(row, place(i), rows[i], rest(i));
}

/// Likewise, but sorts segments of at most a quarter of that length with a smaller network.
void VectorSorter::sortEither(const Segment &segment) {
  int64_t few = std::max<int64_t>(1, vectors / 4);
  Value isLong = isLess(index.constant(few * lanes), segment.count);
  auto branch = scf::IfOp::create(b, isLong, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  sortFew(segment, vectors);
  b.setInsertionPointToStart(branch.elseBlock());
  sortFew(segment, few);
}

//===-- Division -----------------------------------------------------------------------------===//

VectorSorter::Pivot VectorSorter::choosePivot(const Segment &segment) {
  // The sample is a vector of medians of three vectors. They are at odd fractions of the segment,
  // since sorted runs, of which there may be a power of two, all begin with lesser elements.
  Value last = subtract(add(segment.begin, segment.count), index.constant(lanes));
  auto loadAt = [&](int64_t numerator) {
    Value part = arith::ShRUIOp::create(
        b, arith::MulIOp::create(b, segment.count, index.constant(numerator)), index.constant(10));
    return load(row, b.createOrFold<arith::MinSIOp>(add(segment.begin, part), last));
  };
  Value x = loadAt(197), y = loadAt(523), z = loadAt(859);
  Value low = arith::MinSIOp::create(b, x, y), high = arith::MaxSIOp::create(b, x, y);
  Value sample = arith::MaxSIOp::create(b, low, arith::MinSIOp::create(b, high, z));
  emitRegisterSort(b, sample);
  Value least = vector::ExtractOp::create(b, sample, ArrayRef<int64_t>{0});
  Value median = vector::ExtractOp::create(b, sample, ArrayRef<int64_t>{lanes / 2});
  Value isGood =
      arith::AndIOp::create(b, isLess(least, median), isLess(index.constant(0), segment.budget));
  SmallVector<Type> types{element, b.getI1Type()};
  auto branch = scf::IfOp::create(b, types, isGood, true, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, ValueRange{median, isGood});
  b.setInsertionPointToStart(branch.elseBlock());
  Pivot other = chooseByExtremes(segment, least);
  scf::YieldOp::create(b, ValueRange{other.value, other.divides});
  return {branch.getResult(0), branch.getResult(1)};
}

/// A pivot greater than the minimum and at most the maximum, if these differ: next to `sampled`,
/// which is in the segment, or halfway between them.
VectorSorter::Pivot VectorSorter::chooseByExtremes(const Segment &segment, Value sampled) {
  Value end = add(segment.begin, segment.count), last = subtract(end, index.constant(lanes));
  Value first = load(row, segment.begin);
  // The last iteration overlaps the one before.
  SmallVector<Value> extremes =
      buildFor(context, segment.begin, end, lanes, {first, first}, [&](Value i, ValueRange now) {
        Value x = load(row, b.createOrFold<arith::MinSIOp>(i, last));
        return SmallVector<Value>{arith::MinSIOp::create(b, now[0], x),
                                  arith::MaxSIOp::create(b, now[1], x)};
      });
  Value least = vector::ReductionOp::create(b, vector::CombiningKind::MINSI, extremes[0]);
  Value greatest = vector::ReductionOp::create(b, vector::CombiningKind::MAXSI, extremes[1]);
  Value one = arith::ConstantOp::create(b, b.getIntegerAttr(element, 1));
  Value beside = select(isLess(sampled, greatest), add(sampled, one), sampled);
  Value half = arith::ShRUIOp::create(b, subtract(greatest, least), one);
  Value middle = add(add(least, half), one);
  Value isLeft = isLess(index.constant(0), segment.budget);
  return {select(isLeft, beside, middle), isLess(least, greatest)};
}

/// Copies `count` elements: whole vectors, then the remainder.
void VectorSorter::move(Value to, Value at, Value from, Value first, Value count) {
  Value whole = downToWhole(count), rest = subtract(count, whole);
  buildFor(context, index.constant(0), whole, lanes,
           [&](Value i) { store(to, add(at, i), load(from, add(first, i))); });
  storeFirst(to, add(at, whole), loadFirst(from, add(first, whole), firstLanes(rest)), rest);
}

/// Partitions some whole vectors at either end of a long segment; returns where what is left of it
/// begins and ends. Vectors are read where less room is left, so that there is always room for what
/// is written.
SmallVector<Value> VectorSorter::divideEnds(const Segment &segment, Value wide) {
  Value width = index.constant(lanes), group = index.constant(kVectorsAtOnce * lanes),
        zero = index.constant(0);
  Value begin = segment.begin, end = add(segment.begin, segment.count);
  move(aside, zero, row, begin, group);
  move(aside, group, row, subtract(end, group), group);
  // Where lesser elements end, where reading goes on at either end, where the others begin.
  SmallVector<Value> state{begin, add(begin, group), subtract(end, group), end};
  state = buildWhile(
      b, state,
      [&](ValueRange now) {
        return Value(
            arith::CmpIOp::create(b, arith::CmpIPredicate::sge, subtract(now[2], now[1]), group));
      },
      [&](ValueRange now) {
        Value low = now[0], left = now[1], right = now[2], high = now[3];
        Value isLeft = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, subtract(left, low),
                                             subtract(high, right));
        Value before = subtract(right, group), from = select(isLeft, left, before);
        SmallVector<Value> read;
        for (int64_t i = 0; i < kVectorsAtOnce; ++i)
          read.push_back(load(row, add(from, index.constant(i * lanes))));
        for (Value x : read) {
          Value less = isLess(x, wide), count = compress->count(less);
          Value sorted = compress->emit(x, less), others = subtract(width, count);
          store(row, low, sorted);
          if (compress->keepsOthers())
            store(row, subtract(high, width), sorted);
          low = add(low, count);
          high = subtract(high, others);
          if (!compress->keepsOthers())
            storeFirst(row, high, compress->emit(x, invert(less)), others);
        }
        return SmallVector<Value>{low, select(isLeft, add(left, group), left),
                                  select(isLeft, right, before), high};
      });
  // What was read first goes where there is room.
  Value low = state[0], left = state[1], right = state[2], high = state[3],
        room = subtract(left, low);
  move(row, low, aside, zero, room);
  move(row, right, aside, room, subtract(high, right));
  return {low, high};
}

/// Moves elements less than `pivot` to the front; returns their number.
Value VectorSorter::divide(const Segment &segment, Value pivot) {
  Value wide = splat(pivot), zero = index.constant(0), width = index.constant(lanes);
  Value begin = segment.begin, end = add(begin, segment.count);
  if (size > chunk) {
    auto branch = scf::IfOp::create(b, ValueRange{begin, end}.getTypes(),
                                    isLess(index.constant(chunk), segment.count), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, divideEnds(segment, wide));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange{begin, end});
    begin = branch.getResult(0);
    end = branch.getResult(1);
  }
  Value stop = add(begin, downToWhole(subtract(end, begin)));
  SmallVector<Value> ends =
      buildFor(context, begin, stop, lanes, {begin, zero}, [&](Value i, ValueRange to) {
        Value x = load(row, i), less = isLess(x, wide), count = compress->count(less);
        store(row, to[0], compress->emit(x, less));
        store(aside, to[1], compress->emit(x, invert(less)));
        return SmallVector<Value>{add(to[0], count), add(to[1], subtract(width, count))};
      });
  Value rest = subtract(end, stop), part = firstLanes(rest);
  Value x = loadFirst(row, stop, part), less = isLess(x, wide);
  Value low = arith::AndIOp::create(b, less, part), count = compress->count(low);
  Value high = arith::AndIOp::create(b, invert(less), part);
  storeFirst(row, ends[0], compress->emit(x, low), count);
  store(aside, ends[1], compress->emit(x, high));
  Value middle = add(ends[0], count);
  move(row, middle, aside, zero, add(ends[1], subtract(rest, count)));
  return subtract(middle, segment.begin);
}

Value VectorSorter::divide(Value memory, Value begin, Value end, Value pivot) {
  ScopedLanes wide(index, lanes);
  row = memory;
  return add(begin, divide({begin, subtract(end, begin), getBudget()}, pivot));
}

MemoryArray VectorSorter::sample(Value memory) {
  ScopedLanes scalar(index, 1);
  row = memory;
  RowSorter sorter(context, kPartSamples, element);
  Value samples = context.allocateOnStack(sorter.getBufferBytes()),
        other = context.allocateOnStack(sorter.getBufferBytes());
  Value step = index.constant(size / kPartSamples);
  buildFor(context, index.constant(0), index.constant(kPartSamples), 1, [&](Value i) {
    VectorIndex from = index.uniform(arith::MulIOp::create(b, i, step));
    storeElements(index, sorter.getColumn(samples, 0), {index.uniform(i)},
                  {access(row).load(from, {}), {}}, {});
  });
  auto less = [&](ArrayRef<VectorValue> x, ArrayRef<VectorValue> y) {
    return isLess(x[0].re, y[0].re);
  };
  return sorter.getColumn(sorter.mergeSort(samples, other, kSampleRun, less), 0);
}

//===-- Segments that wait -------------------------------------------------------------------===//

Value VectorSorter::segmentAt(Value top, int64_t field) {
  Value number = add(arith::MulIOp::create(b, top, index.constant(fields)), index.constant(field));
  return movePointer(index, segments, arith::MulIOp::create(b, number, index.constant(8)));
}

/// Pushes the larger of the two sides, the first of which has `low` elements; returns the other one
/// and the new top of the stack.
SmallVector<Value> VectorSorter::push(const Segment &segment, Value low, Value top) {
  Value high = subtract(segment.count, low), middle = add(segment.begin, low);
  Value isLowShort = isLess(low, high), one = index.constant(1);
  Value budget = b.createOrFold<arith::MaxSIOp>(subtract(segment.budget, one), index.constant(0));
  auto keep = [&](Value value, int64_t field) {
    Value number = arith::IndexCastOp::create(b, b.getI64Type(), value);
    LLVM::StoreOp::create(b, number, segmentAt(top, field));
  };
  keep(select(isLowShort, middle, segment.begin), 0);
  keep(select(isLowShort, high, low), 1);
  keep(budget, 2);
  return {select(isLowShort, segment.begin, middle), select(isLowShort, low, high), budget,
          add(top, one)};
}

/// Pops the top segment; returns it and the new top, which is -1 if the stack was empty.
SmallVector<Value> VectorSorter::pop(Value top) {
  Value next = subtract(top, index.constant(1));
  Value place = b.createOrFold<arith::MaxSIOp>(next, index.constant(0));
  SmallVector<Value> state;
  for (int64_t field = 0; field < fields; ++field) {
    Value number = LLVM::LoadOp::create(b, b.getI64Type(), segmentAt(place, field));
    state.push_back(arith::IndexCastOp::create(b, b.getIndexType(), number));
  }
  state.push_back(next);
  return state;
}

Value VectorSorter::getBudget() {
  return index.constant(2 * int64_t(llvm::Log2_64_Ceil(uint64_t(size))));
}

void VectorSorter::sort(Value memory) {
  Value zero = index.constant(0), count = index.constant(size);
  if (compress)
    return sort(memory, zero, count);
  ScopedLanes wide(index, lanes);
  row = memory;
  sortFew({zero, count, getBudget()},
          int64_t(llvm::PowerOf2Ceil(uint64_t(llvm::divideCeil(size, lanes)))));
}

void VectorSorter::sort(Value memory, Value begin, Value end) {
  ScopedLanes wide(index, lanes);
  row = memory;
  Value zero = index.constant(0);
  SmallVector<Value> state{begin, subtract(end, begin), getBudget(), zero};
  SmallVector<Type> types(state.size(), b.getIndexType());
  auto either = [&](Value condition, function_ref<SmallVector<Value>()> first,
                    function_ref<SmallVector<Value>()> second) {
    auto branch = scf::IfOp::create(b, types, condition, true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, first());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, second());
    return SmallVector<Value>(branch.getResults());
  };
  buildWhile(
      b, state,
      [&](ValueRange now) {
        return Value(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, now[3], zero));
      },
      [&](ValueRange now) {
        Segment segment{now[0], now[1], now[2]};
        Value top = now[3];
        return either(
            isLess(index.constant(vectors * lanes), segment.count),
            [&] {
              Pivot pivot = choosePivot(segment);
              return either(
                  pivot.divides, [&] { return push(segment, divide(segment, pivot.value), top); },
                  [&] { return pop(top); });
            },
            [&] {
              sortEither(segment);
              return pop(top);
            });
      });
}

} // namespace hloc
