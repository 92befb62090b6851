// SPDX-License-Identifier: Apache-2.0
// Zeros of both signs may have one key, and so may all NaNs. Then the elements recovered from keys
// may differ from those that were sorted. That is detected when keys are made, and repaired after
// everything has been written: equal keys are adjacent, so the elements that have them are written
// there in their original order.
#include "codegen/kernels/sort/WholeKeys.h"
#include "codegen/emit/RowSorter.h"
#include "codegen/emit/SortKeyCode.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

WholeKeys::WholeKeys(KernelContext &context, const SortKey &key, int64_t size, IntegerType type,
                     Read read, Write write)
    : context(context), b(context.b), index(context.index), key(key), size(size), type(type),
      read(std::move(read)), put(std::move(write)) {}

MemoryArray WholeKeys::keysAt(Value buffer) {
  return {buffer, RankedTensorType::get({size}, type)};
}

static Value asBits(ImplicitLocOpBuilder &b, Value x) {
  Type element = getElementTypeOrSelf(x.getType()),
       bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  if (element == bits)
    return x;
  auto vector = dyn_cast<VectorType>(x.getType());
  return arith::BitcastOp::create(b, vector ? Type(vector.clone(bits)) : bits, x);
}

Value WholeKeys::make(Value buffer, Loop loop) {
  int64_t lanes = index.getLanes();
  Type bits = b.getIntegerType(key.width),
       shaped = lanes > 1 ? Type(VectorType::get({lanes}, bits)) : bits;
  Value same = arith::ConstantOp::create(b, b.getZeroAttr(shaped));
  bool isMade = true;
  SmallVector<Value> difference = loop(same, [&](VectorIndex position, Mask mask, ValueRange now) {
    VectorValue element = read(position, mask);
    Value whole;
    if (element.re) {
      element = broadcastLanes(index, element);
      whole = emitWholeKey(index, key, element);
    }
    if (!whole) {
      isMade = false;
      return SmallVector<Value>(now);
    }
    storeElements(index, keysAt(buffer), {position}, {whole, {}}, mask);
    Value made = asBits(b, emitElementOfKey(index, key, whole));
    Value change = arith::XOrIOp::create(b, asBits(b, element.re), made);
    if (Value live = index.asVector(mask))
      change = arith::SelectOp::create(b, live, change, same);
    return SmallVector<Value>{arith::OrIOp::create(b, now[0], change)};
  });
  Value any = difference[0];
  if (lanes > 1)
    any = vector::ReductionOp::create(b, vector::CombiningKind::OR, any);
  return isMade ? emitNonZero(b, any) : Value();
}

void WholeKeys::write(Value buffer, Loop loop) {
  loop({}, [&](VectorIndex position, Mask mask, ValueRange) {
    Value whole = loadElements(index, keysAt(buffer), {position}, mask).re;
    put(position, {emitElementOfKey(index, key, whole), {}}, mask);
    return SmallVector<Value>();
  });
}

Value WholeKeys::emitKeyOf(APFloat number) {
  Type element = cast<RankedTensorType>(key.parameter.getType()).getElementType();
  APInt bits = number.bitcastToAPInt();
  SmallVector<char> bytes(bits.getBitWidth() / 8);
  llvm::StoreIntToMemory(bits, reinterpret_cast<uint8_t *>(bytes.data()), bytes.size());
  return emitWholeKey(index, key, emitConstant(index, element, bytes));
}

/// The position of the first sorted key that is not less than `wanted`.
Value WholeKeys::findFirst(Value buffer, Value wanted) {
  SmallVector<Value> found = buildWhile(
      b, {index.constant(0), index.constant(size)},
      [&](ValueRange now) {
        return Value(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, now[0], now[1]));
      },
      [&](ValueRange now) {
        Value one = index.constant(1), sum = arith::AddIOp::create(b, now[0], now[1]);
        Value middle = arith::ShRUIOp::create(b, sum, one);
        Value there = loadElements(index, keysAt(buffer), {index.uniform(middle)}, {}).re;
        Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, there, wanted);
        Value next = arith::AddIOp::create(b, middle, one);
        return SmallVector<Value>{arith::SelectOp::create(b, isBefore, next, now[0]),
                                  arith::SelectOp::create(b, isBefore, now[1], middle)};
      });
  return found[0];
}

static const llvm::fltSemantics &getSemantics(const SortKey &key) {
  Type element = cast<RankedTensorType>(key.parameter.getType()).getElementType();
  return cast<FloatType>(element).getFloatSemantics();
}

SmallVector<Value> WholeKeys::findAlike(Value buffer, Value isChanged) {
  ScopedLanes scalar(index, 1);
  const llvm::fltSemantics &semantics = getSemantics(key);
  SmallVector<Type> types(2, b.getIndexType());
  auto branch = scf::IfOp::create(b, types, isChanged, true, true);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  Value zeros = findFirst(buffer, emitKeyOf(APFloat::getZero(semantics))),
        nans = findFirst(buffer, emitKeyOf(APFloat::getNaN(semantics)));
  scf::YieldOp::create(b, ValueRange{zeros, nans});
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{index.constant(0), index.constant(0)});
  return branch.getResults();
}

void WholeKeys::writeAlike(Value isChanged, ValueRange places) {
  auto branch = scf::IfOp::create(b, isChanged, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(context.emitter);
  b.setInsertionPointToStart(branch.thenBlock());
  ScopedLanes scalar(index, 1);
  const llvm::fltSemantics &semantics = getSemantics(key);
  Value zero = emitKeyOf(APFloat::getZero(semantics)), nan = emitKeyOf(APFloat::getNaN(semantics));
  buildFor(context, index.constant(0), index.constant(size), 1, places,
           [&](Value i, ValueRange now) {
             VectorValue value = read(index.uniform(i), {});
             Value own = emitWholeKey(index, key, value);
             auto isKey = [&](Value which) -> Value {
               return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, own, which);
             };
             Value isZero = isKey(zero), isNan = isKey(nan);
             auto branch = scf::IfOp::create(b, arith::OrIOp::create(b, isZero, isNan), false);
             {
               OpBuilder::InsertionGuard guard(b);
               b.setInsertionPointToStart(branch.thenBlock());
               put(index.uniform(arith::SelectOp::create(b, isZero, now[0], now[1])), value, {});
             }
             auto after = [&](Value place, Value moves) -> Value {
               Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), moves);
               return arith::AddIOp::create(b, place, step);
             };
             return SmallVector<Value>{after(now[0], isZero), after(now[1], isNan)};
           });
}

} // namespace hloc
