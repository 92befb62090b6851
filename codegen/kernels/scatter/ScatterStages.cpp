// SPDX-License-Identifier: Apache-2.0
// Windows of a single element, whose indices and updates are computed in vectors for many windows
// at a time.
#include "codegen/emit/Monoid.h"
#include "codegen/emit/Phases.h"
#include "codegen/emit/RegisterTile.h"
#include "codegen/kernels/scatter/ScatterKernel.h"
#include "compiler/hlo/ElementType.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

void ScatterKernel::planStages() {
  for (Value array : problem.computed) {
    bool isIndices = array == op.getIndices();
    int64_t rows = isIndices ? op.getScatterDimsToOperandDims().size() : 1;
    auto type = RankedTensorType::get({rows, context.chosen.getBlock()[0]},
                                      cast<RankedTensorType>(array.getType()).getElementType());
    stages.push_back({array, {context.allocateOnStack(getByteSize(type)), type}});
  }
}

/// Computes the stages for the windows from `start` to `end`.
void ScatterKernel::fillStages(ArrayRef<VectorIndex> outer, Value start, Value end) {
  int64_t size = scatterSizes.back(), wide = context.chosen.getLanes();
  index.setLanes(wide);
  buildFor(context, start, end, wide, {}, [&](Value first, ValueRange) {
    ElementIndex scatter(outer);
    scatter.push_back(index.consecutive(first, wide));
    Mask mask = size % wide == 0 ? Mask{} : index.inRange(scatter.back(), INT64_MIN, size);
    VectorIndex to = index.consecutive(b.createOrFold<arith::SubIOp>(first, start), wide);
    for (const Stage &stage : stages) {
      bool isIndices = stage.array == op.getIndices();
      for (int64_t component = 0; component < stage.memory.type.getDimSize(0); ++component) {
        VectorValue value = context.emitter.emit(
            stage.array, isIndices ? indicesPlace(scatter, component) : scatter, mask);
        if (value.re)
          storeElements(index, stage.memory, {index.uniform(component), to},
                        broadcastLanes(index, value), mask);
      }
    }
    return SmallVector<Value>();
  });
  index.setLanes(lanes);
}

/// Loops over the operand's elements in vectors, in the order of memory.
void ScatterKernel::forEachVector(function_ref<void(VectorIndex, Mask)> body) {
  int64_t size = operandType.getNumElements(), wide = context.chosen.getLanes();
  index.setLanes(wide);
  buildFor(context, index.constant(0), index.constant(size), wide, [&](Value first) {
    VectorIndex at = index.consecutive(first, wide);
    body(at, size % wide == 0 ? Mask{} : index.inRange(at, INT64_MIN, size));
  });
  index.setLanes(lanes);
}

void ScatterKernel::clear(const MemoryArray &table) {
  Type element = operandType.getElementType();
  forEachVector([&](VectorIndex at, Mask mask) {
    storeElements(index, table, {at}, broadcastLanes(index, emitZero(index, element)), mask);
  });
}

/// Makes copies that are zero.
void ScatterKernel::planCopies() {
  auto type = RankedTensorType::get({operandType.getNumElements()}, operandType.getElementType());
  for (int64_t i = 1; i < kScatterTables; ++i) {
    copies.push_back({context.allocateOnStack(getByteSize(type)), type});
    clear(copies.back());
  }
}

/// Adds the copies to the operand or the unit's table.
void ScatterKernel::addCopies() {
  Type element = operandType.getElementType();
  MemoryArray output{getTable(0).pointer, copies[0].type};
  forEachVector([&](VectorIndex at, Mask mask) {
    VectorValue sum = loadElements(index, output, {at}, mask);
    for (const MemoryArray &table : copies)
      sum = emitMonoid(index, Monoid::Add, element, sum, loadElements(index, table, {at}, mask));
    storeElements(index, output, {at}, sum, mask);
  });
}

/// Applies the windows from `start` to `end`, which are staged.
void ScatterKernel::applyWindows(ArrayRef<VectorIndex> outer, Value start, Value end) {
  auto apply = [&](Value window) {
    ElementIndex scatter(outer);
    scatter.push_back(index.uniform(window));
    emitWindow(scatter);
  };
  Value rest = start;
  if (!copies.empty()) {
    Value count = b.createOrFold<arith::SubIOp>(end, start);
    Value left = b.createOrFold<arith::RemUIOp>(count, index.constant(kScatterTables));
    rest = b.createOrFold<arith::SubIOp>(end, left);
    buildFor(context, start, rest, kScatterTables, [&](Value window) {
      apply(window);
      for (size_t i = 0; i < copies.size(); ++i) {
        copy = i;
        apply(b.createOrFold<arith::AddIOp>(window, index.constant(int64_t(i) + 1)));
      }
      copy.reset();
    });
  }
  buildFor(context, rest, end, 1, apply);
}

/// Applies the windows from `first` to `last` of each row.
void ScatterKernel::emitStages(Value first, Value last) {
  int64_t block = context.chosen.getBlock()[0];
  buildNest(context, scatterSizes.drop_back(), {}, [&](ArrayRef<VectorIndex> outer, ValueRange) {
    buildFor(context, first, last, block, [&](Value start) {
      Value end = b.createOrFold<arith::AddIOp>(start, index.constant(block));
      if (scatterSizes.back() % block != 0)
        end = b.createOrFold<arith::MinSIOp>(end, last);
      stageStart = start;
      fillStages(outer, start, end);
      applyWindows(outer, start, end);
    });
    return SmallVector<Value>();
  });
}

void ScatterKernel::emitStagedWindows() {
  if (int64_t units = context.chosen.getUnits(); units > 1)
    return emitStagedUnits(units);
  context.setUnits(1);
  if (context.chosen.has(kCopies))
    planCopies();
  emitStages(index.constant(0), index.constant(scatterSizes.back()));
  if (!copies.empty())
    addCopies();
}

//===-- Units that count apart ---------------------------------------------------------------===//

MemoryArray ScatterKernel::getUnitTable(Value unit) {
  Value bytes = arith::MulIOp::create(b, unit, index.constant(problem.getTableBytes()));
  return {movePointer(index, context.getScratch(), bytes),
          RankedTensorType::get({operandType.getNumElements()}, operandType.getElementType())};
}

/// Adds the tables of all units to the unit's share of the operand.
void ScatterKernel::addTables(Value unit, int64_t units) {
  int64_t size = operandType.getNumElements(), wide = context.chosen.getLanes(),
          share = int64_t(llvm::alignTo(llvm::divideCeil(size, units), wide));
  Type element = operandType.getElementType();
  MemoryArray output{context.getOutput(outputOf[0]).pointer,
                     RankedTensorType::get({size}, element)};
  ScopedLanes scoped(index, wide);
  buildPart(context, unit, share, size, {}, [&](VectorIndex at, Mask mask, ValueRange) {
    VectorValue sum = loadElements(index, output, {at}, mask);
    for (int64_t other = 0; other < units; ++other)
      sum = emitMonoid(index, Monoid::Add, element, sum,
                       loadElements(index, getUnitTable(index.constant(other)), {at}, mask));
    storeElements(index, output, {at}, sum, mask);
    return SmallVector<Value>();
  });
}

/// Each unit adds its share of the windows to a table of its own; then each adds up its share of
/// the tables.
void ScatterKernel::emitStagedUnits(int64_t units) {
  int64_t size = scatterSizes.back(), block = context.chosen.getBlock()[0],
          share = int64_t(llvm::alignTo(llvm::divideCeil(size, units), block));
  Phases phases(context, units, context.getScratch());
  phases.add([&](Value unit) {
    unitTable = getUnitTable(unit);
    clear(*unitTable);
    planCopies();
    Value first = arith::MulIOp::create(b, unit, index.constant(share)),
          last = arith::AddIOp::create(b, first, index.constant(share));
    emitStages(first, arith::MinSIOp::create(b, last, index.constant(size)));
    addCopies();
    unitTable.reset();
  });
  phases.add([&](Value unit) { addTables(unit, units); });
  phases.finish();
}

} // namespace hloc
