// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `sort`: sort operands together along a dimension, always stably. Test:
// test/codegen/SortKernelTest.cpp.
//
// Each row is copied to a buffer of its own, sorted there as its schedule says
// (passes/schedule/SortStrategies.cpp), and written back. If vectors sort keys that are as wide as
// the elements, the buffer is the result's row.
// - If the comparator orders by keys, a row is sorted as 64-bit entries: an integer key of the same
//   order, above the element itself if it is the only operand, or above its position, by which all
//   operands are then gathered. Several keys are sorted by one after the other, the least
//   significant first.
// - With vectors, the integers that are sorted are the elements' own keys, or such entries with
//   positions (VectorRow.h).
// - Otherwise the elements of all operands are merged by calling the comparator.
#include "codegen/emit/RowSorter.h"
#include "codegen/emit/SortKeyCode.h"
#include "codegen/kernels/sort/DigitParts.h"
#include "codegen/kernels/sort/VectorRow.h"
#include "codegen/math/Math.h"
#include "passes/frontend/NotSupported.h"
#include "passes/schedule/SortProblem.h"

using namespace mlir;

namespace hloc {

namespace {

class SortKernel {
public:
  SortKernel(KernelContext &context, hlo::SortOp op, hlo::ComputationOp comparator)
      : context(context), b(context.b), index(context.index), op(op), comparator(comparator),
        problem(op, comparator), keys(problem.keys), rowShape(problem.rowShape),
        dimension(problem.dimension), size(problem.size), rows(problem.rows) {}

  LogicalResult emit();

private:
  void emitRows();
  void emitSideBySide();
  Value locateRow(Value memory, Value number);
  void refuseComparator();
  Value makeEntry(const SortKey &key, VectorIndex position, Mask mask);
  void makeEntries(const SortKey &key, Value buffer, DigitParts::Loop loop);
  void writeEntries(Value buffer, DigitParts::Loop loop);
  Value getWholeKey(Value entry);
  void writeEntry(Value entry, VectorIndex position, Mask mask);
  void sortEntries(Value buffer, Value other);
  void sortElements(Value buffer, Value other);
  void prepareVectors();
  void sortByVectors(Value buffer);
  void emitParts();

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
  SortProblem problem;
  ArrayRef<SortKey> keys; // the most significant first
  ArrayRef<int64_t> rowShape;
  int64_t dimension, size, rows;

  SmallVector<int64_t> outputOf; // of each result; -1 if it is not returned
  /// True if entries hold elements below their keys rather than positions.
  bool holdsElements = false;
  std::optional<RowSorter> sorter;
  std::optional<VectorRow> vectors; // or else `sorter`
  ElementIndex row;                 // without the sorted dimension
};

} // namespace

LogicalResult SortKernel::emit() {
  FailureOr<SmallVector<int64_t>> found = context.findOutputs(op);
  if (failed(found))
    return failure();
  outputOf = std::move(*found);
  if (rows * size == 0) {
    context.schedule.units = 0;
    return success();
  }
  hlo::ScheduleAttr chosen = context.chosen;
  bool isNetwork = chosen.getStrategy() == "sort.network",
       isByVectors = chosen.getStrategy() == "sort.vectors";
  // A network is not stable; positions keep equal keys in order.
  holdsElements = keys.size() == 1 && problem.elements.size() == 1 &&
                  getStorageBits(problem.elements[0]) <= kKeyBits && !isByVectors &&
                  (!isNetwork || keys[0].isFaithful());
  index.setLanes(chosen.getLanes());
  if (isNetwork) {
    emitSideBySide();
    return success();
  }
  if (isByVectors)
    prepareVectors();
  else
    sorter.emplace(context, size, problem.getColumns());
  if (chosen.getBlock().size() > 1)
    emitParts();
  else
    emitRows();
  return success();
}

void SortKernel::refuseComparator() {
  if (!context.emitter.hasFailed())
    emitNotSupported(op.getLoc(), "a sort that compares by this computation");
  context.emitter.setFailed();
}

/// The address of row `number` of an array of consecutive rows.
Value SortKernel::locateRow(Value memory, Value number) {
  Value bytes = index.constant(size * problem.getVectorBits() / 8);
  return movePointer(index, memory, b.createOrFold<arith::MulIOp>(number, bytes));
}

void SortKernel::emitRows() {
  int64_t bytes = vectors
                      ? problem.getVectorBufferBytes(context.chosen.getBlock()[0], context.target)
                      : 2 * problem.getBufferBytes();
  bool inResult = vectors && problem.sortsInResult(), onStack = context.chosen.getScratch() == 0;
  int64_t rowsPerUnit = llvm::divideCeil(rows, context.chosen.getUnits()),
          units = llvm::divideCeil(rows, rowsPerUnit);
  context.setUnits(units);
  Value memory = inResult  ? context.getOutput(outputOf[0]).pointer
                 : onStack ? context.allocateOnStack(bytes)
                           : context.getScratch();
  Value begin = units == 1 ? index.constant(0) : context.getBegin(),
        end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    Value buffer = memory;
    if (!onStack)
      buffer =
          movePointer(index, memory, b.createOrFold<arith::MulIOp>(unit, index.constant(bytes)));
    Value other = vectors ? Value() : movePointer(index, buffer, index.constant(bytes / 2));
    Value first = b.createOrFold<arith::MulIOp>(unit, index.constant(rowsPerUnit));
    Value last = b.createOrFold<arith::AddIOp>(first, index.constant(rowsPerUnit));
    last = b.createOrFold<arith::MinSIOp>(last, index.constant(rows));
    buildFor(context, first, last, 1, {}, [&](Value number, ValueRange) {
      row = reshapeIndex(index, rows, rowShape, index.uniform(number));
      if (vectors)
        sortByVectors(inResult ? locateRow(memory, number) : buffer);
      else if (keys.empty())
        sortElements(buffer, other);
      else
        sortEntries(buffer, other);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

//===-- Under the comparator -----------------------------------------------------------------===//

void SortKernel::sortElements(Value buffer, Value other) {
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      VectorValue value = context.emitter.emit(input, place(position), mask);
      if (value.re)
        storeElements(index, sorter->getColumn(buffer, i), {position}, value, mask);
    }
    return SmallVector<Value>();
  });
  Value sorted = sorter->mergeSort(buffer, other, context.chosen.getBlock()[0],
                                   [&](ArrayRef<VectorValue> x, ArrayRef<VectorValue> y) -> Value {
                                     SmallVector<VectorValue> arguments;
                                     for (auto [left, right] : llvm::zip(x, y)) {
                                       arguments.push_back(left);
                                       arguments.push_back(right);
                                     }
                                     SmallVector<VectorValue> result =
                                         emitComputation(index, comparator, arguments);
                                     if (!result.empty() && result[0].re)
                                       return result[0].re;
                                     refuseComparator();
                                     return arith::ConstantOp::create(b, b.getBoolAttr(false));
                                   });
  buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
    for (unsigned i = 0; i < op.getInputs().size(); ++i)
      store(i, place(position), loadElements(index, sorter->getColumn(sorted, i), {position}, mask),
            mask);
    return SmallVector<Value>();
  });
}

//===-- By keys ------------------------------------------------------------------------------===//

static Type withElement(Value like, Type element) {
  auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

/// The entries of the elements at `position` of the current row.
Value SortKernel::makeEntry(const SortKey &key, VectorIndex position, Mask mask) {
  bool isScalar = index.getLanes() == 1;
  VectorValue element = context.emitter.emit(op.getInputs()[key.operand], place(position), mask);
  if (!element.re)
    return {};
  element = broadcastLanes(index, element);
  Value high = emitSortKey(index, key, element);
  if (!high) {
    refuseComparator();
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
  Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(kKeyBits));
  Value entry = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, high),
                                      isScalar ? shift : index.splat(shift));
  return arith::OrIOp::create(b, entry, low);
}

/// The key in the upper half of `entry`, in the form of emitWholeKey.
Value SortKernel::getWholeKey(Value entry) {
  auto constant = [&](int64_t number) -> Value {
    Value scalar = arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
    return index.getLanes() > 1 ? index.splat(scalar) : scalar;
  };
  if (keys[0].width == kKeyBits)
    entry = arith::XOrIOp::create(b, entry, constant(INT64_MIN));
  Value high = arith::ShRUIOp::create(b, entry, constant(kKeyBits));
  return arith::TruncIOp::create(b, withElement(high, b.getI32Type()), high);
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
    if (keys.size() == 1 && keys[0].operand == i && keys[0].isFaithful()) {
      store(i, to, {emitElementOfKey(index, keys[0], getWholeKey(entry)), {}}, mask);
      continue;
    }
    VectorValue value = context.emitter.emit(input, from, mask);
    if (value.re)
      store(i, to, value, mask);
  }
}

/// Fills entries of `buffer`: of their own positions, or of those that they already hold.
void SortKernel::makeEntries(const SortKey &key, Value buffer, DigitParts::Loop loop) {
  MemoryArray entries{buffer, RankedTensorType::get({size}, b.getI64Type())};
  bool isFirst = &key == &keys.back();
  loop([&](VectorIndex position, Mask mask) {
    VectorIndex from = position;
    if (!isFirst) {
      Value entry = loadElements(index, entries, {position}, mask).re;
      Value low = arith::TruncIOp::create(b, withElement(entry, b.getI32Type()), entry);
      from = index.fromInteger(low, /*isSigned=*/false);
    }
    if (Value entry = makeEntry(key, from, mask))
      storeElements(index, entries, {position}, {entry, {}}, mask);
  });
}

void SortKernel::writeEntries(Value buffer, DigitParts::Loop loop) {
  MemoryArray entries{buffer, RankedTensorType::get({size}, b.getI64Type())};
  loop([&](VectorIndex position, Mask mask) {
    writeEntry(loadElements(index, entries, {position}, mask).re, position, mask);
  });
}

void SortKernel::sortEntries(Value buffer, Value other) {
  auto wholeRow = [&](function_ref<void(VectorIndex, Mask)> elementsAt) {
    buildLanes(context, size, {}, [&](VectorIndex position, Mask mask, ValueRange) {
      elementsAt(position, mask);
      return SmallVector<Value>();
    });
  };
  Value sorted = buffer;
  for (const SortKey &key : llvm::reverse(keys)) {
    makeEntries(key, sorted, wholeRow);
    if (context.emitter.hasFailed())
      return;
    // Whichever of the two buffers does not hold the sorted entries.
    Value rest = other;
    if (&key != &keys.back()) {
      Value swapped = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, sorted, other);
      rest = arith::SelectOp::create(b, swapped, buffer, other);
    }
    int64_t block = context.chosen.getBlock()[0];
    sorted = context.chosen.getStrategy() == "sort.digits"
                 ? sorter->radixSort(sorted, rest, key.getBits(), block)
                 : sorter->mergeHighHalves(sorted, rest, block);
  }
  writeEntries(sorted, wholeRow);
}

//===-- In parts -----------------------------------------------------------------------------===//

/// The only row is sorted by several units together.
void SortKernel::emitParts() {
  ArrayRef<int64_t> block = context.chosen.getBlock();
  row = reshapeIndex(index, rows, rowShape, index.uniform(0));
  Value shared = context.getScratch();
  auto after = [&](int64_t bytes) { return movePointer(index, shared, index.constant(bytes)); };
  if (vectors) {
    Value buffer = problem.sortsInResult() ? context.getOutput(outputOf[0]).pointer
                                           : after(getSharedBytes(block[1]));
    if (!vectors->sortInParts(buffer, shared, block[1]))
      refuseComparator();
    return;
  }
  DigitParts digits(context, problem, block[0], block[1], shared,
                    after(problem.getDigitsSharedBytes(block[0], block[1])));
  for (const SortKey &key : llvm::reverse(keys)) {
    digits.visit([&](Value buffer, DigitParts::Loop loop) { makeEntries(key, buffer, loop); });
    digits.sort(key.getBits());
  }
  digits.visit([&](Value buffer, DigitParts::Loop loop) { writeEntries(buffer, loop); });
  digits.finish();
}

//===-- By vectors ---------------------------------------------------------------------------===//

void SortKernel::prepareVectors() {
  VectorRow::RowAccess access;
  access.read = [this](VectorIndex position, Mask mask) {
    return context.emitter.emit(op.getInputs()[0], place(position), mask);
  };
  access.write = [this](VectorIndex position, VectorValue value, Mask mask) {
    store(0, place(position), value, mask);
  };
  access.makeEntry = [this](VectorIndex position, Mask mask) {
    return makeEntry(keys[0], position, mask);
  };
  access.writeEntry = [this](Value entry, VectorIndex position, Mask mask) {
    writeEntry(entry, position, mask);
  };
  vectors.emplace(context, problem, context.chosen.getBlock()[0], std::move(access));
}

void SortKernel::sortByVectors(Value buffer) {
  if (!vectors->sort(buffer))
    refuseComparator();
}

/// Lanes are different rows, adjacent along the minor one of their dimensions.
void SortKernel::emitSideBySide() {
  int64_t lanes = index.getLanes(), minor = rowShape.back(),
          blocks = llvm::divideCeil(minor, lanes), units = rows / minor * blocks,
          padded = int64_t(llvm::PowerOf2Ceil(uint64_t(size)));
  context.setUnits(units);
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
  if (!topks.empty() && !context.chosen)
    return (*topks.begin()).emitOpError("takes more candidates than a kernel's stack holds");
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
