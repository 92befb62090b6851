// SPDX-License-Identifier: Apache-2.0
// Kernels of a topk: the first k elements of each row in order, without sorting the row. Test:
// test/codegen/TopkKernelTest.cpp.
//
// Elements are converted to 64-bit entries as in a sort, with an integer key above the position.
// Those that may be among the first k are collected in a buffer of a few times k entries. Whenever
// it is full it is sorted, the first k are kept, and the last of these bounds what is collected
// from then on. So most vectors of a long row cost one comparison.
#include "codegen/emit/Compress.h"
#include "codegen/emit/RegisterSort.h"
#include "codegen/emit/RowSorter.h"
#include "codegen/emit/SortKeyCode.h"
#include "passes/schedule/SortProblem.h"

using namespace mlir;

namespace hloc {

namespace {

class TopkKernel {
public:
  TopkKernel(KernelContext &context, hlo::TopkOp op)
      : context(context), b(context.b), index(context.index), op(op),
        type(cast<RankedTensorType>(op.getOperand().getType())), size(type.getShape().back()),
        count(op.getK()),
        key(SortKey::ofElements(op.getOperand(), /*descending=*/op.getLargest())) {}

  LogicalResult emit();

private:
  /// Loop-carried state along a row: entries in the buffer (i64), the greatest key that is still
  /// collected (i32).
  using State = SmallVector<Value>;

  VectorValue emitElements(VectorIndex position, Mask mask);
  State visit(VectorIndex position, Mask mask, ValueRange state);
  Value store(Value entries, Value mask, Value used);
  State append(Value keys, VectorIndex position, Value mask, ValueRange state);
  void sortInRegisters(Value entries, Value used);
  void sortInMemory(Value entries, Value spare, Value used);
  Value emitSelection(ValueRange arguments);
  State keepFirst(Value entries);
  void writeRow();

  Value constant32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  }
  Value constant64(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  MemoryArray entriesAt(Value pointer) {
    return {pointer, RankedTensorType::get({capacity}, b.getI64Type())};
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::TopkOp op;
  RankedTensorType type;
  int64_t size, count, capacity = 0;
  SortKey key;
  Value buffer, other;
  std::optional<Compress> compress; // if there are instructions for it
  LLVM::LLVMFuncOp selection;
  ElementIndex row; // without the minor dimension
};

} // namespace

VectorValue TopkKernel::emitElements(VectorIndex position, Mask mask) {
  ElementIndex at(row);
  at.push_back(position);
  return context.emitter.emit(op.getOperand(), at, mask);
}

/// Sorts the first `used` (i64) of the entries in vector registers, and stores at least the first
/// k.
void TopkKernel::sortInRegisters(Value entries, Value used) {
  int64_t lanes = context.target.getLanes(64);
  ScopedLanes wide(index, lanes);
  auto type = VectorType::get({lanes}, b.getI64Type());
  auto splat = [&](APInt value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  };
  // Registers are sorted as signed numbers. Unused entries come last.
  Value sign = splat(APInt::getSignedMinValue(64)), unused = splat(APInt::getSignedMaxValue(64));
  auto inBuffer = [&](int64_t row) {
    return VectorIndex(index.consecutive(index.constant(row * lanes), lanes));
  };
  SmallVector<Value> rows;
  for (int64_t row = 0; row < capacity / lanes; ++row) {
    Value entry = loadElements(index, entriesAt(entries), {inBuffer(row)}, {}).re;
    Value number = index.asVector(inBuffer(row));
    if (number.getType() != type)
      number = arith::ExtUIOp::create(b, type, number);
    Value isUsed = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, index.splat(used));
    entry = arith::XOrIOp::create(b, entry, sign);
    rows.push_back(arith::SelectOp::create(b, isUsed, entry, unused));
  }
  emitRegisterSort(b, rows);
  for (int64_t row = 0; row * lanes < count; ++row)
    storeElements(index, entriesAt(entries), {inBuffer(row)},
                  {arith::XOrIOp::create(b, rows[row], sign), {}}, {});
}

/// Sorts the first `used` (i64) of the entries with the help of another buffer, and stores the
/// first k.
void TopkKernel::sortInMemory(Value entries, Value spare, Value used) {
  ScopedLanes scalar(index, 1);
  // Unused entries come last.
  Value usedBytes = arith::MulIOp::create(b, used, constant64(8));
  Value unused = LLVM::GEPOp::create(b, entries.getType(), b.getI8Type(), entries,
                                     ArrayRef<LLVM::GEPArg>{usedBytes});
  Value unusedBytes = arith::SubIOp::create(b, constant64(capacity * 8), usedBytes);
  Value ones = arith::ConstantOp::create(b, b.getI8IntegerAttr(-1));
  LLVM::MemsetOp::create(b, unused, ones, unusedBytes, /*isVolatile=*/false);
  RowSorter sorter(context, capacity, b.getI64Type());
  int64_t block = context.chosen.getBlock()[1];
  Value sorted = context.chosen.has("digits")
                     ? sorter.radixSort(entries, spare, key.getBits(), block)
                     : sorter.mergeHighHalves(entries, spare, block);
  LLVM::MemcpyOp::create(b, entries, sorted, constant64(count * 8), /*isVolatile=*/false);
}

/// The body of a function of a buffer, a temporary buffer and the number of entries in use. It
/// sorts the buffer, so that it begins with the first k entries, and returns the greatest key that
/// is collected from then on.
Value TopkKernel::emitSelection(ValueRange arguments) {
  Value entries = arguments[0];
  if (context.chosen.has(kInRegisters))
    sortInRegisters(entries, arguments[2]);
  else
    sortInMemory(entries, arguments[1], arguments[2]);
  ScopedLanes scalar(index, 1);
  // Later elements that are equal to the last one rank below it.
  Value last = loadElements(index, entriesAt(entries), {index.uniform(count - 1)}, {}).re;
  Value bound =
      arith::TruncIOp::create(b, b.getI32Type(), arith::ShRUIOp::create(b, last, constant64(32)));
  Value isLeast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bound, constant32(0));
  Value below = arith::SubIOp::create(b, bound, constant32(1));
  return arith::SelectOp::create(b, isLeast, bound, below);
}

/// Keeps the first k of the buffer's `entries`.
TopkKernel::State TopkKernel::keepFirst(Value entries) {
  Value bound = LLVM::CallOp::create(b, selection, ValueRange{buffer, other, entries}).getResult();
  return {constant64(count), bound};
}

/// Stores the entries that `mask` selects from entry `used` (i64) of the buffer on; returns how
/// many entries are in use then. There is room for all lanes.
Value TopkKernel::store(Value entries, Value mask, Value used) {
  auto type = cast<VectorType>(entries.getType());
  Value bytes = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::IndexCastOp>(b.getIndexType(), used), index.constant(8));
  Value to = movePointer(index, buffer, bytes);
  if (compress) {
    LLVM::StoreOp::create(b, compress->emit(entries, mask), to, /*alignment=*/8);
  } else {
    LLVM::masked_compressstore::create(b, entries, to, mask, ArrayAttr(), ArrayAttr());
  }
  Value bits = LLVM::BitcastOp::create(b, b.getIntegerType(type.getNumElements()), mask);
  Value number = arith::ExtUIOp::create(b, b.getI64Type(), LLVM::CtPopOp::create(b, bits));
  return arith::AddIOp::create(b, used, number);
}

/// Appends the entries of the lanes in `mask` to the buffer, after making room if needed.
TopkKernel::State TopkKernel::append(Value keys, VectorIndex position, Value mask,
                                     ValueRange state) {
  int64_t lanes = index.getLanes();
  auto wide = VectorType::get({lanes}, b.getI64Type());
  Value low = index.asVector(position);
  if (low.getType() != wide)
    low = arith::ExtUIOp::create(b, wide, low);
  Value high =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, keys), index.splat(constant64(32)));
  Value entries = arith::OrIOp::create(b, high, low), used = state[0];
  int64_t width = compress ? context.target.getLanes(64) : lanes;
  for (int64_t first = 0; first < lanes; first += width) {
    auto part = [&](Value vector) {
      auto taken = llvm::to_vector(llvm::seq<int64_t>(first, first + width));
      return vector::ShuffleOp::create(b, vector, vector, taken).getResult();
    };
    used = store(part(entries), part(mask), used);
  }
  Value isFull =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, used, constant64(capacity - lanes));
  auto branch = scf::IfOp::create(b, state.getTypes(), isFull, true, true);
  OpBuilder::InsertionGuard guard(b);
  {
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, keepFirst(used));
  }
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{used, state[1]});
  return State(branch.getResults());
}

TopkKernel::State TopkKernel::visit(VectorIndex position, Mask mask, ValueRange state) {
  VectorValue element = emitElements(position, mask);
  if (!element.re)
    return State(state);
  Value keys = emitSortKey(index, key, broadcastLanes(index, element));
  Value counts = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, keys, index.splat(state[1]));
  if (mask.lanes)
    counts = arith::AndIOp::create(b, counts, mask.lanes);
  Type integer = b.getIntegerType(index.getLanes());
  Value bits = LLVM::BitcastOp::create(b, integer, counts);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits,
                                    arith::ConstantOp::create(b, b.getIntegerAttr(integer, 0)));
  auto branch = scf::IfOp::create(b, state.getTypes(), any, true, true);
  OpBuilder::InsertionGuard guard(b);
  {
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, append(keys, position, counts, state));
  }
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, state);
  return State(branch.getResults());
}

/// Writes the results of the current row from the sorted buffer.
void TopkKernel::writeRow() {
  auto returned = context.getReturn().getOperands();
  buildLanes(context, count, {}, [&](VectorIndex place, Mask mask, ValueRange) {
    Value entry = loadElements(index, entriesAt(buffer), {place}, mask).re;
    auto vector = dyn_cast<VectorType>(entry.getType());
    Type narrow =
        vector ? Type(VectorType::get(vector.getShape(), b.getI32Type())) : b.getI32Type();
    Value position = arith::TruncIOp::create(b, narrow, entry);
    ElementIndex to(row);
    to.push_back(place);
    for (auto [i, result] : llvm::enumerate(returned)) {
      VectorValue value = result == op.getResult(0)
                              ? emitElements(index.fromInteger(position, /*isSigned=*/false), mask)
                              : VectorValue{position, {}};
      if (value.re)
        storeElements(index, context.getOutput(i), to, value, mask);
    }
    return SmallVector<Value>();
  });
}

LogicalResult TopkKernel::emit() {
  auto leading = type.getShape().drop_back();
  int64_t rows = ShapedType::getNumElements(leading);
  if (rows * count == 0) {
    context.schedule.units = 0;
    return success();
  }
  index.setLanes(context.chosen.getLanes());
  capacity = context.chosen.getBlock()[0];
  context.setUnits(rows);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  selection = context.buildFunction(".select", {pointer, pointer, b.getI64Type()},
                                    [&](ValueRange arguments) { return emitSelection(arguments); });
  if (canCompress(context.target))
    compress.emplace(context, b.getI64Type());
  buffer = context.allocateOnStack(capacity * 8);
  other = context.chosen.has(kInRegisters) ? buffer : context.allocateOnStack(capacity * 8);
  Value begin = rows == 1 ? index.constant(0) : context.getBegin(),
        end = rows == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    row = reshapeIndex(index, rows, leading, index.uniform(unit));
    State state = buildLanes(context, size, {constant64(0), constant32(-1)},
                             [&](VectorIndex position, Mask mask, ValueRange now) {
                               return visit(position, mask, now);
                             });
    if (context.emitter.hasFailed())
      return SmallVector<Value>();
    keepFirst(state[0]);
    writeRow();
    return SmallVector<Value>();
  });
  return success();
}

LogicalResult emitTopkKernel(KernelContext &context, hlo::TopkOp op) {
  return TopkKernel(context, op).emit();
}

} // namespace hloc
