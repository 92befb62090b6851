// SPDX-License-Identifier: Apache-2.0
// A row in parts: all units make keys; the first one chooses pivots from a sample; the row is
// divided by them, each time twice as many pieces; each unit sorts one part; all units write
// results. Parts are of different length, so the units of other phases have equal shares instead.
#include "codegen/kernels/sort/VectorRow.h"
#include "codegen/emit/Phases.h"
#include "codegen/math/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

VectorRow::VectorRow(KernelContext &context, const SortProblem &problem, int64_t vectors,
                     RowAccess access)
    : context(context), b(context.b), index(context.index), problem(problem),
      type(b.getIntegerType(unsigned(problem.getVectorBits()))), access(std::move(access)),
      sorter(context, type, problem.size, vectors,
             /*exact=*/problem.sortsInResult() || context.chosen.getBlock().size() > 1) {
  if (problem.hasWholeKeys())
    whole.emplace(context, problem.keys[0], problem.size, type, this->access.read,
                  this->access.write);
}

MemoryArray VectorRow::entriesAt(Value buffer) {
  return {buffer, RankedTensorType::get({problem.size}, type)};
}

/// Vectors sort signed integers, but entries are unsigned.
Value VectorRow::turnSign(Value entry) {
  Value sign = arith::ConstantOp::create(b, b.getI64IntegerAttr(INT64_MIN));
  return arith::XOrIOp::create(b, entry, index.getLanes() > 1 ? index.splat(sign) : sign);
}

/// Makes the integers of some elements. Returns whether an element differs from what its integer
/// gives; null if they cannot be emitted.
Value VectorRow::fill(Value buffer, Loop loop) {
  if (whole)
    return whole->make(buffer, loop);
  bool isMade = true;
  loop({}, [&](VectorIndex position, Mask mask, ValueRange) {
    if (Value entry = access.makeEntry(position, mask))
      storeElements(index, entriesAt(buffer), {position}, {turnSign(entry), {}}, mask);
    else
      isMade = false;
    return SmallVector<Value>();
  });
  return isMade ? Value(arith::ConstantOp::create(b, b.getBoolAttr(false))) : Value();
}

/// Writes the elements of some of the sorted integers.
void VectorRow::put(Value buffer, Loop loop) {
  if (whole)
    return whole->write(buffer, loop);
  loop({}, [&](VectorIndex position, Mask mask, ValueRange) {
    Value entry = loadElements(index, entriesAt(buffer), {position}, mask).re;
    access.writeEntry(turnSign(entry), position, mask);
    return SmallVector<Value>();
  });
}

bool VectorRow::sort(Value buffer) {
  auto loop = [&](ValueRange values, WholeKeys::Body body) {
    return buildLanes(context, problem.size, values, body);
  };
  Value isChanged = fill(buffer, loop);
  if (!isChanged)
    return false;
  sorter.sort(buffer);
  // Before elements are written: the keys may be in the same memory.
  SmallVector<Value> places;
  bool mayChange = whole && whole->mayChange();
  if (mayChange)
    places = whole->findAlike(buffer, isChanged);
  put(buffer, loop);
  if (mayChange)
    whole->writeAlike(isChanged, places);
  return true;
}

/// Adds the phases that divide the row into `parts`, which begin at the shared numbers from
/// `bounds` on.
void VectorRow::addDivision(Phases &phases, Value buffer, int64_t parts, int64_t bounds) {
  int64_t pivots = phases.reserve(parts);
  Value zero = index.constant(0);
  phases.addAlone([&] {
    MemoryArray samples = sorter.sample(buffer);
    ScopedLanes scalar(index, 1);
    buildFor(context, zero, index.constant(parts), 1, [&](Value part) {
      Value at = arith::MulIOp::create(b, part, index.constant(kPartSamples / parts));
      Value pivot = loadElements(index, samples, {index.uniform(at)}, {}).re;
      phases.store(pivots, part, arith::IndexCastOp::create(b, b.getIndexType(), pivot));
    });
    phases.store(bounds, zero, zero);
    phases.store(bounds, index.constant(parts), index.constant(problem.size));
  });
  // In the first of these phases, the first unit divides the row; in the next, two units divide its
  // halves; and so on.
  phases.addRepeated(llvm::Log2_64(uint64_t(parts)), [&](Value phase, Value unit) {
    Value one = index.constant(1), pieces = arith::ShLIOp::create(b, one, phase);
    Value isBusy = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, unit, pieces);
    auto branch = scf::IfOp::create(b, isBusy, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    Value length = arith::ShRUIOp::create(b, index.constant(parts), phase),
          first = arith::MulIOp::create(b, unit, length),
          last = arith::AddIOp::create(b, first, length),
          middle = arith::AddIOp::create(b, first, arith::ShRUIOp::create(b, length, one));
    Value pivot = arith::IndexCastOp::create(b, type, phases.load(pivots, middle));
    Value place =
        sorter.divide(buffer, phases.load(bounds, first), phases.load(bounds, last), pivot);
    phases.store(bounds, middle, place);
  });
}

bool VectorRow::sortInParts(Value buffer, Value shared, int64_t parts) {
  Phases phases(context, parts, shared);
  int64_t lanes = index.getLanes(),
          share = int64_t(llvm::alignTo(llvm::divideCeil(problem.size, parts), lanes));
  int64_t bounds = phases.reserve(parts + 1), flags = phases.reserve(parts),
          alike = phases.reserve(2);
  Value zero = index.constant(0), one = index.constant(1);
  bool isMade = true, mayChange = whole && whole->mayChange();
  auto shareOf = [&](Value unit) {
    return [&, unit](ValueRange values, WholeKeys::Body body) {
      return buildPart(context, unit, share, problem.size, values, body);
    };
  };
  auto isChanged = [&] {
    ScopedLanes scalar(index, 1);
    Value sum =
        buildFor(context, zero, index.constant(parts), 1, zero, [&](Value part, ValueRange now) {
          Value flag = phases.load(flags, part);
          return SmallVector<Value>{arith::OrIOp::create(b, now[0], flag)};
        })[0];
    return Value(arith::CmpIOp::create(b, arith::CmpIPredicate::ne, sum, zero));
  };
  phases.add([&](Value unit) {
    Value flag = fill(buffer, shareOf(unit));
    isMade = bool(flag);
    if (isMade)
      phases.store(flags, unit, arith::IndexCastUIOp::create(b, b.getIndexType(), flag));
  });
  if (!isMade)
    return false;
  addDivision(phases, buffer, parts, bounds);
  phases.add([&](Value unit) {
    Value next = arith::AddIOp::create(b, unit, one);
    sorter.sort(buffer, phases.load(bounds, unit), phases.load(bounds, next));
  });
  if (mayChange)
    phases.addAlone([&] {
      SmallVector<Value> places = whole->findAlike(buffer, isChanged());
      phases.store(alike, zero, places[0]);
      phases.store(alike, one, places[1]);
    });
  phases.add([&](Value unit) { put(buffer, shareOf(unit)); });
  if (mayChange)
    phases.addAlone([&] {
      Value places[] = {phases.load(alike, zero), phases.load(alike, one)};
      whole->writeAlike(isChanged(), places);
    });
  phases.finish();
  return true;
}

} // namespace hloc
