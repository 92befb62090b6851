// SPDX-License-Identifier: Apache-2.0
// Elements of slices, updates and gathers, whose indices are known only at run time.
#include "codegen/emit/ElementEmitter.h"
#include "passes/Build.h"

using namespace mlir;

namespace hloc {

/// The integer `value` of element type `element` as an index clamped to [0, limit].
static VectorIndex clampedIndex(IndexBuilder &index, Value value, Type element, int64_t limit) {
  auto &b = index.b;
  bool isSigned = !element.isUnsignedInteger();
  unsigned width = element.getIntOrFloatBitWidth();
  // Clamp in the integer's own width (a limit beyond its range has no effect), then convert.
  unsigned usable = isSigned ? width - 1 : width;
  int64_t highest = usable >= 63 ? limit : std::min<int64_t>(limit, (int64_t(1) << usable) - 1);
  auto constant = [&](int64_t number) -> Value {
    Value scalar = arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), number));
    return isa<VectorType>(value.getType()) ? index.splat(scalar) : scalar;
  };
  if (isSigned) {
    value = b.createOrFold<arith::MaxSIOp>(value, constant(0));
    value = b.createOrFold<arith::MinSIOp>(value, constant(highest));
  } else {
    value = b.createOrFold<arith::MinUIOp>(value, constant(highest));
  }
  return index.fromInteger(value, isSigned);
}

VectorIndex emitStartIndex(ElementEmitter &emitter, ValueRange starts, int64_t which, int64_t limit,
                           Mask mask) {
  IndexBuilder &index = emitter.index;
  bool isVector = starts.size() == 1 && arrayType(starts[0]).getRank() == 1;
  Value source = isVector ? starts[0] : starts[which];
  if (limit == 0)
    return index.uniform(0);
  ElementIndex at;
  if (isVector)
    at.push_back(index.uniform(which));
  VectorValue start = emitter.emit(source, at, mask);
  if (!start.re)
    return index.uniform(0);
  return clampedIndex(index, start.re, arrayType(source).getElementType(), limit);
}

VectorIndex emitClampedIndex(ElementEmitter &emitter, Value value, int64_t limit) {
  VectorValue number = emitter.emit(value, {}, {});
  return number.re
             ? clampedIndex(emitter.index, number.re, arrayType(value).getElementType(), limit)
             : emitter.index.uniform(0);
}

ElementIndex emitStartIndices(ElementEmitter &emitter, hlo::DynamicUpdateSliceOp op) {
  auto whole = arrayType(op.getOperand()).getShape(), part = arrayType(op.getUpdate()).getShape();
  ElementIndex starts;
  for (size_t d = 0; d < whole.size(); ++d)
    starts.push_back(emitStartIndex(emitter, op.getStartIndices(), d, whole[d] - part[d], {}));
  return starts;
}

/// The index in the operand of the element of `op` at `at`.
static ElementIndex emitSource(ElementEmitter &emitter, hlo::DynamicSliceOp op,
                               ArrayRef<VectorIndex> at) {
  auto shape = arrayType(op.getOperand()).getShape();
  ElementIndex source;
  for (size_t d = 0; d < at.size(); ++d) {
    int64_t limit = shape[d] - op.getDynamicSliceSizes()[d];
    source.push_back(
        emitter.index.add(emitStartIndex(emitter, op.getStartIndices(), d, limit, {}), at[d]));
  }
  return source;
}

VectorValue ElementEmitter::emitDynamicSlice(hlo::DynamicSliceOp op, ArrayRef<VectorIndex> at,
                                             Mask mask) {
  return emit(op.getOperand(), emitSource(*this, op, at), mask);
}

ElementIndex ElementEmitter::locate(Value value, ArrayRef<VectorIndex> at) {
  ElementIndex place(at);
  for (; !isa<BlockArgument>(value); value = getSource(value)) {
    if (auto slice = value.getDefiningOp<hlo::DynamicSliceOp>())
      place = emitSource(*this, slice, place);
    else if (auto reshape = value.getDefiningOp<hlo::ReshapeOp>())
      place = reshapeIndex(index, arrayType(value).getShape(),
                           arrayType(reshape.getOperand()).getShape(), place);
  }
  return place;
}

VectorValue ElementEmitter::emitDynamicUpdateSlice(hlo::DynamicUpdateSliceOp op,
                                                   ArrayRef<VectorIndex> at, Mask mask) {
  auto shape = arrayType(op.getOperand()).getShape(),
       updateShape = arrayType(op.getUpdate()).getShape();
  ElementIndex source;
  Mask inside;
  for (size_t d = 0; d < at.size(); ++d) {
    if (shape[d] == updateShape[d]) {
      source.push_back(at[d]);
      continue;
    }
    VectorIndex start =
        emitStartIndex(*this, op.getStartIndices(), d, shape[d] - updateShape[d], {});
    VectorIndex x = index.add(at[d], index.multiply(start, -1));
    inside = index.both(inside, index.inRange(x, 0, updateShape[d]));
    source.push_back(x);
  }
  if (llvm::is_contained(updateShape, 0))
    return emit(op.getOperand(), at, mask);
  VectorValue update = emitWhere(op.getUpdate(), source, index.both(mask, inside));
  if (!inside)
    return update;
  VectorValue operand = emit(op.getOperand(), at, mask);
  if (!update.re || !operand.re)
    return {};
  if (inside.lanes)
    update = emitSelect(index, inside.lanes, update, operand);
  if (inside.uniform)
    update = emitSelect(index, inside.uniform, update, operand);
  return update;
}

VectorValue ElementEmitter::emitGather(hlo::GatherOp op, ArrayRef<VectorIndex> at, Mask mask) {
  auto operandShape = arrayType(op.getOperand()).getShape();
  auto indices = arrayType(op.getStartIndices());
  ElementIndex batch, window;
  for (size_t d = 0; d < at.size(); ++d)
    (llvm::is_contained(op.getOffsetDims(), d) ? window : batch).push_back(at[d]);
  int64_t vectorDimension = op.getIndexVectorDim();
  auto startAt = [&](int64_t component) {
    ElementIndex place(batch);
    if (vectorDimension < indices.getRank())
      place.insert(place.begin() + vectorDimension, index.uniform(component));
    return place;
  };
  ElementIndex source;
  size_t nextWindow = 0;
  for (int64_t d = 0; d < int64_t(operandShape.size()); ++d) {
    auto batching = llvm::find(op.getOperandBatchingDims(), d);
    if (batching != op.getOperandBatchingDims().end()) {
      int64_t which =
          op.getStartIndicesBatchingDims()[batching - op.getOperandBatchingDims().begin()];
      source.push_back(batch[which > vectorDimension ? which - 1 : which]);
      continue;
    }
    VectorIndex x = index.uniform(0);
    auto mapped = llvm::find(op.getStartIndexMap(), d);
    int64_t limit = operandShape[d] - op.getSliceSizes()[d];
    if (mapped != op.getStartIndexMap().end() && limit > 0) {
      VectorValue start =
          emit(op.getStartIndices(), startAt(mapped - op.getStartIndexMap().begin()), mask);
      if (!start.re)
        return {};
      x = clampedIndex(index, start.re, indices.getElementType(), limit);
    }
    if (!llvm::is_contained(op.getCollapsedSliceDims(), d))
      x = index.add(x, window[nextWindow++]);
    source.push_back(x);
  }
  return emit(op.getOperand(), source, mask);
}

} // namespace hloc
