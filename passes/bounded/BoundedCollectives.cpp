// SPDX-License-Identifier: Apache-2.0
// Collectives. Where members fold or exchange along other dimensions than those of bounded size,
// they have the same sizes; where whole arrays go from one participant to another, their sizes go
// with them.
#include "passes/bounded/BoundedPatterns.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Results of the operands' sizes.
static BoundedArrays keepSizes(Operation *op, ArrayRef<BoundedArray> operands,
                               BoundedBuild &build) {
  BoundedArrays results;
  SmallVector<Value> arrays =
      build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes()));
  for (auto [array, operand] : llvm::zip(arrays, operands))
    results.emplace_back(array, operand.sizes);
  return results;
}

static Expanded expandAllReduce(AllReduceOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  return keepSizes(op, operands, build);
}

/// Of gathers and exchanges along one dimension, whose parts lie at known places.
static Expanded expandAlong(Operation *op, int64_t dimension, ArrayRef<BoundedArray> operands,
                            BoundedBuild &build) {
  for (const BoundedArray &operand : operands)
    if (operand.sizes[dimension]) {
      emitNotSupported(op->getLoc(), "'" + op->getName().stripDialect() +
                                         "' along a dimension of bounded dynamic size");
      return failure();
    }
  return keepSizes(op, operands, build);
}

template <typename Op>
static Expanded expandGathering(Op op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  return expandAlong(op, op.getDimensions().front(), operands, build);
}

/// Without a dimension whole arrays are exchanged.
static Expanded expandAllToAll(AllToAllOp op, ArrayRef<BoundedArray> operands,
                               BoundedBuild &build) {
  if (op.getDimensions())
    return expandAlong(op, op.getDimensions()->front(), operands, build);
  BoundedArrays results;
  for (Value array : build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes())))
    results.emplace_back(array);
  for (int64_t d = 0; d < operands.front().getRank(); ++d) {
    if (llvm::none_of(operands, [&](const BoundedArray &operand) { return operand.sizes[d]; }))
      continue;
    SmallVector<Value> sizes;
    for (const BoundedArray &operand : operands)
      sizes.push_back(build.getSize(operand, d));
    for (auto [result, size] :
         llvm::zip(results, build.cloneOn(op, sizes, ValueRange(sizes).getTypes())))
      result.sizes[d] = size;
  }
  return results;
}

/// Each array is followed by its sizes, plus one: who is sent nothing has zeros of its own size.
template <typename Op>
static Expanded expandSending(Op op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  SmallVector<Value> inputs = getArrays(operands);
  for (const BoundedArray &operand : operands)
    for (Value size : operand.sizes)
      if (size)
        inputs.push_back(build.add(size, 1.0));
  SmallVector<Value> received = build.cloneOn(op, inputs, ValueRange(inputs).getTypes());
  BoundedArrays results;
  auto *next = received.begin() + operands.size();
  for (auto [array, operand] : llvm::zip(received, operands)) {
    BoundedArray &result = results.emplace_back(array, operand.sizes);
    for (Value &size : result.sizes) {
      if (!size)
        continue;
      Value isNone = build.compare(*next, 0.0, Direction::EQ);
      size = build.select(isNone, size, build.sub(*next++, 1.0));
    }
  }
  return results;
}

static Expanded expandPermute(CollectivePermuteOp op, ArrayRef<BoundedArray> operands,
                              BoundedBuild &build) {
  if (op.getSliceSizes() && !op.getSliceSizes()->empty()) {
    emitNotSupported(op.getLoc(), "a permutation of slices of arrays of bounded dynamic size");
    return failure();
  }
  return expandSending(op, operands, build);
}

void hloc::populateCollectives(BoundedPatterns &patterns) {
  patterns.add<AllReduceOp>(expandAllReduce);
  patterns.add<AllGatherOp>(expandGathering);
  patterns.add<ReduceScatterOp>(expandGathering);
  patterns.add<AllToAllOp>(expandAllToAll);
  patterns.add<CollectiveBroadcastOp>(expandSending);
  patterns.add<CollectivePermuteOp>(expandPermute);
}
