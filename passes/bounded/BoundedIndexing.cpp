// SPDX-License-Identifier: Apache-2.0
// Slices and gathers at run-time indices. Indices are clamped to the sizes of the operand before
// the operation clamps them to its bounds.
#include "passes/bounded/BoundedIndexing.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

Value hloc::lastPlaces(BoundedBuild &build, const BoundedArray &operand, ArrayRef<int64_t> mapped,
                       ArrayRef<Value> extents) {
  if (!operand.isBoundedIn(mapped))
    return Value();
  SmallVector<Value> places;
  for (int64_t d : mapped)
    places.push_back(build.reshape(build.sub(build.getSize(operand, d), extents[d]), {1}));
  return build.concatenate(places, 0);
}

Value hloc::forIndexVectors(BoundedBuild &build, Value vector, Value indices, int64_t vectorDim) {
  vector = build.convert(vector, getElementTypeOrSelf(indices));
  ArrayRef<int64_t> shape = arrayType(indices).getShape();
  if (vectorDim == int64_t(shape.size()))
    return build.broadcast(build.reshape(vector, {}), shape, {});
  return build.broadcast(vector, shape, {vectorDim});
}

SmallVector<int64_t> hloc::restOf(int64_t rank, ArrayRef<int64_t> without,
                                  ArrayRef<int64_t> orWithout) {
  SmallVector<int64_t> rest;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(without, d) && !llvm::is_contained(orWithout, d))
      rest.push_back(d);
  return rest;
}

/// Start indices as scalars, one per dimension, clamped so that a slice of `extents` fits within
/// the sizes. Dimensions without an extent are left to the operation.
static SmallVector<Value> clampStarts(BoundedBuild &build, ArrayRef<BoundedArray> indices,
                                      const BoundedArray &operand, ArrayRef<Value> extents) {
  SmallVector<Value> starts;
  bool isVector = indices.size() == 1 && indices[0].getRank() == 1;
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    Value start = isVector ? build.element(indices[0].array, d) : indices[d].array;
    start = build.signedIndices(start);
    if (extents[d]) {
      Value last = build.excess(build.getSize(operand, d), extents[d]);
      last = build.convert(last, getElementTypeOrSelf(start));
      start = build.minimum(build.maximum(start, build.splatLike(start, 0)), last);
    }
    starts.push_back(start);
  }
  return starts;
}

static Expanded expandDynamicSlice(DynamicSliceOp op, ArrayRef<BoundedArray> operands,
                                   BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  // If there are fewer elements than the slice takes, it takes those.
  SmallVector<Value> sizes(operand.getRank());
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (operand.sizes[d])
      sizes[d] = build.minimum(operand.sizes[d], build.index(op.getDynamicSliceSizes()[d]));
  SmallVector<Value> starts = clampStarts(build, operands.drop_front(), operand, sizes);
  return BoundedArrays{
      BoundedArray(build.dynamicSlice(operand.array, starts, op.getDynamicSliceSizes()), sizes)};
}

/// Only the valid part of an update is written: the operand is padded to make room for the update's
/// bound, and keeps its own elements past the update's sizes.
static Expanded expandDynamicUpdateSlice(DynamicUpdateSliceOp op, ArrayRef<BoundedArray> operands,
                                         BoundedBuild &build) {
  BoundedArray result = operands[0];
  const BoundedArray &update = operands[1];
  SmallVector<Value> extents(result.getRank());
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (result.sizes[d] || update.sizes[d])
      extents[d] = build.getSize(update, d);
  SmallVector<Value> starts = clampStarts(build, operands.drop_front(2), result, extents);
  if (!update.isBounded()) {
    result.array = build.dynamicUpdateSlice(result.array, update.array, starts);
    return BoundedArrays{result};
  }
  SmallVector<int64_t> none(result.getRank(), 0), room(none), bounds(result.getBounds());
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (update.sizes[d])
      room[d] = update.getBound(d);
  Value zero = build.scalar(result.getElement(), 0.0);
  Value roomy = build.pad(result.array, zero, none, room, none);
  Value old = build.dynamicSlice(roomy, starts, update.getBounds());
  Value merged = build.select(build.isInside(update), update.array, old);
  roomy = build.dynamicUpdateSlice(roomy, merged, starts);
  result.array = build.slice(roomy, none, bounds);
  return BoundedArrays{result};
}

static Expanded expandGather(GatherOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0], &given = operands[1];
  int64_t vectorDim = op.getIndexVectorDim();
  Value indices = given.array;
  // A slice of a whole dimension has that dimension's size; others are as long as they say.
  SmallVector<Value> extents;
  for (int64_t d = 0; d < operand.getRank(); ++d)
    extents.push_back(operand.sizes[d] && op.getSliceSizes()[d] == operand.getBound(d)
                          ? operand.sizes[d]
                          : build.index(op.getSliceSizes()[d]));
  if (Value last = lastPlaces(build, operand, op.getStartIndexMap(), extents)) {
    indices = build.signedIndices(indices);
    indices = build.minimum(indices, forIndexVectors(build, last, indices, vectorDim));
  }
  RankedTensorType type = getFullType(op.getType());
  BoundedArray result(build.cloneOn(op, {operand.array, indices}, type).front());
  SmallVector<int64_t> batch = restOf(given.getRank(), vectorDim);
  SmallVector<int64_t> places = restOf(type.getRank(), op.getOffsetDims());
  SmallVector<int64_t> window =
      restOf(operand.getRank(), op.getCollapsedSliceDims(), op.getOperandBatchingDims());
  for (auto [place, d] : llvm::zip(places, batch))
    result.sizes[place] = given.sizes[d];
  for (auto [place, d] : llvm::zip(op.getOffsetDims(), window))
    if (operand.sizes[d] && op.getSliceSizes()[d] == operand.getBound(d))
      result.sizes[place] = operand.sizes[d];
  return BoundedArrays{result};
}

void hloc::populateIndexing(BoundedPatterns &patterns) {
  patterns.add<DynamicSliceOp>(expandDynamicSlice);
  patterns.add<DynamicUpdateSliceOp>(expandDynamicUpdateSlice);
  patterns.add<GatherOp>(expandGather);
}
