// SPDX-License-Identifier: Apache-2.0
// There are two phases for each digit. In the first, each unit counts how often each value occurs
// in its share of the entries. From all counts it then knows where its own entries with a value go:
// after those with lesser values, and after those with the same value of the units before. If all
// entries have the same value, they stay where they are.
#include "codegen/kernels/sort/DigitParts.h"
#include "codegen/emit/UnitAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

DigitParts::DigitParts(KernelContext &context, const SortProblem &problem, int64_t values,
                       int64_t parts, Value shared, Value buffers)
    : context(context), b(context.b), index(context.index), size(problem.size), values(values),
      parts(parts),
      share(int64_t(llvm::alignTo(llvm::divideCeil(size, parts), context.chosen.getLanes()))),
      phases(context, parts, shared), buffers(buffers) {
  int64_t passes = problem.countDigitPasses(values);
  places = phases.reserve(passes + 1);
  Type i32 = b.getI32Type();
  counts = {phases.getRest(), RankedTensorType::get({parts * values}, i32)};
  starts = {context.allocateOnStack(values * 4), RankedTensorType::get({values}, i32)};
}

Value DigitParts::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

/// The buffer that holds the entries before `pass`, or the other one.
Value DigitParts::getBuffer(Value pass, bool isOther) {
  Value number = phases.load(places, pass);
  if (isOther)
    number = arith::XOrIOp::create(b, number, index.constant(1));
  Value bytes = index.constant(getColumnBytes(size, b.getI64Type()));
  return movePointer(index, buffers, arith::MulIOp::create(b, number, bytes));
}

void DigitParts::visit(function_ref<void(Value, Loop)> body) {
  phases.add([&](Value unit) {
    // The first visit, to make entries, has nothing before it.
    if (done == 0)
      phases.store(places, index.constant(0), index.constant(0));
    Value buffer = done == 0 ? buffers : getBuffer(index.constant(done), /*isOther=*/false);
    body(buffer, [&](function_ref<void(VectorIndex, Mask)> elementsAt) {
      buildPart(context, unit, share, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
        elementsAt(position, mask);
        return SmallVector<Value>();
      });
    });
  });
}

/// The digit number `pass` of a key.
Value DigitParts::digitOf(Value entry, Value pass) {
  Type i64 = b.getI64Type();
  Value bits = index.constant(llvm::Log2_64(uint64_t(values))),
        shift = arith::AddIOp::create(b, arith::MulIOp::create(b, pass, bits),
                                      index.constant(kKeyBits));
  Value shifted = arith::ShRUIOp::create(b, entry, arith::IndexCastOp::create(b, i64, shift));
  Value digit = arith::AndIOp::create(b, shifted, constant(i64, values - 1));
  return arith::IndexCastOp::create(b, b.getIndexType(), digit);
}

VectorIndex DigitParts::countAt(Value part, Value digit) {
  Value row = arith::MulIOp::create(b, part, index.constant(values));
  return index.uniform(arith::AddIOp::create(b, row, digit));
}

Value DigitParts::countUp(MemoryArray counters, VectorIndex at) {
  Value before = loadElements(index, counters, {at}, {}).re;
  Value after = arith::AddIOp::create(b, before, constant(b.getI32Type(), 1));
  storeElements(index, counters, {at}, {after, {}}, {});
  return before;
}

void DigitParts::forEachEntry(Value part, function_ref<void(Value)> body) {
  Value length = index.constant(share), begin = arith::MulIOp::create(b, part, length),
        end = arith::AddIOp::create(b, begin, length);
  buildFor(context, begin, arith::MinSIOp::create(b, end, index.constant(size)), 1, body);
}

static MemoryArray entriesAt(Value buffer, int64_t size) {
  return {buffer, RankedTensorType::get({size}, IntegerType::get(buffer.getContext(), 64))};
}

void DigitParts::count(Value from, Value pass, Value part) {
  buildFor(context, index.constant(0), index.constant(values), 1, [&](Value digit) {
    storeElements(index, counts, {countAt(part, digit)}, {constant(b.getI32Type(), 0), {}}, {});
  });
  forEachEntry(part, [&](Value i) {
    Value entry = loadElements(index, entriesAt(from, size), {index.uniform(i)}, {}).re;
    countUp(counts, countAt(part, digitOf(entry, pass)));
  });
}

/// Fills `starts` for a part. Returns true if entries differ in their digit.
Value DigitParts::findStarts(Value part) {
  Type i32 = b.getI32Type();
  Value zero = constant(i32, 0), all = constant(i32, size);
  auto visitDigit = [&](Value digit, ValueRange now) {
    SmallVector<Value> sums =
        buildFor(context, index.constant(0), index.constant(parts), 1, {now[0], now[0]},
                 [&](Value other, ValueRange sums) {
                   Value number = loadElements(index, counts, {countAt(other, digit)}, {}).re;
                   Value isBefore =
                       arith::CmpIOp::create(b, arith::CmpIPredicate::slt, other, part);
                   Value before = arith::SelectOp::create(b, isBefore, number, zero);
                   return SmallVector<Value>{arith::AddIOp::create(b, sums[0], before),
                                             arith::AddIOp::create(b, sums[1], number)};
                 });
    storeElements(index, starts, {index.uniform(digit)}, {sums[0], {}}, {});
    Value number = arith::SubIOp::create(b, sums[1], now[0]);
    Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, all);
    return SmallVector<Value>{sums[1], arith::OrIOp::create(b, now[1], isAll)};
  };
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false)),
        yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value areEqual =
      buildFor(context, index.constant(0), index.constant(values), 1, {zero, no}, visitDigit)[1];
  return arith::XOrIOp::create(b, areEqual, yes);
}

void DigitParts::move(Value from, Value to, Value pass, Value part) {
  forEachEntry(part, [&](Value i) {
    Value entry = loadElements(index, entriesAt(from, size), {index.uniform(i)}, {}).re;
    Value place = countUp(starts, index.uniform(digitOf(entry, pass)));
    Value at = arith::IndexCastUIOp::create(b, b.getIndexType(), place);
    storeElements(index, entriesAt(to, size), {index.uniform(at)}, {entry, {}}, {});
  });
}

void DigitParts::sort(int64_t bits) {
  int64_t passes = llvm::divideCeil(bits, int64_t(llvm::Log2_64(uint64_t(values))));
  phases.addRepeated(2 * passes, [&](Value phase, Value unit) {
    ScopedLanes scalar(index, 1);
    Value one = index.constant(1), pass = arith::ShRUIOp::create(b, phase, one),
          number = arith::AddIOp::create(b, pass, index.constant(done));
    Value from = getBuffer(number, /*isOther=*/false);
    Value moves = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        arith::AndIOp::create(b, phase, one), index.constant(0));
    auto branch = scf::IfOp::create(b, moves, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    {
      ElementEmitter::Scope scope(context.emitter);
      b.setInsertionPointToStart(branch.thenBlock());
      Value to = getBuffer(number, /*isOther=*/true), differ = findStarts(unit);
      // All units find the same.
      Value place = phases.load(places, number),
            step = arith::IndexCastUIOp::create(b, b.getIndexType(), differ);
      phases.store(places, arith::AddIOp::create(b, number, one),
                   arith::XOrIOp::create(b, place, step));
      auto moving = scf::IfOp::create(b, differ, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(moving.thenBlock());
      move(from, to, pass, unit);
    }
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.elseBlock());
    count(from, pass, unit);
  });
  done += passes;
}

} // namespace hloc
