// SPDX-License-Identifier: Apache-2.0
// scatter: updates past the sizes, and windows that do not fit within those of the operand, get
// indices out of bounds.
#include "passes/bounded/BoundedIndexing.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// True where a condition holds for all components of an index vector.
Value allOf(BoundedBuild &build, Value condition, int64_t vectorDim) {
  if (vectorDim == arrayType(condition).getRank())
    return condition;
  Value yes = build.scalar(build.builder.getI1Type(), 1.0);
  return build.reduce(condition, yes, {vectorDim}, "hlo.and");
}

/// The parts of a scatter: operands, indices, updates.
struct Scatter {
  Scatter(ScatterOp op, ArrayRef<BoundedArray> parts)
      : op(op), operands(parts.take_front(op.getCount())), indices(parts[op.getCount()]),
        updates(parts.drop_front(op.getCount() + 1)) {
    window = restOf(operands[0].getRank(), op.getInsertedWindowDims(), op.getInputBatchingDims());
    batch = restOf(indices.getRank(), op.getIndexVectorDim());
    batchPlaces = restOf(updates[0].getRank(), op.getUpdateWindowDims());
  }

  /// The size of the windows in dimension `d` of the operands.
  Value getExtent(BoundedBuild &build, int64_t d) {
    for (auto [place, windowDim] : llvm::zip(op.getUpdateWindowDims(), window))
      if (windowDim == d)
        return build.getSize(updates[0], place);
    return build.index(1);
  }

  ScatterOp op;
  ArrayRef<BoundedArray> operands;
  const BoundedArray &indices;
  ArrayRef<BoundedArray> updates;
  SmallVector<int64_t> window, batch, batchPlaces;
};

/// A pred for each index vector, in the shape of the indices' batch dimensions: true if it is valid
/// and its window fits within the sizes. Null if all are.
Value findKept(BoundedBuild &build, Scatter &scatter, Value indices) {
  ScatterOp op = scatter.op;
  const BoundedArray &operand = scatter.operands[0];
  int64_t vectorDim = op.getIndexVectorDim();
  SmallVector<Value> extents;
  for (int64_t d = 0; d < operand.getRank(); ++d)
    extents.push_back(scatter.getExtent(build, d));
  Value kept;
  auto keep = [&](Value condition) { kept = kept ? build.bitAnd(kept, condition) : condition; };
  if (Value last = lastPlaces(build, operand, op.getScatterDimsToOperandDims(), extents)) {
    Value fits =
        build.compare(indices, forIndexVectors(build, last, indices, vectorDim), Direction::LE);
    keep(allOf(build, fits, vectorDim));
  }
  SmallVector<int64_t> bounds;
  for (int64_t d : scatter.batch)
    bounds.push_back(scatter.indices.getBound(d));
  // Windows begin at 0 in dimensions that no index names.
  for (int64_t d : scatter.window)
    if (operand.sizes[d] && extents[d] != operand.sizes[d] &&
        !llvm::is_contained(op.getScatterDimsToOperandDims(), d))
      keep(build.broadcast(build.compare(extents[d], operand.sizes[d], Direction::LE), bounds, {}));
  SmallVector<Value> sizes;
  for (auto [d, place] : llvm::zip(scatter.batch, scatter.batchPlaces)) {
    Value size = scatter.indices.sizes[d];
    sizes.push_back(size ? size : scatter.updates[0].sizes[place]);
  }
  BoundedArray batch(build.broadcast(build.index(0), bounds, {}), sizes);
  if (Value inside = build.isInside(batch))
    keep(inside);
  for (auto [d, indexDim] :
       llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims())) {
    if (!operand.sizes[d])
      continue;
    int64_t vector = op.getIndexVectorDim();
    Value place =
        build.iota(bounds, build.builder.getI32Type(), indexDim > vector ? indexDim - 1 : indexDim);
    keep(build.compare(place, build.broadcast(operand.sizes[d], bounds, {}), Direction::LT));
  }
  return kept;
}

/// The scatter with one index vector for each element of the updates: windows cannot have run-time
/// sizes. `kept` says which windows are applied.
SmallVector<Value> scatterElements(BoundedBuild &build, const Scatter &scatter, Value indices,
                                   Value kept) {
  ScatterOp op = scatter.op;
  const BoundedArray &update = scatter.updates[0];
  ArrayRef<int64_t> shape = update.getBounds();
  Type type = getElementTypeOrSelf(indices);
  int64_t vectorDim = op.getIndexVectorDim(), rank = scatter.operands[0].getRank();
  SmallVector<int64_t> single(shape);
  single.push_back(1);
  SmallVector<Value> components;
  for (int64_t d = 0; d < rank; ++d) {
    Value place = build.splat(RankedTensorType::get(shape, type), 0);
    for (auto [component, mapped] : llvm::enumerate(op.getScatterDimsToOperandDims()))
      if (mapped == d) {
        Value start = indices;
        if (vectorDim < arrayType(indices).getRank()) {
          SmallVector<int64_t> bounds;
          for (int64_t b : scatter.batch)
            bounds.push_back(arrayType(indices).getDimSize(b));
          start =
              build.reshape(build.sliceOf(indices, vectorDim, component, component + 1), bounds);
        }
        place = build.broadcast(start, shape, scatter.batchPlaces);
      }
    for (auto [batching, indexDim] :
         llvm::zip(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
      if (batching == d)
        place = build.iota(shape, type,
                           scatter.batchPlaces[indexDim > vectorDim ? indexDim - 1 : indexDim]);
    for (auto [windowPlace, windowDim] : llvm::zip(op.getUpdateWindowDims(), scatter.window))
      if (windowDim == d)
        place = build.add(place, build.iota(shape, type, windowPlace));
    components.push_back(build.reshape(place, single));
  }
  Value all = build.concatenate(components, single.size() - 1);
  Value counts = build.isInside(update, op.getUpdateWindowDims());
  auto keep = [&](Value windows) {
    windows = build.broadcast(windows, shape, scatter.batchPlaces);
    counts = counts ? build.bitAnd(counts, windows) : windows;
  };
  if (kept)
    keep(kept);
  // Windows that begin before the first element are dropped as a whole, like others that do not
  // fit.
  keep(allOf(build, build.compare(indices, 0.0, Direction::GE), vectorDim));
  SmallVector<int64_t> allShape(arrayType(all).getShape());
  Value dropped = build.splat(RankedTensorType::get(allShape, type), -1);
  all = build.select(build.broadcast(counts, allShape, iotaVector(shape.size())), all, dropped);

  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (const BoundedArray &operand : scatter.operands) {
    inputs.push_back(operand.array);
    types.push_back(operand.array.getType());
  }
  inputs.push_back(all);
  for (const BoundedArray &part : scatter.updates)
    inputs.push_back(part.array);
  auto expanded = ScatterOp::create(
      build.builder, build.loc, types, inputs, /*update_window_dims=*/ArrayRef<int64_t>{},
      /*inserted_window_dims=*/iotaVector(rank), /*input_batching_dims=*/ArrayRef<int64_t>{},
      /*scatter_indices_batching_dims=*/ArrayRef<int64_t>{},
      /*scatter_dims_to_operand_dims=*/iotaVector(rank), /*index_vector_dim=*/shape.size(),
      op.getToApply(), /*indices_are_sorted=*/false, op.getUniqueIndices());
  return SmallVector<Value>(expanded.getResults());
}

} // namespace

static Expanded expandScatter(ScatterOp op, ArrayRef<BoundedArray> parts, BoundedBuild &build) {
  Scatter scatter(op, parts);
  Value indices = build.signedIndices(scatter.indices.array);
  Value kept = findKept(build, scatter, indices);
  SmallVector<Value> arrays;
  bool canDrop = !kept || !op.getScatterDimsToOperandDims().empty();
  if (!canDrop || scatter.updates[0].isBoundedIn(op.getUpdateWindowDims())) {
    arrays = scatterElements(build, scatter, indices, kept);
  } else {
    if (kept) {
      ArrayRef<int64_t> shape = arrayType(indices).getShape();
      Value dropped = build.splatLike(indices, -1);
      indices = build.select(build.broadcast(kept, shape, scatter.batch), indices, dropped);
    }
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (const BoundedArray &part : parts)
      inputs.push_back(part.array);
    for (const BoundedArray &operand : scatter.operands)
      types.push_back(operand.array.getType());
    inputs[op.getCount()] = indices;
    arrays = build.cloneOn(op, inputs, types);
  }
  BoundedArrays results;
  for (auto [array, operand] : llvm::zip(arrays, scatter.operands))
    results.emplace_back(array, operand.sizes);
  return results;
}

void hloc::populateScatters(BoundedPatterns &patterns) { patterns.add<ScatterOp>(expandScatter); }
