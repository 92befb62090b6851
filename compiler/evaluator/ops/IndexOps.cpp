// SPDX-License-Identifier: Apache-2.0
// Operations that read or write at indices known only at run time.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/core/Strided.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// Start indices of a dynamic slice: scalars, or one vector; clamped so that the slice fits.
static Shape clampedStarts(Call &call, unsigned first, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> sizes) {
  Shape starts;
  bool isVector = call.operands.size() == first + 1 && call.array(first).shape.size() == 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t start = isVector ? call.array(first).getIndex(d) : call.array(first + d).getIndex(0);
    starts.push_back(std::clamp<int64_t>(start, 0, std::max<int64_t>(shape[d] - sizes[d], 0)));
  }
  return starts;
}

static FailureOr<Values> dynamicSlice(Call &call) {
  Array &operand = call.array(0);
  Shape sizes(cast<DynamicSliceOp>(call.op).getDynamicSliceSizes());
  for (auto [size, available] : llvm::zip(sizes, operand.shape))
    size = std::min(size, available); // less only if the operand is dynamic
  Shape starts = clampedStarts(call, 1, operand.shape, sizes);
  Array result(operand.type, sizes);
  copyBox(operand, starts, result, Shape(sizes.size(), 0), sizes);
  return Values{result};
}

static FailureOr<Values> dynamicUpdateSlice(Call &call) {
  Array operand = std::move(call.array(0)); // in place if it is not shared
  Array &update = call.array(1);
  for (auto [size, available] : llvm::zip(update.shape, operand.shape))
    if (size > available)
      return call.fail("the update is larger than the operand");
  Shape starts = clampedStarts(call, 2, operand.shape, update.shape);
  copyBox(update, Shape(starts.size(), 0), operand, starts, update.shape);
  return Values{operand};
}

namespace {
/// The index vectors of a gather or scatter: all but one dimension of the indices are batch.
struct IndexVectors {
  const Array &indices;
  int64_t vectorDim;
  Shape batchDims, batchShape, strides;

  IndexVectors(const Array &indices, int64_t vectorDim)
      : indices(indices), vectorDim(vectorDim), strides(rowMajorStrides(indices.shape)) {
    for (int64_t d = 0; d < int64_t(indices.shape.size()); ++d)
      if (d != vectorDim) {
        batchDims.push_back(d);
        batchShape.push_back(indices.shape[d]);
      }
  }

  /// Component `component` of the index vector at `batch`.
  int64_t get(ArrayRef<int64_t> batch, int64_t component) const {
    int64_t offset = 0;
    for (auto [i, d] : llvm::enumerate(batchDims))
      offset += batch[i] * strides[d];
    if (vectorDim < int64_t(indices.shape.size()))
      offset += component * strides[vectorDim];
    return indices.getIndex(offset);
  }

  /// The batch index along dimension `d` of the indices.
  int64_t along(ArrayRef<int64_t> batch, int64_t d) const {
    return batch[d > vectorDim ? d - 1 : d];
  }
};
} // namespace

/// Dimensions in [0, rank) that are in neither list.
static Shape restOf(int64_t rank, ArrayRef<int64_t> without, ArrayRef<int64_t> orWithout = {}) {
  Shape rest;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(without, d) && !llvm::is_contained(orWithout, d))
      rest.push_back(d);
  return rest;
}

static FailureOr<Values> gather(Call &call) {
  auto op = cast<GatherOp>(call.op);
  Array &operand = call.array(0);
  IndexVectors vectors(call.array(1), op.getIndexVectorDim());
  int64_t rank = operand.shape.size();
  Shape sliceSizes(op.getSliceSizes());
  for (auto [size, available] : llvm::zip(sliceSizes, operand.shape))
    size = std::min(size, available); // less only if the operand is dynamic
  Shape windowDims = restOf(rank, op.getCollapsedSliceDims(), op.getOperandBatchingDims());
  int64_t resultRank = vectors.batchShape.size() + windowDims.size();
  Shape batchPlaces = restOf(resultRank, op.getOffsetDims()), shape(resultRank, 0), windowSizes;
  for (auto [place, size] : llvm::zip(batchPlaces, vectors.batchShape))
    shape[place] = size;
  for (auto [place, d] : llvm::zip(op.getOffsetDims(), windowDims))
    shape[place] = sliceSizes[d];
  Array result(operand.type, shape);
  // Slices without elements give zeros.
  if (result.getCount() == 0 || llvm::is_contained(sliceSizes, 0))
    return Values{result};

  Shape strides = rowMajorStrides(operand.shape), resultStrides = rowMajorStrides(shape);
  Shape windowFrom, windowTo;
  for (auto [place, d] : llvm::zip(op.getOffsetDims(), windowDims)) {
    windowSizes.push_back(sliceSizes[d]);
    windowFrom.push_back(strides[d]);
    windowTo.push_back(resultStrides[place]);
  }
  char *out = result.mutableData();
  int bytes = getBytes(operand.type);
  Shape batch(vectors.batchShape.size(), 0);
  do {
    Shape start(rank, 0);
    for (auto [component, d] : llvm::enumerate(op.getStartIndexMap()))
      start[d] = vectors.get(batch, component);
    for (auto [d, indexDim] :
         llvm::zip(op.getOperandBatchingDims(), op.getStartIndicesBatchingDims()))
      start[d] = vectors.along(batch, indexDim);
    for (int64_t d = 0; d < rank; ++d)
      start[d] = std::clamp<int64_t>(start[d], 0, operand.shape[d] - sliceSizes[d]);
    int64_t target = 0;
    for (auto [i, place] : llvm::enumerate(batchPlaces))
      target += batch[i] * resultStrides[place];
    copyBox({operand.data() + linearize(start, strides) * bytes, windowFrom},
            {out + target * bytes, windowTo}, windowSizes, bytes);
  } while (nextIndex(batch, vectors.batchShape));
  return Values{result};
}

static FailureOr<Values> scatter(Call &call) {
  auto op = cast<ScatterOp>(call.op);
  unsigned count = op.getCount();
  SmallVector<Array, 2> results;
  SmallVector<ElementType, 4> types;
  for (unsigned i = 0; i < count; ++i) {
    ElementType type = call.array(i).type;
    types.push_back(getArrayAccumulationType(type));
    results.push_back(types[i] == type ? std::move(call.array(i))
                                       : convertArray(call.array(i), types[i]));
  }
  for (unsigned i = 0; i < count; ++i)
    types.push_back(call.array(count + 1 + i).type);
  auto finish = [&]() -> Values {
    Values values;
    for (unsigned i = 0; i < count; ++i)
      values.push_back(types[i] == types[count + i] ? results[i]
                                                    : convertArray(results[i], types[count + i]));
    return values;
  };
  FailureOr<Applier> combine = Applier::get(call, op.getToApplyAttr(), types, /*accumulates=*/true);
  if (failed(combine))
    return failure();
  IndexVectors vectors(call.array(count), op.getIndexVectorDim());
  const Array &update = call.array(count + 1);
  if (update.getCount() == 0 || results[0].getCount() == 0)
    return finish();

  ArrayRef<int64_t> shape = results[0].shape;
  Shape strides = rowMajorStrides(shape), updateStrides = rowMajorStrides(update.shape);
  Shape windowDims = restOf(shape.size(), op.getInsertedWindowDims(), op.getInputBatchingDims());
  Shape batchPlaces = restOf(update.shape.size(), op.getUpdateWindowDims());
  Shape windowShape, windowSizes(shape.size(), 1);
  for (auto [place, d] : llvm::zip(op.getUpdateWindowDims(), windowDims)) {
    windowShape.push_back(update.shape[place]);
    windowSizes[d] = update.shape[place];
  }
  // Offsets of a window's elements from its first one, in the result and in the updates.
  std::vector<int64_t> inResult, inUpdate;
  Shape index(windowShape.size(), 0);
  do {
    int64_t to = 0, from = 0;
    for (auto [i, d] : llvm::enumerate(windowDims)) {
      to += index[i] * strides[d];
      from += index[i] * updateStrides[op.getUpdateWindowDims()[i]];
    }
    inResult.push_back(to);
    inUpdate.push_back(from);
  } while (nextIndex(index, windowShape));

  SmallVector<char *, 2> data;
  for (Array &result : results)
    data.push_back(result.mutableData());
  std::vector<Scalar> columns(2 * count * kColumn);
  SmallVector<const Scalar *> arguments;
  SmallVector<Scalar *> outputs;
  for (unsigned i = 0; i < 2 * count; ++i)
    arguments.push_back(columns.data() + i * kColumn);
  for (unsigned i = 0; i < count; ++i)
    outputs.push_back(columns.data() + i * kColumn);

  Shape batch(vectors.batchShape.size(), 0);
  do {
    if (failed(call.interpreter.work(op, inResult.size())))
      return failure();
    Shape start(shape.size(), 0);
    for (auto [component, d] : llvm::enumerate(op.getScatterDimsToOperandDims()))
      start[d] = vectors.get(batch, component);
    for (auto [d, indexDim] :
         llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
      start[d] = vectors.along(batch, indexDim);
    bool fits = true;
    for (auto [s, size, limit] : llvm::zip(start, windowSizes, shape))
      fits &= s >= 0 && s <= limit - size;
    if (!fits)
      continue; // the whole window is dropped
    int64_t to = linearize(start, strides), from = 0;
    for (auto [i, place] : llvm::enumerate(batchPlaces))
      from += batch[i] * updateStrides[place];
    // The elements of one window have different positions, so they can be combined together.
    for (size_t first = 0; first < inResult.size(); first += kColumn) {
      int64_t size = std::min<int64_t>(kColumn, inResult.size() - first);
      for (unsigned i = 0; i < count; ++i) {
        ElementType update = types[count + i];
        loadAt(types[i], data[i] + to * getBytes(types[i]), &inResult[first], size, outputs[i]);
        loadAt(update, call.array(count + 1 + i).data() + from * getBytes(update), &inUpdate[first],
               size, columns.data() + (count + i) * kColumn);
      }
      if (failed((*combine)(arguments, outputs, size)))
        return failure();
      for (unsigned i = 0; i < count; ++i)
        for (int64_t e = 0; e < size; ++e)
          storeOne(types[i], outputs[i][e], data[i], to + inResult[first + e]);
    }
  } while (nextIndex(batch, vectors.batchShape));
  return finish();
}

void addIndexOps(HandlerTable &table) {
  table["hlo.dynamic_slice"] = dynamicSlice;
  table["hlo.dynamic_update_slice"] = dynamicUpdateSlice;
  table["hlo.gather"] = gather;
  table["hlo.scatter"] = scatter;
}

} // namespace hloc::evaluator
