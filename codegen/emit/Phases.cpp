// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Phases.h"
#include "codegen/emit/UnitAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hloc {

void Phases::addRepeated(int64_t count, function_ref<void(Value, Value)> body) {
  auto &b = context.b;
  IndexBuilder &index = context.index;
  Value first = index.constant(phases * units), last = index.constant((phases + count) * units);
  phases += count;
  Value begin = b.createOrFold<arith::MaxSIOp>(context.getBegin(), first),
        end = b.createOrFold<arith::MinSIOp>(context.getEnd(), last);
  buildFor(context, begin, end, 1, [&](Value number) {
    Value within = b.createOrFold<arith::SubIOp>(number, first);
    if (count == 1)
      return body(index.constant(0), within);
    Value each = index.constant(units);
    body(b.createOrFold<arith::DivUIOp>(within, each),
         b.createOrFold<arith::RemUIOp>(within, each));
  });
}

void Phases::add(function_ref<void(Value)> body) {
  addRepeated(1, [&](Value, Value unit) { body(unit); });
}

void Phases::addAlone(function_ref<void()> body) {
  auto &b = context.b;
  add([&](Value unit) {
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, unit, context.index.constant(0));
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  });
}

void Phases::finish() {
  context.schedule.units = phases * units;
  context.schedule.phases = phases;
  context.schedule.tasks = units;
}

Value Phases::locate(int64_t place, Value offset) {
  auto &b = context.b;
  Value number = b.createOrFold<arith::AddIOp>(context.index.constant(place), offset);
  return movePointer(context.index, shared,
                     b.createOrFold<arith::MulIOp>(number, context.index.constant(8)));
}

Value Phases::load(int64_t place, Value offset) {
  auto &b = context.b;
  Value number = LLVM::LoadOp::create(b, b.getI64Type(), locate(place, offset));
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), number);
}

void Phases::store(int64_t place, Value offset, Value number) {
  auto &b = context.b;
  LLVM::StoreOp::create(b, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), number),
                        locate(place, offset));
}

SmallVector<Value> buildPart(KernelContext &context, Value part, int64_t length, int64_t size,
                             ValueRange values,
                             function_ref<SmallVector<Value>(VectorIndex, Mask, ValueRange)> body) {
  auto &b = context.b;
  IndexBuilder &index = context.index;
  int64_t lanes = index.getLanes(), whole = size / lanes * lanes;
  Value begin = b.createOrFold<arith::MulIOp>(part, index.constant(length)),
        end = b.createOrFold<arith::AddIOp>(begin, index.constant(length));
  SmallVector<Value> carried = buildFor(
      context, begin, b.createOrFold<arith::MinSIOp>(end, index.constant(whole)), lanes, values,
      [&](Value i, ValueRange now) {
        return body(lanes == 1 ? index.uniform(i) : index.consecutive(i, lanes), Mask{}, now);
      });
  if (whole == size)
    return carried;
  Value isLast = arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::sle, begin, index.constant(whole)),
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, end, index.constant(whole)));
  auto branch = scf::IfOp::create(b, ValueRange(carried).getTypes(), isLast,
                                  /*withElseRegion=*/!carried.empty());
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> next = body(index.consecutive(index.constant(whole), lanes),
                                 firstLanes(index, size - whole), carried);
  if (carried.empty())
    return {};
  scf::YieldOp::create(b, next);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, carried);
  return SmallVector<Value>(branch.getResults());
}

} // namespace hloc
