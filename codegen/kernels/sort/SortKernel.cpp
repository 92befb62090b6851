// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `sort`: operands sorted together along a dimension, always stably.
// Test: test/codegen/SortKernelTest.cpp.
//
// Each row is copied to a buffer of its own, sorted there and written back.
// - If the comparator orders by keys, a row is sorted as 64-bit entries: an integer key of the same
//   order above the element itself, if it is the only operand, or above its position, by which all
//   operands are then gathered. Several keys are sorted by one after the other, the least
//   significant first. Long rows are sorted digit by digit; short ones, if there are many, side by
//   side in the lanes of a sorting network.
// - Otherwise the elements of all operands are merged under the comparator.
#include "codegen/emit/RowSorter.h"
#include "codegen/emit/SortKey.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

/// Elements of a row up to which rows are sorted side by side.
static constexpr int64_t kSideBySide = 2048;
/// Buffers up to this size are on the stack; larger ones share scratch memory of a bounded size.
static constexpr int64_t kStackBytes = 64 << 10, kScratchBytes = 16 << 20;

namespace {

class SortKernel {
public:
  SortKernel(KernelContext &context, hlo::SortOp op, hlo::ComputationOp comparator)
      : context(context), b(context.b), index(context.index), op(op), comparator(comparator),
        shape(cast<RankedTensorType>(op.getInputs()[0].getType()).getShape()),
        dimension(op.getDimension()), size(shape[dimension]) {}

  LogicalResult emit();

private:
  LogicalResult analyze();
  void emitRows();
  void emitSideBySide();
  Value makeEntry(const SortKey &key, VectorIndex position, Mask mask);
  void makeEntries(const SortKey &key, Value buffer, bool isFirst);
  void writeEntry(Value entry, VectorIndex position, Mask mask);
  void sortEntries(Value buffer, Value other);
  void sortElements(Value buffer, Value other);

  ElementIndex place(VectorIndex position) {
    ElementIndex at(row);
    at.insert(at.begin() + dimension, position);
    return at;
  }
  void store(unsigned which, ArrayRef<VectorIndex> at, VectorValue value, Mask mask) {
    if (outputOf[which] >= 0)
      storeElements(index, context.getOutput(outputOf[which]), at, value, mask);
  }
  Type elementOf(unsigned which) {
    return cast<RankedTensorType>(op.getInputs()[which].getType()).getElementType();
  }

  KernelContext &context;
  ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::SortOp op;
  hlo::ComputationOp comparator;
  ArrayRef<int64_t> shape;
  int64_t dimension, size;

  SmallVector<int64_t> rowShape;
  SmallVector<int64_t> outputOf; // of each result; -1 if it is not returned
  int64_t rows = 1;
  SmallVector<SortKey, 2> keys; // the most significant first
  /// Whether entries hold elements below their keys, rather than positions.
  bool holdsElements = false;
  int64_t networkLanes = 1;
  bool sharesBytes = false;
  std::optional<RowSorter> sorter;
  ElementIndex row; // without the sorted dimension
};

} // namespace

LogicalResult SortKernel::analyze() {
  FailureOr<SmallVector<int64_t>> found = context.findOutputs(op);
  if (failed(found))
    return failure();
  outputOf = std::move(*found);
  for (auto [d, length] : llvm::enumerate(shape))
    if (int64_t(d) != dimension) {
      rowShape.push_back(length);
      rows *= length;
    }
  SmallVector<Type> elements;
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    elements.push_back(elementOf(i));
    sharesBytes |= getStorageBits(elementOf(i)) < 8;
  }
  if (size < (int64_t(1) << 31))
    keys = SortKey::match(comparator);
  if (!keys.empty()) {
    int64_t lanes = context.target.getLanes(64);
    if (keys.size() == 1 && !sharesBytes && size > 1 && size <= kSideBySide && !rowShape.empty() &&
        rowShape.back() >= lanes)
      networkLanes = lanes;
    // A network keeps equal keys in order only by their positions.
    holdsElements = keys.size() == 1 && elements.size() == 1 && getStorageBits(elements[0]) <= 32 &&
                    (networkLanes == 1 || keys[0].isFaithful());
  }
  sorter.emplace(context, size,
                 !keys.empty() ? ArrayRef<Type>(b.getI64Type()) : ArrayRef<Type>(elements));
  return success();
}

LogicalResult SortKernel::emit() {
  if (failed(analyze()))
    return failure();
  if (rows * size == 0) {
    context.schedule.units = 0;
    return success();
  }
  if (networkLanes > 1) {
    emitSideBySide();
    return success();
  }
  int64_t lanes =
      sharesBytes
          ? 1
          : context.target.getLanes(std::max<int64_t>(getWidestElement(context.getBody()), 32));
  while (lanes > 1 && lanes / 2 >= size)
    lanes /= 2;
  index.setLanes(lanes);
  emitRows();
  return success();
}

void SortKernel::emitRows() {
  int64_t bytes = 2 * sorter->getBufferBytes();
  bool onStack = bytes <= kStackBytes;
  int64_t units =
      onStack ? rows : std::min({rows, int64_t(64), std::max<int64_t>(kScratchBytes / bytes, 1)});
  if (sharesBytes)
    units = 1;
  int64_t rowsPerUnit = (rows + units - 1) / units;
  units = (rows + rowsPerUnit - 1) / rowsPerUnit;
  double depth = 1;
  for (int64_t length = size; length > 1; length /= 2)
    ++depth;
  double perElement =
      !keys.empty() && size >= RowSorter::kDigitsFrom ? 25 * keys.size() : 10 * depth;
  context.setUnits(units, context.costs.fromCycles(double(rowsPerUnit) * size * perElement));
  Value memory = onStack ? context.allocateOnStack(bytes) : context.getScratch();
  if (!onStack)
    context.schedule.scratchBytes = units * bytes;
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    Value buffer = memory;
    if (!onStack)
      buffer =
          movePointer(index, memory, b.createOrFold<arith::MulIOp>(unit, index.constant(bytes)));
    Value other = movePointer(index, buffer, index.constant(bytes / 2));
    Value first = b.createOrFold<arith::MulIOp>(unit, index.constant(rowsPerUnit));
    Value last = b.createOrFold<arith::AddIOp>(first, index.constant(rowsPerUnit));
    last = b.createOrFold<arith::MinSIOp>(last, index.constant(rows));
    buildFor(context, first, last, 1, {}, [&](Value number, ValueRange) {
      row = reshapeIndex(index, rows, rowShape, index.uniform(number));
      keys.empty() ? sortElements(buffer, other) : sortEntries(buffer, other);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

//===-- Under the comparator
//-------------------------------------------------------------------===//

void SortKernel::sortElements(Value buffer, Value other) {
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      VectorValue value = context.emitter.emit(input, place(position), mask);
      if (value.re)
        storeElements(index, sorter->getColumn(buffer, i), {position}, value, mask);
    }
    return SmallVector<Value>();
  });
  Value sorted = sorter->mergeSort(
      buffer, other, [&](ArrayRef<VectorValue> x, ArrayRef<VectorValue> y) -> Value {
        SmallVector<VectorValue> arguments;
        for (auto [left, right] : llvm::zip(x, y)) {
          arguments.push_back(left);
          arguments.push_back(right);
        }
        SmallVector<VectorValue> result = emitComputation(index, comparator, arguments);
        if (!result.empty() && result[0].re)
          return result[0].re;
        if (!context.emitter.hasFailed())
          op.emitOpError("compares by a computation that no code can be generated for");
        context.emitter.setFailed();
        return arith::ConstantOp::create(b, b.getBoolAttr(false));
      });
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    for (unsigned i = 0; i < op.getInputs().size(); ++i)
      store(i, place(position), loadElements(index, sorter->getColumn(sorted, i), {position}, mask),
            mask);
    return SmallVector<Value>();
  });
}

//===-- By keys
//--------------------------------------------------------------------------------===//

static Type withElement(Value like, Type element) {
  auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

/// The entries of the elements at `position` of the current row.
Value SortKernel::makeEntry(const SortKey &key, VectorIndex position, Mask mask) {
  bool isScalar = index.getLanes() == 1;
  VectorValue element =
      context.emitter.emit(op.getInputs()[key.getOperand()], place(position), mask);
  if (!element.re)
    return {};
  element = broadcastLanes(index, element);
  Value high = key.emit(index, element);
  if (!high) {
    if (!context.emitter.hasFailed())
      op.emitOpError("compares by a computation that no code can be generated for");
    context.emitter.setFailed();
    return {};
  }
  Type wide = withElement(high, b.getI64Type());
  Value low = element.re;
  if (holdsElements) {
    Type bits = withElement(
        low, b.getIntegerType(getElementTypeOrSelf(low.getType()).getIntOrFloatBitWidth()));
    if (bits != low.getType())
      low = arith::BitcastOp::create(b, bits, low);
    low = arith::ExtUIOp::create(b, wide, low);
  } else if (isScalar) {
    low = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), position.base);
  } else {
    low = index.asVector(position);
    if (low.getType() != wide)
      low = arith::ExtUIOp::create(b, wide, low);
  }
  Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  Value entry = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, high),
                                      isScalar ? shift : index.splat(shift));
  return arith::OrIOp::create(b, entry, low);
}

/// Writes the elements of `entry` to `position` of the current row of the results.
void SortKernel::writeEntry(Value entry, VectorIndex position, Mask mask) {
  ElementIndex to = place(position);
  if (holdsElements) {
    Type type = getRegisterType(elementOf(0));
    Value bits = arith::TruncIOp::create(
        b, withElement(entry, b.getIntegerType(type.getIntOrFloatBitWidth())), entry);
    Type target = withElement(entry, type);
    if (target != bits.getType())
      bits = arith::BitcastOp::create(b, target, bits);
    return store(0, to, {bits, {}}, mask);
  }
  Value low = arith::TruncIOp::create(b, withElement(entry, b.getI32Type()), entry);
  ElementIndex from = place(index.fromInteger(low, /*isSigned=*/false));
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (outputOf[i] < 0)
      continue;
    VectorValue value = context.emitter.emit(input, from, mask);
    if (value.re)
      store(i, to, value, mask);
  }
}

/// Fills `buffer` with entries: of all positions in order, or of those that it holds already.
void SortKernel::makeEntries(const SortKey &key, Value buffer, bool isFirst) {
  MemoryArray entries = sorter->getColumn(buffer, 0);
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    VectorIndex from = position;
    if (!isFirst) {
      Value entry = loadElements(index, entries, {position}, mask).re;
      Value low = arith::TruncIOp::create(b, withElement(entry, b.getI32Type()), entry);
      from = index.fromInteger(low, /*isSigned=*/false);
    }
    if (Value entry = makeEntry(key, from, mask))
      storeElements(index, entries, {position}, {entry, {}}, mask);
    return SmallVector<Value>();
  });
}

void SortKernel::sortEntries(Value buffer, Value other) {
  Value sorted = buffer;
  for (const SortKey &key : llvm::reverse(keys)) {
    bool isFirst = &key == &keys.back();
    makeEntries(key, sorted, isFirst);
    if (context.emitter.hasFailed())
      return;
    // The other buffer of the two, whichever that is by now.
    Value rest = other;
    if (!isFirst) {
      Value swapped = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, sorted, other);
      rest = arith::SelectOp::create(b, swapped, buffer, other);
    }
    sorted = sorter->sortByHighHalf(sorted, rest, key.getBits());
  }
  MemoryArray entries = sorter->getColumn(sorted, 0);
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    writeEntry(loadElements(index, entries, {position}, mask).re, position, mask);
    return SmallVector<Value>();
  });
}

/// VectorValue are rows, neighbours along the minor one of their dimensions.
void SortKernel::emitSideBySide() {
  int64_t lanes = networkLanes, minor = rowShape.back(), blocks = (minor + lanes - 1) / lanes,
          padded = 2, depth = 1;
  for (; padded < size; padded *= 2)
    ++depth;
  index.setLanes(lanes);
  int64_t units = rows / minor * blocks;
  context.setUnits(units,
                   context.costs.fromCycles(double(padded) * (32 + depth * (depth + 1) / 2)));
  MemoryArray memory{context.allocateOnStack(padded * lanes * 8),
                     RankedTensorType::get({padded, lanes}, b.getI64Type())};
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    SmallVector<int64_t> space(rowShape);
    space.back() = blocks;
    row = reshapeIndex(index, units, space, index.uniform(unit));
    row.back() = index.consecutive(
        b.createOrFold<arith::MulIOp>(row.back().base, index.constant(lanes)), lanes);
    Mask mask = minor % lanes ? index.inRange(row.back(), INT64_MIN, minor) : Mask{};
    VectorIndex across = index.consecutive(index.constant(0));
    buildFor(context, index.constant(0), index.constant(size), 1, {}, [&](Value i, ValueRange) {
      if (Value entry = makeEntry(keys[0], index.uniform(i), mask))
        storeElements(index, memory, {index.uniform(i), across}, {entry, {}}, {});
      return SmallVector<Value>();
    });
    if (context.emitter.hasFailed())
      return SmallVector<Value>();
    Value last = index.splat(arith::ConstantOp::create(b, b.getI64IntegerAttr(-1)));
    buildFor(context, index.constant(size), index.constant(padded), 1, {},
             [&](Value i, ValueRange) {
               storeElements(index, memory, {index.uniform(i), across}, {last, {}}, {});
               return SmallVector<Value>();
             });
    emitSortNetwork(context, memory, padded);
    buildFor(context, index.constant(0), index.constant(size), 1, {}, [&](Value i, ValueRange) {
      writeEntry(loadElements(index, memory, {index.uniform(i), across}, {}).re, index.uniform(i),
                 mask);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

LogicalResult emitSortKernel(KernelContext &context) {
  auto topks = context.getBody().getOps<hlo::TopkOp>();
  if (!topks.empty())
    return emitTopkKernel(context, *topks.begin());
  auto ops = context.getBody().getOps<hlo::SortOp>();
  if (ops.empty() || std::next(ops.begin()) != ops.end())
    return context.kernel.emitError("expected a sort kernel to hold one sort");
  hlo::SortOp op = *ops.begin();
  hlo::ComputationOp comparator = context.emitter.lookup(op.getToApplyAttr());
  if (!comparator)
    return op.emitOpError("names no computation");
  return SortKernel(context, op, comparator).emit();
}

} // namespace hloc
