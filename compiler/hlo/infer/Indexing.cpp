// SPDX-License-Identifier: Apache-2.0
// Slices, gathers and scatters.
#include "compiler/hlo/infer/Rules.h"
#include "compiler/hlo/infer/Signatures.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

FailureOr<Type> infer(SliceOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand))
    return failure();
  Shape shape(*operand);
  size_t rank = shape.sizes.size();
  if (failed(expectCount(rule, op.getStarts().size(), rank, "slices")) || // C1
      failed(expectCount(rule, op.getLimits().size(), rank, "limits")) ||
      failed(expectCount(rule, op.getStrides().size(), rank, "strides")))
    return failure();
  for (size_t d = 0; d < rank; ++d) {
    int64_t start = op.getStarts()[d], limit = op.getLimits()[d], stride = op.getStrides()[d];
    int64_t size = shape.sizes[d];
    if (start < 0 || limit < start || (size != kUnbounded && limit > size)) // C2
      return rule.fail(Error::SliceRange)
             << "expected the slice of dimension " << d << " to lie in [0, "
             << (size == kUnbounded ? std::string("?") : std::to_string(size)) << "] but got ["
             << start << ":" << limit << "]";
    if (failed(
            expectRange(rule, stride, 1, std::numeric_limits<int64_t>::max(), "the stride"))) // C3
      return failure();
    int64_t extent = limit - start;
    shape.sizes[d] = extent == 0 ? 0 : (extent - 1) / stride + 1;
    shape.dynamic[d] = shape.dynamic[d] && size != kUnbounded && shape.sizes[d] != 1;
  }
  return Type(shape.getType());
}

/// C1, C2: scalar integers of one type, one per dimension, or one vector of them.
static LogicalResult expectStartIndices(const Rule &rule, TypeRange indices, int64_t rank) {
  for (auto [i, type] : llvm::enumerate(indices)) {
    auto array = expectArray(rule, type, "start index " + Twine(i));
    if (failed(array))
      return failure();
    if (!isInteger(array->getElementType()))
      return rule.fail(Error::ElementType)
             << "expected start index " << i << " to be an integer but got " << toText(type);
    bool vector = array->getRank() == 1 && indices.size() == 1;
    if (vector && sizesAgree(getBounds(*array)[0], rank))
      return success();
    if (array->getRank() != 0 || !typesAgree(type, indices[0]))
      return rule.fail(Error::OperandKind)
             << "expected " << rank
             << " scalar start indices of one type, or one vector of them, but got ("
             << toText(indices) << ")";
  }
  if (int64_t(indices.size()) == rank)
    return success();
  return rule.fail(Error::OperandCount)
         << "expected " << rank << " start indices but got " << indices.size();
}

FailureOr<Type> infer(DynamicSliceOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  Sizes sizes = op.getDynamicSliceSizes();
  if (failed(operand) ||
      failed(expectStartIndices(rule, op.getStartIndices().getTypes(), operand->getRank())) ||
      failed(expectCount(rule, sizes.size(), operand->getRank(), "dynamic_slice_sizes"))) // C3
    return failure();
  for (auto [d, bound] : llvm::enumerate(getBounds(*operand)))
    if (sizes[d] < 0 || (bound != kUnbounded && sizes[d] > bound)) // C4
      return rule.fail(Error::SliceRange)
             << "expected dynamic_slice_sizes of dimension " << d << " to be from 0 to " << bound
             << " but got " << sizes[d];
  return Type(Shape(operand->getElementType(), sizes).getType());
}

FailureOr<Type> infer(DynamicUpdateSliceOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto update = expectArray(rule, op.getUpdate().getType(), "update");
  if (failed(operand) || failed(update) ||
      failed(expectStartIndices(rule, op.getStartIndices().getTypes(), operand->getRank())) ||
      failed(
          expectSameElement(rule, operand->getElementType(), update->getElementType(), "update")) ||
      failed(expectRank(rule, *update, operand->getRank(), "update"))) // C3
    return failure();
  SmallVector<int64_t, 6> sizes = getBounds(*operand), updated = getBounds(*update);
  for (auto [size, part] : llvm::zip(sizes, updated))
    if (size != kUnbounded && part != kUnbounded && part > size) // C4
      return rule.fail(Error::SliceRange)
             << "expected update to fit into " << toText(Type(*operand)) << " but got "
             << toText(Type(*update));
  if (update->hasStaticShape())
    return Type(*operand);
  Shape shape(*operand), part(*update);
  for (int64_t d = 0; d < shape.getRank(); ++d)
    shape.dynamic[d] = shape.dynamic[d] || (part.dynamic[d] && part.sizes[d] == shape.sizes[d]);
  return Type(shape.getType());
}

//===- Gather and scatter --------------------------------------------------===//

namespace {
/// The dimension numbers that gather and scatter share. `window` are dimensions of the gathered
/// result or of the updates; `dropped`, `batching` and `mapped` of the indexed array.
struct IndexNumbers {
  Sizes window, dropped, batching, indicesBatching, mapped;
  int64_t indexVector;
  StringRef windowName, droppedName, batchingName, indicesBatchingName, mappedName;
};
} // namespace

/// Dimensions of the indices without the index vector. C1 to C9 of gather and scatter.
static FailureOr<Shape> expectIndexing(const Rule &rule, RankedTensorType array,
                                       RankedTensorType indices, const IndexNumbers &numbers) {
  if (!isInteger(indices.getElementType())) // C1
    return rule.fail(Error::ElementType)
           << "expected the indices to be integers but got " << toText(Type(indices));
  int64_t indexRank = indices.getRank(), rank = array.getRank();
  if (failed(expectRange(rule, numbers.indexVector, 0, indexRank, "index_vector_dim"))) // C2
    return failure();
  Shape batch(indices);
  int64_t vectorSize = 1;
  if (numbers.indexVector < indexRank) {
    vectorSize = batch.sizes[numbers.indexVector];
    batch.sizes.erase(batch.sizes.begin() + numbers.indexVector);
    batch.dynamic.erase(batch.dynamic.begin() + numbers.indexVector);
  }
  int64_t resultRank = batch.getRank() + numbers.window.size();
  if (failed(expectSorted(rule, numbers.window, resultRank, numbers.windowName)) || // C3
      failed(expectSorted(rule, numbers.dropped, rank, numbers.droppedName)) ||     // C4
      failed(expectSorted(rule, numbers.batching, rank, numbers.batchingName)) ||   // C5
      failed(expectDimensions(rule, numbers.mapped, rank, numbers.mappedName)) ||   // C6
      failed(
          expectDimensions(rule, numbers.indicesBatching, indexRank, numbers.indicesBatchingName)))
    return failure();
  if (!sizesAgree(vectorSize, numbers.mapped.size())) // C7
    return rule.fail(Error::Indexing)
           << "expected " << numbers.mappedName << " to have one entry for each of the "
           << vectorSize << " elements of an index vector but got " << toText(numbers.mapped);
  for (int64_t d : numbers.batching) // C8
    if (llvm::is_contained(numbers.dropped, d))
      return rule.fail(Error::Indexing) << "expected " << numbers.batchingName << " not to be in "
                                        << numbers.droppedName << " but dimension " << d << " is";
  if (int64_t(numbers.window.size() + numbers.dropped.size() + numbers.batching.size()) !=
      rank) // C9
    return rule.fail(Error::Indexing)
           << "expected " << numbers.windowName << ", " << numbers.droppedName << " and "
           << numbers.batchingName << " to be " << rank << " dimensions together, one for each of "
           << toText(Type(array)) << ", but got "
           << numbers.window.size() + numbers.dropped.size() + numbers.batching.size();
  // C10: batching dimensions in pairs of the same size.
  if (failed(expectCount(rule, numbers.indicesBatching.size(), numbers.batching.size(),
                         numbers.indicesBatchingName)))
    return failure();
  SmallVector<int64_t, 6> arraySizes = getBounds(array), indexSizes = getBounds(indices);
  for (auto [a, i] : llvm::zip(numbers.batching, numbers.indicesBatching))
    if (i == numbers.indexVector || !sizesAgree(arraySizes[a], indexSizes[i]))
      return rule.fail(Error::Indexing)
             << "expected " << numbers.indicesBatchingName << " to name dimensions of the size of "
             << numbers.batchingName << ", and not index_vector_dim, but got dimension " << i
             << " of " << toText(Type(indices)) << " for dimension " << a << " of "
             << toText(Type(array));
  return batch;
}

FailureOr<Type> infer(GatherOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto indices = expectArray(rule, op.getStartIndices().getType(), "start_indices");
  if (failed(operand) || failed(indices))
    return failure();
  IndexNumbers numbers{op.getOffsetDims(),
                       op.getCollapsedSliceDims(),
                       op.getOperandBatchingDims(),
                       op.getStartIndicesBatchingDims(),
                       op.getStartIndexMap(),
                       int64_t(op.getIndexVectorDim()),
                       "offset_dims",
                       "collapsed_slice_dims",
                       "operand_batching_dims",
                       "start_indices_batching_dims",
                       "start_index_map"};
  auto batch = expectIndexing(rule, *operand, *indices, numbers);
  Sizes slice = op.getSliceSizes();
  if (failed(batch) ||
      failed(expectCount(rule, slice.size(), operand->getRank(), "slice_sizes"))) // C11
    return failure();
  Shape source(*operand), result(source.element);
  SmallVector<std::pair<int64_t, bool>> window;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    int64_t size = source.sizes[d];
    if (slice[d] < 0 || (size != kUnbounded && slice[d] > size)) // C12
      return rule.fail(Error::SliceRange) << "expected slice_sizes of dimension " << d
                                          << " to be from 0 to " << size << " but got " << slice[d];
    if (llvm::is_contained(numbers.dropped, d) || llvm::is_contained(numbers.batching, d)) {
      if (slice[d] > 1) // C13
        return rule.fail(Error::Indexing)
               << "expected slice_sizes of dimension " << d
               << ", which is collapsed or batching, to be at most 1 but got " << slice[d];
      continue;
    }
    window.push_back({slice[d], source.dynamic[d] && slice[d] == size});
  }
  int64_t nextBatch = 0, nextWindow = 0;
  for (int64_t i = 0, rank = batch->getRank() + window.size(); i < rank; ++i) {
    if (llvm::is_contained(numbers.window, i)) {
      auto [size, isDynamic] = window[nextWindow++];
      result.append(size, isDynamic);
    } else {
      result.append(batch->sizes[nextBatch], batch->dynamic[nextBatch]);
      ++nextBatch;
    }
  }
  return Type(result.getType());
}

FailureOr<Type> infer(ScatterOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (inputs.size() < 3 || inputs.size() % 2 == 0) // C11
    return rule.fail(Error::OperandCount)
           << "expected operands, indices and as many updates as operands but got " << inputs.size()
           << " operands";
  size_t count = inputs.size() / 2;
  auto indices = expectArray(rule, inputs[count], "the indices");
  if (failed(indices))
    return failure();
  IndexNumbers numbers{op.getUpdateWindowDims(),
                       op.getInsertedWindowDims(),
                       op.getInputBatchingDims(),
                       op.getScatterIndicesBatchingDims(),
                       op.getScatterDimsToOperandDims(),
                       int64_t(op.getIndexVectorDim()),
                       "update_window_dims",
                       "inserted_window_dims",
                       "input_batching_dims",
                       "scatter_indices_batching_dims",
                       "scatter_dims_to_operand_dims"};
  SmallVector<Type, 2> elements, updateElements;
  SmallVector<Type> results;
  for (size_t i = 0; i < count; ++i) {
    auto operand = expectArray(rule, inputs[i], "operand " + Twine(i));
    auto update = expectArray(rule, inputs[count + 1 + i], "update " + Twine(i));
    if (failed(operand) || failed(update))
      return failure();
    auto batch = expectIndexing(rule, *operand, *indices, numbers);
    if (failed(batch) || failed(expectRank(rule, *update, batch->getRank() + numbers.window.size(),
                                           "update " + Twine(i)))) // C12
      return failure();
    SmallVector<int64_t> window;
    SmallVector<int64_t, 6> sizes = getBounds(*operand), updateSizes = getBounds(*update);
    for (int64_t d = 0; d < operand->getRank(); ++d)
      if (!llvm::is_contained(numbers.dropped, d) && !llvm::is_contained(numbers.batching, d))
        window.push_back(sizes[d]);
    int64_t nextBatch = 0, nextWindow = 0;
    for (auto [d, size] : llvm::enumerate(updateSizes)) {
      if (llvm::is_contained(numbers.window, d)) {
        int64_t limit = window[nextWindow++];
        if (limit != kUnbounded && size != kUnbounded && size > limit) // C13
          return rule.fail(Error::Indexing)
                 << "expected window dimension " << d << " of update " << i << " to be at most "
                 << limit << " but got " << toText(Type(*update));
      } else if (!sizesAgree(size, batch->sizes[nextBatch++])) { // C14
        return rule.fail(Error::Indexing)
               << "expected dimension " << d << " of update " << i
               << " to have the size of the indices, " << toText(Type(*indices)) << ", but got "
               << toText(Type(*update));
      }
    }
    elements.push_back(operand->getElementType());
    updateElements.push_back(update->getElementType());
    results.push_back(*operand);
  }
  auto accumulators = expectReducer(rule, op.getToApplyAttr(), updateElements, elements); // C15
  if (failed(accumulators))
    return failure();
  return results.size() == 1 ? results[0] : accumulators->pack(results);
}

} // namespace hloc::hlo
