// SPDX-License-Identifier: Apache-2.0
// All of this is scalar code: the index builder is set to one lane while it is built.
#include "codegen/emit/RowSorter.h"
#include "passes/schedule/SortProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

RowSorter::RowSorter(KernelContext &context, int64_t size, ArrayRef<Type> columns)
    : context(context), b(context.b), index(context.index), size(size), columns(columns) {
  for (Type column : columns) {
    offsets.push_back(bufferBytes);
    bufferBytes += getColumnBytes(size, column);
  }
}

MemoryArray RowSorter::getColumn(Value buffer, size_t which) {
  return {movePointer(index, buffer, index.constant(offsets[which])),
          RankedTensorType::get({size}, columns[which])};
}

SmallVector<VectorValue> RowSorter::load(Value buffer, Value at) {
  SmallVector<VectorValue> elements;
  for (size_t i = 0; i < columns.size(); ++i)
    elements.push_back(loadElements(index, getColumn(buffer, i), {index.uniform(at)}, {}));
  return elements;
}

void RowSorter::store(Value buffer, Value at, ArrayRef<VectorValue> elements) {
  for (size_t i = 0; i < columns.size(); ++i)
    storeElements(index, getColumn(buffer, i), {index.uniform(at)}, elements[i], {});
}

//===-- Merging ------------------------------------------------------------------------------===//

SmallVector<Value> buildWhile(ImplicitLocOpBuilder &b, ValueRange values,
                              function_ref<Value(ValueRange)> condition,
                              function_ref<SmallVector<Value>(ValueRange)> body) {
  auto loop = scf::WhileOp::create(b, values.getTypes(), values);
  SmallVector<Location> places(values.size(), b.getLoc());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore(), {}, values.getTypes(), places);
  b.createBlock(&loop.getAfter(), {}, values.getTypes(), places);
  b.setInsertionPointToEnd(loop.getBeforeBody());
  Value holds = condition(loop.getBeforeArguments());
  scf::ConditionOp::create(b, holds, loop.getBeforeArguments());
  b.setInsertionPointToEnd(loop.getAfterBody());
  scf::YieldOp::create(b, body(loop.getAfterArguments()));
  return SmallVector<Value>(loop.getResults());
}

/// Sorts runs of `run` elements by insertion.
void RowSorter::sortRuns(Value buffer, int64_t run, const Less &less) {
  Value one = index.constant(1);
  buildFor(context, index.constant(0), index.constant(size), run, {}, [&](Value start, ValueRange) {
    Value end = b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::AddIOp>(start, index.constant(run)), index.constant(size));
    Value second = b.createOrFold<arith::AddIOp>(start, one);
    buildFor(context, second, end, 1, {}, [&](Value i, ValueRange) {
      SmallVector<VectorValue> x = load(buffer, i);
      SmallVector<Value> place = buildWhile(
          b, i,
          [&](ValueRange now) {
            Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, now[0], start);
            // Before the first element, repeat the last comparison, whose result is not used.
            Value before = arith::SubIOp::create(b, now[0], one);
            before = b.createOrFold<arith::MaxSIOp>(before, start);
            return Value(arith::AndIOp::create(b, more, less(x, load(buffer, before))));
          },
          [&](ValueRange now) {
            Value before = arith::SubIOp::create(b, now[0], one);
            store(buffer, now[0], load(buffer, before));
            return SmallVector<Value>{before};
          });
      store(buffer, place[0], x);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

/// Merges the runs [low, middle) and [middle, high).
void RowSorter::merge(Value from, Value to, Value low, Value middle, Value high, const Less &less) {
  Value one = index.constant(1);
  SmallVector<Value> ends = buildWhile(
      b, {low, middle, low},
      [&](ValueRange now) {
        Value left = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, now[0], middle);
        Value right = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, now[1], high);
        return Value(arith::AndIOp::create(b, left, right));
      },
      [&](ValueRange now) {
        SmallVector<VectorValue> x = load(from, now[0]), y = load(from, now[1]), first;
        Value takesRight = less(y, x);
        for (auto [left, right] : llvm::zip(x, y))
          first.push_back(emitSelect(index, takesRight, right, left));
        store(to, now[2], first);
        Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), takesRight);
        Value i = arith::SubIOp::create(b, arith::AddIOp::create(b, now[0], one), step);
        Value j = arith::AddIOp::create(b, now[1], step);
        return SmallVector<Value>{i, j, arith::AddIOp::create(b, now[2], one)};
      });
  // One run is exhausted; append the rest of the other.
  Value isLeft = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ends[0], middle);
  Value source = arith::SelectOp::create(b, isLeft, ends[0], ends[1]);
  Value count = arith::SubIOp::create(b, arith::SelectOp::create(b, isLeft, middle, high), source);
  buildFor(context, index.constant(0), count, 1, [&](Value i) {
    store(to, arith::AddIOp::create(b, ends[2], i),
          load(from, arith::AddIOp::create(b, source, i)));
  });
}

Value RowSorter::mergeSort(Value buffer, Value other, int64_t run, const Less &less) {
  ScopedLanes scalar(index, 1);
  sortRuns(buffer, run, less);
  int64_t passes = 0;
  while ((run << passes) < size)
    ++passes;
  SmallVector<Value> state{buffer, other, index.constant(run)};
  state = buildFor(
      context, index.constant(0), index.constant(passes), 1, state, [&](Value, ValueRange now) {
        Value from = now[0], to = now[1], width = now[2], limit = index.constant(size);
        Value both = b.createOrFold<arith::AddIOp>(width, width);
        auto loop = scf::ForOp::create(b, index.constant(0), limit, both);
        OpBuilder::InsertPoint after = b.saveInsertionPoint();
        b.setInsertionPointToStart(loop.getBody());
        Value low = loop.getInductionVar();
        Value middle =
            b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::AddIOp>(low, width), limit);
        Value high =
            b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::AddIOp>(low, both), limit);
        merge(from, to, low, middle, high, less);
        b.restoreInsertionPoint(after);
        return SmallVector<Value>{to, from, both};
      });
  return state[0];
}

Value RowSorter::mergeHighHalves(Value buffer, Value other, int64_t run) {
  auto less = [&](ArrayRef<VectorValue> x, ArrayRef<VectorValue> y) -> Value {
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(kKeyBits));
    Value left = arith::ShRUIOp::create(b, x[0].re, shift),
          right = arith::ShRUIOp::create(b, y[0].re, shift);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, left, right);
  };
  return mergeSort(buffer, other, run, less);
}

//===-- Digits -------------------------------------------------------------------------------===//

Value RowSorter::radixSort(Value buffer, Value other, int64_t bits, int64_t values) {
  ScopedLanes scalar(index, 1);
  int64_t digitBits = llvm::Log2_64(values), passes = llvm::divideCeil(bits, digitBits);
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  if (!countMemory)
    countMemory = context.allocateOnStack(llvm::divideCeil(kKeyBits, digitBits) * values * 4);
  MemoryArray counts{countMemory, RankedTensorType::get({passes, values}, i32)};
  auto constant = [&](Type type, int64_t value) {
    return Value(arith::ConstantOp::create(b, b.getIntegerAttr(type, value)));
  };
  auto digitOf = [&](Value entry, Value pass) {
    Value shift = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::MulIOp>(pass, index.constant(digitBits)), index.constant(kKeyBits));
    Value shifted =
        arith::ShRUIOp::create(b, entry, b.createOrFold<arith::IndexCastOp>(i64, shift));
    Value digit = arith::AndIOp::create(b, shifted, constant(i64, values - 1));
    return index.uniform(arith::IndexCastOp::create(b, b.getIndexType(), digit));
  };
  auto countAt = [&](Value pass, VectorIndex digit) {
    return ElementIndex{index.uniform(pass), digit};
  };
  auto countUp = [&](ElementIndex at) {
    Value count = loadElements(index, counts, at, {}).re;
    storeElements(index, counts, at, {arith::AddIOp::create(b, count, constant(i32, 1)), {}}, {});
    return count;
  };
  Value zero = index.constant(0), limit = index.constant(size);
  buildFor(context, zero, index.constant(passes * values), 1, {}, [&](Value i, ValueRange) {
    storeElements(index, counts, countAt(zero, index.uniform(i)), {constant(i32, 0), {}}, {});
    return SmallVector<Value>();
  });
  buildFor(context, zero, limit, 1, {}, [&](Value i, ValueRange) {
    Value entry = load(buffer, i)[0].re;
    for (int64_t number = 0; number < passes; ++number) {
      Value pass = index.constant(number);
      countUp(countAt(pass, digitOf(entry, pass)));
    }
    return SmallVector<Value>();
  });
  // One piece of code serves all digits: it needs a variable shift, but compiles in a fraction of
  // the time.
  auto sortByDigit = [&](Value pass, ValueRange state) {
    Value from = state[0], to = state[1];
    Value common =
        loadElements(index, counts, countAt(pass, digitOf(load(from, zero)[0].re, pass)), {}).re;
    Value differ = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, common, constant(i32, size));
    auto branch = scf::IfOp::create(b, state.getTypes(), differ, true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    // Turn counts into the positions where each digit's elements begin.
    buildFor(context, zero, index.constant(values), 1, constant(i32, 0),
             [&](Value digit, ValueRange sofar) {
               ElementIndex at = countAt(pass, index.uniform(digit));
               Value count = loadElements(index, counts, at, {}).re;
               storeElements(index, counts, at, {sofar[0], {}}, {});
               return SmallVector<Value>{arith::AddIOp::create(b, sofar[0], count)};
             });
    buildFor(context, zero, limit, 1, {}, [&](Value i, ValueRange) {
      SmallVector<VectorValue> entry = load(from, i);
      Value place = countUp(countAt(pass, digitOf(entry[0].re, pass)));
      store(to, arith::IndexCastUIOp::create(b, b.getIndexType(), place), entry);
      return SmallVector<Value>();
    });
    scf::YieldOp::create(b, ValueRange{to, from});
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, state);
    return SmallVector<Value>(branch.getResults());
  };
  return buildFor(context, zero, index.constant(passes), 1, {buffer, other}, sortByDigit,
                  Rounds::Some)[0];
}

//===-- Side by side -------------------------------------------------------------------------===//

// Bitonic sorting in the form where all comparisons have the same direction: runs of `width` are
// merged from two sorted halves, the second of which is read in reverse.
void emitSortNetwork(KernelContext &context, MemoryArray rows, int64_t size) {
  auto &b = context.b;
  IndexBuilder &index = context.index;
  VectorIndex across = index.consecutive(index.constant(0));
  // Compares elements i and j of pairs 0 to size / 2, which are `distance` apart within their
  // block.
  auto stage = [&](int64_t distance, bool backwards) {
    buildFor(
        context, index.constant(0), index.constant(size / 2), 1, {}, [&](Value number, ValueRange) {
          Value within = b.createOrFold<arith::AndIOp>(number, index.constant(distance - 1));
          Value i =
              b.createOrFold<arith::SubIOp>(b.createOrFold<arith::AddIOp>(number, number), within);
          Value j = backwards ? b.createOrFold<arith::XOrIOp>(i, index.constant(2 * distance - 1))
                              : b.createOrFold<arith::AddIOp>(i, index.constant(distance));
          ElementIndex low{index.uniform(i), across}, high{index.uniform(j), across};
          Value x = loadElements(index, rows, low, {}).re,
                y = loadElements(index, rows, high, {}).re;
          storeElements(index, rows, low, {arith::MinUIOp::create(b, x, y), {}}, {});
          storeElements(index, rows, high, {arith::MaxUIOp::create(b, x, y), {}}, {});
          return SmallVector<Value>();
        });
  };
  for (int64_t width = 2; width <= size; width *= 2) {
    stage(width / 2, true);
    for (int64_t distance = width / 4; distance >= 1; distance /= 2)
      stage(distance, false);
  }
}

} // namespace hloc
