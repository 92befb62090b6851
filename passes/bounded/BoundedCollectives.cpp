// SPDX-License-Identifier: Apache-2.0
// Collectives that reduce, gather or exchange along a dimension. All members must have the same
// sizes in other dimensions, which is checked at run time. Along a dimension of bounded size,
// members exchange their sizes, and then parts that are padded to the bound.
#include "passes/bounded/BoundedCollectives.h"
#include "passes/Computations.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/expand/ApplyToElements.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Results with the operands' sizes, which all members must share.
static Expanded keepSizes(Operation *op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  exchange->requireSame(operands);
  BoundedArrays results;
  SmallVector<Value> arrays =
      build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes()));
  for (auto [array, operand] : llvm::zip(arrays, operands))
    results.emplace_back(array, operand.sizes);
  return results;
}

/// Folds the operands over the members with a computation that the runtime cannot apply. As loops
/// may not end on elements past the sizes, each member gathers all arrays and skips these elements.
static BoundedArrays foldMembers(SizeExchange &exchange, ComputationOp computation,
                                 ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  BoundedArrays results;
  for (const BoundedArray &operand : operands) {
    Value inside = build.isInside(operand);
    Value folded = foldRows(build, computation, exchange.gatherRows(operand.array),
                            inside ? build.flatten(inside) : Value());
    results.emplace_back(build.reshape(folded, operand.getBounds()), operand.sizes);
  }
  return results;
}

static Expanded expandAllReduce(AllReduceOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
  if (mayAlwaysRun(computation))
    return keepSizes(op, operands, build);
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  exchange->requireSame(operands);
  return foldMembers(*exchange, computation, operands, build);
}

static bool isAlongBounded(ArrayRef<BoundedArray> operands, int64_t dimension) {
  return llvm::any_of(operands,
                      [&](const BoundedArray &operand) { return bool(operand.sizes[dimension]); });
}

/// Along `dimension`, `array` consists of one part per member, each padded to the bound, of
/// `sizes[i]` elements: compacts the parts. Other dimensions have the sizes of `like`.
static BoundedArray joinParts(BoundedBuild &build, Value array, int64_t dimension,
                              ArrayRef<Value> sizes, const BoundedArray &like) {
  int64_t bound = arrayType(array).getDimSize(dimension) / int64_t(sizes.size());
  BoundedArrays parts;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t start = bound * int64_t(i);
    BoundedArray &part =
        parts.emplace_back(build.sliceOf(array, dimension, start, start + bound), like.sizes);
    part.sizes[dimension] = size;
  }
  return build.concatenateBounded(parts, dimension);
}

/// The reverse: pads each of `count` parts of `size` elements to the bound.
static Value spreadParts(BoundedBuild &build, const BoundedArray &array, int64_t dimension,
                         int64_t count, Value size) {
  return build.concatenate(getArrays(build.splitParts(array, dimension, count, size)), dimension);
}

/// The size of a part of `dimension`, one of which each member gets. The run fails if the division
/// has a remainder.
static Value splitSize(BoundedBuild &build, SizeExchange &exchange, const BoundedArray &array,
                       int64_t dimension) {
  Value members = build.index(exchange.getMembers()), size = build.getSize(array, dimension);
  Value rest = build.binary<RemainderOp>(size, members);
  exchange.require(build.compare(rest, 0.0, Direction::EQ),
                   "a size of dimension " + Twine(dimension) + " that is a multiple of the " +
                       Twine(exchange.getMembers()) + " members of a group");
  return build.div(size, members);
}

/// The operands of all members concatenated, each with its own size along the dimension.
static Expanded expandAllGather(AllGatherOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  int64_t d = op.getDimensions().front();
  if (!isAlongBounded(operands, d))
    return keepSizes(op, operands, build);
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  exchange->requireSame(operands, d);
  SmallVector<Value> own;
  for (const BoundedArray &operand : operands)
    own.push_back(build.getSize(operand, d));
  Value all = exchange->gather(own);
  SmallVector<Value> arrays =
      build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes()));
  BoundedArrays results;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    const BoundedArray &operand = operands[i];
    if (!operand.sizes[d]) {
      results.emplace_back(array, operand.sizes);
      continue;
    }
    SmallVector<Value> sizes;
    for (int64_t member = 0; member < exchange->getMembers(); ++member)
      sizes.push_back(build.element(all, member, i));
    results.push_back(joinParts(build, array, d, sizes, operand));
  }
  return results;
}

/// The participant's own part of an array, with the type `type`.
static BoundedArray keepPart(BoundedBuild &build, SizeExchange &exchange, const BoundedArray &array,
                             int64_t dimension, RankedTensorType type) {
  BoundedArray part(array);
  Value size = build.index(type.getDimSize(dimension));
  if (array.sizes[dimension])
    size = part.sizes[dimension] = splitSize(build, exchange, array, dimension);
  SmallVector<Value> starts(array.getRank(), build.index(0));
  starts[dimension] = build.mul(exchange.getPlace(), size);
  part.array = build.dynamicSlice(array.array, starts, type.getShape());
  return part;
}

/// Each member keeps one of equal parts.
static Expanded expandReduceScatter(ReduceScatterOp op, ArrayRef<BoundedArray> operands,
                                    BoundedBuild &build) {
  int64_t d = op.getDimensions().front();
  ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
  bool mayRun = mayAlwaysRun(computation);
  if (mayRun && !isAlongBounded(operands, d))
    return keepSizes(op, operands, build);
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  exchange->requireSame(operands);
  if (!mayRun) {
    BoundedArrays results = foldMembers(*exchange, computation, operands, build);
    for (auto [result, type] : llvm::zip(results, op->getResultTypes()))
      result = keepPart(build, *exchange, result, d, getFullType(type));
    return results;
  }
  SmallVector<Value> arrays = getArrays(operands), sizes(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand.sizes[d])
      continue;
    sizes[i] = splitSize(build, *exchange, operand, d);
    arrays[i] = spreadParts(build, operand, d, exchange->getMembers(), sizes[i]);
  }
  BoundedArrays results;
  for (auto [array, operand, size] :
       llvm::zip(build.cloneOn(op, arrays, getFullTypes(op->getResultTypes())), operands, sizes))
    results.emplace_back(array, operand.sizes).sizes[d] = size;
  return results;
}

/// Without a dimension, each operand is sent to one member, with its sizes.
static Expanded exchangeOperands(AllToAllOp op, ArrayRef<BoundedArray> operands,
                                 BoundedBuild &build) {
  BoundedArrays results;
  for (Value array : build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes())))
    results.emplace_back(array);
  for (int64_t d = 0; d < operands.front().getRank(); ++d) {
    if (!isAlongBounded(operands, d))
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

/// Along a dimension, each member sends parts of one size to all, which may differ from the size of
/// the parts that it receives.
static Expanded expandAllToAll(AllToAllOp op, ArrayRef<BoundedArray> operands,
                               BoundedBuild &build) {
  if (!op.getDimensions())
    return exchangeOperands(op, operands, build);
  int64_t d = op.getDimensions()->front();
  const BoundedArray &operand = operands.front();
  if (!operand.sizes[d])
    return keepSizes(op, operands, build);
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  exchange->requireSame(operands, d);
  Value part = splitSize(build, *exchange, operand, d), all = exchange->gather(part);
  Value parts = spreadParts(build, operand, d, exchange->getMembers(), part);
  SmallVector<Value> sizes;
  for (int64_t member = 0; member < exchange->getMembers(); ++member)
    sizes.push_back(build.element(all, member, 0));
  Value array = build.cloneOn(op, parts, getFullTypes(op->getResultTypes())).front();
  return BoundedArrays{joinParts(build, array, d, sizes, operand)};
}

void hloc::populateCollectives(BoundedPatterns &patterns) {
  patterns.add<AllReduceOp>(expandAllReduce);
  patterns.add<AllGatherOp>(expandAllGather);
  patterns.add<ReduceScatterOp>(expandReduceScatter);
  patterns.add<AllToAllOp>(expandAllToAll);
}
